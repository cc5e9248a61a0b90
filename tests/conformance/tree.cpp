#include "tree.hpp"

#include <vector>

#include "numbers.hpp"
#include "twill/ir/print.hpp"

namespace conformance {

using namespace twill;

op read_op(const std::string& name) {
  for (int i = 0; i < seed_op_count; ++i)
    if (name == twill::name(static_cast<op>(i))) return static_cast<op>(i);
  throw data_error("unknown op " + quoted(name));
}

namespace {

uop read_variable(graph& g, const json& tree) {
  const dtype type = tree.size() > 4 ? read_dtype(tree[4].string()) : int32;
  // Floats carry no bounds.
  const bool bounded = !is_float(type);
  return g.var(text_view(tree[1].string()), bounded ? read_word(tree[2], type.kind) : 0, bounded ? read_word(tree[3], type.kind) : 0, type);
}

uop read_special(graph& g, const json& tree) {
  const std::string& name = tree[1].string();
  vector<i64, 8> words{tree[2].integer(), static_cast<i64>(name.size())};
  for (size_t i = 0; i < name.size(); i += 8) {
    u64 packed = 0;
    for (size_t j = i; j < name.size() && j < i + 8; ++j) packed |= static_cast<u64>(static_cast<u8>(name[j])) << (8 * (j - i));
    words.push_back(static_cast<i64>(packed));
  }
  return g.make(op::SPECIAL, int32, {}, words);
}

uop read_range(graph& g, const json& tree) {
  const uop begin = read_tree(g, tree[2]), end = read_tree(g, tree[3]);
  const i64 number = tree[1].integer();
  if (!begin.is_constant() || !end.is_constant()) return g.make(op::RANGE, int32, {begin, end}, {&number, 1});
  const i64 words[3] = {number, begin.argument(0), end.argument(0)};
  return g.make(op::RANGE, int32, {}, words);
}

uop read_constant(graph& g, const json& tree) {
  const dtype type = tree.size() > 2 ? read_dtype(tree[2].string()) : tree[1].is_bool() ? bool_ : int32;
  const i64 word = read_word(tree[1], type.kind);
  return g.make(op::CONST, type, {}, {&word, 1});
}

uop read_vector(graph& g, const json& tree) {
  const dtype type = read_dtype(tree[2].string());
  std::vector<i64> words;
  for (const json& value : tree[1].items()) words.push_back(read_word(value, type.kind));
  if (words.size() != type.lanes) throw data_error("a VCONST of " + std::to_string(words.size()) + " values of dtype " + tree[2].string());
  return g.make(op::VCONST, type, {}, {words.data(), words.size()});
}

uop read_elements(graph& g, const json& tree) {
  const uop of = read_tree(g, tree[2]);
  std::vector<i64> words;
  for (const json& lane : tree[1].items()) {
    words.push_back(lane.integer());
    if (words.back() < 0 || words.back() >= of.type().lanes)
      throw data_error("a GEP of lane " + lane.dump() + " of " + to_text(of.type()).c_str());
  }
  return g.make(op::GEP, of.type().with_lanes(static_cast<u16>(words.size())), {of}, {words.data(), words.size()});
}

uop read_operation(graph& g, op code, const json& tree) {
  std::vector<uop> sources;
  for (size_t i = 1; i < tree.size(); ++i) sources.push_back(read_tree(g, tree[i]));
  if (code == op::VECTORIZE && !sources.empty())
    return g.make(code, sources[0].type().with_lanes(static_cast<u16>(sources.size())), {sources.data(), sources.size()});
  if (!is_alu(code)) throw data_error(std::string("an op that no tree has: ") + name(code));
  if (sources.size() != static_cast<size_t>(traits(code).arity))
    throw data_error(std::string(name(code)) + " with " + std::to_string(sources.size()) + " operands");
  const dtype last = sources.back().type();
  return g.make(code, is_comparison(code) ? bool_.with_lanes(last.lanes) : last, {sources.data(), sources.size()});
}

}  // namespace

uop read_tree(graph& g, const json& tree) {
  if (tree[0].string() == "VAR") return read_variable(g, tree);
  const op code = read_op(tree[0].string());
  switch (code) {
    case op::CONST: return read_constant(g, tree);
    case op::RANGE: return read_range(g, tree);
    case op::SPECIAL: return read_special(g, tree);
    case op::VCONST: return read_vector(g, tree);
    case op::GEP: return read_elements(g, tree);
    case op::CAST:
    case op::BITCAST: return g.make(code, read_dtype(tree[1].string()), {read_tree(g, tree[2])});
    default: return read_operation(g, code, tree);
  }
}

namespace {

uop negated(uop a) {
  if (!a.is_constant()) return a * -1;
  const i64 word = exec_alu(op::NEG, a.type(), a.type(), a.arguments());
  return a.owner->make(op::CONST, a.type(), {}, {&word, 1});
}

uop minimum(uop a, uop b) {
  if (is_bool(a.type())) return a & b;
  if (is_unsigned(a.type())) return where(a < b, a, b);
  return negated(max(negated(a), negated(b)));
}

uop floored(op code, uop a, uop b) {
  const bool divides = code == op::FLOORDIV;
  if (is_unsigned(a.type()) || is_bool(a.type()) || (a.lo() >= 0 && b.lo() >= 0)) return alu(divides ? op::IDIV : op::MOD, a, b);
  if (b.is_constant() && b.argument(0) > 0) {
    const uop rest = alu(op::MOD, alu(op::MOD, a, b) + b, b);
    return divides ? alu(op::IDIV, a + negated(rest), b) : rest;
  }
  const uop rest = alu(op::MOD, a, b);
  uop fix = not_equal(rest, 0) & not_equal(rest < 0, b < 0);
  if (!divides) return where(fix, rest + b, rest);
  if (b.lo() <= 0 && b.hi() >= 0) fix = fix & not_equal(b, 0);
  return alu(op::IDIV, a, b) + where(fix, detail::constant_like(a, -1), detail::constant_like(a, 0));
}

}  // namespace

uop in_corpus_vocabulary(uop root, graph& out) {
  const graph& g = *root.owner;
  std::vector<uop> made(root.id + 1);
  for (const u32 id : toposort(root)) {
    const uop u{root.owner, id};
    const auto source = [&](size_t i) { return made[u.source(i).id]; };
    switch (u.code()) {
      case op::NEG: made[id] = negated(source(0)); break;
      case op::SUB: made[id] = source(0) + negated(source(1)); break;
      case op::FDIV: made[id] = source(0) * alu(op::RECIP, source(1)); break;
      case op::MIN: made[id] = minimum(source(0), source(1)); break;
      case op::FLOORDIV:
      case op::FLOORMOD: made[id] = floored(u.code(), source(0), source(1)); break;
      case op::RANGE:
        if (u.argument_count() >= 3) {
          const i64 number = u.argument(0);
          made[id] = out.make(op::RANGE, u.type(), {out.constant(int32, u.argument(1)), out.constant(int32, u.argument(2))}, {&number, 1});
          break;
        }
        [[fallthrough]];
      default: {
        std::vector<uop> sources;
        for (size_t i = 0; i < u.source_count(); ++i) sources.push_back(source(i));
        made[id] = out.make(u.code(), u.type(), {sources.data(), sources.size()}, g.arguments(id));
      }
    }
  }
  return made[root.id];
}

std::string infix(uop u) { return std::string(render(u, 2000).c_str()); }

size_t corpus_node_count(uop root) {
  graph scratch;
  return toposort(in_corpus_vocabulary(root, scratch)).size();
}

namespace {

std::string written_leaf(uop u, const std::string& type) {
  const scalar_kind kind = u.type().kind;
  switch (u.code()) {
    case op::CONST: {
      const bool plain = u.type() == int32 || u.type() == bool_;
      return "[\"CONST\"," + written(kind, u.argument(0)) + (plain ? "" : "," + type) + ']';
    }
    case op::VCONST: {
      std::string values;
      for (const i64 word : u.arguments()) values += (values.empty() ? "" : ",") + written(kind, word);
      return "[\"VCONST\",[" + values + "]," + type + ']';
    }
    case op::DEFINE_VAR: {
      const bool bounded = !is_float(u.type());
      return "[\"VAR\"," + quoted(variable_name(u).c_str()) + ',' + (bounded ? written(kind, u.argument(0)) : "\"-inf\"") + ',' +
             (bounded ? written(kind, u.argument(1)) : "\"inf\"") + (u.type() == int32 ? "" : "," + type) + ']';
    }
    case op::SPECIAL: return "[\"SPECIAL\"," + quoted(render(u).c_str()) + ',' + std::to_string(u.argument(0)) + ']';
    default: return "[\"" + std::string(name(u.code())) + "\"]";
  }
}

}  // namespace

std::string written_tree(uop root) {
  graph scratch;
  root = in_corpus_vocabulary(root, scratch);
  std::vector<std::string> text(root.id + 1);
  for (const u32 id : toposort(root)) {
    const uop u{root.owner, id};
    const std::string type = quoted(to_text(u.type()).c_str());
    if (u.source_count() == 0) {
      text[id] = written_leaf(u, type);
      continue;
    }
    std::string out = "[\"" + std::string(name(u.code())) + '"';
    if (u.is(op::CAST) || u.is(op::BITCAST)) out += ',' + type;
    if (u.is(op::RANGE)) out += ',' + std::to_string(u.argument(0));
    if (u.is(op::GEP)) {
      std::string lanes;
      for (const i64 lane : u.arguments()) lanes += (lanes.empty() ? "" : ",") + std::to_string(lane);
      out += ",[" + lanes + ']';
    }
    for (size_t i = 0; i < u.source_count(); ++i) out += ',' + text[u.source(i).id];
    text[id] = out + ']';
  }
  return text[root.id];
}

}  // namespace conformance
