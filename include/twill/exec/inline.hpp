// The inline executor: a program that is a constant, expanded by templates into straight-line code and loops of this
// translation unit. struct tag { static constexpr auto program = ...; }; inline_executor<tag>::run(args, begin, end).
#pragma once

#include "twill/exec/registers.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

template <class Tag, int I> struct step;

// The instructions numbered order[First ...].
template <class Tag, int First, int... K>
TWILL_ALWAYS_INLINE void run_block(registers<Tag>& r, i64 begin, i64 end, std::integer_sequence<int, K...>) {
  (step<Tag, expansion<Tag>::plan.order[First + K]>::run(r, begin, end), ...);
}

template <class Tag, int I>
struct step {
  using facts = expansion<Tag>;
  static constexpr const instruction& in = facts::code.instructions[I];
  static constexpr const step_plan& plan = facts::plan.step[I];
  static constexpr int lane_count = plan.lanes;
  using points = std::make_integer_sequence<int, plan.points>;
  using value = register_of<Tag, plan.slot>;

  // Source K: its slot, and where its element for one of our points is.
  static consteval const step_plan& source(int k) { return facts::plan.step[in.source[k]]; }
  static consteval int slot(int k) { return source(k).slot; }
  static consteval scalar_kind kind(int k) { return facts::code.instructions[in.source[k]].kind; }
  static consteval bool is_code(int k, op code) { return facts::code.instructions[in.source[k]].code == code; }
  template <int K>
  static consteval int point(int p) {
    constexpr u32 tile = source(K).tile;
    if (tile == plan.tile) return p;
    return point_of(facts::code.axes, plan.tile, tile, static_cast<u32>(p));
  }

  TWILL_ALWAYS_INLINE static void run(registers<Tag>& r, i64 begin, i64 end) {
    if constexpr (in.code == op::RANGE) loop(r, begin, end);
    else if constexpr (in.code == op::CONST || in.code == op::DEFINE_ACC) constant(r, points{});
    else if constexpr (in.code == op::LOAD || in.code == op::STORE || in.code == op::INDEX) memory(r, points{});
    else if constexpr (in.code == op::ASSIGN) assign(r, points{});
    else if constexpr (in.code == op::REDUCE_AXIS) reduce(r, points{});
    else if constexpr (in.code == op::CAST || in.code == op::BITCAST) change_kind(r, points{});
    else if constexpr (traits(in.code).arity == 1) unary(r, points{});
    else if constexpr (traits(in.code).arity == 2) binary(r, points{});
    else if constexpr (traits(in.code).arity == 3) ternary(r, points{});
    else if constexpr (has_value(in.code)) static_assert(in.code == op::NULL_OP, "an operation that the inline executor does not know");
  }

  TWILL_ALWAYS_INLINE static void loop(registers<Tag>& r, i64 begin, i64 end) {
    constexpr i64 trips = in.argument[0], parallel = in.argument[1];
    using body = std::make_integer_sequence<int, plan.count>;
    if constexpr (trips <= 0) return;
    else if constexpr (parallel >= 0) {
      const i64 stop = end - parallel < trips ? end - parallel : trips;
      for (i64 i = begin > parallel ? begin - parallel : 0; i < stop; ++i) {
        at<I>(r)[0] = i;
        run_block<Tag, plan.first>(r, begin, end, body{});
      }
    } else if constexpr (trips == 1) {
      at<I>(r)[0] = 0;
      run_block<Tag, plan.first>(r, begin, end, body{});
    } else {
      for (i64 i = 0; i < trips; ++i) {
        at<I>(r)[0] = i;
        run_block<Tag, plan.first>(r, begin, end, body{});
      }
    }
  }

