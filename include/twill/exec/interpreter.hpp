// Runs a linear program, in constant evaluation and at run time: the reference for the other ways out, and the device
// where there is no compiler. Every element of a register tile is a constant's word (ir/constant.hpp); an instruction is
// run over all points of its tile in one loop.
#pragma once

#include "twill/base/elementary.hpp"
#include "twill/ir/arithmetic.hpp"
#include "twill/lower/program.hpp"

namespace twill {

// Where buffers are. A memory has
//   load(buffer, kind, first, step, count, words, word_step)     words[i * word_step] = element first + i * step
//   store(buffer, kind, first, step, count, words, word_step)    and back, float16 and bfloat16 rounding

// The arguments as raw pointers, aligned to their elements at most.
class pointer_memory {
 public:
  explicit pointer_memory(void* const* arguments) : arguments_(arguments) {}
  void load(u16 buffer, scalar_kind kind, i64 first, i64 step, i64 count, i64* words, i64 word_step) const {
    visit(kind, [&]<class T>(T) {
      const unsigned char* from = static_cast<const unsigned char*>(arguments_[buffer]) + first * i64{sizeof(T)};
      for (i64 i = 0; i < count; ++i) {
        T value;
        __builtin_memcpy(&value, from + i * step * i64{sizeof(T)}, sizeof(T));
        i64& word = words[i * word_step];
        if constexpr (std::is_floating_point_v<T>)
          word = word_of(static_cast<double>(value));
        else if (kind == scalar_kind::bool_)
          word = value != 0;
        else if (is_float(kind))
          word = word_of_raw_bits(kind, static_cast<u64>(value));
        else
          word = static_cast<i64>(value);
      }
    });
  }
  void store(u16 buffer, scalar_kind kind, i64 first, i64 step, i64 count, const i64* words, i64 word_step) const {
    visit(kind, [&]<class T>(T) {
      unsigned char* to = static_cast<unsigned char*>(arguments_[buffer]) + first * i64{sizeof(T)};
      for (i64 i = 0; i < count; ++i) {
        const i64 word = words[i * word_step];
        T value;
        if constexpr (std::is_floating_point_v<T>)
          value = static_cast<T>(double_of(word));
        else if (is_float(kind))
          value = static_cast<T>(raw_bits(kind, word));
        else
          value = static_cast<T>(word);
        __builtin_memcpy(to + i * step * i64{sizeof(T)}, &value, sizeof(T));
      }
    });
  }

 private:
  template <class F> static void visit(scalar_kind kind, F&& f) {
    switch (kind) {
      case scalar_kind::bool_:
      case scalar_kind::uint8: return f(u8{});
      case scalar_kind::int8: return f(i8{});
      case scalar_kind::int16: return f(i16{});
      case scalar_kind::uint16:
      case scalar_kind::float16:
      case scalar_kind::bfloat16: return f(u16{});
      case scalar_kind::int32: return f(i32{});
      case scalar_kind::uint32: return f(u32{});
      case scalar_kind::int64:
      case scalar_kind::uint64: return f(i64{});
      case scalar_kind::float32: return f(float{});
      case scalar_kind::float64: return f(double{});
      case scalar_kind::void_: return;
    }
  }
  void* const* arguments_;
};

// Buffers of words: for constant evaluation. A word is a value of its buffer's dtype.
class word_memory {
 public:
  constexpr explicit word_memory(span<const span<i64>> buffers) : buffers_(buffers) {}
  constexpr void load(u16 buffer, scalar_kind, i64 first, i64 step, i64 count, i64* words, i64 word_step) const {
    for (i64 i = 0; i < count; ++i) words[i * word_step] = buffers_[buffer][static_cast<size_t>(first + i * step)];
  }
  constexpr void store(u16 buffer, scalar_kind kind, i64 first, i64 step, i64 count, const i64* words, i64 word_step) const {
    const bool rounds = register_kind(kind) != kind;
    for (i64 i = 0; i < count; ++i) {
      const i64 word = words[i * word_step];
      buffers_[buffer][static_cast<size_t>(first + i * step)] = rounds ? word_of(round_to(kind, double_of(word))) : word;
    }
  }

