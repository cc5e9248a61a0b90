// Rules that hold for every value of every dtype they name: constants, identities, bools, WHERE, casts. After tinygrad's
// symbolic_simple; floats only where IEEE arithmetic gives the same bits.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill {

namespace detail {

// Also exp, log, sin …: the library's own code, the same bits in constant evaluation and at run time.
constexpr uop folded(const match& m, context&) {
  const uop root = m.root();
  u32 out = 0;
  const vector<u32, 3> sources(root.owner->sources(root.id));
  if (fold_constants(*root.owner, root.code(), root.type(), sources, out)) return {root.owner, out};
  if (sources.size() != 1 || !is_float(root.type()) || !is_alu(root.code())) return {};
  const i64 argument = root.source(0).argument(0), word = exec_alu(root.code(), root.type(), root.type(), {&argument, 1});
  return {root.owner, root.owner->intern(op::CONST, root.type(), {}, {&word, 1})};
}
constexpr uop only_value(const match& m, context&) {
  const uop root = m.root();
  if (root.type().is_pointer()) return {};
  return root.owner->constant(root.type(), root.lo());
}
// Does every value of `from` survive a cast to `to`?
constexpr bool holds_all(scalar_kind to, scalar_kind from) {
  if (is_bool(from)) return true;
  if (is_float(from)) return to == from || to == scalar_kind::float64 || (to == scalar_kind::float32 && from != scalar_kind::float64);
  if (is_float(to)) return (to == scalar_kind::float64 && bit_width(from) <= 32) || (to == scalar_kind::float32 && bit_width(from) <= 16) || (bit_width(from) == 8);
  if (is_bool(to)) return false;
  return is_signed(from) ? is_signed(to) && bit_width(to) >= bit_width(from)
                         : (bit_width(to) > bit_width(from) || (is_unsigned(to) && bit_width(to) == bit_width(from)));
}
constexpr uop cast_of_cast(const match& m, context&) {
  const uop outer = m.root(), inner = outer.source(0), from = inner.source(0);
  const scalar_kind to = outer.type().kind, via = inner.type().kind, kind = from.type().kind;
  if (!holds_all(via, kind)) return {};
  // From a float an integer saturates, from an integer it wraps.
  if (is_float(via) && !is_float(kind) && is_integer(to) && !holds_all(to, kind)) return {};
  return cast(from, outer.type());
}
constexpr bool casts_to_itself(const match& m) { return m.root().type() == m[pattern::x].type(); }

namespace simple_rules {
using namespace twill::pattern;
// A float constant by its bits.
constexpr term exactly(double v) {
  term out(v);
  out.tokens[0].what = part::exact_real;
  return out;
}
inline constexpr term nan = exactly(__builtin_nanf(""));
inline constexpr auto set = rules(
    // constants
    rewrite("fold constants", any_alu_of(any_constant), folded),                            // (3 + 4) * i
    // So x * 0, x & 0, x | -1, x % 1, x / 0 and 0 / x of integers need no rules of their own.
    rewrite("one value by bounds", one_value(any_alu()), only_value),  // i / 64, i in [0, 31]
    // identities
    rewrite("x + 0", integers_or_bools(x) + 0, x),                                          // i * 64 + 0
    rewrite("x + -0.0", floats(x) + negative_zero(), x),                                    // not +0.0: -0.0 + 0.0 is 0.0
    rewrite("x * 1", x * 1, x),                                                             // i * 1
    rewrite("x / 1", integers(x) / 1, x),
    rewrite("x / 1.0", pattern::node(op::FDIV, x, 1.0), x),
    rewrite("x / -1", signed_integers(x) / -1, x * -1).as(rule_kind::ring),                        // the least integer wraps on both sides
    rewrite("x / x", integers(x) / x, 1, lo(x) > 0 || hi(x) < 0),                                     // n / n, n in [1, 9]
    rewrite("x % 0", integers(x) % 0, x),
    rewrite("x % x", integers(x) % x, 0),                                                             // 0 % 0 is 0 too
    rewrite("x ^ 0", x ^ 0, x),
    rewrite("x ^ x", x ^ x, 0),
    rewrite("x & x", x & x, x),
    rewrite("x | x", x | x, x),
    rewrite("x | 0", x | 0, x),
    rewrite("x & -1", integers(x) & -1, x),
    rewrite("x << 0", x << 0, x),
    rewrite("x >> 0", x >> 0, x),
    rewrite("max(x, x)", max(x, x), x),
    rewrite("min(x, x)", min(x, x), x),
    rewrite("x < x", x < x, false),                                                         // NaN too
    rewrite("x != x", integers_or_bools(x) != x, false),                                    // not floats: NaN != NaN
    rewrite("-(-x)", pattern::node(op::NEG, pattern::node(op::NEG, x)), x),
    // floats, exact: signs, and what is a NaN whatever x
    rewrite("x * c * -1", floats(x) * c0 * -1, x * (c0 * -1)),                              // float/0051
    rewrite("(x * c) * (y * -1)", (floats(x) * c0) * (y * -1), x * (c0 * -1) * y),          // x * 3 * (y * -1)
    rewrite("(x + x) * (y * -1)", (floats(x) + x) * (y * -1), x * -2 * y),                  // float/0028
    rewrite("x * 4 + x * 2", floats(x) * 4 + x * 2, x * 6),                                 // float/0020: doublings are exact, only the sum is rounded
    rewrite("x * 2 + x", floats(x) * 2 + x, x * 3),                                         // float/0114
    rewrite("x * 3 + x", floats(x) * 3 + x, x * 4),                                         // float/0212; what 3 * x rounds off, the sum rounds back
    rewrite("x * nan", floats(x) * nan, nan),                                               // float/0269
    rewrite("x - x != x * y", pattern::node(op::CMPNE, floats(x) + x * -1, x * y), pattern::node(op::CMPNE, x * y, 0)),  // float/0094; true for an infinite x, as x * y != 0 is
    rewrite("nan < x", nan < floats(x), false),                                             // float/0042
    rewrite("x < nan", floats(x) < nan, false),                                             // float/0285
    rewrite("x < -inf", floats(x) < exactly(-__builtin_inff()), false),                     // float/0233
    // bools
    rewrite("x and true", bools(x) & true, x),
    rewrite("bool x * y", bools(x) * y, x & y),
    rewrite("bool x + y", bools(x) + y, x | y),
    rewrite("bool max", max(bools(x), y), x | y),
    rewrite("bool min", min(bools(x), y), x & y),
    rewrite("bool x < y", bools(x) < y, (!x) & y),
    rewrite("bool x ^ y", bools(x) ^ y, x != y),
    rewrite("not not x", !(!bools(x)), x),                                                    // !(i < 3) twice
    rewrite("x != false", bools(x) != false, x),
    rewrite("x and not x", bools(x) & !x, false),
    rewrite("x or not x", bools(x) | !x, true),
    rewrite("x and (x or y)", x & (x | y), x),
    rewrite("x or (x and y)", x | (x & y), x),
    rewrite("not x != not y", (!bools(x)) != (!bools(y)), x != y),
    // WHERE
    rewrite("where(c, x, x)", where(y, x, x), x),
    rewrite("where(true, x, y)", where(true, x, y), x),
    rewrite("where(false, x, y)", where(false, x, y), y),
    rewrite("where(c, true, false)", where(x, true, false), x),
    rewrite("where(c, false, true)", where(x, false, true), !x),
    rewrite("where(not c, x, y)", where(!bools(z), x, y), where(z, y, x)),
    rewrite("where(c, where(c, x, y), z)", where(w, where(w, x, y), z), where(w, x, z)),
    rewrite("where(c, x, where(c, y, z))", where(w, x, where(w, y, z)), where(w, x, z)),
    rewrite("where(c, x, a) + where(c, y, b)", where(w, integers(x), c0) + where(w, y, c1), where(w, x + y, c0 + c1)),  // test_where_combine/3
    rewrite("max(where(c, x, a), where(c, y, b))", max(where(w, integers(x), c0), where(w, y, c1)), where(w, max(x, y), max(c0, c1))),  // test_where_combine/5
    rewrite("where(c, where(d, x, y), y)", where(w, where(z, x, y), y), where(w & z, x, y)),   // nested padding
    // casts
    rewrite("cast to itself", pattern::node(op::CAST, x), x, casts_to_itself),
    rewrite("cast of a lossless cast", pattern::node(op::CAST, pattern::node(op::CAST, x)), cast_of_cast));
}  // namespace simple_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& simple = detail::simple_rules::set;
}

}  // namespace twill
