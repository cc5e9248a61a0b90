// Linear programs written by hand: what every executor and renderer is tested with, and a small builder for them.
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/lower/program.hpp"

namespace samples {

using namespace twill;

// A source that is part of an index, and its coefficient; a tile axis, and its stride.
struct index_term {
  u16 source = 0;
  i64 coefficient = 1;
};
struct axis_stride {
  int axis = 0;
  i64 stride = 1;
};

class program_builder {
 public:
  program code;

  constexpr u16 buffer(scalar_kind kind, i64 elements, bool output = false, bool local = false) {
    code.buffers.push_back({kind, output, local, elements});
    return static_cast<u16>(code.buffers.size() - 1);
  }
  constexpr int axis(int size, bool lane = false, int active = -1) {
    code.axes.push_back({static_cast<u16>(size), static_cast<u16>(active < 0 ? size : active), lane});
    return static_cast<int>(code.axes.size() - 1);
  }
  constexpr u16 add(const instruction& i) {
    code.instructions.push_back(i);
    return static_cast<u16>(code.instructions.size() - 1);
  }
  constexpr u16 constant(scalar_kind kind, i64 word) {
    instruction i{.code = op::CONST, .kind = kind};
    i.argument[0] = word;
    return add(i);
  }
  constexpr u16 number(scalar_kind kind, double value) { return constant(kind, is_float(kind) ? word_of(value) : static_cast<i64>(value)); }
  constexpr u16 loop(i64 trips, i64 first_parallel = -1) {
    instruction i{.code = op::RANGE, .kind = scalar_kind::int64};
    i.argument[0] = trips;
    i.argument[1] = first_parallel;
    return add(i);
  }
  constexpr void end(u16 range) {
    instruction i{.code = op::ENDRANGE, .source_count = 1};
    i.source[0] = range;
    add(i);
  }
  // The register tile covers the sources' axes.
  constexpr u16 alu(op code_of, scalar_kind kind, std::initializer_list<u16> sources) {
    instruction i{.code = code_of, .kind = kind};
    for (u16 s : sources) {
      i.source[i.source_count++] = s;
      i.axes |= code.instructions[s].axes;
    }
    return add(i);
  }
  constexpr u16 cast(scalar_kind kind, u16 source) { return alu(op::CAST, kind, {source}); }
  constexpr u16 accumulator(scalar_kind kind, std::initializer_list<int> axes, i64 word) {
    instruction i{.code = op::DEFINE_ACC, .kind = kind};
    for (int a : axes) i.axes |= u32{1} << a;
    i.argument[0] = word;
    return add(i);
  }
  constexpr u16 assign(u16 accumulator, u16 value) {
    instruction i{.code = op::ASSIGN, .kind = code.instructions[accumulator].kind, .source_count = 2};
    i.source[0] = accumulator;
    i.source[1] = value;
    i.axes = code.instructions[accumulator].axes;
    return add(i);
  }
  constexpr u16 reduce(op how, u16 source, std::initializer_list<int> axes) {
    instruction i{.code = op::REDUCE_AXIS, .kind = code.instructions[source].kind, .source_count = 1};
    i.source[0] = source;
    i.argument[0] = static_cast<i64>(how);
    for (int a : axes) i.argument[1] |= i64{1} << a;
    i.axes = code.instructions[source].axes & ~static_cast<u32>(i.argument[1]);
    return add(i);
  }
  constexpr u16 local(u16 buffer) {
    instruction i{.code = op::DEFINE_LOCAL, .kind = code.buffers[buffer].kind};
    i.argument[0] = buffer;
    i.argument[1] = code.buffers[buffer].elements;
    return add(i);
  }
  constexpr instruction indexed(op code_of, u16 buffer, i64 offset, std::initializer_list<index_term> terms,
                                std::initializer_list<axis_stride> strides) {
    instruction i{.code = code_of, .kind = code_of == op::INDEX ? scalar_kind::int64 : code.buffers[buffer].kind};
    twill::access a{.offset = offset, .buffer = buffer};
    for (const index_term& t : terms) {
      a.coefficient[a.terms++] = t.coefficient;
      i.source[i.source_count++] = t.source;
      i.axes |= code.instructions[t.source].axes;
    }
    for (const axis_stride& s : strides) a.axes |= u32{1} << s.axis;
    for (const axis_stride& s : strides) {
      int position = 0;
      for (int b = 0; b < s.axis; ++b) position += (a.axes >> b) & 1;
      a.stride[position] = s.stride;
    }
    i.axes |= a.axes;
    i.access = static_cast<u16>(code.accesses.size());
    code.accesses.push_back(a);
    return i;
  }
  constexpr u16 load(u16 buffer, i64 offset, std::initializer_list<index_term> terms, std::initializer_list<axis_stride> strides = {}) {
    return add(indexed(op::LOAD, buffer, offset, terms, strides));
  }
  constexpr u16 gated_load(u16 gate, u16 buffer, i64 offset, std::initializer_list<index_term> terms,
                           std::initializer_list<axis_stride> strides = {}) {
    instruction i = indexed(op::LOAD, buffer, offset, terms, strides);
    i.source[i.source_count++] = gate;
    i.gated = true;
    i.axes |= code.instructions[gate].axes;
    return add(i);
  }
  constexpr u16 index(i64 offset, std::initializer_list<index_term> terms, std::initializer_list<axis_stride> strides = {}) {
    return add(indexed(op::INDEX, 0, offset, terms, strides));
  }
  constexpr void store(u16 value, u16 buffer, i64 offset, std::initializer_list<index_term> terms,
                       std::initializer_list<axis_stride> strides = {}) {
    instruction i = indexed(op::STORE, buffer, offset, terms, strides);
    i.source[i.source_count++] = value;
    i.axes |= code.instructions[value].axes;
    add(i);
  }
};

// A program and what to fill its buffers with: integers, or multiples of 1/8 for floats, within [low, high]. `edges`:
// the edge values of the dtype come first. Integers and bools must agree exactly, floats within `ulps`.
struct fill {
  i64 low = -8, high = 8;
  bool edges = false;
};
struct sample {
  const char* name = "";
  program code;
  vector<fill> fills;  // one for each argument
  int ulps = 0;
};

constexpr u64 noise(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
inline constexpr double float_edges[] = {0.0,
                                         -0.0,
                                         1.0,
                                         -1.0,
                                         0.5,
                                         -0.5,
                                         1.5,
                                         2.5,
                                         -2.5,
                                         __builtin_inf(),
                                         -__builtin_inf(),
                                         __builtin_nan(""),
                                         0x1.fffffep127,
                                         -0x1.fffffep127,
                                         0x1p-126,
                                         0x1p-149,
                                         -0x1p-149,
                                         127.0,
                                         128.0,
                                         -128.0,
                                         -129.0,
                                         255.0,
                                         256.0,
                                         32767.0,
                                         32768.0,
                                         65504.0,
                                         65520.0,
                                         2147483520.0,
                                         2147483648.0,
                                         -2147483648.0,
                                         4294967296.0,
                                         0x1p63,
                                         -0x1p63,
                                         0x1p64,
                                         3.25e-5,
                                         0x1p-14,
                                         0x1p-24,
                                         0x1p-25,
                                         0x1.8p-24,
                                         88.8,
                                         -104.0,
                                         1e5};
// The word that element `e` of argument `b` starts with.
constexpr i64 input_word(const sample& s, size_t b, i64 e) {
  const buffer_info& info = s.code.buffers[b];
  const fill& f = s.fills[b];
  const u64 r = noise(noise(b + 1) + static_cast<u64>(e));
  if (info.output) return 0;
  if (is_float(info.kind)) {
    constexpr i64 n = static_cast<i64>(sizeof(float_edges) / sizeof(double));
    const i64 at = b == 0 ? e % n : e / n;
    if (f.edges && at < n) return word_of(round_to(info.kind, float_edges[at]));
    const i64 steps = (f.high - f.low) * 8 + 1;
    return word_of(round_to(info.kind, static_cast<double>(f.low * 8 + static_cast<i64>(r % static_cast<u64>(steps))) / 8));
  }
  if (f.edges) {
    const i64 edge[] = {0,
                        1,
                        -1,
                        2,
                        3,
                        -3,
                        7,
                        min_value(info.kind),
                        max_value(info.kind),
                        wrap(info.kind, min_value(info.kind) + 1),
                        wrap(info.kind, max_value(info.kind) - 1),
                        bit_width(info.kind) - 1,
                        bit_width(info.kind),
                        bit_width(info.kind) + 1,
                        100,
                        -100};
    return wrap(info.kind, edge[(b == 0 ? e : e / 16) % 16]);
  }
  return wrap(info.kind, f.low + static_cast<i64>(r % static_cast<u64>(f.high - f.low + 1)));
}

// c = a + b over 16 * pairs + 8 + tail elements: pairs of vectors in a parallel loop, then a vector and part of one.
constexpr sample vector_add(i64 pairs = 3, int tail = 5) {
  constexpr scalar_kind f32 = scalar_kind::float32;
  const i64 n = pairs * 16 + 8 + tail;
  program_builder b;
  const u16 c = b.buffer(f32, n, true), x = b.buffer(f32, n), y = b.buffer(f32, n);
  const int pair = b.axis(2), lane = b.axis(8, true), rest = b.axis(8, true, tail);
  const u16 i = b.loop(pairs, 0);
  const u16 p = b.load(x, 0, {{i, 16}}, {{pair, 8}, {lane, 1}}), q = b.load(y, 0, {{i, 16}}, {{pair, 8}, {lane, 1}});
  b.store(b.alu(op::ADD, f32, {p, q}), c, 0, {{i, 16}}, {{pair, 8}, {lane, 1}});
  b.end(i);
  const u16 last = b.loop(1, pairs);
  const u16 r = b.load(x, pairs * 16, {}, {{lane, 1}}), s = b.load(y, pairs * 16, {}, {{lane, 1}});
  b.store(b.alu(op::ADD, f32, {r, s}), c, pairs * 16, {}, {{lane, 1}});
  if (tail > 0) {
    const u16 t = b.load(x, pairs * 16 + 8, {}, {{rest, 1}}), u = b.load(y, pairs * 16 + 8, {}, {{rest, 1}});
    b.store(b.alu(op::ADD, f32, {t, u}), c, pairs * 16 + 8, {}, {{rest, 1}});
  }
  b.end(last);
  b.code.parallel_count = pairs + 1;
  b.code.work = n;
  return {"vector_add", b.code, {{}, {}, {}}, 0};
}

// Rows of exp(x - max) / sum, the exponentials kept in a local buffer.
constexpr sample softmax_rows(i64 rows = 3, i64 vectors = 2, int tail = 5) {
  constexpr scalar_kind f32 = scalar_kind::float32;
  const i64 columns = vectors * 8 + tail;
  program_builder b;
  const u16 out = b.buffer(f32, rows * columns, true), in = b.buffer(f32, rows * columns);
  const u16 scratch = b.buffer(f32, columns, false, true);
  const int lane = b.axis(8, true), rest = b.axis(8, true, tail);
  const u16 r = b.loop(rows, 0);
  b.local(scratch);
  const i64 lowest = word_of(-__builtin_inf());
  const u16 greatest = b.accumulator(f32, {lane}, lowest);
  u16 j = b.loop(vectors);
  b.assign(greatest, b.alu(op::MAX, f32, {greatest, b.load(in, 0, {{r, columns}, {j, 8}}, {{lane, 1}})}));
  b.end(j);
  u16 top = b.reduce(op::MAX, greatest, {lane});
  u16 x_rest = 0;
  if (tail > 0) {
    x_rest = b.load(in, vectors * 8, {{r, columns}}, {{rest, 1}});
    top = b.alu(op::MAX, f32, {top, b.reduce(op::MAX, x_rest, {rest})});
  }
  const u16 total = b.accumulator(f32, {lane}, word_of(0));
  j = b.loop(vectors);
  const u16 e = b.alu(op::EXP, f32, {b.alu(op::SUB, f32, {b.load(in, 0, {{r, columns}, {j, 8}}, {{lane, 1}}), top})});
  b.store(e, scratch, 0, {{j, 8}}, {{lane, 1}});
  b.assign(total, b.alu(op::ADD, f32, {total, e}));
  b.end(j);
  u16 sum = b.reduce(op::ADD, total, {lane});
  u16 e_rest = 0;
  if (tail > 0) {
    e_rest = b.alu(op::EXP, f32, {b.alu(op::SUB, f32, {x_rest, top})});
    sum = b.alu(op::ADD, f32, {sum, b.reduce(op::ADD, e_rest, {rest})});
  }
  j = b.loop(vectors);
  b.store(b.alu(op::FDIV, f32, {b.load(scratch, 0, {{j, 8}}, {{lane, 1}}), sum}), out, 0, {{r, columns}, {j, 8}}, {{lane, 1}});
  b.end(j);
  if (tail > 0) b.store(b.alu(op::FDIV, f32, {e_rest, sum}), out, vectors * 8, {{r, columns}}, {{rest, 1}});
  b.end(r);
  b.code.parallel_count = rows;
  b.code.work = rows * columns * 12;
  return {"softmax_rows", b.code, {{}, {}}, 0};
}

// relu(A[m, k] B[k, n]) with a register tile of height x (vectors of `lanes`), k innermost; a smaller tile for the last rows.
constexpr sample matmul_relu(i64 m = 8, i64 n = 32, i64 k = 5, int height = 6, int vectors = 2, int lanes = 8) {
  constexpr scalar_kind f32 = scalar_kind::float32;
  program_builder b;
  const u16 out = b.buffer(f32, m * n, true), left = b.buffer(f32, m * k), right = b.buffer(f32, k * n);
  const i64 width = vectors * lanes, tiles = m / height;
  const int rest = static_cast<int>(m % height);
  const int rows = b.axis(height), column = b.axis(vectors), lane = b.axis(lanes, true), last_rows = b.axis(rest == 0 ? 1 : rest);
  const u16 zero = b.number(f32, 0);
  for (int part = 0; part < (rest == 0 ? 1 : 2); ++part) {
    const int i = part == 0 ? rows : last_rows;
    const i64 first_row = part == 0 ? 0 : tiles * height;
    const u16 t = b.loop(part == 0 ? tiles : 1, part == 0 ? 0 : tiles);
    const u16 j = b.loop(n / width);
    const u16 sum = b.accumulator(f32, {i, column, lane}, word_of(0));
    const u16 r = b.loop(k);
    const u16 x = b.load(left, first_row * k, {{t, height * k}, {r, 1}}, {{i, k}});
    const u16 y = b.load(right, 0, {{r, n}, {j, width}}, {{column, lanes}, {lane, 1}});
    b.assign(sum, b.alu(op::MULACC, f32, {x, y, sum}));
    b.end(r);
    b.store(b.alu(op::MAX, f32, {sum, zero}), out, first_row * n, {{t, height * n}, {j, width}}, {{i, n}, {column, lanes}, {lane, 1}});
    b.end(j);
    b.end(t);
  }
  b.code.parallel_count = tiles + (rest == 0 ? 0 : 1);
  b.code.work = 2 * m * n * k;
  return {"matmul_relu", b.code, {{}, {}, {}}, 0};
}

// out[i] = in[i - 3] where that exists, else 0: a gate for each lane, then the same with a gate for each scalar; lanes reversed too.
constexpr sample padded(int lanes = 8) {
  constexpr scalar_kind f32 = scalar_kind::float32, i64k = scalar_kind::int64, boolean = scalar_kind::bool_;
  const i64 n = 13, blocks = 3;
  program_builder b;
  const u16 out = b.buffer(f32, blocks * lanes, true), flipped = b.buffer(f32, blocks * lanes, true),
            third = b.buffer(f32, blocks * lanes, true);
  const u16 in = b.buffer(f32, n);
  const int lane = b.axis(lanes, true);
  const u16 low = b.number(i64k, 0), high = b.number(i64k, static_cast<double>(n)), before = b.number(i64k, -1);
  const u16 i = b.loop(blocks, 0);
  const u16 at = b.index(-3, {{i, lanes}}, {{lane, 1}});
  const u16 valid = b.alu(op::AND, boolean, {b.alu(op::CMPLT, boolean, {before, at}), b.alu(op::CMPLT, boolean, {at, high})});
  b.store(b.gated_load(valid, in, -3, {{i, lanes}}, {{lane, 1}}), out, 0, {{i, lanes}}, {{lane, 1}});
  const u16 back = b.index(n - 1 + 3, {{i, -lanes}}, {{lane, -1}});
  const u16 valid_back = b.alu(op::AND, boolean, {b.alu(op::CMPLT, boolean, {before, back}), b.alu(op::CMPLT, boolean, {back, high})});
  b.store(b.gated_load(valid_back, in, n - 1 + 3, {{i, -lanes}}, {{lane, -1}}), flipped, 0, {{i, lanes}}, {{lane, 1}});
  const u16 whole = b.alu(op::CMPLT, boolean, {low, i});
  b.store(b.gated_load(whole, in, 4, {{i, -1}}, {{lane, 0}}), third, blocks * lanes - 1, {{i, -lanes}}, {{lane, -1}});
  b.end(i);
  b.code.parallel_count = blocks;
  return {"padded", b.code, {{}, {}, {}, {}}, 0};
}

// out[i, j] = table[index[i], j] (a scalar term) and picked[i] = table[index[i], which[i]] (terms that differ between lanes).
constexpr sample gather(int lanes = 4) {
  constexpr scalar_kind f32 = scalar_kind::float32, i32k = scalar_kind::int32;
  const i64 rows = 6, n = 8, columns = lanes * 2;
  program_builder b;
  const u16 out = b.buffer(f32, n * columns, true), picked = b.buffer(f32, n, true);
  const u16 table = b.buffer(f32, rows * columns), which_row = b.buffer(i32k, n), which_column = b.buffer(i32k, n);
  const int two = b.axis(2), lane = b.axis(lanes, true);
  const u16 i = b.loop(n, 0);
  const u16 row = b.load(which_row, 0, {{i, 1}});
  b.store(b.load(table, 0, {{row, columns}}, {{two, lanes}, {lane, 1}}), out, 0, {{i, columns}}, {{two, lanes}, {lane, 1}});
  b.end(i);
  const u16 last = b.loop(n / lanes, n);
  const u16 r = b.load(which_row, 0, {{last, lanes}}, {{lane, 1}}), c = b.load(which_column, 0, {{last, lanes}}, {{lane, 1}});
  b.store(b.load(table, 0, {{r, columns}, {c, 1}}), picked, 0, {{last, lanes}}, {{lane, 1}});
  b.end(last);
  b.code.parallel_count = n + n / lanes;
  return {"gather", b.code, {{}, {}, {}, {0, rows - 1}, {0, columns - 1}}, 0};
}

inline constexpr op integer_binary[] = {op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD,
                                        op::MAX, op::MIN, op::AND, op::OR,   op::XOR, op::SHL,      op::SHR};
// Every binary operation of an integer dtype, NEG, MULACC, WHERE and the comparisons over all pairs of edge values.
constexpr sample integer_ops(scalar_kind kind, int lanes = 8) {
  constexpr i64 pairs = 256;
  program_builder b;
  const u16 x = b.buffer(kind, pairs), y = b.buffer(kind, pairs);
  const int lane = b.axis(lanes, lanes > 1);
  const u16 i = b.loop(pairs / lanes, 0);
  const u16 p = b.load(x, 0, {{i, lanes}}, {{lane, 1}}), q = b.load(y, 0, {{i, lanes}}, {{lane, 1}});
  vector<fill> fills{{0, 0, true}, {0, 0, true}};
  const auto put = [&](u16 value) {
    const u16 out = b.buffer(b.code.instructions[value].kind, pairs, true);
    b.store(value, out, 0, {{i, lanes}}, {{lane, 1}});
    fills.push_back({});
  };
  for (op o : integer_binary) put(b.alu(o, kind, {p, q}));
  if (kind != scalar_kind::bool_) put(b.alu(op::NEG, kind, {p}));
  put(b.alu(op::MULACC, kind, {p, q, p}));
  const u16 less = b.alu(op::CMPLT, scalar_kind::bool_, {p, q});
  put(less);
  put(b.alu(op::CMPNE, scalar_kind::bool_, {p, q}));
  put(b.alu(op::WHERE, kind, {less, q, p}));
  const u16 three = b.constant(kind, wrap(kind, 3));
  for (op o : {op::IDIV, op::MOD, op::SHL, op::SHR}) put(b.alu(o, kind, {p, three}));
  b.end(i);
  b.code.parallel_count = pairs / lanes;
  return {"integer_ops", b.code, fills, 0};
}

inline constexpr op float_binary[] = {op::ADD, op::SUB, op::MUL, op::FDIV, op::MAX, op::MIN};
inline constexpr op float_unary[] = {op::NEG, op::SQRT, op::RECIP, op::EXP, op::EXP2, op::LOG, op::LOG2, op::SIN, op::TANH};
// The same for a float dtype, float16 and bfloat16 converting at loads and stores.
constexpr sample float_ops(scalar_kind kind, int lanes = 8) {
  constexpr i64 pairs = 1024;
  program_builder b;
  const u16 x = b.buffer(kind, pairs), y = b.buffer(kind, pairs);
  const int lane = b.axis(lanes, lanes > 1);
  const u16 i = b.loop(pairs / lanes, 0);
  const u16 p = b.load(x, 0, {{i, lanes}}, {{lane, 1}}), q = b.load(y, 0, {{i, lanes}}, {{lane, 1}});
  vector<fill> fills{{-100, 100, true}, {-100, 100, true}};
  const auto put = [&](u16 value) {
    const u16 out = b.buffer(b.code.instructions[value].kind, pairs, true);
    b.store(value, out, 0, {{i, lanes}}, {{lane, 1}});
    fills.push_back({});
  };
  const scalar_kind in_register = register_kind(kind);
  for (op o : float_binary) put(b.alu(o, in_register, {p, q}));
  for (op o : float_unary) put(b.alu(o, in_register, {p}));
  put(b.alu(op::MULACC, in_register, {p, q, p}));
  const u16 less = b.alu(op::CMPLT, scalar_kind::bool_, {p, q});
  put(less);
  put(b.alu(op::CMPNE, scalar_kind::bool_, {p, q}));
  put(b.alu(op::WHERE, in_register, {less, q, p}));
  put(b.cast(kind, b.alu(op::ADD, in_register, {p, q})));
  b.end(i);
  b.code.parallel_count = pairs / lanes;
  return {"float_ops", b.code, fills, 0};
}

// A cast of every edge value of a dtype to every dtype.
constexpr sample casts(scalar_kind kind, int lanes = 8) {
  constexpr i64 n = 64;
  program_builder b;
  const u16 x = b.buffer(kind, n);
  const int lane = b.axis(lanes, lanes > 1);
  const u16 i = b.loop(n / lanes, 0);
  const u16 p = b.load(x, 0, {{i, lanes}}, {{lane, 1}});
  vector<fill> fills{{-100, 100, true}};
  for (int k = static_cast<int>(scalar_kind::bool_); k <= static_cast<int>(scalar_kind::float64); ++k) {
    const u16 out = b.buffer(static_cast<scalar_kind>(k), n, true);
    b.store(b.cast(static_cast<scalar_kind>(k), p), out, 0, {{i, lanes}}, {{lane, 1}});
    fills.push_back({});
  }
  b.end(i);
  b.code.parallel_count = n / lanes;
  return {"casts", b.code, fills, 0};
}

// Bits of one dtype as another of the same size.
constexpr sample bitcasts(int lanes = 8) {
  constexpr scalar_kind pairs[][2] = {{scalar_kind::float32, scalar_kind::int32},  {scalar_kind::uint32, scalar_kind::float32},
                                      {scalar_kind::float64, scalar_kind::uint64}, {scalar_kind::int64, scalar_kind::float64},
                                      {scalar_kind::float16, scalar_kind::uint16}, {scalar_kind::int16, scalar_kind::bfloat16},
                                      {scalar_kind::uint8, scalar_kind::int8}};
  program_builder b;
  const int lane = b.axis(lanes, lanes > 1);
  const i64 n = 32;
  vector<fill> fills;
  const u16 i = b.loop(n / lanes, 0);
  for (const auto& pair : pairs) {
    const u16 out = b.buffer(pair[1], n, true), in = b.buffer(pair[0], n);
    b.store(b.alu(op::BITCAST, pair[1], {b.load(in, 0, {{i, lanes}}, {{lane, 1}})}), out, 0, {{i, lanes}}, {{lane, 1}});
    fills.push_back({});
    fills.push_back({0, 100});
  }
  b.end(i);
  b.code.parallel_count = n / lanes;
  return {"bitcasts", b.code, fills, 0};
}

// Every reduction over an unrolled axis, over lanes (all, some), over both, and over two unrolled axes.
constexpr sample reductions(scalar_kind kind) {
  program_builder b;
  const int three = b.axis(3), two = b.axis(2), lane = b.axis(8, true), part = b.axis(8, true, 5);
  const u16 in = b.buffer(kind, 48);
  vector<fill> fills{{-3, 4}};
  const u16 i = b.loop(1, 0);
  const u16 x = b.load(in, 0, {}, {{three, 16}, {two, 8}, {lane, 1}}), y = b.load(in, 7, {}, {{three, 8}, {part, 1}});
  const op all[] = {op::ADD, op::MUL, op::MAX, op::MIN, op::AND, op::OR, op::XOR};
  for (op o : all) {
    if (is_float(kind) && (o == op::AND || o == op::OR || o == op::XOR)) continue;
    const u16 out = b.buffer(kind, 64, true);
    fills.push_back({});
    b.store(b.reduce(o, x, {three, two, lane}), out, 0, {});
    b.store(b.reduce(o, x, {three}), out, 1, {}, {{two, 8}, {lane, 1}});
    b.store(b.reduce(o, x, {lane}), out, 17, {}, {{three, 2}, {two, 1}});
    b.store(b.reduce(o, x, {two, lane}), out, 23, {}, {{three, 1}});
    b.store(b.reduce(o, y, {three, part}), out, 26, {});
    b.store(b.reduce(o, y, {part}), out, 27, {}, {{three, 1}});
    b.store(b.reduce(o, x, {three, two}), out, 30, {}, {{lane, 1}});
    b.store(b.reduce(o, y, {three}), out, 38, {}, {{part, 2}});
  }
  b.end(i);
  return {"reductions", b.code, fills, 0};
}

// A sum over no elements, and a parallel axis without iterations before one that has them.
constexpr sample zero_trips() {
  constexpr scalar_kind f32 = scalar_kind::float32;
  program_builder b;
  const u16 out = b.buffer(f32, 4, true), in = b.buffer(f32, 0);
  const int lane = b.axis(4, true);
  const u16 none = b.loop(0, 0);
  b.store(b.number(f32, 7), out, 0, {{none, 1}});
  b.end(none);
  const u16 i = b.loop(1, 0);
  const u16 sum = b.accumulator(f32, {lane}, word_of(0.5));
  const u16 r = b.loop(0);
  b.assign(sum, b.alu(op::ADD, f32, {sum, b.load(in, 0, {{r, 4}}, {{lane, 1}})}));
  b.end(r);
  b.store(sum, out, 0, {}, {{lane, 1}});
  b.end(i);
  return {"zero_trips", b.code, {{}, {}}, 0};
}

// A tile without lanes, a value broadcast over an axis, and a bool kept, combined and selected with.
constexpr sample scalar_tile() {
  constexpr scalar_kind f64 = scalar_kind::float64, boolean = scalar_kind::bool_;
  program_builder b;
  const u16 out = b.buffer(f64, 12, true), flags = b.buffer(boolean, 12, true);
  const u16 x = b.buffer(f64, 12), mask = b.buffer(boolean, 4);
  const int i = b.axis(3), j = b.axis(4);
  const u16 t = b.loop(1, 0);
  const u16 p = b.load(x, 0, {}, {{i, 4}, {j, 1}}), m = b.load(mask, 0, {}, {{j, 1}}), row = b.reduce(op::ADD, p, {j});
  const u16 above = b.alu(op::CMPLT, boolean, {row, p});
  const u16 both = b.alu(op::OR, boolean, {above, m});
  b.store(both, flags, 0, {}, {{i, 4}, {j, 1}});
  b.store(b.alu(op::WHERE, f64, {both, p, row}), out, 0, {}, {{i, 4}, {j, 1}});
  b.end(t);
  return {"scalar_tile", b.code, {{}, {}, {}, {0, 1}}, 0};
}

}  // namespace samples
