// Constants and elements of vectors. A vector constant is a CONST where all lanes are alike, else a VCONST. The rules are
// procedural: patterns don't speak of lanes.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill {

namespace detail {

constexpr bool all_equal(span<const i64> words) {
  for (const i64 w : words)
    if (w != words[0]) return false;
  return true;
}
constexpr uop vector_constant(graph& g, dtype type, span<const i64> words) {
  if (all_equal(words)) return {&g, g.intern(op::CONST, type, {}, {words.data(), 1})};
  return {&g, g.intern(op::VCONST, type, {}, words)};
}
// The value of one lane of a constant.
constexpr i64 lane_of(uop constant, size_t lane) { return constant.argument(constant.is(op::VCONST) ? lane : 0); }

// An op on constants, lane by lane.
constexpr uop folded_lanes(const match& m, context&) {
  const uop root = m.root();
  const dtype type = root.type();
  if (!folds_exactly(root.code()) || root.source_count() > 3 || type.is_pointer()) return {};
  for (size_t i = 0; i < root.source_count(); ++i)
    if (root.source(i).type().lanes != type.lanes || (root.source(i).is(op::VCONST) && root.source(i).argument_count() != type.lanes)) return {};
  vector<i64, 16> out;
  for (size_t lane = 0; lane < type.lanes; ++lane) {
    i64 words[3]{};
    for (size_t i = 0; i < root.source_count(); ++i) words[i] = lane_of(root.source(i), lane);
    out.push_back(exec_alu(root.code(), type, root.source(0).type(), {words, root.source_count()}));
  }
  return vector_constant(*root.owner, type, out);
}

// Some lanes of a constant, of a vector made of scalars, or of lanes.
constexpr uop elements(const match& m, context&) {
  const uop root = m.root(), from = root.source(0);
  graph& g = *root.owner;
  const vector<i64, 16> lanes(root.arguments());
  bool all = from.type() == root.type();
  for (size_t i = 0; i < lanes.size(); ++i) all = all && lanes[i] == static_cast<i64>(i);
  if (all) return from;
  if (lanes.empty()) return {};
  for (const i64 lane : lanes)
    if (lane < 0 || lane >= from.type().lanes) return {};
  vector<i64, 16> words;
  switch (from.code()) {
    case op::CONST: return {&g, g.intern(op::CONST, root.type(), {}, vector<i64, 4>(from.arguments()))};
    case op::VCONST:
      if (from.argument_count() != from.type().lanes) return {};
      for (const i64 lane : lanes) words.push_back(from.argument(static_cast<size_t>(lane)));
      return vector_constant(g, root.type(), words);
    case op::GEP:
      if (from.argument_count() != from.type().lanes) return {};
      for (const i64 lane : lanes) words.push_back(from.argument(static_cast<size_t>(lane)));
      return {&g, g.intern(op::GEP, root.type(), vector<u32, 4>(g.sources(from.id)), words)};
    case op::VECTORIZE: {
      if (from.source_count() != from.type().lanes) return {};
      vector<u32, 16> picked;
      for (const i64 lane : lanes) picked.push_back(from.source(static_cast<size_t>(lane)).id);
      return picked.size() == 1 ? uop{&g, picked[0]} : uop{&g, g.intern(op::VECTORIZE, root.type(), picked)};
    }
    default: return {};
  }
}

// A vector of constants, of one element, or of lanes of one vector.
constexpr uop joined_lanes(const match& m, context&) {
  const uop root = m.root();
  graph& g = *root.owner;
  const size_t count = root.source_count();
  if (count == 1 && root.source(0).type() == root.type()) return root.source(0);
  if (count == 0 || count != root.type().lanes) return {};
  const op code = root.source(0).code();
  if (code != op::CONST && code != op::GEP) return {};
  vector<i64, 16> words;
  for (size_t i = 0; i < count; ++i) {
    const uop s = root.source(i);
    if (!s.is(code) || s.type().lanes != 1) return {};
    if (code == op::GEP && !(s.source(0) == root.source(0).source(0))) return {};
    words.push_back(s.argument(0));
  }
  if (code == op::CONST) return vector_constant(g, root.type(), words);
  return {&g, g.intern(op::GEP, root.type(), vector<u32, 4>(g.sources(root.source(0).id)), words)};
}

namespace vector_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("fold vector constants", any_alu_of(with(pattern::node(op_set{{op::VCONST, op::CONST}}), order::unchecked)), folded_lanes),  // unrolled indices: (0, 1, 2, 3) * 64
    rewrite("elements", pattern::node(op::GEP, anything), elements),                             // test_gep_tuple_on_vconst, test_gep_gep_simplification
    rewrite("vector of elements", with(pattern::node(op::VECTORIZE), order::unchecked), joined_lanes));  // test_gep_vec_const_fold, test_gep_vec_fold
}  // namespace vector_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& vector = detail::vector_rules::set;
}

}  // namespace twill
