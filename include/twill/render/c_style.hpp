// What emitted C++ and CUDA share: a program's instructions as C statements. A register tile becomes one variable for each
// index of its unrolled axes; a lane axis becomes a vector type (C++ only). Whatever is more than an operator stands in a
// small function in front, emitted where it is used; the elementary functions are recorded from their one definition.
//
// Names: v<instruction>[_<element>] values, x<instruction> index expressions, b<number> buffers.
// A vector of bools is a mask: signed integers, 0 or -1, as wide as the operands that it came from.
#pragma once

#include "twill/base/elementary/exponential.hpp"
#include "twill/base/elementary/logarithm.hpp"
#include "twill/base/elementary/sine.hpp"
#include "twill/base/error.hpp"
#include "twill/ir/constant.hpp"
#include "twill/lower/program.hpp"

namespace twill::detail {

inline bool is_identifier(text_view s) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (s.empty() || !letter(s[0])) return false;
  for (char c : s)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

// Exact: a hexadecimal literal, or what gives an infinity or a NaN.
inline text float_literal(scalar_kind k, double v, bool cuda) {
  const bool narrow = k == scalar_kind::float32;
  const u64 bits = __builtin_bit_cast(u64, v), fraction = bits & ((u64{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const char* sign = bits >> 63 != 0 ? "-" : "";
  text out;
  if (exponent == 0x7ff) {
    if (fraction != 0)
      return cuda ? (narrow ? "__int_as_float(0x7fc00000)" : "__longlong_as_double(0x7ff8000000000000LL)")
                  : (narrow ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")");
    out << '(' << sign;
    if (cuda)
      out << (narrow ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000LL)");
    else
      out << (narrow ? "__builtin_inff()" : "__builtin_inf()");
    return out << ')', out;
  }
  const bool parens = bits >> 63 != 0;
  if (parens) out << '(';
  out << sign << "0x" << (exponent == 0 ? '0' : '1');
  if (fraction != 0) {
    u64 digits = fraction;
    int count = 13;
    while ((digits & 15) == 0) {
      digits >>= 4;
      --count;
    }
    out << '.';
    out.hex(digits, count);
  }
  const int power = bits << 1 == 0 ? 0 : exponent == 0 ? -1022 : exponent - 1023;
  out << 'p' << power;
  if (narrow) out << 'f';
  if (parens) out << ')';
  return out;
}
inline text integer_literal(scalar_kind k, i64 v) {
  text out;
  const bool wide = byte_size(k) == 8;
  if (k == scalar_kind::uint64) return out << static_cast<u64>(v) << "ULL", out;
  if (k == scalar_kind::uint32) return out << v << 'u', out;
  const char* suffix = wide ? "LL" : "";
  if (v == min_value(k) && is_signed(k))
    out << '(' << v + 1 << suffix << " - 1)";
  else if (v < 0)
    out << '(' << v << suffix << ')';
  else
    out << v << suffix;
  return out;
}

inline const char* short_name(scalar_kind k) {
  constexpr const char* names[] = {"void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "u16", "u16", "f32", "f64"};
  return names[static_cast<int>(k)];
}
inline scalar_kind signed_of_size(int bytes) {
  return bytes == 1 ? scalar_kind::int8 : bytes == 2 ? scalar_kind::int16 : bytes == 4 ? scalar_kind::int32 : scalar_kind::int64;
}
inline scalar_kind unsigned_of_size(int bytes) { return static_cast<scalar_kind>(static_cast<int>(signed_of_size(bytes)) + 1); }

template <class... Parts> text say(const Parts&... parts) {
  text out;
  ((out << parts), ...);
  return out;
}

// Types and functions in front of the kernel. lanes == 0: a scalar.
class c_prelude {
 public:
  bool cuda = false;

  text all() const { return say(types_, functions_); }

  // The name of a type in registers or of an integer; its typedef is emitted once.
  text type(scalar_kind k, int lanes) {
    text name(short_name(k));
    if (!add_once(name)) {
      const char* spelled = k == scalar_kind::float16 || k == scalar_kind::bfloat16 ? "unsigned short" : c_name(k);
      if (k != scalar_kind::bool_) types_ << "typedef " << spelled << ' ' << name << ";\n";
    }
    if (lanes == 0) return name;
    const text vector = say(name, 'x', lanes);
    if (!add_once(vector)) {
      const int bytes = byte_size(k);
      types_ << "typedef " << name << ' ' << vector << " __attribute__((vector_size(" << bytes * lanes << ")));\n";
      types_ << "typedef " << name << ' ' << vector << "_u __attribute__((vector_size(" << bytes * lanes << "), aligned(" << bytes
             << "), may_alias));\n";
    }
    return vector;
  }
  text mask_type(int bytes, int lanes) { return lanes == 0 ? text("bool") : type(signed_of_size(bytes), lanes); }
  text unsigned_type(scalar_kind k, int lanes) {
    // Scalars of less than an int are computed as unsigned int: a product of two uint16 would overflow int.
    return type(unsigned_of_size(lanes == 0 && byte_size(k) < 4 ? 4 : byte_size(k)), lanes);
  }

  text splat(scalar_kind k, int lanes, text_view x) {
    if (lanes == 0) return x;
    const text t = type(k, lanes), name = say("splat_", t);
    if (!add_once(name)) {
      text f = head(t, name, say(short_name(k), " x"));
      f << "  return " << t << '{';
      for (int i = 0; i < lanes; ++i) f << (i == 0 ? "x" : ", x");
      functions_ << f << "};\n}\n";
    }
    return say(name, '(', x, ')');
  }
  text number(scalar_kind k, int lanes, double v) { return splat(k, lanes, float_literal(k, v, cuda)); }
  text integer(scalar_kind k, int lanes, i64 v) {
    const text literal = integer_literal(k, v);
    return lanes == 0 && byte_size(k) >= 4 ? literal : lanes == 0 ? say('(', type(k, 0), ')', literal) : splat(k, lanes, literal);
  }
  // x, of kind `from`, as `to`: rounded to nearest, truncated or extended; not saturated.
  text convert(scalar_kind to, int lanes, text_view x) {
    const text t = type(to, lanes);
    return lanes == 0 ? say('(', t, ')', x) : say("__builtin_convertvector(", x, ", ", t, ')');
  }
  // Reinterpretation between types of the same size.
  text bits_as(scalar_kind to, scalar_kind from, int lanes, text_view x) {
    const text t = type(to, lanes);
    if (to == from) return x;
    if (lanes != 0 || is_float(to) == is_float(from)) return say("((", t, ')', x, ')');
    if (!cuda) return say("__builtin_bit_cast(", t, ", ", x, ')');
    if (is_float(from)) return say("((", t, from == scalar_kind::float32 ? ")__float_as_uint(" : ")__double_as_longlong(", x, "))");
    return say(to == scalar_kind::float32 ? "__uint_as_float((unsigned int)" : "__longlong_as_double((long long)", x, ')');
  }

  // Functions of one kind and width. Each returns a call.
  text fma(scalar_kind k, int lanes, text_view a, text_view b, text_view c) {
    const bool narrow = k == scalar_kind::float32;
    if (lanes == 0)
      return say(cuda ? (narrow ? "__fmaf_rn(" : "__fma_rn(") : (narrow ? "__builtin_fmaf(" : "__builtin_fma("), a, ", ", b, ", ", c, ')');
    return say(wide_builtin("fma", k, lanes, 3), '(', a, ", ", b, ", ", c, ')');
  }
  text square_root(scalar_kind k, int lanes, text_view a) {
    const bool narrow = k == scalar_kind::float32;
    if (lanes == 0) return say(cuda ? (narrow ? "__fsqrt_rn(" : "__dsqrt_rn(") : (narrow ? "__builtin_sqrtf(" : "__builtin_sqrt("), a, ')');
    return say(wide_builtin("sqrt", k, lanes, 1), '(', a, ')');
  }
  // MAX or MIN of floats; `ordered`: a is known not to be a NaN, and then b's NaN comes through by itself.
  text extreme(bool greatest, scalar_kind k, int lanes, text_view a, text_view b, bool ordered) {
    const text t = type(k, lanes), name = say(greatest ? "max_" : "min_", t);
    if (ordered) return chosen(greatest, k, lanes, a, b);
    if (!has(name)) {
      const text r = chosen(greatest, k, lanes, "a", "b");
      text f = head(t, name, say(t, " a, ", t, " b"));
      f << "  const " << t << " r = " << r << ";\n  return a != a ? a : r;\n}\n";
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', a, ", ", b, ')');
  }
  // a > b ? a : b, or with <. x86 has an instruction that is just that; g++ does not find it for vectors.
  text chosen(bool greatest, scalar_kind k, int lanes, text_view a, text_view b) {
    const char* sign = greatest ? " > " : " < ";
    const int bytes = byte_size(k) * lanes;
    if (lanes == 0 || (bytes != 16 && bytes != 32)) return say('(', a, sign, b, " ? ", a, " : ", b, ')');
    const text t = type(k, lanes), name = say(greatest ? "greater_" : "less_", t);
    if (!add_once(name)) {
      text f = head(t, name, say(t, " a, ", t, " b"));
      f << "#if defined(" << (bytes == 32 ? "__AVX__" : "__SSE2__") << ") && !defined(__clang__)\n  return __builtin_ia32_" << (greatest ? "max" : "min")
        << (k == scalar_kind::float32 ? "ps" : "pd") << (bytes == 32 ? "256" : "") << "(a, b);\n#else\n  return a" << sign << "b ? a : b;\n#endif\n}\n";
      functions_ << f;
    }
    return say(name, '(', a, ", ", b, ')');
  }
  // Guarded integer division and shifts, by op.
  text guarded(op code, scalar_kind k, int lanes, text_view a, text_view b) {
    const text t = type(k, lanes);
    const char* word = code == op::IDIV       ? "idiv_"
                       : code == op::MOD      ? "imod_"
                       : code == op::FLOORDIV ? "floordiv_"
                       : code == op::FLOORMOD ? "floormod_"
                       : code == op::SHL      ? "shl_"
                       : code == op::SHR      ? "shr_"
                                              : "threefry_";
    const text name = say(word, t);
    if (!has(name)) {
      const bool divides = code != op::SHL && code != op::SHR;
      text f = head(t, name, say(t, " a, ", t, " b"));
      if (lanes != 0 && divides) {
        const text one = guarded(code, k, 0, "a[i]", "b[i]");
        f << "  " << t << " r = a;\n  for (int i = 0; i < " << lanes << "; ++i) r[i] = " << one << ";\n  return r;\n";
      } else if (!divides) {
        const int width = bit_width(k);
        const text u = type(unsigned_of_size(byte_size(k)), lanes), wide = unsigned_type(k, lanes);
        const scalar_kind uk = unsigned_of_size(byte_size(k));
        const text limit = integer(uk, lanes, width), top = integer(uk, lanes, width - 1);
        f << "  const " << u << " n = (" << u << ")b;\n";
        if (code == op::SHL)
          f << "  return (" << t << ")(n < " << limit << " ? (" << wide << ")a << (n & " << top
            << ") : " << (lanes == 0 ? say('(', wide, ")0") : say(u, "{}")) << ");\n";
        else if (is_signed(k))
          f << "  return (" << t << ")(a >> (" << t << ")(n < " << limit << " ? n : " << top << "));\n";
        else
          f << "  return (" << t << ")(n < " << limit << " ? a >> (n & " << top << ") : " << (lanes == 0 ? say('(', t, ")0") : say(t, "{}"))
            << ");\n";
      } else if (code == op::THREEFRY) {
        f << "  const unsigned int turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};\n"
             "  unsigned int x0 = (unsigned int)a, x1 = (unsigned int)((unsigned long long)a >> 32);\n"
             "  unsigned int k[3] = {(unsigned int)b, (unsigned int)((unsigned long long)b >> 32), 0};\n"
             "  k[2] = k[0] ^ k[1] ^ 0x1bd11bdau;\n  x0 += k[0];\n  x1 += k[1];\n"
             "  for (unsigned int i = 0; i < 5; ++i) {\n    for (unsigned int j = 0; j < 4; ++j) {\n"
             "      const unsigned int r = turns[i % 2 * 4 + j];\n      x0 += x1;\n      x1 = (x1 << r | x1 >> (32 - r)) ^ x0;\n    }\n"
             "    x0 += k[(i + 1) % 3];\n    x1 += k[(i + 2) % 3] + i + 1;\n  }\n";
        f << "  return (" << t << ")((unsigned long long)x1 << 32 | x0);\n";
      } else {
        const bool divide = code == op::IDIV || code == op::FLOORDIV, has_sign = is_signed(k);
        if (divide)
          f << "  if (b == 0) return 0;\n";
        else
          f << "  if (b == 0) return a;\n";
        if (has_sign && divide)
          f << "  if (b == -1) return (" << t << ")(0 - (" << unsigned_type(k, 0) << ")a);\n";
        else if (has_sign)
          f << "  if (b == -1) return 0;\n";
        if (!has_sign || code == op::IDIV || code == op::MOD)
          f << "  return (" << t << ")(a " << (divide ? '/' : '%') << " b);\n";
        else if (divide)
          f << "  return (" << t << ")(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));\n";
        else
          f << "  const " << t << " r = (" << t << ")(a % b);\n  return r != 0 && (r < 0) != (b < 0) ? (" << t << ")(r + b) : r;\n";
      }
      f << "}\n";
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', a, ", ", b, ')');
  }
  // Float to integer: truncates, saturates, NaN gives 0.
  text saturate(scalar_kind to, scalar_kind from, int lanes, text_view x) {
    const text t = type(to, lanes), s = type(from, lanes), name = say(t, "_of_", s);
    if (!has(name)) {
      const int value_bits = is_signed(to) ? bit_width(to) - 1 : bit_width(to);
      double limit = 1;
      for (int i = 0; i < value_bits; ++i) limit *= 2;
      const text high = number(from, lanes, limit), zero = number(from, lanes, 0);
      // Everything above: the greatest integer; the least, and what truncates to it, come out of the conversion itself.
      const text low = number(from, lanes, is_signed(to) ? -limit : 0.0);
      const text greatest = integer(to, lanes, max_value(to)), least = integer(to, lanes, min_value(to));
      text f = head(t, name, say(s, " x"));
      if (lanes == 0) {
        f << "  if (x >= " << high << ") return " << greatest << ";\n  if (x < " << low << ") return " << least << ";\n";
        f << "  return x != x ? (" << t << ")0 : (" << t << ")x;\n}\n";
      } else {
        const text m = mask_type(byte_size(from), lanes), wide_mask = mask_type(byte_size(to), lanes);
        const auto as_mask = [&](text_view condition) {
          return byte_size(from) == byte_size(to) ? say('(', wide_mask, ")(", condition, ')')
                                                  : say("__builtin_convertvector((", m, ")(", condition, "), ", wide_mask, ')');
        };
        f << "  const " << s << " inside = ((" << m << ")(x >= " << low << ") & (" << m << ")(x < " << high << ")) ? x : " << zero << ";\n";
        if (byte_size(to) < 4)
          f << "  " << t << " r = __builtin_convertvector(" << convert(scalar_kind::int32, lanes, "inside") << ", " << t << ");\n";
        else
          f << "  " << t << " r = __builtin_convertvector(inside, " << t << ");\n";
        f << "  r = " << as_mask(say("x >= ", high)) << " ? " << greatest << " : r;\n";
        f << "  r = " << as_mask(say("x < ", low)) << " ? " << least << " : r;\n  return r;\n}\n";
      }
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', x, ')');
  }

  // The 16 bits of a float32 as float16 or bfloat16 (rounded to nearest even), and the float32 of such bits.
  text half_bits(scalar_kind half, int lanes, text_view x) {
    const text u = type(scalar_kind::uint32, lanes), h = type(scalar_kind::uint16, lanes), f32 = type(scalar_kind::float32, lanes);
    const bool brain = half == scalar_kind::bfloat16;
    const text name = say(brain ? "bf16_of_" : "f16_of_", f32);
    if (!has(name)) {
      const auto k = [&](i64 v) { return integer(scalar_kind::uint32, lanes, v); };
      text f = head(h, name, say(f32, " x"));
      f << "  const " << u << " w = " << bits_as(scalar_kind::uint32, scalar_kind::float32, lanes, "x") << ", a = w & " << k(0x7fffffff)
        << ";\n";
      if (brain) {
        f << "  const " << u << " r = a > " << k(0x7f800000) << " ? " << k(0x7fc0) << " : (w + " << k(0x7fff) << " + (w >> " << k(16)
          << " & " << k(1) << ")) >> " << k(16) << ";\n";
      } else {
        const text sum =
            say('(', bits_as(scalar_kind::float32, scalar_kind::uint32, lanes, "a"), " + ", number(scalar_kind::float32, lanes, 0.5), ')');
        f << "  const " << u << " big = a > " << k(0x7f800000) << " ? " << k(0x7e00) << " : " << k(0x7c00) << ";\n";
        f << "  const " << u << " small = " << bits_as(scalar_kind::uint32, scalar_kind::float32, lanes, sum) << " - " << k(0x3f000000)
          << ";\n";
        f << "  const " << u << " normal = (a + " << k(0xc8000fff) << " + (a >> " << k(13) << " & " << k(1) << ")) >> " << k(13) << ";\n";
        f << "  const " << u << " most = a < " << k(0x38800000) << " ? small : normal;\n";
        f << "  const " << u << " r = (a >= " << k(0x47800000) << " ? big : most) | (w >> " << k(16) << " & " << k(0x8000) << ");\n";
      }
      f << "  return " << convert(scalar_kind::uint16, lanes, "r") << ";\n}\n";
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', x, ')');
  }
  text half_value(scalar_kind half, int lanes, text_view x) {
    const text u = type(scalar_kind::uint32, lanes), h = type(scalar_kind::uint16, lanes), f32 = type(scalar_kind::float32, lanes);
    const bool brain = half == scalar_kind::bfloat16;
    const text name = say(f32, brain ? "_of_bf16" : "_of_f16");
    if (!has(name)) {
      const auto k = [&](i64 v) { return integer(scalar_kind::uint32, lanes, v); };
      const auto as_float = [&](text_view v) { return bits_as(scalar_kind::float32, scalar_kind::uint32, lanes, v); };
      text f = head(f32, name, say(h, " h"));
      f << "  const " << u << " w = " << convert(scalar_kind::uint32, lanes, "h") << ";\n";
      if (brain) {
        f << "  const " << u << " r = w << " << k(16) << ";\n";
      } else {
        f << "  const " << u << " m = (w & " << k(0x7fff) << ") << " << k(13) << ", e = m & " << k(0x0f800000) << ", lifted = m + "
          << k(0x38800000) << ";\n";
        f << "  const " << f32 << " difference = " << as_float("lifted") << " - " << as_float(k(0x38800000)) << ";\n";
        f << "  const " << u << " small = " << bits_as(scalar_kind::uint32, scalar_kind::float32, lanes, "difference") << ";\n";
        f << "  const " << u << " big = e == " << k(0x0f800000) << " ? m + " << k(0x70000000) << " : m + " << k(0x38000000) << ";\n";
        f << "  const " << u << " r = (e == " << k(0) << " ? small : big) | (w & " << k(0x8000) << ") << " << k(16) << ";\n";
      }
      f << "  return " << as_float("r") << ";\n}\n";
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', x, ')');
  }
  // A float or integer of kind `from` rounded once to float16 or bfloat16, as float32.
  text round_half(scalar_kind half, scalar_kind from, int lanes, text_view x) {
    if (from == scalar_kind::float32) return half_value(half, lanes, half_bits(half, lanes, x));
    if (is_integer(from) && byte_size(from) < 4)
      return round_half(half, scalar_kind::float32, lanes, convert(scalar_kind::float32, lanes, x));
    const text r = type(scalar_kind::float32, lanes), s = type(from, lanes);
    const text name = say(half == scalar_kind::bfloat16 ? "bf16_round_" : "f16_round_", s);
    if (!has(name)) {
      text f = head(r, name, say(s, " x"));
      if (lanes != 0) {
        f << "  " << r << " r;\n  for (int i = 0; i < " << lanes << "; ++i) r[i] = " << round_half(half, from, 0, "x[i]")
          << ";\n  return r;\n}\n";
      } else {
        // To float32 with a sticky last bit (round to odd): the rounding to 16 bits is then the only one.
        type(scalar_kind::uint32, 0);
        if (byte_size(from) == 8 && is_integer(from)) {
          type(scalar_kind::uint64, 0);
          const char* negative = is_signed(from) ? "x < 0" : "false";
          f << "  u64 n = " << negative
            << " ? 0 - (u64)x : (u64)x;\n  if (n >> 53 != 0) n = (n >> 11 | ((n & 2047) != 0 ? 1 : 0)) << 11;\n";
          f << "  const double v = " << negative << " ? -(double)n : (double)n;\n";
        } else {
          f << "  const double v = (double)x;\n";
        }
        f << "  float y = (float)v;\n  u32 w = " << bits_as(scalar_kind::uint32, scalar_kind::float32, 0, "y") << ";\n";
        f << "  if (v == v && (double)y != v) {\n    if ((double)y * (y < 0 ? -1 : 1) > v * (v < 0 ? -1 : 1)) --w;\n    w |= 1;\n  }\n";
        f << "  y = " << bits_as(scalar_kind::float32, scalar_kind::uint32, 0, "w") << ";\n";
        f << "  return " << half_value(half, 0, half_bits(half, 0, "y")) << ";\n}\n";
      }
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', x, ')');
  }
  // Whether all lanes of a mask are set; empty: not known cheaply.
  text all_set(int bytes, int lanes, text_view m) {
    if (bytes * lanes < 8) return {};
    const text t = mask_type(bytes, lanes), name = say("all_", t);
    if (!has(name)) {
      type(scalar_kind::uint64, 0);
      const int words = bytes * lanes / 8;
      text f = head("bool", name, say(t, " m"));
      f << "  u64 w[" << words << "], r = ~0ULL;\n  __builtin_memcpy(w, &m, sizeof(m));\n  for (int i = 0; i < " << words
        << "; ++i) r &= w[i];\n  return r == ~0ULL;\n}\n";
      functions_ << f;
      add_once(name);
    }
    return say(name, '(', m, ')');
  }
  // EXP, EXP2, LOG, LOG2, SIN, TANH.
  text elementary(op code, scalar_kind k, int lanes, text_view x);
  // The name of a function of (x, y, result of x, result of y).
  text elementary_pair(op code, scalar_kind k, int lanes);

  text head(text_view result, text_view name, text_view parameters) const {
    return say(cuda ? "static __device__ __forceinline__ " : "static inline __attribute__((always_inline)) ", result, ' ', name, '(',
               parameters, ") {\n");
  }
  void add_function(const text& f) { functions_ << f; }
  bool has(text_view name) const {
    for (const text& n : names_)
      if (n == name) return true;
    return false;
  }
  // Whether it was there before.
  bool add_once(text_view name) {
    if (has(name)) return true;
    names_.push_back(text(name));
    return false;
  }

 private:
  // fma and sqrt of vectors: the compiler's elementwise builtin, x86's builtins, halves of them, or lane by lane.
  text wide_builtin(const char* what, scalar_kind k, int lanes, int arguments) {
    const text t = type(k, lanes), name = say(what, '_', t);
    if (has(name)) return name;
    const bool narrow = k == scalar_kind::float32, fused = arguments == 3;
    const int bytes = byte_size(k) * lanes;
    const char* const list = fused ? "a, b, c" : "a";
    text f = head(t, name, fused ? say(t, " a, ", t, " b, ", t, " c") : say(t, " a"));
    f << "#if __has_builtin(__builtin_elementwise_" << what << ")\n  return __builtin_elementwise_" << what << '(' << list << ");\n";
    const char* const x86 = fused ? "vfmadd" : "sqrt";
    if (bytes == 64) {
      f << "#elif defined(__AVX512F__)\n  return __builtin_ia32_" << x86 << (narrow ? "ps512_mask(" : "pd512_mask(")
        << (fused ? list : "a, a") << (narrow ? ", (unsigned short)-1, 4);\n" : ", (unsigned char)-1, 4);\n");
    }
    if (bytes == 16 || bytes == 32) {
      f << "#elif defined("
        << (fused         ? "__FMA__"
            : bytes == 32 ? "__AVX__"
                          : "__SSE2__")
        << ")\n  return __builtin_ia32_" << x86 << (narrow ? "ps" : "pd") << (bytes == 32 ? "256" : "") << '(' << list << ");\n";
    }
    f << "#else\n";
    if (bytes > 16) {
      const text half = wide_builtin(what, k, lanes / 2, arguments);
      text call[2];
      for (int part = 0; part < 2; ++part) {
        call[part] << half << '(';
        for (int n = 0; n < arguments; ++n) call[part] << (n == 0 ? "" : ", ") << lanes_of(say("abc"[n]), part * lanes / 2, lanes / 2);
        call[part] << ')';
      }
      f << "  return " << joined(call[0], call[1], lanes) << ";\n";
    } else {
      f << "  " << t << " r;\n  for (int i = 0; i < " << lanes << "; ++i) r[i] = ";
      f << (fused ? fma(k, 0, "a[i]", "b[i]", "c[i]") : square_root(k, 0, "a[i]")) << ";\n  return r;\n";
    }
    f << "#endif\n}\n";
    functions_ << f;
    add_once(name);
    return name;
  }

 public:
  static text lanes_of(text_view v, int first, int count) {
    text out = say("__builtin_shufflevector(", v, ", ", v);
    for (int i = 0; i < count; ++i) out << ", " << first + i;
    return out << ')', out;
  }
  static text joined(text_view low, text_view high, int lanes) {
    text out = say("__builtin_shufflevector(", low, ", ", high);
    for (int i = 0; i < lanes; ++i) out << ", " << i;
    return out << ')', out;
  }

 private:
  text types_, functions_;
  vector<text> names_;
};

// A number policy (base/elementary.hpp) whose operations append statements.
struct c_recorder {
  c_prelude& prelude;
  int lanes = 0;
  text body{};
  int count = 0;
};
template <int Width, int Role> struct c_value {
  c_recorder* r;
  int id;
};
template <int Width> struct c_policy {
  static constexpr int width = Width;
  static constexpr scalar_kind real_kind = Width == 32 ? scalar_kind::float32 : scalar_kind::float64;
  static constexpr scalar_kind integer_kind = Width == 32 ? scalar_kind::int32 : scalar_kind::int64;
  static constexpr scalar_kind word_kind = Width == 32 ? scalar_kind::uint32 : scalar_kind::uint64;
  using real = c_value<Width, 0>;
  using integer = c_value<Width, 1>;
  using mask = c_value<Width, 2>;
  using wide = c_policy<64>;

  static text id(int n) { return say('t', n); }
  static int put(c_recorder& r, const text& type, const text& value) {
    r.body << "  const " << type << ' ' << id(r.count) << " = " << value << ";\n";
    return r.count++;
  }
  static real put_real(c_recorder* r, const text& v) { return {r, put(*r, r->prelude.type(real_kind, r->lanes), v)}; }
  static integer put_integer(c_recorder* r, const text& v) { return {r, put(*r, r->prelude.type(integer_kind, r->lanes), v)}; }
  static mask put_mask(c_recorder* r, const text& v) {
    const text t = r->prelude.mask_type(Width / 8, r->lanes);
    return {r, put(*r, t, say('(', t, ")(", v, ')'))};
  }
  static text word(integer a) { return say('(', a.r->prelude.type(word_kind, a.r->lanes), ')', id(a.id)); }
  static integer signed_word(c_recorder* r, const text& v) {
    return put_integer(r, say('(', r->prelude.type(integer_kind, r->lanes), ")(", v, ')'));
  }
  static text count(c_recorder* r, scalar_kind k, int n) { return r->prelude.integer(k, r->lanes, n); }

  static real constant(real like, double v) { return put_real(like.r, like.r->prelude.number(real_kind, like.r->lanes, v)); }
  static integer integer_constant(real like, long long v) {
    return put_integer(like.r, like.r->prelude.integer(integer_kind, like.r->lanes, v));
  }
  static real add(real a, real b) { return put_real(a.r, say(id(a.id), " + ", id(b.id))); }
  static real sub(real a, real b) { return put_real(a.r, say(id(a.id), " - ", id(b.id))); }
  static real mul(real a, real b) { return put_real(a.r, say(id(a.id), " * ", id(b.id))); }
  static real div(real a, real b) { return put_real(a.r, say(id(a.id), " / ", id(b.id))); }
  static real neg(real a) { return put_real(a.r, say('-', id(a.id))); }
  static real abs(real a) { return from_bits(iand(bits(a), integer_constant(a, Width == 32 ? 0x7fffffffLL : 0x7fffffffffffffffLL))); }
  static real sqrt(real a) { return put_real(a.r, a.r->prelude.square_root(real_kind, a.r->lanes, id(a.id))); }
  static real fma(real a, real b, real c) { return put_real(a.r, a.r->prelude.fma(real_kind, a.r->lanes, id(a.id), id(b.id), id(c.id))); }
  static real min(real c, real x) { return put_real(c.r, c.r->prelude.extreme(false, real_kind, c.r->lanes, id(c.id), id(x.id), true)); }
  static real max(real c, real x) { return put_real(c.r, c.r->prelude.extreme(true, real_kind, c.r->lanes, id(c.id), id(x.id), true)); }
  static mask less(real a, real b) { return put_mask(a.r, say(id(a.id), " < ", id(b.id))); }
  static mask not_equal(real a, real b) { return put_mask(a.r, say(id(a.id), " != ", id(b.id))); }
  static real select(mask m, real a, real b) { return put_real(a.r, say(id(m.id), " ? ", id(a.id), " : ", id(b.id))); }
  static integer iadd(integer a, integer b) { return signed_word(a.r, say(word(a), " + ", word(b))); }
  static integer isub(integer a, integer b) { return signed_word(a.r, say(word(a), " - ", word(b))); }
  static integer iand(integer a, integer b) { return put_integer(a.r, say(id(a.id), " & ", id(b.id))); }
  static integer ior(integer a, integer b) { return put_integer(a.r, say(id(a.id), " | ", id(b.id))); }
  static integer ixor(integer a, integer b) { return put_integer(a.r, say(id(a.id), " ^ ", id(b.id))); }
  static integer shift_left(integer a, int n) { return signed_word(a.r, say(word(a), " << ", count(a.r, word_kind, n))); }
  static integer shift_right_arithmetic(integer a, int n) { return put_integer(a.r, say(id(a.id), " >> ", count(a.r, integer_kind, n))); }
  static integer shift_right_logical(integer a, int n) { return signed_word(a.r, say(word(a), " >> ", count(a.r, word_kind, n))); }
  static integer shift_left_by(integer a, integer n) { return signed_word(a.r, say(word(a), " << ", word(n))); }
  static integer shift_right_logical_by(integer a, integer n) { return signed_word(a.r, say(word(a), " >> ", word(n))); }
  static mask iless(integer a, integer b) { return put_mask(a.r, say(id(a.id), " < ", id(b.id))); }
  static integer iselect(mask m, integer a, integer b) { return put_integer(a.r, say(id(m.id), " ? ", id(a.id), " : ", id(b.id))); }
  static integer bits(real a) { return put_integer(a.r, a.r->prelude.bits_as(integer_kind, real_kind, a.r->lanes, id(a.id))); }
  static real from_bits(integer a) { return put_real(a.r, a.r->prelude.bits_as(real_kind, integer_kind, a.r->lanes, id(a.id))); }
  static integer to_integer(real a) { return put_integer(a.r, a.r->prelude.convert(integer_kind, a.r->lanes, id(a.id))); }
  static real to_real(integer a) { return put_real(a.r, a.r->prelude.convert(real_kind, a.r->lanes, id(a.id))); }
  static c_value<64, 0> widen(real a) {
    return {a.r, put(*a.r, a.r->prelude.type(scalar_kind::float64, a.r->lanes),
                     a.r->prelude.convert(scalar_kind::float64, a.r->lanes, id(a.id)))};
  }
  static real narrow(c_value<64, 0> a) { return put_real(a.r, a.r->prelude.convert(real_kind, a.r->lanes, id(a.id))); }
};
template <int Width> int record_elementary(op code, c_recorder& r) {
  using policy = c_policy<Width>;
  const typename policy::real x{&r, r.count++};
  switch (code) {
    case op::EXP: return elementary::exp<policy>(x).id;
    case op::EXP2: return elementary::exp2<policy>(x).id;
    case op::LOG: return elementary::log<policy>(x).id;
    case op::LOG2: return elementary::log2<policy>(x).id;
    case op::SIN: return elementary::sin<policy>(x).id;
    default: return elementary::tanh<policy>(x).id;
  }
}
inline text c_prelude::elementary(op code, scalar_kind k, int lanes, text_view x) {
  const text t = type(k, lanes), name = say(traits(code).spelling[0] != '\0' ? traits(code).spelling : twill::name(code), '_', t);
  if (!has(name)) {
    c_recorder recorder{*this, lanes};
    const int result = k == scalar_kind::float32 ? record_elementary<32>(code, recorder) : record_elementary<64>(code, recorder);
    functions_ << head(t, name, say(t, " t0")) << recorder.body << "  return t" << result << ";\n}\n";
    add_once(name);
  }
  return say(name, '(', x, ')');
}

// The statements of a recorded function, each followed by the same one on the variables u0, u1 … instead of t0, t1 ….
inline text interleaved(const text& body) {
  text out, first, second;
  for (size_t i = 0; i < body.size(); ++i) {
    const auto in_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    const bool starts = i == 0 || !in_word(body[i - 1]);
    size_t end = i + 1;
    while (end < body.size() && body[end] >= '0' && body[end] <= '9') ++end;
    const bool variable = starts && body[i] == 't' && end > i + 1 && (end == body.size() || !in_word(body[end]));
    first << body[i];
    second << (variable ? 'u' : body[i]);
    if (body[i] != '\n') continue;
    out << first << second;
    first = text();
    second = text();
  }
  return out;
}
// Two vectors at a time: an elementary function is one chain of dependent operations, which alone leaves units idle.
inline text c_prelude::elementary_pair(op code, scalar_kind k, int lanes) {
  const text t = type(k, lanes), name = say(twill::name(code), "_pair_", t);
  if (!has(name)) {
    c_recorder recorder{*this, lanes};
    const int result = k == scalar_kind::float32 ? record_elementary<32>(code, recorder) : record_elementary<64>(code, recorder);
    functions_ << head("void", name, say(t, " t0, ", t, " u0, ", t, "& first, ", t, "& second")) << interleaved(recorder.body) << "  first = t" << result
               << ";\n  second = u" << result << ";\n}\n";
    add_once(name);
  }
  return name;
}

// The statements of a program.
class c_body {
 public:
  c_body(program_view p, c_prelude& prelude) : p_(p), prelude_(prelude) {
    mask_bytes_.resize(p.instructions.size(), 1);
    for (size_t i = 0; i < p.instructions.size(); ++i) mask_bytes_[i] = mask_bytes(i);
  }
  text write() {
    for (size_t i = 0; i < p_.instructions.size(); ++i) statement(i);
    return out_;
  }
  text pointer_type(size_t buffer) {
    const buffer_info& b = p_.buffers[buffer];
    return say(b.output ? "" : "const ", memory_type(b.kind, 0), '*');
  }

 private:
  using point = i64[max_tile_axes];  // an index for each tile axis

  const instruction& at(size_t i) const { return p_.instructions[i]; }
  int lane_axis(u32 axes) const {
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((axes >> a & 1) != 0 && p_.axes[a].lane) return static_cast<int>(a);
    return -1;
  }
  int lanes_of(u32 axes) const {
    const int a = lane_axis(axes);
    return a < 0 ? 0 : p_.axes[static_cast<size_t>(a)].size;
  }
  // A bool's width as a mask. An accumulator's is that of the value it is given first.
  int mask_bytes(size_t i) const {
    const instruction& c = at(i);
    if (c.kind != scalar_kind::bool_) return 1;
    if (c.code == op::DEFINE_ACC) return 4;
    if (c.code == op::LOAD || c.source_count == 0) return 1;
    if (is_comparison(c.code) || c.code == op::CAST || c.code == op::BITCAST) {
      const scalar_kind from = register_kind(at(c.source[0]).kind);
      if (from != scalar_kind::bool_) return byte_size(from);
    }
    for (int s = 0; s < c.source_count; ++s)
      if (at(c.source[s]).kind == scalar_kind::bool_ && lanes_of(at(c.source[s]).axes) != 0) return mask_bytes_[c.source[s]];
    return 1;
  }
  text type_of(size_t i) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    return c.kind == scalar_kind::bool_ ? prelude_.mask_type(mask_bytes_[i], lanes) : prelude_.type(register_kind(c.kind), lanes);
  }
  text memory_type(scalar_kind k, int lanes) { return prelude_.type(k == scalar_kind::bool_ ? scalar_kind::uint8 : k, lanes); }

  text element(size_t i, const point& where) const {
    if (at(i).code == op::ASSIGN) i = at(i).source[0];
    text out = say('v', i);
    i64 number = 0;
    bool tile = false;
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((at(i).axes >> a & 1) != 0 && !p_.axes[a].lane) {
        number = number * p_.axes[a].size + where[a];
        tile = true;
      }
    if (tile) out << '_' << number;
    return out;
  }
  // The source as a value of so many lanes; bools as masks of so many bytes.
  text operand(size_t i, const point& where, int lanes, int bytes = 1) {
    const text v = element(i, where);
    const size_t source = at(i).code == op::ASSIGN ? at(i).source[0] : i;
    const int have = lanes_of(at(source).axes);
    if (at(source).kind == scalar_kind::bool_) {
      if (lanes == 0 || (have == lanes && mask_bytes_[source] == bytes)) return v;
      if (have == 0) return prelude_.splat(signed_of_size(bytes), lanes, say('(', v, " ? -1 : 0)"));
      return prelude_.convert(signed_of_size(bytes), lanes, v);
    }
    return have == lanes ? v : prelude_.splat(register_kind(at(source).kind), lanes, v);
  }

  text& line() {
    for (int i = 0; i < depth_; ++i) out_ << "  ";
    return out_;
  }
  // For every index of the unrolled axes in the mask, lowest bit outermost.
  template <class F> void each_point(u32 axes, point& where, const F& f) {
    size_t order[max_tile_axes]{};
    int n = 0;
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((axes >> a & 1) != 0 && !p_.axes[a].lane) {
        order[n++] = a;
        where[a] = 0;
      }
    for (;;) {
      f();
      int k = n - 1;
      for (; k >= 0; --k) {
        if (++where[order[k]] < p_.axes[order[k]].size) break;
        where[order[k]] = 0;
      }
      if (k < 0) return;
    }
  }

  text literal(scalar_kind k, i64 word) {
    k = register_kind(k);
    if (k == scalar_kind::bool_) return word != 0 ? "true" : "false";
    return is_float(k) ? float_literal(k, double_of(word), prelude_.cuda) : integer_literal(k, word);
  }

  // Vectors in pairs, a last one and scalars alone.
  void elementary_points(size_t i, point& where) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    text waiting_result, waiting_operand;
    const auto alone = [&](const text& result, const text& x) {
      line() << "const " << type_of(i) << ' ' << result << " = " << prelude_.elementary(c.code, register_kind(c.kind), lanes, x) << ";\n";
    };
    each_point(c.axes, where, [&] {
      const text result = element(i, where), x = operand(c.source[0], where, lanes);
      if (lanes == 0) {
        alone(result, x);
      } else if (waiting_result.empty()) {
        waiting_result = result;
        waiting_operand = x;
      } else {
        line() << type_of(i) << ' ' << waiting_result << ", " << result << ";\n";
        line() << prelude_.elementary_pair(c.code, register_kind(c.kind), lanes) << '(' << waiting_operand << ", " << x << ", " << waiting_result << ", "
               << result << ");\n";
        waiting_result = text();
      }
    });
    if (!waiting_result.empty()) alone(waiting_result, waiting_operand);
  }

  void statement(size_t i) {
    const instruction& c = at(i);
    point where{};
    switch (c.code) {
      case op::RANGE: open(i); return;
      case op::ENDRANGE:
        --depth_;
        line() << "}\n";
        return;
      case op::CONST:
      case op::DEFINE_ACC: {
        const char* fixed = c.code == op::CONST ? "const " : "";
        const int lanes = lanes_of(c.axes);
        text value = literal(c.kind, c.argument[0]);
        if (lanes != 0) {
          if (c.kind == scalar_kind::bool_)
            value = prelude_.splat(signed_of_size(mask_bytes_[i]), lanes, c.argument[0] != 0 ? "-1" : "0");
          else
            value = prelude_.splat(register_kind(c.kind), lanes, value);
        }
        each_point(c.axes, where, [&] { line() << fixed << type_of(i) << ' ' << element(i, where) << " = " << value << ";\n"; });
        return;
      }
      case op::DEFINE_LOCAL: {
        const scalar_kind k = p_.buffers[static_cast<size_t>(c.argument[0])].kind;
        const i64 elements = c.argument[1] > 0 ? c.argument[1] : 1;
        // Large ones do not go onto the stack.
        const bool large = elements * byte_size(k) > 256 * 1024 && !prelude_.cuda;
        line() << (large ? "static thread_local " : "") << "alignas(64) " << memory_type(k, 0) << " b" << c.argument[0] << '[' << elements
               << "];\n";
        return;
      }
      case op::ASSIGN:
        each_point(c.axes, where, [&] {
          line() << element(i, where) << " = " << operand(c.source[1], where, lanes_of(c.axes), mask_bytes_[c.source[0]]) << ";\n";
        });
        return;
      case op::LOAD:
      case op::STORE:
      case op::INDEX: {
        index_base(i);
        each_point(c.axes, where, [&] {
          if (c.code == op::LOAD)
            load(i, where);
          else if (c.code == op::STORE)
            store(i, where);
          else
            define(i, where) << index_value(i, where) << ";\n";
        });
        return;
      }
      case op::REDUCE_AXIS: each_point(c.axes, where, [&] { reduce(i, where); }); return;
      case op::EXP:
      case op::EXP2:
      case op::LOG:
      case op::LOG2:
      case op::TANH: elementary_points(i, where); return;
      default:
        each_point(c.axes, where, [&] {
          const text value = alu_value(i, where);
          define(i, where) << value << ";\n";
        });
    }
  }
  text& define(size_t i, const point& where) {
    const text type = type_of(i);
    return line() << "const " << type << ' ' << element(i, where) << " = ";
  }

  void open(size_t i) {
    const instruction& c = at(i);
    prelude_.type(scalar_kind::int64, 0);
    const i64 trips = c.argument[0], first = c.argument[1];
    if (first < 0) {
      line() << "for (i64 v" << i << " = 0; v" << i << " < " << trips << "; ++v" << i << ") {\n";
    } else if (prelude_.cuda) {
      line() << "if (parallel >= " << first << " && parallel < " << first + trips << ") {\n";
      ++depth_;
      line() << "const i64 v" << i << " = parallel - " << first << ";\n";
      return;
    } else {
      const bool whole = first == 0 && trips == p_.parallel_count;
      line() << "for (i64 v" << i << " = ";
      if (whole || first == 0)
        out_ << "begin";
      else
        out_ << "(begin > " << first << " ? begin - " << first << " : 0)";
      out_ << ", e" << i << " = ";
      if (whole)
        out_ << "end";
      else
        out_ << "(end < " << first + trips << " ? end - " << first << " : " << trips << ')';
      out_ << "; v" << i << " < e" << i << "; ++v" << i << ") {\n";
    }
    ++depth_;
  }

  // Index expressions: x<i> is what is the same for the whole tile.
  text term(size_t i, int s, const text& value) const {
    const i64 k = p_.accesses[at(i).access].coefficient[s];
    const scalar_kind kind = at(at(i).source[s]).kind;
    text out;
    if (k != 1) out << k << " * ";
    if (kind != scalar_kind::int64) out << "(i64)";
    return out << value, out;
  }
  void index_base(size_t i) {
    const access& a = p_.accesses[at(i).access];
    prelude_.type(scalar_kind::int64, 0);
    text value = say(a.offset);
    const point origin{};
    for (int s = 0; s < a.terms; ++s)
      if (at(at(i).source[s]).axes == 0) value << " + " << term(i, s, element(at(i).source[s], origin));
    line() << "const i64 x" << i << " = " << value << ";\n";
  }
  i64 stride(const access& a, int axis) const {
    if (axis < 0 || (a.axes >> axis & 1) == 0) return 0;
    int position = 0;
    for (int b = 0; b < axis; ++b) position += static_cast<int>(a.axes >> b & 1);
    return a.stride[position];
  }
  // The index at an unrolled point and lane. Whether lanes differ other than by their stride: has_lane_terms.
  text index_at(size_t i, const point& where, int lane) const {
    const access& a = p_.accesses[at(i).access];
    text out = say('x', i);
    i64 constant = 0;
    for (size_t n = 0; n < p_.axes.size(); ++n)
      if (!p_.axes[n].lane && (at(i).axes >> n & 1) != 0) constant += stride(a, static_cast<int>(n)) * where[n];
    if (lane > 0) constant += stride(a, lane_axis(at(i).axes)) * lane;
    if (constant > 0) out << " + " << constant;
    if (constant < 0) out << " - " << -constant;
    for (int s = 0; s < a.terms; ++s) {
      const instruction& source = at(at(i).source[s]);
      if (source.axes == 0) continue;
      text value = element(at(i).source[s], where);
      if (lane_axis(source.axes) >= 0) value << '[' << lane << ']';
      out << " + " << term(i, s, value);
    }
    return out;
  }
  bool has_lane_terms(size_t i) const {
    for (int s = 0; s < p_.accesses[at(i).access].terms; ++s)
      if (lane_axis(at(at(i).source[s]).axes) >= 0) return true;
    return false;
  }
  text index_value(size_t i, const point& where) {
    const int lanes = lanes_of(at(i).axes);
    if (lanes == 0) return index_at(i, where, 0);
    text out = say(prelude_.type(scalar_kind::int64, lanes), '{');
    for (int l = 0; l < lanes; ++l) out << (l == 0 ? "" : ", ") << index_at(i, where, l);
    return out << '}', out;
  }

  // A memory value as it is in registers, and back.
  text from_memory(size_t i, int lanes, const text& v) {
    const scalar_kind k = at(i).kind;
    if (k == scalar_kind::bool_)
      return lanes == 0 ? say(v, " != 0")
                        : say('(', prelude_.mask_type(1, lanes), ")(", v, " != ", prelude_.type(scalar_kind::uint8, lanes), "{})");
    return register_kind(k) != k ? prelude_.half_value(k, lanes, v) : v;
  }
  text to_memory(scalar_kind k, int lanes, const text& v) {
    if (k == scalar_kind::bool_) return say("(", prelude_.type(scalar_kind::uint8, lanes), lanes == 0 ? ")" : ")-", v);
    return register_kind(k) != k ? prelude_.half_bits(k, lanes, v) : v;
  }

  void load(size_t i, const point& where) {
    const instruction& c = at(i);
    const access& a = p_.accesses[c.access];
    const int lanes = lanes_of(c.axes), axis = lane_axis(c.axes), active = lanes == 0 ? 0 : p_.axes[static_cast<size_t>(axis)].active;
    const i64 step = stride(a, axis);
    const bool lane_terms = has_lane_terms(i);
    const text buffer = say('b', a.buffer), m = memory_type(c.kind, lanes);
    text gate;
    bool gate_mask = false;
    int gate_bytes = 0;
    if (c.gated) {
      const size_t g = c.source[c.source_count - 1];
      gate = element(g, where);
      gate_mask = lanes_of(at(g).axes) != 0;
      gate_bytes = mask_bytes_[g];
    }
    if (!gate_mask && !lane_terms && (lanes == 0 || step == 0)) {
      // One element, for all lanes.
      text value = from_memory(i, 0, say(buffer, '[', index_at(i, where, 0), ']'));
      const bool boolean = c.kind == scalar_kind::bool_;
      if (c.gated) value = say(gate, " ? ", value, " : ", boolean ? "false" : "0");
      if (lanes != 0)
        value = boolean ? prelude_.splat(scalar_kind::int8, lanes, say("((", value, ") ? -1 : 0)"))
                        : prelude_.splat(register_kind(c.kind), lanes, value);
      define(i, where) << value << ";\n";
      return;
    }
    const bool together = step == 1 && !lane_terms;
    const text whole = say("*(const ", m, "_u*)(", buffer, " + ", index_at(i, where, 0), ')');
    if (together && active == lanes && !c.gated) {
      const text value = from_memory(i, lanes, say('(', whole, ')'));
      define(i, where) << value << ";\n";
      return;
    }
    const text raw = say('m', element(i, where).view().data() + 1);
    line() << m << ' ' << raw << " = {};\n";
    const text all = gate_mask && together && active == lanes ? prelude_.all_set(gate_bytes, lanes, gate) : text();
    if (!all.empty()) line() << "if (" << all << ") " << raw << " = " << whole << ";\n";
    if (!all.empty())
      line() << "else {\n";
    else if (c.gated && !gate_mask)
      line() << "if (" << gate << ") {\n";
    else
      line() << "{\n";
    ++depth_;
    if (together && !gate_mask) {
      if (active == lanes)
        line() << raw << " = " << whole << ";\n";
      else
        line() << "__builtin_memcpy(&" << raw << ", " << buffer << " + " << index_at(i, where, 0) << ", " << active * byte_size(c.kind)
               << ");\n";
    } else {
      for (int l = 0; l < active; ++l) {
        line();
        if (gate_mask) out_ << "if (" << gate << '[' << l << "] != 0) ";
        out_ << raw << '[' << l << "] = " << buffer << '[' << index_at(i, where, l) << "];\n";
      }
    }
    --depth_;
    line() << "}\n";
    const text value = from_memory(i, lanes, raw);
    define(i, where) << value << ";\n";
  }

  void store(size_t i, const point& where) {
    const instruction& c = at(i);
    const access& a = p_.accesses[c.access];
    const int lanes = lanes_of(c.axes), axis = lane_axis(c.axes), active = lanes == 0 ? 0 : p_.axes[static_cast<size_t>(axis)].active;
    const size_t value = c.source[c.source_count - 1];
    const text buffer = say('b', a.buffer), m = memory_type(c.kind, lanes);
    if (lanes == 0) {
      const text v = to_memory(c.kind, 0, element(value, where));
      line() << buffer << '[' << index_at(i, where, 0) << "] = " << v << ";\n";
      return;
    }
    const text v = to_memory(c.kind, lanes, operand(value, where, lanes, 1));
    if (stride(a, axis) == 1 && !has_lane_terms(i)) {
      if (active == lanes) {
        line() << "*(" << m << "_u*)(" << buffer << " + " << index_at(i, where, 0) << ") = " << v << ";\n";
        return;
      }
      line() << "{\n";
      line() << "  const " << m << " s = " << v << ";\n";
      line() << "  __builtin_memcpy(" << buffer << " + " << index_at(i, where, 0) << ", &s, " << active * byte_size(c.kind) << ");\n";
    } else {
      line() << "{\n";
      line() << "  const " << m << " s = " << v << ";\n";
      for (int l = 0; l < active; ++l) line() << "  " << buffer << '[' << index_at(i, where, l) << "] = s[" << l << "];\n";
    }
    line() << "}\n";
  }

  void reduce(size_t i, const point& where) {
    const instruction& c = at(i);
    const size_t source = c.source[0];
    const op how = static_cast<op>(c.argument[0]);
    const scalar_kind k = register_kind(c.kind);
    const u32 removed = at(source).axes & static_cast<u32>(c.argument[1]);
    const int lanes = lanes_of(at(source).axes), bytes = mask_bytes_[source];
    const int lane = lane_axis(removed);
    const text name = element(i, where), sum = say('r', name.view().data() + 1);
    const auto type = [&](int n) { return k == scalar_kind::bool_ ? prelude_.mask_type(bytes, n) : prelude_.type(k, n); };
    point inner{};
    for (size_t a = 0; a < p_.axes.size(); ++a) inner[a] = where[a];
    bool first = true;
    each_point(removed, inner, [&] {
      const text v = element(source, inner), value = first ? v : alu(how, k, k, lanes, bytes, sum, v, {}, false, false, nullptr);
      line() << (first ? say(type(lanes), ' ') : text()) << sum << " = " << value << ";\n";
      first = false;
    });
    if (lane < 0) {
      define(i, where) << sum << ";\n";
      return;
    }
    const int active = p_.axes[static_cast<size_t>(lane)].active;
    const auto lane_value = [&](const text& v, int n) {
      return k == scalar_kind::bool_ ? say('(', v, '[', n, "] != 0)") : say(v, '[', n, ']');
    };
    if (active == lanes && (lanes & (lanes - 1)) == 0) {
      text v = sum;
      for (int half = lanes / 2; half > 1; half /= 2) {
        const text next = say(sum, 'h', half), low = say(next, "l"), high = say(next, "h"), t = type(half);
        line() << "const " << t << ' ' << low << " = " << c_prelude::lanes_of(v, 0, half) << ";\n";
        line() << "const " << t << ' ' << high << " = " << c_prelude::lanes_of(v, half, half) << ";\n";
        const text value = alu(how, k, k, half, bytes, low, high, {}, false, false, nullptr);
        line() << "const " << t << ' ' << next << " = " << value << ";\n";
        v = next;
      }
      const text value =
          lanes == 1 ? lane_value(v, 0) : alu(how, k, k, 0, 1, lane_value(v, 0), lane_value(v, 1), {}, false, false, nullptr);
      define(i, where) << value << ";\n";
      return;
    }
    text v = lane_value(sum, 0);
    for (int l = 1; l < active; ++l) {
      const text next = say(sum, 'n', l), value = alu(how, k, k, 0, 1, v, lane_value(sum, l), {}, false, false, nullptr);
      line() << "const " << type(0) << ' ' << next << " = " << value << ";\n";
      v = next;
    }
    define(i, where) << v << ";\n";
  }

  text alu_value(size_t i, const point& where) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    const scalar_kind from = at(c.source[0]).kind, in_register = register_kind(from);
    const bool converts = c.code == op::CAST || c.code == op::BITCAST;
    // Masks are brought to one width: the result's, or that of what is selected.
    int bytes = c.kind == scalar_kind::bool_ ? mask_bytes_[i] : byte_size(register_kind(c.kind));
    if (converts && from == scalar_kind::bool_ && lanes != 0) bytes = mask_bytes_[c.source[0]];
    text v[3];
    for (int s = 0; s < c.source_count && s < 3; ++s) v[s] = operand(c.source[s], where, lanes, bytes);
    if (c.code == op::CAST) return cast(c.kind, in_register, lanes, bytes, v[0]);
    if (c.code == op::BITCAST) return bitcast(c.kind, from, lanes, v[0]);
    const auto constant = [&](int s) { return s < c.source_count && at(c.source[s]).code == op::CONST; };
    const i64* second = constant(1) ? &at(c.source[1]).argument[0] : nullptr;
    const auto ordered = [&](int s) { return constant(s) && at(c.source[s]).argument[0] != word_of(__builtin_nan("")); };
    return alu(c.code, register_kind(c.kind), in_register, lanes, bytes, v[0], v[1], v[2], ordered(0), ordered(1), second);
  }

  // An operation on values named a, b, c. second: the word of b where that is constant.
  text alu(op code, scalar_kind k, scalar_kind from, int lanes, int bytes, const text& a, const text& b, const text& c, bool a_ordered,
           bool b_ordered, const i64* second) {
    if (code == op::WHERE) {
      if (k == scalar_kind::bool_ && lanes != 0) return say('(', a, " & ", b, ") | (~", a, " & ", c, ')');
      return say(a, " ? ", b, " : ", c);
    }
    if (is_comparison(code) && from != scalar_kind::bool_) {
      const text test = say(a, code == op::CMPLT ? " < " : " != ", b);
      return lanes == 0 ? test : say('(', prelude_.mask_type(bytes, lanes), ")(", test, ')');
    }
    if (k == scalar_kind::bool_) {
      const char* no = lanes == 0 ? "!" : "~";
      switch (code) {
        case op::ADD:
        case op::OR:
        case op::MAX: return say(a, " | ", b);
        case op::MUL:
        case op::AND:
        case op::MIN:
        case op::IDIV:
        case op::FLOORDIV:
        case op::FDIV: return say(a, " & ", b);
        case op::SUB:
        case op::XOR:
        case op::CMPNE: return say(a, " ^ ", b);
        case op::CMPLT: return say(no, a, " & ", b);
        case op::MOD:
        case op::FLOORMOD:
        case op::SHL:
        case op::SHR: return say(a, " & ", no, b);
        case op::NEG:
        case op::RECIP: return a;
        case op::MULACC: return say('(', a, " & ", b, ") | ", c);
        default: unsupported(code, k);
      }
    }
    if (is_float(k)) {
      switch (code) {
        case op::ADD: return say(a, " + ", b);
        case op::SUB: return say(a, " - ", b);
        case op::MUL: return say(a, " * ", b);
        case op::FDIV: return say(a, " / ", b);
        case op::NEG: return say('-', a);
        case op::RECIP: return say(prelude_.number(k, lanes, 1), " / ", a);
        case op::SQRT: return prelude_.square_root(k, lanes, a);
        case op::MULACC: return prelude_.fma(k, lanes, a, b, c);
        case op::MAX:
        case op::MIN:
          return b_ordered ? prelude_.extreme(code == op::MAX, k, lanes, b, a, true)
                           : prelude_.extreme(code == op::MAX, k, lanes, a, b, a_ordered);
        case op::EXP:
        case op::EXP2:
        case op::LOG:
        case op::LOG2:
        case op::SIN:
        case op::TANH: return prelude_.elementary(code, k, lanes, a);
        default: unsupported(code, k);
      }
    }
    const text t = prelude_.type(k, lanes), u = prelude_.unsigned_type(k, lanes);
    const auto wrapping = [&](const char* sign) { return say('(', t, ")((", u, ')', a, sign, '(', u, ')', b, ')'); };
    const bool plain_divisor = second != nullptr && *second != 0 && *second != -1;
    const bool plain_count = second != nullptr && *second >= 0 && *second < bit_width(k);
    switch (code) {
      case op::ADD: return wrapping(" + ");
      case op::SUB: return wrapping(" - ");
      case op::MUL: return wrapping(" * ");
      case op::NEG: return lanes == 0 ? say('(', t, ")(0 - (", u, ')', a, ')') : say('(', t, ")(-(", u, ')', a, ')');
      case op::MULACC: return say('(', t, ")((", u, ')', a, " * (", u, ')', b, " + (", u, ')', c, ')');
      case op::AND: return say('(', t, ")(", a, " & ", b, ')');
      case op::OR: return say('(', t, ")(", a, " | ", b, ')');
      case op::XOR: return say('(', t, ")(", a, " ^ ", b, ')');
      case op::MAX: return say('(', a, " > ", b, " ? ", a, " : ", b, ')');
      case op::MIN: return say('(', a, " < ", b, " ? ", a, " : ", b, ')');
      case op::IDIV:
      case op::FDIV: return plain_divisor ? say('(', t, ")(", a, " / ", b, ')') : prelude_.guarded(op::IDIV, k, lanes, a, b);
      case op::MOD: return plain_divisor ? say('(', t, ")(", a, " % ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::SHL: return plain_count ? say('(', t, ")((", u, ')', a, " << ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::SHR: return plain_count ? say('(', t, ")(", a, " >> ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::FLOORDIV:
      case op::FLOORMOD:
      case op::THREEFRY: return prelude_.guarded(code, k, lanes, a, b);
      default: unsupported(code, k);
    }
  }
  [[noreturn]] static void unsupported(op code, scalar_kind k) {
    raise<graph_error>(say(name(code), " of ", name(k), " cannot be rendered"));
  }

  text cast(scalar_kind to, scalar_kind from, int lanes, int bytes, const text& v) {
    if (to == scalar_kind::bool_) {
      if (from == scalar_kind::bool_) return v;
      if (lanes == 0) return say(v, " != 0");
      return say('(', prelude_.mask_type(bytes, lanes), ")(", v, " != ", prelude_.type(from, lanes), "{})");
    }
    const scalar_kind target = register_kind(to);
    if (from == scalar_kind::bool_) {
      if (lanes == 0) return prelude_.convert(target, 0, v);
      const int size = byte_size(target);
      const text mask = bytes == size ? v : prelude_.convert(signed_of_size(size), lanes, v);
      return is_float(target) ? prelude_.convert(target, lanes, say('-', mask)) : say('(', prelude_.type(target, lanes), ")(-", mask, ')');
    }
    if (target != to) return prelude_.round_half(to, from, lanes, v);
    if (to == from) return v;
    if (is_float(from) && !is_float(to)) return prelude_.saturate(to, from, lanes, v);
    if (lanes != 0 && !is_float(to) && byte_size(to) == byte_size(from)) return say('(', prelude_.type(to, lanes), ')', v);
    return prelude_.convert(to, lanes, v);
  }
  text bitcast(scalar_kind to, scalar_kind from, int lanes, const text& v) {
    text bits = v;
    if (register_kind(from) != from) {
      bits = prelude_.half_bits(from, lanes, v);
      from = scalar_kind::uint16;
    }
    if (from == scalar_kind::bool_) {
      bits = to_memory(from, lanes, v);
      from = scalar_kind::uint8;
    }
    if (to == scalar_kind::bool_)
      return lanes == 0 ? say(bits, " != 0")
                        : say('(', prelude_.mask_type(1, lanes), ")(", bits, " != ", prelude_.type(from, lanes), "{})");
    if (register_kind(to) != to) return prelude_.half_value(to, lanes, prelude_.bits_as(scalar_kind::uint16, from, lanes, bits));
    return prelude_.bits_as(to, from, lanes, bits);
  }

  program_view p_;
  c_prelude& prelude_;
  vector<int> mask_bytes_;
  text out_;
  int depth_ = 1;
};

}  // namespace twill::detail