 private:
  span<const span<i64>> buffers_;
};

namespace detail {

struct word_run {
  const i64* words = nullptr;
  i64 step = 0;
  constexpr i64 operator[](i64 i) const { return words[i * step]; }
};

template <class T> constexpr T elementary_number(op code, T x) {
  using policy = elementary::scalar_policy<T>;
  switch (code) {
    case op::EXP: return elementary::exp<policy>(x);
    case op::EXP2: return elementary::exp2<policy>(x);
    case op::LOG: return elementary::log<policy>(x);
    case op::LOG2: return elementary::log2<policy>(x);
    case op::SIN: return elementary::sin<policy>(x);
    default: return elementary::tanh<policy>(x);
  }
}

// The common operations at run time, where the hardware's arithmetic is that of exec_alu. False: not one of them.
template <class T> bool run_float(op code, i64* out, i64 count, word_run a, word_run b, word_run c) {
  const auto number = [](i64 word) { return static_cast<T>(double_of(word)); };
  const auto each = [&](auto f) {
    for (i64 i = 0; i < count; ++i) out[i] = word_of(static_cast<double>(f(number(a[i]), number(b[i]))));
    return true;
  };
  switch (code) {
    case op::ADD: return each([](T x, T y) { return x + y; });
    case op::SUB: return each([](T x, T y) { return x - y; });
    case op::MUL: return each([](T x, T y) { return x * y; });
    case op::FDIV: return each([](T x, T y) { return x / y; });
    case op::MAX: return each([](T x, T y) { return x != x ? x : y != y ? y : x < y ? y : x; });
    case op::MIN: return each([](T x, T y) { return x != x ? x : y != y ? y : y < x ? y : x; });
    case op::MULACC:
      for (i64 i = 0; i < count; ++i)
        out[i] = word_of(static_cast<double>(elementary::scalar_policy<T>::fma(number(a[i]), number(b[i]), number(c[i]))));
      return true;
    default: return false;
  }
}
inline bool run_integer(op code, scalar_kind kind, i64* out, i64 count, word_run a, word_run b, word_run c) {
  const auto each = [&](auto f) {
    const int unused = 64 - bit_width(kind);
    const auto value = [&](i64 i) {
      return static_cast<u64>(f(static_cast<u64>(a[i]), static_cast<u64>(b[i]), static_cast<u64>(c[i]))) << unused;
    };
    if (is_unsigned(kind))
      for (i64 i = 0; i < count; ++i) out[i] = static_cast<i64>(value(i) >> unused);
    else
      for (i64 i = 0; i < count; ++i) out[i] = static_cast<i64>(value(i)) >> unused;
    return true;
  };
  switch (code) {
    case op::ADD: return each([](u64 x, u64 y, u64) { return x + y; });
    case op::SUB: return each([](u64 x, u64 y, u64) { return x - y; });
    case op::MUL: return each([](u64 x, u64 y, u64) { return x * y; });
    case op::MULACC: return each([](u64 x, u64 y, u64 z) { return x * y + z; });
    case op::AND: return each([](u64 x, u64 y, u64) { return x & y; });
    case op::OR: return each([](u64 x, u64 y, u64) { return x | y; });
    case op::XOR: return each([](u64 x, u64 y, u64) { return x ^ y; });
    default: return false;
  }
}

// out[i] = code(a[i], b[i], c[i]): kind is the result's (in registers, but for CAST and BITCAST), from the first source's.
constexpr void run_alu(op code, scalar_kind kind, scalar_kind from, int sources, i64* out, i64 count, word_run a, word_run b, word_run c) {
  if (code == op::WHERE) {
    for (i64 i = 0; i < count; ++i) out[i] = a[i] != 0 ? b[i] : c[i];
    return;
  }
  if (is_float(kind) && in_group(code, op_group::unary) && code != op::NEG && code != op::SQRT && code != op::RECIP) {
    for (i64 i = 0; i < count; ++i) {
      const double x = double_of(a[i]);
      out[i] = word_of(kind == scalar_kind::float64 ? elementary_number(code, x)
                                                    : static_cast<double>(elementary_number(code, static_cast<float>(x))));
    }
    return;
  }
  if (!__builtin_is_constant_evaluated()) {
    if (kind == scalar_kind::float32 && run_float<float>(code, out, count, a, b, c)) return;
    if (kind == scalar_kind::float64 && run_float<double>(code, out, count, a, b, c)) return;
    if (is_integer(kind) && run_integer(code, kind, out, count, a, b, c)) return;
    if (code == op::CMPLT && is_float(from)) {
      for (i64 i = 0; i < count; ++i) out[i] = double_of(a[i]) < double_of(b[i]);
      return;
    }
  }
  for (i64 i = 0; i < count; ++i) {
    const i64 words[] = {a[i], b[i], c[i]};
    out[i] = exec_alu(code, dtype{kind}, dtype{from}, {words, static_cast<size_t>(sources)});
  }
}

// How the points of an instruction's tile are walked: loops over its axes, merged where every operand allows, with the
// strides of the sources, of the result (in words) and of the index (in elements).
struct tile_plan {
  u32 first = 0;  // the value's first word
  u32 words = 0;
  u32 mate = 0;   // RANGE: its ENDRANGE
  i64 limit = 0;  // RANGE: where this run of the loop ends
  int loops = 0;
  i64 size[max_value_axes]{};
  i64 stride[max_sources + 2][max_value_axes]{};
  bool uniform = true;  // the innermost loop changes neither index terms nor gate
};
inline constexpr int result_operand = max_sources, index_operand = max_sources + 1;

template <class Memory> class interpretation {
 public:
  constexpr interpretation(program_view p, Memory& memory, i64 begin, i64 end) : p_(p), memory_(memory), begin_(begin), end_(end) {
    plan();
  }
  constexpr void run() {
    const size_t count = p_.instructions.size();
    for (size_t at = 0; at < count;) at = step(at);
  }

 private:
  // A value's axes from the outermost to the innermost: unrolled ones, then the lane.
  constexpr int order(u32 mask, int* axes) const {
    int n = 0;
    for (const bool lanes : {false, true})
      for (size_t a = 0; a < p_.axes.size(); ++a)
        if ((mask >> a & 1) != 0 && p_.axes[a].lane == lanes) axes[n++] = static_cast<int>(a);
    return n;
  }
  constexpr i64 word_stride(u32 mask, int axis) const {
    if ((mask >> axis & 1) == 0) return 0;
    int axes[max_tile_axes]{};
    i64 stride = 1;
    for (int n = order(mask, axes); axes[--n] != axis;) stride *= p_.axes[static_cast<size_t>(axes[n])].size;
    return stride;
  }
  constexpr i64 index_stride(const access& a, int axis) const {
    if ((a.axes >> axis & 1) == 0) return 0;
    int position = 0;
    for (int b = 0; b < axis; ++b) position += static_cast<int>(a.axes >> b & 1);
    return a.stride[position];
  }

  constexpr void plan() {
    plans_.resize(p_.instructions.size());
    local_first_.resize(p_.buffers.size());
    u32 words = 0, local_words = 0;
    size_t lanes = 1;
    for (const tile_axis& a : p_.axes) lanes = a.size > lanes ? a.size : lanes;
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      local_first_[b] = local_words;
      if (p_.buffers[b].local) local_words += static_cast<u32>(p_.buffers[b].elements);
    }
    for (size_t i = 0; i < p_.instructions.size(); ++i) {
      const instruction& code = p_.instructions[i];
      tile_plan& t = plans_[i];
      if (code.code == op::ENDRANGE) plans_[code.source[0]].mate = static_cast<u32>(i);
      if (code.code == op::ENDRANGE || code.code == op::DEFINE_LOCAL) continue;
      const bool touches_memory = code.code == op::LOAD || code.code == op::STORE;
      const bool indexed = touches_memory || code.code == op::INDEX;
      int axes[max_tile_axes]{};
      const int n = order(code.axes, axes);
      t.first = code.code == op::ASSIGN ? plans_[code.source[0]].first : words;
      t.words = 1;
      for (int k = 0; k < n; ++k) t.words *= p_.axes[static_cast<size_t>(axes[k])].size;
      if (code.code != op::STORE && code.code != op::ASSIGN) words += t.words;
      for (int k = 0; k < n; ++k) {
        const tile_axis& axis = p_.axes[static_cast<size_t>(axes[k])];
        const i64 size = touches_memory ? axis.active : axis.size;
        i64 stride[max_sources + 2]{};
        for (int s = 0; s < code.source_count; ++s) stride[s] = word_stride(p_.instructions[code.source[s]].axes, axes[k]);
        stride[result_operand] = code.code == op::STORE ? 0 : word_stride(code.axes, axes[k]);
        if (indexed) stride[index_operand] = index_stride(p_.accesses[code.access], axes[k]);
        bool merges = t.loops > 0;
        for (int o = 0; merges && o < max_sources + 2; ++o) merges = t.stride[o][t.loops - 1] == stride[o] * size;
        if (!merges) t.size[t.loops++] = 1;
        t.size[t.loops - 1] *= size;
        for (int o = 0; o < max_sources + 2; ++o) t.stride[o][t.loops - 1] = stride[o];
      }
      if (t.loops == 0) t.size[t.loops++] = 1;
      if (indexed) {
        const int terms = p_.accesses[code.access].terms;
        for (int s = 0; s < terms + (code.gated ? 1 : 0); ++s) t.uniform = t.uniform && t.stride[s][t.loops - 1] == 0;
      }
    }
    registers_.resize(words);
    locals_.resize(local_words);
    scratch_.resize(lanes);
  }

