// Which rules can match a node: tables of bits, one bit a rule, looked up by the node's op and dtype and by the classes of
// its sources and of their second sources. What is left after a few ANDs is nearly always what matches.
#pragma once

#include "twill/match/pattern.hpp"

namespace twill {

inline constexpr size_t op_limit = static_cast<size_t>(detail::first_own_op + own_op_count);
inline constexpr size_t scalar_kind_limit = 16;

namespace detail {

constexpr u64 class_bit(u8 c) { return u64{1} << c; }
inline constexpr u64 every_class = ~u64{0};
inline constexpr u64 constant_classes = class_bit(node_class::constant) | class_bit(node_class::zero) | class_bit(node_class::one) | class_bit(node_class::minus_one);

constexpr u64 classes_of(op code) { return code == op::CONST ? constant_classes : class_bit(node_class::of(code)); }
// The classes of the nodes that a token may match.
constexpr u64 admitted_classes(const token& t) {
  switch (t.what) {
    case part::operation: return classes_of(t.code);
    case part::operation_set: {
      u64 out = 0;
      for (int i = 0; i < 4; ++i) {
        const u32 code = (static_cast<u32>(t.value) >> (8 * i)) & 255;
        if (code != 0) out |= classes_of(static_cast<op>(code));
      }
      return out;
    }
    case part::constant: return constant_classes;
    // A number outside the dtype stands for what it wraps to.
    case part::literal: return t.value >= -1 && t.value <= 127 ? class_bit(node_class::of_value(i64{t.value})) : constant_classes;
    case part::real: case part::exact_real: return class_bit(node_class::of_value(static_cast<double>(__builtin_bit_cast(float, t.value))));
    default: return every_class;
  }
}
// The classes that the two sources of a node which this token matches may have, if operands stand in canonical order: a
// constant is never first there, unless both are.
struct source_classes {
  u64 first = every_class, second = every_class;
};
constexpr source_classes admitted_source_classes(const token* tokens, u8 at) {
  const token& t = tokens[at];
  if ((t.what != part::operation && t.what != part::operation_set) || t.count == 0 || t.sources > order::permutation) return {};
  const u64 a = admitted_classes(tokens[at + 1]);
  if (t.count == 1) return {a, every_class};
  const u64 b = admitted_classes(tokens[tokens[at + 1].end]);
  if (t.sources == order::tuple) return {a, b};
  if (t.count > 2) return {};
  const bool a_constant = (a & ~constant_classes) == 0, b_constant = (b & ~constant_classes) == 0;
  if (a_constant && !b_constant) return {b, a};
  if (b_constant && !a_constant) return {a, b};
  return {a | b, a | b};
}

// Six places at the top of a pattern or a graph: the two sources, the sources of the first, the sources of the second. One bit
// for each two that are one node.
constexpr u16 pair_bit(int i, int j) {
  const int a = i < j ? i : j, b = i < j ? j : i;
  return static_cast<u16>(1u << (b * (b - 1) / 2 + a));
}
constexpr u16 equal_pairs(const u32* p) {
  return static_cast<u16>((p[0] == p[1]) | (p[0] == p[2]) << 1 | (p[1] == p[2]) << 2 | (p[0] == p[3]) << 3 | (p[1] == p[3]) << 4 |
                          (p[2] == p[3]) << 5 | (p[0] == p[4]) << 6 | (p[1] == p[4]) << 7 | (p[2] == p[4]) << 8 | (p[3] == p[4]) << 9 |
                          (p[0] == p[5]) << 10 | (p[1] == p[5]) << 11 | (p[2] == p[5]) << 12 | (p[3] == p[5]) << 13 | (p[4] == p[5]) << 14);
}
// The places where a token of a left side may stand: one bit each; none for the root and what is deeper.
constexpr u8 places_of(const token* tokens, u8 at) {
  const token& t = tokens[at];
  if (at == 0 || tokens[0].what == part::alternatives) return 0;
  if (tokens[0].sources == order::each || (tokens[0].sources == order::permutation && tokens[0].count != 2)) return 0;
  const bool swaps = tokens[0].sources == order::permutation;
  if (t.parent == 0) return static_cast<u8>(swaps ? 3 : t.position < 2 ? 1 << t.position : 0);
  const token& parent = tokens[t.parent];
  if (parent.parent != 0 || parent.what == part::alternatives || parent.sources == order::each || parent.count > 2) return 0;
  const bool swaps_below = parent.sources == order::permutation && parent.count == 2;
  const u8 below = static_cast<u8>(swaps_below ? 3 : 1 << t.position);
  if (swaps) return static_cast<u8>(below << 2 | below << 4);
  return static_cast<u8>(parent.position < 2 ? below << (2 + 2 * parent.position) : 0);
}
// The pairs of which one must be equal for a name that occurs twice; 0: nothing known. Places of any order of operands.
constexpr u16 needed_pairs(const token* tokens, u8 size) {
  for (u8 i = 1; i < size; ++i) {
    if (tokens[i].name == 0) continue;
    for (u8 j = static_cast<u8>(i + 1); j < size; ++j) {
      const u8 a = tokens[j].name == tokens[i].name ? places_of(tokens, i) : u8{0}, b = a != 0 ? places_of(tokens, j) : u8{0};
      if (b == 0) continue;
      u16 out = 0;
      for (int p = 0; p < 6; ++p)
        for (int q = 0; q < 6; ++q)
          if (p != q && (a >> p & 1) != 0 && (b >> q & 1) != 0) out = static_cast<u16>(out | pair_bit(p, q));
      return out;
    }
  }
  return 0;
}

}  // namespace detail

// The tables, whatever their size. A row of `words` words for each op, dtype or class.
struct dispatch_view {
  const u64* roots = nullptr;
  const u64* kinds = nullptr;
  const u64* source_kinds = nullptr;   // of the first source
  const u64* first = nullptr;          // class of the first source
  const u64* second = nullptr;         // of the second one
  const u64* first_first = nullptr;    // of the first source's first source …
  const u64* first_second = nullptr;
  const u64* second_first = nullptr;
  const u64* second_second = nullptr;
  const u64* swapped = nullptr;        // rules whose two root operands may also stand the other way round
  const u64* equal = nullptr;          // rules that need one node as both operands
  const u64* one_value = nullptr;      // rules that need bounds with one value
  size_t words = 0;
};

template <size_t Words>
struct dispatch_table {
  static constexpr size_t rows = node_class::count + 1;  // the last one: rules that take every class
  u64 roots[op_limit * Words]{};
  u64 kinds[(scalar_kind_limit + 1) * Words]{}, source_kinds[(scalar_kind_limit + 1) * Words]{};
  u64 first[rows * Words]{}, second[rows * Words]{};
  u64 first_first[rows * Words]{}, first_second[rows * Words]{}, second_first[rows * Words]{}, second_second[rows * Words]{};
  u64 swapped[Words]{}, equal[Words]{}, one_value[Words]{};

