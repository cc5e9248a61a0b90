// The elementary functions as C text, recorded from their one definition (base/elementary.hpp).
#pragma once

#include "twill/base/elementary/exponential.hpp"
#include "twill/base/elementary/logarithm.hpp"
#include "twill/base/elementary/sine.hpp"
#include "twill/render/c_prelude.hpp"

namespace twill::detail {

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

}  // namespace twill::detail
