// Random programs, recorded through the function library as users' functions are. A seed decides everything: its first
// step is one function on one dtype, so that consecutive seeds go through all of both; the rest is chance.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "twill/door/static_program.hpp"
#include "twill/ir/print.hpp"

namespace pipeline {

using namespace twill;

class random_numbers {
 public:
  explicit random_numbers(u64 seed) : state_(seed * 0x9e3779b97f4a7c15 + 0x1234567) { next(); }
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  i64 below(i64 n) { return static_cast<i64>(next() % static_cast<u64>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  u64 state_;
};

struct argument {
  dtype type;
  shape dims;
  std::vector<i64> words;
};

struct random_program {
  u64 seed = 0;
  recorder nodes;
  vector<u32, 4> outputs;
  std::vector<argument> arguments;  // by slot
};

inline constexpr scalar_kind all_kinds[] = {scalar_kind::bool_,  scalar_kind::int8,   scalar_kind::uint8,   scalar_kind::int16,   scalar_kind::uint16,
                                            scalar_kind::int32,  scalar_kind::uint32, scalar_kind::int64,   scalar_kind::uint64,  scalar_kind::float16,
                                            scalar_kind::bfloat16, scalar_kind::float32, scalar_kind::float64};
inline constexpr i64 kind_count = 13;

// What a step may be.
enum class step : int {
  add, subtract, multiply, divide, modulo, floor_divide, floor_mod, true_divide, maximum, minimum, less, greater, less_equal, greater_equal,
  equal, not_equal, where, negate, logical_not, exp, exp2, log, log2, sin, sqrt, recip, tanh, sigmoid, relu, cast, sum, prod, max, min, mean,
  argmax, argmin, matmul, softmax, one_hot, reshape, expand, permute, transpose, pad, shrink, flip, contiguous, arange, full, number, normalize,
  count
};
inline constexpr i64 step_count = static_cast<i64>(step::count);
inline constexpr u64 every_function = static_cast<u64>(step_count * kind_count);  // so many seeds: every function on every dtype first
inline const char* name(step s) {
  static const char* const names[] = {"add", "subtract", "multiply", "divide", "modulo", "floor_divide", "floor_mod", "true_divide", "maximum", "minimum",
                                      "less", "greater", "less_equal", "greater_equal", "equal", "not_equal", "where", "negate", "logical_not", "exp",
                                      "exp2", "log", "log2", "sin", "sqrt", "recip", "tanh", "sigmoid", "relu", "cast", "sum", "prod", "max", "min",
                                      "mean", "argmax", "argmin", "matmul", "softmax", "one_hot", "reshape", "expand", "permute", "transpose", "pad",
                                      "shrink", "flip", "contiguous", "arange", "full", "number", "normalize"};
  return names[static_cast<int>(s)];
}

class generator {
 public:
  generator(u64 seed, random_program& out) : random_(seed), out_(out), edges_(random_.chance(35)) {
    out_.seed = seed;
    const i64 s = static_cast<i64>(seed);
    const dtype type{all_kinds[s / step_count % kind_count]};
    types_.push_back(type);
    types_.push_back(random_.chance(50) ? type : any_type());
    const i64 rank = (s * 5 + s / step_count) % 6;
    pool_.push_back(make_argument(type, random_shape(static_cast<size_t>(rank), 600)));
    apply(static_cast<step>(s % step_count), pool_[0]);
    for (i64 more = random_.below(7); more > 0; --more) apply(static_cast<step>(random_.below(step_count)), pick());
    if (random_.chance(25)) {  // of two values
      const tracer a = pool_.back(), b = pick();
      keep(a * partner(a, b));
    }
    add_outputs();
  }

 private:
  dtype any_type() { return dtype{all_kinds[random_.below(kind_count)]}; }
  i64 size() {
    static constexpr i64 sizes[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 4, 3, 2, 1, 6};
    return random_.chance(2) ? 0 : sizes[random_.below(16)];
  }
  shape random_shape(size_t rank, i64 most) {
    shape s;
    i64 elements = 1;
    for (size_t a = 0; a < rank; ++a) {
      i64 n = size();
      while (elements * n > most) n = n / 2;
      elements *= n > 0 ? n : 1;
      s.push_back(n);
    }
    if (rank == 1 && random_.chance(20)) s[0] = 1 + random_.below(most);
    return s;
  }

  double some_float() {
    static constexpr double edges[] = {0.0, -0.0, 1.0, -1.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""), 0x1p-149, -0x1p-140, 0x1p-24, 0x1p-1074,
                                       65504.0, 65520.0, 3e38, -3e38, 1e300, 0.5, -0.5, 2147483648.0, -2147483649.0, 255.5, 1e10};
    if (edges_ && random_.chance(25)) return edges[random_.below(22)];
    if (random_.chance(40)) return static_cast<double>(random_.below(65) - 32) / 8;
    return (random_.unit() - 0.5) * 8;
  }
  i64 some_word(scalar_kind kind) {
    if (is_bool(kind)) return random_.below(2);
    if (is_float(kind)) return word_of(round_to(kind, some_float()));
    if (edges_ && random_.chance(25)) {
      const i64 edges[] = {min_value(kind), max_value(kind), -1, 0, 1, min_value(kind) + 1, max_value(kind) - 1, 2};
      return wrap(kind, edges[random_.below(8)]);
    }
    if (edges_ && random_.chance(20)) return wrap(kind, static_cast<i64>(random_.next()));
    return wrap(kind, random_.below(41) - (is_signed(kind) ? 20 : 0));
  }
  tracer make_argument(dtype type, const shape& dims) {
    argument a{type, dims, {}};
    for (i64 i = dims.elements(); i > 0; --i) a.words.push_back(some_word(type.kind));
    const tracer x = record_argument(out_.nodes, static_cast<i64>(out_.arguments.size()), type, dims);
    out_.arguments.push_back(std::move(a));
    return x;
  }

  tracer pick() { return random_.chance(55) ? pool_.back() : pool_[static_cast<size_t>(random_.below(static_cast<i64>(pool_.size())))]; }
  void keep(const tracer& x) {
    if (x.shape().elements() <= 3000 && x.shape().rank() <= 6) pool_.push_back(x);
  }
  // Something of x's shape or one that broadcasts with it; b if it does.
  tracer partner(const tracer& x, const tracer& b) {
    const inferred r = infer_broadcast(x.shape(), b.shape());
    if (!r.problem && r.shape.elements() <= 3000 && promote(x.type(), b.type()).kind != scalar_kind::void_) return b;
    shape dims = x.shape();
    for (size_t a = 0; a < dims.rank(); ++a)
      if (random_.chance(25)) dims[a] = 1;
    while (dims.rank() > 0 && random_.chance(15)) dims.erase(0);
    dtype type = types_[static_cast<size_t>(random_.below(2))];
    if (promote(x.type(), type).kind == scalar_kind::void_) type = x.type();
    return make_argument(type, dims);
  }
  tracer other(const tracer& x) { return partner(x, pool_[static_cast<size_t>(random_.below(static_cast<i64>(pool_.size())))]); }
  tracer no_bool(const tracer& x) { return is_bool(x.type()) ? twill::cast(x, int8) : x; }
  tracer no_float(const tracer& x) { return is_float(x.type()) ? twill::cast(x, int16) : no_bool(x); }
  i64 axis(const tracer& x) {
    const i64 rank = static_cast<i64>(x.shape().rank());
    const i64 a = random_.below(rank);
    return random_.chance(30) ? a - rank : a;
  }

  template <class F>
  tracer reduced(const tracer& x, const F& f) {
    const size_t rank = x.shape().rank();
    const bool all = rank == 0 || random_.chance(25), kept = random_.chance(40);
    if (all) return kept ? f(x, keepdim) : f(x);
    const i64 a = axis(x);
    if (rank >= 2 && random_.chance(35)) {
      const i64 n = static_cast<i64>(rank), b = ((a < 0 ? a + n : a) + 1 + random_.below(n - 1)) % n;
      if (rank >= 3 && random_.chance(30)) {
        const i64 c = third(n, a < 0 ? a + n : a, b);
        return kept ? f(x, a, b, keepdim, c) : f(x, a, b, c);
      }
      return kept ? f(x, a, b, keepdim) : f(x, b, a);
    }
    return kept ? f(x, a, keepdim) : f(x, a);
  }
  static i64 third(i64 rank, i64 a, i64 b) {
    for (i64 c = 0; c < rank; ++c)
      if (c != a && c != b) return c;
    return 0;
  }
  bool has_elements(const tracer& x) const { return x.shape().elements() != 0; }

  void apply(step s, const tracer& x) {
    const auto with = [&](const tracer& a, const auto& f) {
      const tracer b = other(a);
      keep(random_.chance(70) ? f(a, b) : f(b, a));
    };
    switch (s) {
      case step::add: return with(x, [](auto a, auto b) { return a + b; });
      case step::subtract: return with(no_bool(x), [](auto a, auto b) { return a - b; });
      case step::multiply: return with(x, [](auto a, auto b) { return a * b; });
      case step::divide: return with(no_bool(x), [](auto a, auto b) { return a / b; });
      case step::modulo: return with(no_float(x), [this](auto a, auto b) { return integers(a, b, [](auto p, auto q) { return p % q; }); });
      case step::floor_divide: return with(no_float(x), [this](auto a, auto b) { return integers(a, b, [](auto p, auto q) { return twill::floor_divide(p, q); }); });
      case step::floor_mod: return with(no_float(x), [this](auto a, auto b) { return integers(a, b, [](auto p, auto q) { return twill::floor_mod(p, q); }); });
      case step::true_divide: return with(x, [](auto a, auto b) { return twill::true_divide(a, b); });
      case step::maximum: return with(x, [](auto a, auto b) { return twill::maximum(a, b); });
      case step::minimum: return with(x, [](auto a, auto b) { return twill::minimum(a, b); });
      case step::less: return with(x, [](auto a, auto b) { return a < b; });
      case step::greater: return with(x, [](auto a, auto b) { return a > b; });
      case step::less_equal: return with(x, [](auto a, auto b) { return a <= b; });
      case step::greater_equal: return with(x, [](auto a, auto b) { return a >= b; });
      case step::equal: return with(x, [](auto a, auto b) { return a == b; });
      case step::not_equal: return with(x, [](auto a, auto b) { return a != b; });
      case step::where: {
        const tracer b = other(x);
        return keep(random_.chance(50) ? twill::where(x < b, x, b) : random_.chance(50) ? twill::where(x, b, 2) : twill::where(b, 1.5, x));
      }
      case step::negate: return keep(-no_bool(x));
      case step::logical_not: return keep(!x);
      case step::exp: return keep(twill::exp(x));
      case step::exp2: return keep(twill::exp2(x));
      case step::log: return keep(twill::log(x));
      case step::log2: return keep(twill::log2(x));
      case step::sin: return keep(twill::sin(x));
      case step::sqrt: return keep(twill::sqrt(x));
      case step::recip: return keep(twill::recip(x));
      case step::tanh: return keep(twill::tanh(x));
      case step::sigmoid: return keep(twill::sigmoid(x));
      case step::relu: return keep(twill::relu(x));
      case step::cast: return keep(twill::cast(x, any_type()));
      case step::sum: return keep(reduced(x, [](auto a, auto... rest) { return twill::sum(a, rest...); }));
      case step::prod: return keep(reduced(x, [](auto a, auto... rest) { return twill::prod(a, rest...); }));
      case step::max:
        if (!has_elements(x) && !is_float(x.type())) return;
        return keep(reduced(x, [](auto a, auto... rest) { return twill::max(a, rest...); }));
      case step::min:
        if (!has_elements(x) && !is_float(x.type())) return;
        return keep(reduced(x, [](auto a, auto... rest) { return twill::min(a, rest...); }));
      case step::mean: return keep(reduced(x, [](auto a, auto... rest) { return twill::mean(a, rest...); }));
      case step::argmax: case step::argmin: {
        if (!has_elements(x)) return;
        const bool most = s == step::argmax, kept = random_.chance(40);
        if (x.shape().rank() == 0 || random_.chance(25)) return keep(most ? twill::argmax(x) : kept ? twill::argmin(x, keepdim) : twill::argmin(x));
        const i64 a = axis(x);
        return keep(most ? kept ? twill::argmax(x, a, keepdim) : twill::argmax(x, a) : twill::argmin(x, a));
      }
      case step::matmul: return product(x);
      case step::softmax: {
        if (x.shape().rank() == 0) return;
        return keep(random_.chance(40) ? twill::softmax(x) : twill::softmax(x, axis(x)));
      }
      case step::one_hot: {
        const tracer i = no_float(x);
        const i64 classes = 1 + random_.below(9);
        if (x.shape().rank() >= 5 || x.shape().elements() * classes > 3000) return;
        return keep(twill::one_hot(i, classes));
      }
      case step::reshape: return keep(twill::reshape(x, reshaped(x.shape())));
      case step::expand: {
        shape to = x.shape();
        for (size_t a = 0; a < to.rank(); ++a)
          if (to[a].bits == 1 && random_.chance(70)) to[a] = 2 + random_.below(8);
        while (to.rank() < 5 && random_.chance(40)) to.insert(0, 1 + random_.below(5));
        if (to.elements() > 3000) return;
        return keep(twill::expand(x, to));
      }
      case step::permute: {
        vector<sint, 8> order;
        for (size_t a = 0; a < x.shape().rank(); ++a) order.push_back(static_cast<i64>(a));
        for (size_t a = order.size(); a > 1; --a) std::swap(order[a - 1], order[static_cast<size_t>(random_.below(static_cast<i64>(a)))]);
        return keep(record::permute(x, span<const sint>(order)));
      }
      case step::transpose:
        if (x.shape().rank() < 2) return;
        if (random_.chance(50)) return keep(twill::transpose(x));
        {
          const i64 a = axis(x), b = axis(x);  // in this order, with every compiler
          return keep(twill::transpose(x, a, b));
        }
      case step::pad: {
        vector<padding, 8> amounts;
        for (size_t a = 0; a < x.shape().rank(); ++a) amounts.push_back({random_.chance(50) ? random_.below(4) : 0, random_.chance(50) ? random_.below(4) : 0});
        const inferred r = infer_pad(x.shape(), span<const padding>(amounts));
        if (r.problem || r.shape.elements() > 3000) return;
        return keep(record::pad(x, span<const padding>(amounts)));
      }
      case step::shrink: {
        vector<bounds_of_axis, 8> ranges;
        for (size_t a = 0; a < x.shape().rank(); ++a) {
          const i64 n = x.shape()[a].bits, begin = n > 0 ? random_.below(n) : 0, end = begin + (n > begin ? 1 + random_.below(n - begin) : 0);
          if (random_.chance(60)) ranges.push_back({begin, random_.chance(5) ? begin : end});
          else ranges.push_back({0, n});
        }
        return keep(record::shrink(x, span<const bounds_of_axis>(ranges)));
      }
      case step::flip: {
        if (x.shape().rank() == 0) return;
        const i64 a = axis(x);
        if (x.shape().rank() > 1 && random_.chance(40)) return keep(twill::flip(x, a < 0 ? a + static_cast<i64>(x.shape().rank()) : a, third(static_cast<i64>(x.shape().rank()), a < 0 ? a + static_cast<i64>(x.shape().rank()) : a, -1)));
        return keep(twill::flip(x, a));
      }
      case step::contiguous: return keep(twill::contiguous(x));
      case step::arange: {
        const i64 n = x.shape().rank() > 0 ? x.shape()[x.shape().rank() - 1].bits : 3;
        if (n == 0 || is_bool(x.type())) return;
        return keep(x + twill::arange(n, random_.chance(50) ? x.type() : int32.kind == x.type().kind || x.type().kind == scalar_kind::uint64 ? x.type() : int32));
      }
      case step::full: {
        if (random_.chance(50)) return keep(x + twill::full(x.shape(), is_bool(x.type()) ? 1 : 3, x.type()));
        return keep(twill::maximum(x, twill::full(shape(), 1.5)));
      }
      case step::number:
        switch (random_.below(6)) {
          case 0: return keep(x + 2);
          case 1: return keep(x * 1.25f);
          case 2: return keep(3 - no_bool(x));
          case 3: return keep(no_bool(x) / 3);
          case 4: return keep(x < 1);
          default: return keep(2.1 * x);
        }
      case step::normalize: {
        if (x.shape().rank() == 0) return;
        const i64 a = axis(x);
        const tracer centred = x * 1.0f - twill::mean(x, a, keepdim);
        return keep(centred / twill::sqrt(twill::mean(centred * centred, a, keepdim) + 0.125f));
      }
      case step::count: return;
    }
  }
  template <class F>
  tracer integers(const tracer& a, const tracer& b, const F& f) {
    const tracer x = no_float(a), y = no_float(b);
    return promote(x.type(), y.type()).kind == scalar_kind::void_ || is_float(promote(x.type(), y.type())) ? f(twill::cast(x, int32), twill::cast(y, int32)) : f(x, y);
  }
  void product(const tracer& x) {
    const size_t rank = x.shape().rank();
    if (rank == 0) return;
    const i64 k = x.shape()[rank - 1].bits;
    const dtype type = promote(x.type(), types_[1]).kind == scalar_kind::void_ ? x.type() : types_[1];
    if (random_.chance(20)) {
      const tracer v = make_argument(type, shape(k));
      return keep(random_.chance(50) || rank == 1 ? twill::matmul(x, v) : twill::matmul(v, twill::transpose(x)));
    }
    i64 n = 1 + random_.below(random_.chance(30) ? 33 : 9);
    while (n > 1 && x.shape().elements() * n > 12000) n /= 2;
    shape dims;
    if (rank > 2 && random_.chance(50)) {
      dims = x.shape();
      dims[0] = random_.chance(50) ? sint(1) : x.shape()[0];
      dims.erase(rank - 1), dims.erase(rank - 2);
      if (random_.chance(30)) dims.erase(0);
    }
    dims.push_back(k), dims.push_back(n);
    if (dims.elements() > 3000) return;
    keep(twill::matmul(x, make_argument(type, dims)));
  }
  shape reshaped(const shape& from) {
    shape to = from;
    for (int turns = 1 + static_cast<int>(random_.below(3)); turns > 0; --turns) {
      if (to.rank() >= 2 && random_.chance(55)) {
        const size_t a = static_cast<size_t>(random_.below(static_cast<i64>(to.rank()) - 1));
        to[a] = to[a].bits * to[a + 1].bits;
        to.erase(a + 1);
      } else if (to.rank() > 0 && to.rank() < 5) {
        const size_t a = static_cast<size_t>(random_.below(static_cast<i64>(to.rank())));
        i64 factor = 2 + random_.below(4);
        if (to[a].bits == 0 || to[a].bits % factor != 0) factor = 1;
        const i64 rest = to[a].bits / factor;
        to[a] = rest;
        to.insert(a + static_cast<size_t>(random_.below(2)), factor);
      } else if (to.rank() == 0) {
        to.push_back(1);
      }
    }
    return to;
  }
  void add_outputs() {
    vector<u32, 4>& o = out_.outputs;
    detail::add_output(o, out_.nodes, pool_.back());
    if (!random_.chance(30)) return;
    for (i64 more = 1 + random_.below(2); more > 0; --more) {
      tracer x = pick();
      if (random_.chance(50)) x = x * 1.5f;
      detail::add_output(o, out_.nodes, x);
    }
  }

  random_numbers random_;
  random_program& out_;
  bool edges_;
  std::vector<dtype> types_;
  std::vector<tracer> pool_;
};

inline std::unique_ptr<random_program> generate(u64 seed) {
  auto p = std::make_unique<random_program>();
  generator(seed, *p);
  return p;
}

// The recording as C++ that makes it again, with its arguments' sizes; make(op, dtype, shape, sources, arguments) stands
// for tracer::make.
inline text source_of(const recorder& r, span<const u32> outputs) {
  text out;
  for (const u32 id : toposort(r.nodes, outputs)) {
    const node& n = r.nodes.at(id);
    out << "  const tracer n" << id << " = make(op::" << twill::name(n.code) << ", " << to_text(n.type) << ", shape{";
    for (size_t a = 0; a < r.shapes[id].rank(); ++a) out << (a == 0 ? "" : ", ") << r.shapes[id][a].bits;
    out << "}, {";
    for (size_t k = 0; k < r.nodes.sources(id).size(); ++k) out << (k == 0 ? "n" : ", n") << r.nodes.sources(id)[k];
    out << "}, {";
    if (n.code == op::CONST) out << "word of " << render_constant(n.type, r.nodes.arguments(id)[0]);
    else
      for (size_t k = 0; k < n.argument_count; ++k) {
        out << (k == 0 ? "" : ", ");
        if (n.code == op::REDUCE_AXIS && k == 0) out << "op::" << twill::name(static_cast<op>(r.nodes.arguments(id)[0]));
        else out << r.nodes.arguments(id)[k];
      }
    out << "});\n";
  }
  out << "  outputs:";
  for (const u32 o : outputs) out << " n" << o;
  return out << "\n", out;
}

}  // namespace pipeline