  constexpr dispatch_view view() const { return {roots, kinds, source_kinds, first, second, first_first, first_second, second_first, second_second, swapped, equal, one_value, Words}; }

  // A rule's left side; its tokens know where they end. types, source_types: the dtypes that the root and its first source
  // can have.
  constexpr void enter(size_t at, u16 types, u16 source_types, const token* left) {
    const size_t word = at / 64;
    const u64 bit = u64{1} << (at % 64);
    const token& root = left[0];
    enter_roots(root, word, bit);
    enter_types(kinds, types, word, bit);
    enter_types(source_kinds, source_types, word, bit);
    if (root.one_value) one_value[word] |= bit;
    u64 a = detail::every_class, b = a;
    detail::source_classes below_first, below_second;
    const bool is_operation = root.what == part::operation || root.what == part::operation_set || root.what == part::any_alu;
    if (is_operation && root.sources == order::each && root.count == 1) {
      a = detail::admitted_classes(left[1]);
      b = a | detail::class_bit(node_class::none);
    } else if (is_operation && root.count > 0 && (root.sources == order::tuple || root.sources == order::prefix || (root.sources == order::permutation && root.count == 2))) {
      a = detail::admitted_classes(left[1]);
      below_first = detail::admitted_source_classes(left, 1);
      if (root.count > 1) {
        const u8 next = left[1].end;
        b = detail::admitted_classes(left[next]);
        below_second = detail::admitted_source_classes(left, next);
        const bool one_name = left[1].what == part::any && left[1].name != 0 && left[next].name == left[1].name;
        if (one_name && root.count == 2 && root.sources != order::prefix) equal[word] |= bit;
        else if (root.sources == order::permutation) swapped[word] |= bit;
      }
    }
    enter_classes(first, a, word, bit);
    enter_classes(second, b, word, bit);
    enter_classes(first_first, below_first.first, word, bit);
    enter_classes(first_second, below_first.second, word, bit);
    enter_classes(second_first, below_second.first, word, bit);
    enter_classes(second_second, below_second.second, word, bit);
  }
  // After the last rule.
  constexpr void finish() {
    for (u64* table : {kinds, source_kinds})
      for (size_t w = 0; w < Words; ++w)
        for (size_t k = 0; k < scalar_kind_limit; ++k) table[k * Words + w] |= table[scalar_kind_limit * Words + w];
    for (u64* table : {first, second, first_first, first_second, second_first, second_second})
      for (size_t w = 0; w < Words; ++w) {
        const u64 every = table[node_class::count * Words + w];
        for (size_t c = 0; c < node_class::count; ++c) table[c * Words + w] |= every;
      }
  }

 private:
  static constexpr void enter_types(u64* table, u16 types, size_t word, u64 bit) {
    if (types == twill::kinds::all) {
      table[scalar_kind_limit * Words + word] |= bit;
      return;
    }
    for (size_t k = 0; k < scalar_kind_limit; ++k)
      if (((types >> k) & 1) != 0) table[k * Words + word] |= bit;
  }
  static constexpr void enter_classes(u64* table, u64 classes, size_t word, u64 bit) {
    if (classes == detail::every_class) {
      table[node_class::count * Words + word] |= bit;
      return;
    }
    for (; classes != 0; classes &= classes - 1) table[static_cast<size_t>(__builtin_ctzll(classes)) * Words + word] |= bit;
  }
  constexpr void enter_roots(const token& t, size_t word, u64 bit) {
    switch (t.what) {
      case part::operation: roots[static_cast<size_t>(t.code) * Words + word] |= bit; break;
      case part::operation_set:
        for (int i = 0; i < 4; ++i) {
          const u32 code = (static_cast<u32>(t.value) >> (8 * i)) & 255;
          if (code != 0) roots[code * Words + word] |= bit;
        }
        break;
      case part::constant: case part::literal: case part::real: case part::exact_real:
        roots[static_cast<size_t>(op::CONST) * Words + word] |= bit;
        break;
      default:
        for (size_t o = 0; o < op_limit; ++o) {
          if (o == static_cast<size_t>(seed_op_count)) o = static_cast<size_t>(detail::first_own_op);
          const op code = static_cast<op>(o);
          if (t.what != part::any_alu || is_alu(code) || code == op::CAST || code == op::BITCAST) roots[o * Words + word] |= bit;
        }
    }
  }
};

}  // namespace twill
