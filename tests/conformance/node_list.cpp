#include "node_list.hpp"

#include "numbers.hpp"
#include "tree.hpp"

namespace conformance {

using namespace twill;

uop node_list::at(const json& place) const {
  const i64 i = place.integer();
  if (i < 0 || static_cast<size_t>(i) >= nodes.size()) throw data_error("no node " + place.dump());
  return nodes[static_cast<size_t>(i)];
}

std::optional<size_t> node_list::place_of(uop u) const {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] == u) return i;
  return std::nullopt;
}

namespace {

bool is_read(op code) {
  return is_alu(code) || code == op::CONST || code == op::DEFINE_VAR || code == op::SPECIAL || code == op::RANGE || code == op::CAST ||
         code == op::BITCAST || code == op::VECTORIZE || code == op::VCONST || code == op::GEP;
}

std::vector<i64> read_argument(graph& g, op code, dtype type, const json& argument) {
  switch (code) {
    // A test of the matcher makes CONSTs without a value, with sources.
    case op::CONST: return {argument.is_null() ? 0 : read_word(argument, type.kind)};
    case op::RANGE: return {argument.integer()};
    case op::VCONST:
    case op::GEP: {
      const scalar_kind kind = code == op::GEP ? scalar_kind::int64 : type.kind;
      std::vector<i64> out;
      if (!argument.is_array()) return {read_word(argument, kind)};
      for (const json& value : argument.items()) out.push_back(read_word(value, kind));
      return out;
    }
    case op::DEFINE_VAR: {
      const bool bounded = !is_float(type);
      const uop v = g.var(text_view(argument[size_t{0}].string()), bounded ? read_word(argument[1], type.kind) : 0,
                          bounded ? read_word(argument[2], type.kind) : 0, type);
      return {v.arguments().begin(), v.arguments().end()};
    }
    case op::SPECIAL: {
      const uop name = g.var(text_view(argument[size_t{0}].string()), 0, 0);
      std::vector<i64> out{argument[1].integer()};
      out.insert(out.end(), name.arguments().begin() + 2, name.arguments().end());
      return out;
    }
    default: return {};
  }
}

}  // namespace

node_list read_nodes(graph& g, const json& list) {
  node_list out;
  for (const json& row : list.items()) {
    const op code = read_op(row[size_t{0}].string());
    const std::string& type_name = row[1].string();
    if (!is_read(code) || is_memory_dtype(type_name)) {
      out.unknown = is_read(code) ? type_name : std::string(name(code));
      return out;
    }
    const dtype type = read_dtype(type_name);
    std::vector<uop> sources;
    for (const json& place : row[2].items()) sources.push_back(out.at(place));
    const std::vector<i64> words = read_argument(g, code, type, row[3]);
    out.nodes.push_back(g.make(code, type, {sources.data(), sources.size()}, {words.data(), words.size()}));
  }
  return out;
}

}  // namespace conformance
