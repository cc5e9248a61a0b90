#include "pattern_reader.hpp"

#include <algorithm>
#include <set>

#include "numbers.hpp"
#include "tree.hpp"
#include "twill/match/rule.hpp"

namespace conformance {

using namespace twill;

namespace {

struct inexpressible {
  std::string reason;
};

// An op and a number of sources that a node of it has.
using shape = std::pair<op, size_t>;

struct too_long {};

class reader {
 public:
  // present[d]: what nodes d below the root can be; deeper ones as the last.
  reader(std::vector<std::set<shape>> present, std::vector<std::string>& names) : present_(std::move(present)), names_(names) {}

  pattern::term read(const json& p, size_t depth) {
    if (const json* any = p.find("any")) return alternatives(*any, depth);
    return finished(p, node(p, depth));
  }

 private:
  static pattern::term joined(std::vector<pattern::term> parts) {
    if (parts.size() == 1) return parts[0];
    pattern::term out(part::alternatives, 0);
    out.tokens[0].count = static_cast<u8>(parts.size());
    for (const pattern::term& t : parts) append(out, t);
    return out;
  }
  static void append(pattern::term& to, const pattern::term& t) {
    if (static_cast<size_t>(to.size) + t.size > max_tokens) throw too_long{};
    to.push(t);
  }
  pattern::term alternatives(const json& any, size_t depth) {
    std::vector<pattern::term> parts;
    for (const json& p : any.items()) parts.push_back(read(p, depth));
    return joined(std::move(parts));
  }

  // Without name and dtypes.
  pattern::term node(const json& p, size_t depth) {
    const json &ops = p["op"], &argument = p["arg"], &sources = p["src"];
    if (!argument.is_null()) {
      if (ops.is_null() || ops.size() != 1 || ops[size_t{0}].string() != "CONST" || !sources.is_null())
        throw inexpressible{"argument of another op than CONST"};
      return value(argument);
    }
    if (ops.is_null() && sources.is_null()) return pattern::anything;
    return operation(wanted(ops, depth), sources, p.flag("any_len"), depth);
  }
  static pattern::term value(const json& argument) {
    if (argument.is_string()) {
      const double number = read_double(argument);
      if (static_cast<double>(static_cast<float>(number)) != number) throw inexpressible{"argument of more than 24 bits"};
      pattern::term out(number);
      out.tokens[0].types = kinds::all;
      return out;
    }
    const i64 number = argument.is_bool() ? argument.boolean() : argument.integer();
    if (number != static_cast<i32>(number)) throw inexpressible{"argument of more than 32 bits"};
    return pattern::term(static_cast<int>(number));
  }
  std::set<shape> wanted(const json& ops, size_t depth) const {
    const std::set<shape>& present = present_[depth < present_.size() ? depth : present_.size() - 1];
    if (ops.is_null()) return present;
    std::set<op> codes;
    for (const json& name : ops.items()) codes.insert(read_op(name.string()));
    std::set<shape> out;
    for (const shape& s : present)
      if (codes.count(s.first) != 0) out.insert(s);
    if (out.empty()) out.insert({codes.empty() ? op::NULL_OP : *codes.begin(), 0});  // matches nowhere, as it should
    return out;
  }