  // run(at): at[o] is operand o's place where a run of the innermost loop starts.
  template <class F> constexpr void walk(const tile_plan& t, const F& run) {
    i64 at[max_sources + 2]{}, index[max_value_axes]{};
    for (;;) {
      run(at);
      int k = t.loops - 2;
      for (; k >= 0; --k) {
        for (int o = 0; o < max_sources + 2; ++o) at[o] += t.stride[o][k];
        if (++index[k] < t.size[k]) break;
        for (int o = 0; o < max_sources + 2; ++o) at[o] -= t.stride[o][k] * t.size[k];
        index[k] = 0;
      }
      if (k < 0) return;
    }
  }

  constexpr i64* words_of(size_t instruction_number) { return registers_.data() + plans_[instruction_number].first; }

  constexpr size_t step(size_t at) {
    const instruction& code = p_.instructions[at];
    tile_plan& t = plans_[at];
    switch (code.code) {
      case op::RANGE: {
        i64 low = 0, high = code.argument[0];
        if (code.argument[1] >= 0) {
          low = begin_ > code.argument[1] ? begin_ - code.argument[1] : 0;
          high = end_ - code.argument[1] < high ? end_ - code.argument[1] : high;
        }
        if (low >= high) return t.mate + 1;
        words_of(at)[0] = low;
        t.limit = high;
        return at + 1;
      }
      case op::ENDRANGE: {
        const size_t range = code.source[0];
        return ++words_of(range)[0] < plans_[range].limit ? range + 1 : at + 1;
      }
      case op::CONST:
      case op::DEFINE_ACC:
        for (u32 i = 0; i < t.words; ++i) words_of(at)[i] = code.argument[0];
        return at + 1;
      case op::DEFINE_LOCAL: return at + 1;
      case op::ASSIGN: {
        const i64* from = words_of(code.source[1]);
        const i64 count = t.size[t.loops - 1], step_from = t.stride[1][t.loops - 1];
        walk(t, [&](const i64* o) {
          i64* to = words_of(at) + o[result_operand];
          for (i64 i = 0; i < count; ++i) to[i] = from[o[1] + i * step_from];
        });
        return at + 1;
      }
      case op::LOAD:
      case op::STORE:
      case op::INDEX: move(at); return at + 1;
      case op::REDUCE_AXIS: reduce(at); return at + 1;
      default: break;
    }
    const scalar_kind from = p_.instructions[code.source[0]].kind;
    const bool converts = code.code == op::CAST || code.code == op::BITCAST;
    const i64 count = t.size[t.loops - 1];
    walk(t, [&](const i64* o) {
      word_run source[3];
      for (int s = 0; s < code.source_count && s < 3; ++s) source[s] = {words_of(code.source[s]) + o[s], t.stride[s][t.loops - 1]};
      for (int s = code.source_count; s < 3; ++s) source[s] = source[0];
      run_alu(code.code, converts ? code.kind : register_kind(code.kind), converts ? from : register_kind(from), code.source_count,
              words_of(at) + o[result_operand], count, source[0], source[1], source[2]);
    });
    return at + 1;
  }