  // argument[0] as a scalar of the kind in registers.
  static consteval auto word() {
    using scalar = typename scalar_of<in.kind>::type;
    if constexpr (is_float(in.kind)) return static_cast<scalar>(double_of(in.argument[0]));
    else if constexpr (is_bool(in.kind)) return in.argument[0] != 0;
    else return static_cast<scalar>(in.argument[0]);
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void constant(registers<Tag>& r, std::integer_sequence<int, P...>) {
    auto& to = at<I>(r);
    constexpr auto v = word();
    const operand<value, std::remove_const_t<decltype(v)>> all(v);
    ((to[P] = all.value), ...);
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void assign(registers<Tag>& r, std::integer_sequence<int, P...>) {
    auto& to = at<plan.slot>(r);
    auto& from = at<slot(1)>(r);
    using have = register_of<Tag, slot(1)>;
    ((to[P] = operand<value, have>(from[point<1>(P)]).value), ...);
  }

  // What an operand must be: of its own kind, with our lanes; bools with our masks' width.
  template <int K, int MaskBytes>
  using need = operand<typename value_of<kind(K), lane_count, MaskBytes>::type, register_of<Tag, slot(K)>>;
  static constexpr int data_bytes = is_bool(in.kind) ? plan.mask_bytes : byte_size(register_kind(in.kind));

  template <int... P>
  TWILL_ALWAYS_INLINE static void unary(registers<Tag>& r, std::integer_sequence<int, P...>) {
    using code = std::conditional_t<is_bool(in.kind), bool_alu<bool_meaning(in.code)>, alu<in.code>>;
    auto& to = at<I>(r);
    auto& a = at<slot(0)>(r);
    if constexpr (is_elementary(in.code) && plan.points > 1) (elementary_points<code, P>(to, a), ...);
    else (code::run(to[P], need<0, plan.mask_bytes>(a[point<0>(P)]).value), ...);
  }
  // Two points at a time: one chain of dependent operations leaves the units idle half of the time.
  template <class Code, int P, class To, class From>
  TWILL_ALWAYS_INLINE static void elementary_points(To& to, From& a) {
    using one = need<0, plan.mask_bytes>;
    if constexpr (P % 2 == 1) return;
    else if constexpr (P + 1 < plan.points) Code::run_two(to[P], to[P + 1], one(a[point<0>(P)]).value, one(a[point<0>(P + 1)]).value);
    else Code::run(to[P], one(a[point<0>(P)]).value);
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void binary(registers<Tag>& r, std::integer_sequence<int, P...>) {
    using code = std::conditional_t<is_bool(kind(0)), bool_alu<bool_meaning(in.code)>, alu<in.code>>;
    auto& to = at<I>(r);
    auto& a = at<slot(0)>(r);
    auto& b = at<slot(1)>(r);
    // MAX and MIN look for NaN in their first operand. In a constant there is none, and one instruction is left; with an
    // accumulator second, the look is not on the path from one iteration to the next.
    constexpr bool swapped = (in.code == op::MAX || in.code == op::MIN) && (is_code(1, op::CONST) || is_code(0, op::DEFINE_ACC));
    if constexpr (swapped) (code::run(to[P], need<1, plan.mask_bytes>(b[point<1>(P)]).value, need<0, plan.mask_bytes>(a[point<0>(P)]).value), ...);
    else (code::run(to[P], need<0, plan.mask_bytes>(a[point<0>(P)]).value, need<1, plan.mask_bytes>(b[point<1>(P)]).value), ...);
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void ternary(registers<Tag>& r, std::integer_sequence<int, P...>) {
    using code = std::conditional_t<is_bool(in.kind) && in.code == op::MULACC, bool_alu<in.code>, alu<in.code>>;
    auto& to = at<I>(r);
    auto& a = at<slot(0)>(r);
    auto& b = at<slot(1)>(r);
    auto& c = at<slot(2)>(r);
    (code::run(to[P], need<0, data_bytes>(a[point<0>(P)]).value, need<1, plan.mask_bytes>(b[point<1>(P)]).value,
               need<2, plan.mask_bytes>(c[point<2>(P)]).value),
     ...);
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void change_kind(registers<Tag>& r, std::integer_sequence<int, P...>) {
    auto& to = at<I>(r);
    auto& a = at<slot(0)>(r);
    constexpr int bytes = is_bool(kind(0)) ? facts::plan.step[slot(0)].mask_bytes : 1;
    (change_one(to[P], need<0, bytes>(a[point<0>(P)]).value), ...);
  }
  template <class V>
  TWILL_ALWAYS_INLINE static void change_one(value& to, const V& from) {
    if constexpr (in.code == op::CAST) cast<in.kind, kind(0)>(to, from);
    else reinterpret_bits<in.kind, kind(0)>(to, from);
  }

  // The unrolled axes first, in a tile of whole vectors, then the lanes.
  template <int... P>
  TWILL_ALWAYS_INLINE static void reduce(registers<Tag>& r, std::integer_sequence<int, P...>) {
    constexpr op how = static_cast<op>(in.argument[0]);
    using code = std::conditional_t<is_bool(in.kind), bool_alu<bool_meaning(how)>, alu<how>>;
    constexpr const step_plan& whole = source(0);
    constexpr int rows = whole.points / plan.points;
    auto& to = at<I>(r);
    auto& from = at<slot(0)>(r);
    using vector = register_of<Tag, slot(0)>;
    if constexpr (lane_count == whole.lanes) {
      (fold_points<code, P>(to[P], from, std::make_integer_sequence<int, rows - 1>{}), ...);
    } else {
      vector partial[plan.points];
      ((fold_points<code, P>(partial[P], from, std::make_integer_sequence<int, rows - 1>{}), reduce_lanes<code, whole.active>(to[P], partial[P])), ...);
    }
  }
  static consteval int reduced_point(int p, int row) {
    constexpr u32 tile = source(0).tile;
    return point_of(facts::code.axes, plan.tile, tile, static_cast<u32>(p), tile & ~plan.tile, static_cast<u32>(row));
  }
  template <class Code, int P, class V, class From, int... R>
  TWILL_ALWAYS_INLINE static void fold_points(V& to, From& from, std::integer_sequence<int, R...>) {
    V sum = from[reduced_point(P, 0)];
    (Code::run(sum, V{sum}, from[reduced_point(P, R + 1)]), ...);
    to = sum;
  }

  // Memory. The index of a point: what is the same for all points and lanes, computed once, and the rest.
  static constexpr const access& where = facts::code.accesses[in.access];
  static consteval bool uniform(int k) { return source(k).tile == 0 && source(k).lanes == 1; }
  static consteval bool along_lanes(int k) { return source(k).lanes > 1; }
  using terms = std::make_integer_sequence<int, where.terms>;
  static constexpr i64 lane_stride = stride_along(where, plan.lane_axis);

  template <int K>
  TWILL_ALWAYS_INLINE static i64 uniform_term(registers<Tag>& r) {
    if constexpr (uniform(K)) return where.coefficient[K] * static_cast<i64>(at<slot(K)>(r)[0]);
    else return 0;
  }
  template <int K>
  TWILL_ALWAYS_INLINE static i64 point_term(registers<Tag>& r, int p) {
    if constexpr (!uniform(K) && !along_lanes(K)) return where.coefficient[K] * static_cast<i64>(at<slot(K)>(r)[p]);
    else return 0;
  }
  template <int K>
  TWILL_ALWAYS_INLINE static i64 lane_term(registers<Tag>& r, int p, int l) {
    if constexpr (along_lanes(K)) return where.coefficient[K] * static_cast<i64>(at<slot(K)>(r)[p][l]);
    else return 0;
  }
  template <int... P>
  TWILL_ALWAYS_INLINE static void memory(registers<Tag>& r, std::integer_sequence<int, P...>) {
    const i64 base = uniform_terms(r, terms{});
    (access_point<P>(r, base, terms{}), ...);
  }
  template <int... K>
  TWILL_ALWAYS_INLINE static i64 uniform_terms(registers<Tag>& r, std::integer_sequence<int, K...>) {
    return (i64{0} + ... + uniform_term<K>(r));
  }
  template <int P, int... K>
  TWILL_ALWAYS_INLINE static void access_point(registers<Tag>& r, i64 base, std::integer_sequence<int, K...>) {
    constexpr i64 offset = point_offset(facts::code.axes, where, plan.tile, static_cast<u32>(P));
    const i64 index = (base + ... + point_term<K>(r, point<K>(P))) + offset;
    constexpr bool gathers = (false || ... || along_lanes(K));
    const auto index_of = [&](int l) { return (index + ... + lane_term<K>(r, point<K>(P), l)) + lane_stride * l; };
    if constexpr (in.code == op::INDEX) each(at<I>(r)[P], index_of);
    else if constexpr (in.code == op::LOAD) load<P, gathers>(r, index, index_of);
    else store<P, gathers>(r, index, index_of);
  }

  template <int P, bool Gathers, class Index>
  TWILL_ALWAYS_INLINE static void load(registers<Tag>& r, i64 index, const Index& index_of) {
    const void* buffer = r.buffer[where.buffer];
    auto& to = at<I>(r)[P];
    if constexpr (!in.gated) load_all<Gathers>(to, buffer, index, index_of);
    else {
      constexpr int g = in.source_count - 1;
      auto& gate = at<slot(g)>(r)[point<g>(P)];
      value v{};
      if constexpr (source(g).lanes == 1) {
        if (gate) load_all<Gathers>(v, buffer, index, index_of);
      } else {
#pragma GCC unroll 64
        for (int l = 0; l < plan.active; ++l)
          if (gate[l]) load_lane(v, l, buffer, index_of(l));
      }
      to = v;
    }
  }
  TWILL_ALWAYS_INLINE static void load_lane(value& v, int l, const void* buffer, i64 index) {
    typename value_of<in.kind, 1, 1>::type one;
    load_scalar<in.kind>(one, buffer, index);
    if constexpr (is_bool(in.kind)) v[l] = static_cast<element_of<value>>(one ? -1 : 0);
    else v[l] = one;
  }
  template <bool Gathers, class Index>
  TWILL_ALWAYS_INLINE static void load_all(value& v, const void* buffer, i64 index, const Index& index_of) {
    if constexpr (lane_count == 1) load_scalar<in.kind>(v, buffer, index);
    else if constexpr (!Gathers && lane_stride == 1) load_vector<in.kind, lane_count, plan.active>(v, buffer, index);
    else if constexpr (!Gathers && lane_stride == 0) {
      typename value_of<in.kind, 1, 1>::type one;
      load_scalar<in.kind>(one, buffer, index);
      v = operand<value, decltype(one)>(one).value;
    } else {
      value gathered{};
#pragma GCC unroll 64
      for (int l = 0; l < plan.active; ++l) load_lane(gathered, l, buffer, index_of(l));
      v = gathered;
    }
  }

  template <int P, bool Gathers, class Index>
  TWILL_ALWAYS_INLINE static void store(registers<Tag>& r, i64 index, const Index& index_of) {
    constexpr int k = where.terms;
    void* buffer = r.buffer[where.buffer];
    constexpr int bytes = is_bool(kind(k)) ? facts::plan.step[slot(k)].mask_bytes : 1;
    const need<k, bytes> from(at<slot(k)>(r)[point<k>(P)]);
    if constexpr (lane_count == 1) store_scalar<in.kind>(from.value, buffer, index);
    else if constexpr (!Gathers && lane_stride == 1) store_vector<in.kind, lane_count, plan.active>(from.value, buffer, index);
    else {
#pragma GCC unroll 64
      for (int l = 0; l < plan.active; ++l) {
        if constexpr (is_bool(in.kind)) store_scalar<in.kind>(from.value[l] != 0, buffer, index_of(l));
        else store_scalar<in.kind>(static_cast<element_of<value>>(from.value[l]), buffer, index_of(l));
      }
    }
  }
};

template <class Tag, int... B>
TWILL_ALWAYS_INLINE void run_program(void* const* args, i64 begin, i64 end, std::integer_sequence<int, B...> numbers) {
  registers<Tag> r;
  local_buffers<Tag, decltype(numbers)> locals;
  ((r.buffer[B] = expansion<Tag>::code.buffers[B].local ? address_of<B>(locals) : args[B]), ...);
  run_block<Tag, expansion<Tag>::plan.first>(r, begin, end, std::make_integer_sequence<int, expansion<Tag>::plan.count>{});
}

}  // namespace lanes

// Runs the iterations [begin, end) of the parallel axis. args: the program's buffers, local ones left out.
template <class Tag>
struct inline_executor {
  static void run(void* const* args, i64 begin, i64 end) {
    lanes::run_program<Tag>(args, begin, end, std::make_integer_sequence<int, static_cast<int>(lanes::expansion<Tag>::buffers)>{});
  }
};

}  // namespace TWILL_ABI
}  // namespace twill
