// Runs sample programs with the inline executor and holds the results against the interpreter's.
#pragma once

#include "lower/sample_runs.hpp"
#include "twill/exec/inline.hpp"

namespace samples {

struct program_sizes { size_t instructions, accesses, axes, buffers; };
constexpr program_sizes sizes_of(const program& p) {
  return {p.instructions.size(), p.accesses.size(), p.axes.size(), p.buffers.size()};
}

// The sample that Source::make() gives, as a constant.
template <class Source>
struct frozen {
  static constexpr sample make() { return Source::make(); }
  static constexpr program_sizes sizes = sizes_of(make().code);
  static constexpr auto freeze() {
    const sample s = make();
    frozen_program<sizes.instructions, sizes.accesses, sizes.axes, sizes.buffers> f;
    for (size_t i = 0; i < sizes.instructions; ++i) f.instructions[i] = s.code.instructions[i];
    for (size_t i = 0; i < sizes.accesses; ++i) f.accesses[i] = s.code.accesses[i];
    for (size_t i = 0; i < sizes.axes; ++i) f.axes[i] = s.code.axes[i];
    for (size_t i = 0; i < sizes.buffers; ++i) f.buffers[i] = s.code.buffers[i];
    f.parallel_count = s.code.parallel_count;
    return f;
  }
  static constexpr auto program = freeze();
};
#define INLINE_SAMPLE(name, expression)                                 \
  struct name##_source { static constexpr samples::sample make() { return expression; } }; \
  using name = samples::frozen<name##_source>;

template <class Tag>
vector<vector<i64>> run_inline(i64 chunk) {
  const sample s = Tag::make();
  raw_buffers raw(s);
  const i64 count = s.code.parallel_count, step = chunk > 0 ? chunk : count;
  for (i64 i = 0; i < count; i += step) inline_executor<Tag>::run(raw.arguments(), i, i + step < count ? i + step : count);
  return raw.words();
}

// Units in the last place of the kind between two floats; NaN equals NaN and zero equals zero.
inline i64 distance(scalar_kind kind, i64 a, i64 b) {
  const double x = double_of(a), y = double_of(b);
  if (x != x || y != y) return x != x && y != y ? 0 : max_value(scalar_kind::int64);
  const int bits = 8 * byte_size(kind);
  const auto place = [&](i64 word) {
    const u64 raw = raw_bits(kind, word), sign = u64{1} << (bits - 1);
    return (raw & sign) != 0 ? -static_cast<i64>(raw & ~sign) : static_cast<i64>(raw);
  };
  const i64 d = static_cast<i64>(static_cast<u64>(place(a)) - static_cast<u64>(place(b)));
  return d < 0 ? -d : d;
}

// without_fma: the difference allowed in floats where a multiply-add rounds twice.
template <class Tag>
void check(i64 without_fma = 0) {
  const sample s = Tag::make();
  const i64 allowed = TWILL_FMA ? 0 : without_fma;
  const auto expected = run_on_memory(s);
  for (const i64 chunk : {i64{0}, i64{1}}) {
    const auto found = run_inline<Tag>(chunk);
    for (size_t b = 0; b < expected.size(); ++b) {
      const scalar_kind kind = s.code.buffers[b].kind;
      i64 worst = 0;
      size_t where = 0;
      for (size_t e = 0; e < expected[b].size(); ++e) {
        const i64 d = is_float(kind) ? distance(kind, found[b][e], expected[b][e]) : found[b][e] != expected[b][e] ? max_value(scalar_kind::int64) : 0;
        if (d > worst) {
          worst = d;
          where = e;
        }
      }
      if (worst <= allowed) continue;
      const i64 got = found[b][where], wanted = expected[b][where];
      CAPTURE(s.name, name(kind), b, where, chunk, worst, got, wanted, double_of(got), double_of(wanted));
      CHECK(worst <= allowed);
    }
  }
  CHECK(expected.size() > 0);
}

template <class F>
void for_every_kind(F&& f) {
  f.template operator()<scalar_kind::bool_>();
  f.template operator()<scalar_kind::int8>();
  f.template operator()<scalar_kind::uint8>();
  f.template operator()<scalar_kind::int16>();
  f.template operator()<scalar_kind::uint16>();
  f.template operator()<scalar_kind::int32>();
  f.template operator()<scalar_kind::uint32>();
  f.template operator()<scalar_kind::int64>();
  f.template operator()<scalar_kind::uint64>();
  f.template operator()<scalar_kind::float16>();
  f.template operator()<scalar_kind::bfloat16>();
  f.template operator()<scalar_kind::float32>();
  f.template operator()<scalar_kind::float64>();
}

}  // namespace samples