  constexpr void move(size_t at) {
    const instruction& code = p_.instructions[at];
    const tile_plan& t = plans_[at];
    const access& where = p_.accesses[code.access];
    const int inner = t.loops - 1;
    const i64 count = t.size[inner];
    walk(t, [&](const i64* o) {
      // All at once where the index is affine, else point by point.
      const i64 together = t.uniform ? count : 1;
      for (i64 i = 0; i < count; i += together) {
        i64 index = where.offset + o[index_operand] + i * t.stride[index_operand][inner];
        for (int s = 0; s < where.terms; ++s) index += where.coefficient[s] * words_of(code.source[s])[o[s] + i * t.stride[s][inner]];
        const i64 result_step = t.stride[result_operand][inner];
        if (code.code == op::STORE) {
          const int value = code.source_count - 1;
          put(where.buffer, code.kind, index, t.stride[index_operand][inner], together,
              words_of(code.source[value]) + o[value] + i * t.stride[value][inner], t.stride[value][inner]);
          continue;
        }
        i64* to = words_of(at) + o[result_operand] + i * result_step;
        const int gate = code.source_count - 1;
        if (code.code == op::INDEX) {
          for (i64 j = 0; j < together; ++j) to[j * result_step] = index + j * t.stride[index_operand][inner];
        } else if (code.gated && words_of(code.source[gate])[o[gate] + i * t.stride[gate][inner]] == 0) {
          for (i64 j = 0; j < together; ++j) to[j * result_step] = 0;
        } else {
          get(where.buffer, code.kind, index, t.stride[index_operand][inner], together, to, result_step);
        }
      }
    });
  }
  constexpr void get(u16 buffer, scalar_kind kind, i64 first, i64 step, i64 count, i64* words, i64 word_step) {
    if (!p_.buffers[buffer].local) return memory_.load(buffer, kind, first, step, count, words, word_step);
    const i64* from = locals_.data() + local_first_[buffer] + first;
    for (i64 i = 0; i < count; ++i) words[i * word_step] = from[i * step];
  }
  constexpr void put(u16 buffer, scalar_kind kind, i64 first, i64 step, i64 count, const i64* words, i64 word_step) {
    if (!p_.buffers[buffer].local) return memory_.store(buffer, kind, first, step, count, words, word_step);
    i64* to = locals_.data() + local_first_[buffer] + first;
    const bool rounds = register_kind(kind) != kind;
    for (i64 i = 0; i < count; ++i) to[i * step] = rounds ? word_of(round_to(kind, double_of(words[i * word_step]))) : words[i * word_step];
  }

