// Random straight-line programs over the edge values of every dtype.
#pragma once

#include "lower/sample_programs.hpp"

namespace samples {

inline sample random_alu(u64 seed, int lanes) {
  u64 state = noise(seed + 1);
  const auto pick = [&](u64 n) { return static_cast<size_t>((state = noise(state + 0x9e3779b97f4a7c15)) % n); };
  constexpr i64 n = 256;
  program_builder b;
  sample s{"random_alu", {}, {}, 0};
  constexpr scalar_kind kinds[] = {scalar_kind::bool_,  scalar_kind::int8,    scalar_kind::uint8,  scalar_kind::int16,
                                   scalar_kind::uint16, scalar_kind::int32,   scalar_kind::uint32, scalar_kind::int64,
                                   scalar_kind::uint64, scalar_kind::float32, scalar_kind::float64};
  u16 in[11]{};
  for (size_t k = 0; k < 11; ++k) {
    in[k] = b.buffer(kinds[k], n);
    s.fills.push_back({-100, 100, true});
  }
  const int lane = b.axis(lanes, lanes > 1);
  const u16 i = b.loop(n / lanes, 0);
  vector<u16> values;
  for (size_t k = 0; k < 11; ++k) values.push_back(b.load(in[k], 0, {{i, lanes}}, {{lane, 1}}));
  const auto kind_of = [&](u16 v) { return b.code.instructions[v].kind; };
  const auto like = [&](scalar_kind k) {
    for (;;)
      if (const u16 v = values[pick(values.size())]; kind_of(v) == k) return v;
  };
  constexpr op binary[] = {op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD,
                           op::MAX, op::MIN, op::AND, op::OR,   op::XOR, op::SHL,      op::SHR};
  for (int step = 0; step < 24; ++step) {
    const u16 a = values[pick(values.size())];
    const scalar_kind k = kind_of(a);
    const u16 c = pick(4) == 0 ? b.constant(k, is_float(k) ? word_of(float_edges[pick(30)] > 1e30 ? 2.5 : 0.75)
                                                           : wrap(k, static_cast<i64>(pick(9)) - 2))
                               : like(k);
    switch (pick(7)) {
      case 0: values.push_back(b.cast(kinds[pick(11)], a)); break;
      case 1: values.push_back(b.alu(pick(2) == 0 ? op::CMPLT : op::CMPNE, scalar_kind::bool_, {a, c})); break;
      case 2: values.push_back(b.alu(op::WHERE, k, {like(scalar_kind::bool_), a, c})); break;
      case 3: values.push_back(b.alu(op::MULACC, k, {a, c, like(k)})); break;
      default: values.push_back(b.alu(is_float(k) ? float_binary[pick(6)] : binary[pick(14)], k, {a, c}));
    }
  }
  for (size_t v = values.size() - 8; v < values.size(); ++v) {
    b.store(values[v], b.buffer(kind_of(values[v]), n, true), 0, {{i, lanes}}, {{lane, 1}});
    s.fills.push_back({});
  }
  b.end(i);
  b.code.parallel_count = n / lanes;
  s.code = b.code;
  return s;
}

}  // namespace samples
