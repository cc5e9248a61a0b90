// The types and small functions that stand in front of an emitted kernel, each written once, when it is first used.
#pragma once

#include "twill/base/error.hpp"
#include "twill/ir/ops.hpp"
#include "twill/render/c_names.hpp"

namespace twill::detail {

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

}  // namespace twill::detail