  constexpr void reduce(size_t at) {
    const instruction& code = p_.instructions[at];
    const instruction& source = p_.instructions[code.source[0]];
    const tile_plan& t = plans_[at];
    const op how = static_cast<op>(code.argument[0]);
    const scalar_kind kind = register_kind(code.kind);
    // The removed axes: unrolled ones, lowest first, and a lane.
    int axes[max_tile_axes]{};
    int unrolled = order(source.axes & static_cast<u32>(code.argument[1]), axes);
    i64 lanes = 1, active = 1, lane_stride = 0;
    if (unrolled > 0 && p_.axes[static_cast<size_t>(axes[unrolled - 1])].lane) {
      const int lane = axes[--unrolled];
      lanes = p_.axes[static_cast<size_t>(lane)].size;
      active = p_.axes[static_cast<size_t>(lane)].active;
      lane_stride = word_stride(source.axes, lane);
    }
    i64 size[max_value_axes]{}, stride[max_value_axes]{};
    for (int k = 0; k < unrolled; ++k) {
      size[k] = p_.axes[static_cast<size_t>(axes[k])].size;
      stride[k] = word_stride(source.axes, axes[k]);
    }
    const i64* words = words_of(code.source[0]);
    i64* v = scratch_.data();
    const auto combine = [&](i64* to, i64 count, word_run b) { run_alu(how, kind, kind, 2, to, count, {to, 1}, b, b); };
    const i64 inner = t.size[t.loops - 1];
    walk(t, [&](const i64* o) {
      for (i64 point = 0; point < inner; ++point) {
        const i64* from = words + o[0] + point * t.stride[0][t.loops - 1];
        for (i64 i = 0; i < lanes; ++i) v[i] = from[i * lane_stride];
        i64 index[max_value_axes]{};
        for (;;) {
          int k = unrolled - 1;
          for (; k >= 0; --k) {
            from += stride[k];
            if (++index[k] < size[k]) break;
            from -= stride[k] * size[k];
            index[k] = 0;
          }
          if (k < 0) break;
          combine(v, lanes, {from, lane_stride});
        }
        if (active == lanes && (lanes & (lanes - 1)) == 0)
          for (i64 half = lanes / 2; half > 0; half /= 2) combine(v, half, {v + half, 1});
        else
          for (i64 i = 1; i < active; ++i) combine(v, 1, {v + i, 1});
        words_of(at)[o[result_operand] + point * t.stride[result_operand][t.loops - 1]] = v[0];
      }
    });
  }

  program_view p_;
  Memory& memory_;
  i64 begin_, end_;
  vector<tile_plan> plans_;
  vector<u32> local_first_;
  vector<i64> registers_, locals_, scratch_;
};

}  // namespace detail

// Runs the parallel indices [begin, end) of the program.
template <class Memory> constexpr void interpret(program_view p, Memory& memory, i64 begin, i64 end) {
  if (begin >= end) return;
  detail::interpretation<Memory> run(p, memory, begin, end);
  run.run();
}
inline void interpret(program_view p, void* const* arguments, i64 begin, i64 end) {
  pointer_memory memory(arguments);
  interpret(p, memory, begin, end);
}

}  // namespace twill
