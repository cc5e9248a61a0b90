#pragma once

#include "twill/base/elementary/polynomial.hpp"

namespace twill::elementary {

namespace detail {

// value * (-1)^(bit 1 of quadrant), where value is the cosine in odd quadrants.
template <class P>
[[gnu::always_inline]] constexpr typename P::real sine_of_quadrant(const typename P::integer quadrant,
                                                                  const typename P::real sine,
                                                                  const typename P::real cosine) {
    const typename P::mask odd = P::iless(P::shift_left(quadrant, P::width - 1), P::integer_constant(sine, 0));
    const typename P::integer sign = P::iand(P::shift_left(quadrant, P::width - 2),
                                             P::integer_constant(sine, float_format<P::width>::sign_mask));
    return P::from_bits(P::ixor(P::bits(P::select(odd, cosine, sine)), sign));
}

// float32, computed in float64. x * 2/pi modulo 4 with 2/pi * 2^g modulo 4 = c0 + c1 + c2 (28, 28 and 53 bits) for
// g = 0, 21, 42, 63, 84: below 2^(45 + g) the integer part of x * c0 * 2^-g fits the magic sum, and for g > 0 x * 2^-g is an
// integer, so that the dropped multiples of 4 were multiples of 4. x * c0 and x * c1 are exact.
template <class P> [[gnu::always_inline]] constexpr typename P::real sine_32(const typename P::real argument) {
    using W = typename P::wide;
    using real = typename W::real;
    using mask = typename W::mask;
    const real x = P::widen(argument);
    const real size = W::abs(x);
    const mask above_0 = W::less(W::constant(x, 0x1p45), size);
    const mask above_1 = W::less(W::constant(x, 0x1p66), size);
    const mask above_2 = W::less(W::constant(x, 0x1p87), size);
    const mask above_3 = W::less(W::constant(x, 0x1p108), size);
    const real c0 = W::select(above_3, W::constant(x, 0x1.7d1f534p-84),
                    W::select(above_2, W::constant(x, 0x1.fc27578p-64),
                    W::select(above_1, W::constant(x, 0x1.1054a7cp-42),
                    W::select(above_0, W::constant(x, 0x1.b72722p-23), W::constant(x, 0x1.45f3068p-1)))));
    const real c1 = W::select(above_3, W::constant(x, 0x1.bb81b68p-113),
                    W::select(above_2, W::constant(x, 0x1.47d4d36p-90),
                    W::select(above_1, W::constant(x, 0x1.84eafa2p-69),
                    W::select(above_0, W::constant(x, 0x1.529fc2p-52), W::constant(x, 0x1.727220ap-27)))));
    const real c2 = W::select(above_3, W::constant(x, 0x1.14acc9e21c821p-139),
                    W::select(above_2, W::constant(x, 0x1.7036d8a5664f1p-118),
                    W::select(above_1, W::constant(x, 0x1.ea69bb81b6c53p-97),
                    W::select(above_0, W::constant(x, 0x1.d5f47d4d37703p-78), W::constant(x, 0x1.29fc2757d1f53p-56)))));
    const real magic = W::constant(x, float_format<64>::round_magic);
    const real p0 = W::mul(x, c0);
    const real p1 = W::mul(x, c1);
    const real t0 = W::add(p0, magic);
    const real f0 = W::sub(p0, W::sub(t0, magic));
    const real t1 = W::add(W::add(p1, f0), magic);
    const real r = W::fma(x, c2, W::add(W::sub(p1, W::sub(t1, magic)), f0));  // quarter turns, in [-1/2, 1/2]
    const real z = W::mul(r, r);
    // sin(pi/2 r): degree 7, 2^-28.2; cos(pi/2 r): degree 8, 2^-33.8
    const real sine = W::mul(r, horner<W>(z, 0x1.921fb52e34782p+0, -0x1.4abbb8ddf5b93p-1, 0x1.465e8405a92d8p-4,
                                          -0x1.2d9045c9c270ap-8));
    const real cosine = horner<W>(z, 1.0, -0x1.3bd3cc7b48799p+0, 0x1.03c1dd7a1cb3bp-2, -0x1.55c5d1b658912p-6,
                                  0x1.d9d15ef2d0d65p-11);
    return P::narrow(sine_of_quadrant<W>(W::iadd(W::bits(t0), W::bits(t1)), sine, cosine));
}

template <class P> struct real_pair {
    typename P::real high, low;
};
// high + low = a + b exactly.
template <class P> [[gnu::always_inline]] constexpr real_pair<P> two_sum(const typename P::real a, const typename P::real b) {
    const typename P::real sum = P::add(a, b);
    const typename P::real part = P::sub(sum, a);
    return {sum, P::add(P::sub(a, P::sub(sum, part)), P::sub(b, part))};
}

// 192 bits of 2/pi from the one that x brings to weight 2^1: three words.
template <class P> struct two_over_pi_window {
    typename P::integer w0, w1, w2;
};
// The words w[n / 64 ... n / 64 + 3] of 2/pi * 2^-54 (a binary fraction), chosen by the bits of n (0 <= n < 1024), then
// shifted left by n mod 64.
template <class P>
[[gnu::always_inline]] constexpr two_over_pi_window<P> select_two_over_pi(const typename P::real like,
                                                                         const typename P::integer n) {
    using integer = typename P::integer;
    const integer zero = P::integer_constant(like, 0);
    const typename P::mask m8 = P::iless(zero, P::iand(n, P::integer_constant(like, 512)));
    const typename P::mask m4 = P::iless(zero, P::iand(n, P::integer_constant(like, 256)));
    const typename P::mask m2 = P::iless(zero, P::iand(n, P::integer_constant(like, 128)));
    const typename P::mask m1 = P::iless(zero, P::iand(n, P::integer_constant(like, 64)));
    const integer t0 = P::integer_constant(like, static_cast<long long>(0x000000000000028bULL));
    const integer t1 = P::integer_constant(like, static_cast<long long>(0xe60db9391054a7f0ULL));
    const integer t2 = P::integer_constant(like, static_cast<long long>(0x9d5f47d4d377036dULL));
    const integer t3 = P::integer_constant(like, static_cast<long long>(0x8a5664f10e4107f9ULL));
    const integer t4 = P::integer_constant(like, static_cast<long long>(0x458eaf7aef1586dcULL));
    const integer t5 = P::integer_constant(like, static_cast<long long>(0x91b8e909374b8019ULL));
    const integer t6 = P::integer_constant(like, static_cast<long long>(0x24bba827464873f8ULL));
    const integer t7 = P::integer_constant(like, static_cast<long long>(0x77ac72c4a69cfba2ULL));
    const integer t8 = P::integer_constant(like, static_cast<long long>(0x08d7d4baed1213a6ULL));
    const integer t9 = P::integer_constant(like, static_cast<long long>(0x71c09ad17df904e6ULL));
    const integer t10 = P::integer_constant(like, static_cast<long long>(0x4758e60d4ce7d272ULL));
    const integer t11 = P::integer_constant(like, static_cast<long long>(0x117e2ef7e4a0ec7fULL));
    const integer t12 = P::integer_constant(like, static_cast<long long>(0xe25fff7816603fbcULL));
    const integer t13 = P::integer_constant(like, static_cast<long long>(0xbc462d6829b47db4ULL));
    const integer t14 = P::integer_constant(like, static_cast<long long>(0xd9fb3c9f2c26dd3dULL));
    const integer t15 = P::integer_constant(like, static_cast<long long>(0x18fd9a797fa8b5d4ULL));
    const integer t16 = P::integer_constant(like, static_cast<long long>(0x9eeb1faf97c5ecf4ULL));
    const integer t17 = P::integer_constant(like, static_cast<long long>(0x1ce7de294a4ba9afULL));
    const integer t18 = P::integer_constant(like, static_cast<long long>(0xed7ec47e35742158ULL));
    const integer a0 = P::iselect(m8, t8, t0);
    const integer a1 = P::iselect(m8, t9, t1);
    const integer a2 = P::iselect(m8, t10, t2);
    const integer a3 = P::iselect(m8, t11, t3);
    const integer a4 = P::iselect(m8, t12, t4);
    const integer a5 = P::iselect(m8, t13, t5);
    const integer a6 = P::iselect(m8, t14, t6);
    const integer a7 = P::iselect(m8, t15, t7);
    const integer a8 = P::iselect(m8, t16, t8);
    const integer a9 = P::iselect(m8, t17, t9);
    const integer a10 = P::iselect(m8, t18, t10);
    const integer b0 = P::iselect(m4, a4, a0);
    const integer b1 = P::iselect(m4, a5, a1);
    const integer b2 = P::iselect(m4, a6, a2);
    const integer b3 = P::iselect(m4, a7, a3);
    const integer b4 = P::iselect(m4, a8, a4);
    const integer b5 = P::iselect(m4, a9, a5);
    const integer b6 = P::iselect(m4, a10, a6);
    const integer c0 = P::iselect(m2, b2, b0);
    const integer c1 = P::iselect(m2, b3, b1);
    const integer c2 = P::iselect(m2, b4, b2);
    const integer c3 = P::iselect(m2, b5, b3);
    const integer c4 = P::iselect(m2, b6, b4);
    const integer d0 = P::iselect(m1, c1, c0);
    const integer d1 = P::iselect(m1, c2, c1);
    const integer d2 = P::iselect(m1, c3, c2);
    const integer d3 = P::iselect(m1, c4, c3);
    const integer left = P::iand(n, P::integer_constant(like, 63));
    const integer right = P::isub(P::integer_constant(like, 63), left);  // after a first shift by one: never 64
    return {P::ior(P::shift_left_by(d0, left), P::shift_right_logical_by(P::shift_right_logical(d1, 1), right)),
            P::ior(P::shift_left_by(d1, left), P::shift_right_logical_by(P::shift_right_logical(d2, 1), right)),
            P::ior(P::shift_left_by(d2, left), P::shift_right_logical_by(P::shift_right_logical(d3, 1), right))};
}

// The low 26 bits of `bits` as a real, the lowest of weight `unit`: set under the exponent of unit * 2^52, then cleared.
template <class P>
[[gnu::always_inline]] constexpr typename P::real chunk_26(const typename P::real like, const typename P::integer bits,
                                                          const double unit) {
    const typename P::real base = P::constant(like, unit * 0x1p52);
    const typename P::integer low = P::iand(bits, P::integer_constant(like, 0x3ffffffLL));
    return P::sub(P::from_bits(P::ior(low, P::bits(base))), base);
}

// float64. n = max(exponent of x, 0); x * 2^(52 - n) = h + l (27 and 26 bits) is an integer below 2^53 when n > 0, and is
// multiplied by 2/pi * 2^(n - 52) modulo 4, seven chunks c0 ... c6 of 26 bits. All products are exact; h * c0 is a
// multiple of 4, l * c6 and below are less than 2^-126, while no double is nearer than 2^-62 to a multiple of pi/2.
template <class P> [[gnu::always_inline]] constexpr typename P::real sine_64(const typename P::real x) {
    using real = typename P::real;
    using integer = typename P::integer;
    const real size = P::abs(x);
    const integer unbounded = P::isub(P::shift_right_logical(P::bits(size), 52), P::integer_constant(x, 1023));
    const integer zero = P::integer_constant(x, 0);
    const integer n = P::iselect(P::iless(unbounded, zero), zero, unbounded);
    const real scale = P::from_bits(P::shift_left(P::isub(P::integer_constant(x, 1075), n), 52));
    const real integral = P::mul(x, scale);
    const real h = P::from_bits(P::iand(P::bits(integral), P::integer_constant(x, ~0x3ffffffLL)));
    const real l = P::sub(integral, h);

    const two_over_pi_window<P> w = select_two_over_pi<P>(x, n);
    const real c0 = chunk_26<P>(x, P::shift_right_logical(w.w0, 38), 0x1p-24);
    const real c1 = chunk_26<P>(x, P::shift_right_logical(w.w0, 12), 0x1p-50);
    const real c2 = chunk_26<P>(x, P::ior(P::shift_left(w.w0, 14), P::shift_right_logical(w.w1, 50)), 0x1p-76);
    const real c3 = chunk_26<P>(x, P::shift_right_logical(w.w1, 24), 0x1p-102);
    const real c4 = chunk_26<P>(x, P::ior(P::shift_left(w.w1, 2), P::shift_right_logical(w.w2, 62)), 0x1p-128);
    const real c5 = chunk_26<P>(x, P::shift_right_logical(w.w2, 36), 0x1p-154);
    const real c6 = chunk_26<P>(x, P::shift_right_logical(w.w2, 10), 0x1p-180);

    // The parts that reach integers, one after the other: each sum below is exact.
    const real magic = P::constant(x, float_format<64>::round_magic);
    const real p0 = P::mul(l, c0);
    const real t0 = P::add(p0, magic);
    const real p1 = P::add(P::mul(h, c1), P::sub(p0, P::sub(t0, magic)));
    const real t1 = P::add(p1, magic);
    const real p2 = P::add(P::mul(l, c1), P::sub(p1, P::sub(t1, magic)));
    const real p3 = P::mul(h, c2);
    const real t2 = P::add(P::add(p2, p3), magic);
    const real leading = P::add(P::sub(p3, P::sub(t2, magic)), p2);
    const integer quadrant = P::iadd(P::iadd(P::bits(t0), P::bits(t1)), P::bits(t2));

    const real_pair<P> s0 = two_sum<P>(leading, P::mul(h, c3));
    const real_pair<P> s1 = two_sum<P>(s0.high, P::mul(l, c2));
    const real_pair<P> s2 = two_sum<P>(s1.high, P::mul(h, c4));
    const real_pair<P> s3 = two_sum<P>(s2.high, P::mul(l, c3));
    const real tiny = P::add(P::add(P::mul(h, c6), P::mul(l, c5)), P::add(P::mul(h, c5), P::mul(l, c4)));
    const real low = P::add(P::add(P::add(s0.low, s1.low), P::add(s2.low, s3.low)), tiny);
    const real r = P::add(s3.high, low);  // quarter turns, in [-1/2, 1/2], with r_low
    const real r_low = P::sub(low, P::sub(r, s3.high));

    const real z = P::mul(r, r);
    const real half_pi = P::constant(x, 0x1.921fb54442d18p+0);
    // sin(pi/2 r) = pi/2 r + r^3 * (degree 6 in r^2), 2^-63.5; cos(pi/2 r) = 1 + r^2 * (degree 7), 2^-61.8
    const real sine_tail = horner<P>(z, -0x1.4abbce625be53p-1, 0x1.466bc6775ab7bp-4, -0x1.32d2cce63acccp-8,
                                     0x1.5078349d4a5fcp-13, -0x1.e3076e345650ap-19, 0x1.e9085bbcb8ae2p-25,
                                     -0x1.73adb1a3df734p-31);
    const real correction = P::fma(r, P::constant(x, 0x1.1a62633145c07p-54), P::mul(r_low, half_pi));
    const real sine = P::fma(r, half_pi, P::fma(P::mul(r, z), sine_tail, correction));
    const real cosine_tail = horner<P>(z, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5a3ap-2, -0x1.55d3c7e3ba13bp-6,
                                       0x1.e1f506657b2ccp-11, -0x1.a6d1cc92436b4p-16, 0x1.f9a6af6a4dff2p-22,
                                       -0x1.9b692bb2f7468p-28, -0x1.6d27483fc414ep-32);
    const real cosine = P::add(P::constant(x, 1.0),
                               P::fma(z, cosine_tail, P::mul(P::mul(r, r_low), P::constant(x, -0x1.3bd3cc9be45dep+1))));
    // below 2^-27, where the products could underflow, sin x rounds to x
    return P::select(P::less(size, P::constant(x, 0x1p-27)), x, sine_of_quadrant<P>(quadrant, sine, cosine));
}

}  // namespace detail

// Exact reduction over the whole range; an infinity gives NaN and the sign of zero is kept.
template <class P> [[gnu::always_inline]] constexpr typename P::real sin(const typename P::real x) {
    if constexpr (P::width == 32) {
        return detail::sine_32<P>(x);
    } else {
        return detail::sine_64<P>(x);
    }
}

}  // namespace twill::elementary