  pattern::term operation(const std::set<shape>& wanted, const json& sources, bool any_length, size_t depth) {
    if (sources.is_null()) return of_ops(wanted, {}, order::unchecked);
    const std::string& kind = sources["kind"].string();
    if (kind == "repeat") return repeated(wanted, sources["pat"], depth);
    std::vector<pattern::term> parts;
    for (const json& p : sources["pats"].items()) parts.push_back(read(p, depth + 1));
    if (kind == "tuple") return of_ops(wanted, parts, any_length ? order::prefix : order::tuple);
    if (kind == "perm") return of_ops(wanted, parts, parts.size() > 1 ? order::permutation : order::tuple);
    throw data_error("unknown kind of sources: " + quoted(kind));
  }
  // Every source like one pattern: for each number of sources that occurs, a tuple of that many.
  pattern::term repeated(const std::set<shape>& wanted, const json& p, size_t depth) {
    std::vector<pattern::term> parts;
    std::set<size_t> counts;
    for (const shape& s : wanted) counts.insert(s.second);
    for (const size_t count : counts) {
      std::set<shape> alike;
      for (const shape& s : wanted)
        if (s.second == count) alike.insert(s);
      parts.push_back(of_ops(alike, std::vector<pattern::term>(count, read(p, depth + 1)), order::tuple));
    }
    return joined(std::move(parts));
  }
  // A set holds four ops; more are alternatives.
  static pattern::term of_ops(const std::set<shape>& wanted, const std::vector<pattern::term>& sources, order how) {
    std::set<op> codes;
    for (const shape& s : wanted)
      if (how == order::unchecked || s.second == sources.size() || (how == order::prefix && s.second > sources.size()))
        codes.insert(s.first);
    if (codes.empty()) codes.insert(wanted.begin()->first);
    std::vector<pattern::term> parts;
    for (auto at = codes.begin(); at != codes.end();) {
      u32 packed = 0;
      int count = 0;
      const op first = *at;
      for (; count < 4 && at != codes.end(); ++count, ++at) packed |= static_cast<u32>(*at) << (8 * count);
      pattern::term out(count == 1 ? part::operation : part::operation_set, static_cast<i32>(packed));
      out.tokens[0].code = first;
      out.tokens[0].count = static_cast<u8>(sources.size());
      out.tokens[0].sources = how;
      for (const pattern::term& t : sources) append(out, t);
      parts.push_back(out);
    }
    return joined(std::move(parts));
  }

  pattern::term finished(const json& p, pattern::term out) {
    token& root = out.tokens[0];
    const json &types = p["dtype"], &name = p["name"];
    if (!types.is_null()) {
      u16 set = 0;
      for (const json& type : types.items()) {
        const dtype t = is_memory_dtype(type.string()) ? dtype{}.pointer() : read_dtype(type.string());
        if (t.lanes != 1 || t.is_pointer()) throw inexpressible{"dtype of a vector or a pointer"};
        set = static_cast<u16>(set | kinds::bit(t.kind));
      }
      root.types = static_cast<u16>(root.types & set);
    }
    if (!name.is_null()) root.name = static_cast<u8>(slot(name.string()) + 1);
    return out;
  }
  size_t slot(const std::string& name) {
    const size_t at = static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    if (at == names_.size()) names_.push_back(name);
    if (at >= pattern::name_count) throw inexpressible{"more names than a pattern has"};
    return at;
  }

  static constexpr size_t max_tokens = max_pattern;  // of a rule's left side
  std::vector<std::set<shape>> present_;
  std::vector<std::string>& names_;
};

// What the nodes 0, 1, … below root are.
std::vector<std::set<shape>> shapes_by_depth(uop root) {
  std::vector<std::set<shape>> out;
  for (std::set<u32> level{root.id}; !level.empty();) {
    std::set<u32> below;
    out.emplace_back();
    for (const u32 id : level) {
      const uop u{root.owner, id};
      out.back().insert({u.code(), u.source_count()});
      for (size_t i = 0; i < u.source_count(); ++i) below.insert(u.source(i).id);
    }
    level = std::move(below);
  }
  out.emplace_back();
  return out;
}

// false: too long.
bool read_terms(const std::vector<const json*>& patterns, const std::vector<std::set<shape>>& present, read_pattern& out) {
  out = {};
  try {
    for (const json* p : patterns) out.terms.push_back(reader(present, out.names).read(*p, 0));
    return true;
  } catch (const inexpressible& e) {
    out.terms.clear();
    out.inexpressible = e.reason;
    return true;
  } catch (const too_long&) { return false; }
}

}  // namespace

read_pattern pattern_of(const json& pattern, uop root) {
  std::set<shape> all;
  for (u32 id = 0; id < root.owner->size(); ++id) all.insert({root.owner->at(id).code, root.owner->at(id).source_count});
  std::vector<const json*> alternatives;
  if (const json* any = pattern.find("any"))
    for (const json& p : any->items()) alternatives.push_back(&p);
  else
    alternatives.push_back(&pattern);
  read_pattern out;
  if (read_terms({&pattern}, {all}, out) || read_terms({&pattern}, shapes_by_depth(root), out) ||
      read_terms(alternatives, shapes_by_depth(root), out))
    return out;
  out = {};
  out.inexpressible = "pattern of more than " + std::to_string(max_pattern) + " tokens";
  return out;
}

}  // namespace conformance
