#pragma once

#include "twill/base/elementary/polynomial.hpp"

namespace twill::elementary {

namespace detail {

template <int Width> struct logarithm_constants;

template <> struct logarithm_constants<32> : float_format<32> {
    static constexpr long long sqrt_half_bits = 0x3f3504f3LL;
    static constexpr double ln2_high = 0x1.62e4p-1, ln2_low = 0x1.7f7d1cp-20;  // e * ln2_high is exact
    static constexpr double log2_e_high = 0x1.715476p+0, log2_e_low = 0x1.4ae0cp-26;
};
template <> struct logarithm_constants<64> : float_format<64> {
    static constexpr long long sqrt_half_bits = 0x3fe6a09e667f3bcdLL;
    static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    static constexpr double log2_e_high = 0x1.71547652b82fep+0, log2_e_low = 0x1.777d0ffda0d24p-56;
};

// x = (1 + fraction) * 2^exponent with 1 + fraction in [sqrt(1/2), sqrt(2)), for finite x > 0.
template <class P> struct log_split {
    typename P::real fraction;
    typename P::real exponent;
};
template <class P> [[gnu::always_inline]] constexpr log_split<P> split_for_log(const typename P::real x) {
    using c = logarithm_constants<P::width>;
    using real = typename P::real;
    using integer = typename P::integer;
    const typename P::mask subnormal = P::less(x, P::constant(x, c::smallest_normal));
    constexpr double lift = static_cast<double>(1LL << (c::mantissa_bits + 1));
    const real normal = P::select(subnormal, P::mul(x, P::constant(x, lift)), x);
    const integer sqrt_half = P::integer_constant(x, c::sqrt_half_bits);
    const integer offset = P::isub(P::bits(normal), sqrt_half);
    const integer e = P::shift_right_arithmetic(offset, c::mantissa_bits);
    const real m = P::from_bits(P::iadd(P::iand(offset, P::integer_constant(x, c::mantissa_mask)), sqrt_half));
    const real lifted = P::select(subnormal, P::constant(x, -(c::mantissa_bits + 1.0)), P::constant(x, 0.0));
    if constexpr (P::width == 32) {
        return {P::sub(m, P::constant(x, 1.0)), P::add(P::to_real(e), lifted)};
    } else {  // 64-bit integers convert through the magic number: few vector units convert them
        const real magic = P::constant(x, c::round_magic);
        const real value = P::sub(P::from_bits(P::iadd(e, P::bits(magic))), magic);
        return {P::sub(m, P::constant(x, 1.0)), P::add(value, lifted)};
    }
}

// NaN and +infinity are their own logarithms, zeros give -infinity, negative numbers NaN.
template <class P>
[[gnu::always_inline]] constexpr typename P::real log_special(const typename P::real x, const typename P::real result) {
    const typename P::real ordinary = P::select(P::less(x, P::constant(x, __builtin_inf())), result, x);
    const typename P::real positive = P::select(P::less(x, P::constant(x, float_format<P::width>::smallest)),
                                                P::constant(x, -__builtin_inf()), ordinary);
    return P::select(P::less(x, P::constant(x, 0.0)), P::constant(x, __builtin_nan("")), positive);
}

// float64: log(1 + f) = 2 atanh(s) = f - s * (f - z * R(z)), s = f / (2 + f), z = s^2. R: degree 6 on [0, 0.0295],
// 2^-59.5 of the logarithm.
template <class P> [[gnu::always_inline]] constexpr typename P::real log1p_64(const typename P::real f) {
    using real = typename P::real;
    const real s = P::div(f, P::add(f, P::constant(f, 2.0)));
    const real z = P::mul(s, s);
    const real tail = horner<P>(z, 0x1.5555555555593p-1, 0x1.999999997fa54p-2, 0x1.2492494221bcep-2, 0x1.c71c51e0e43d2p-3,
                                0x1.746647758fec9p-3, 0x1.39a0d713cc996p-3, 0x1.2f0ea2acc607cp-3);
    return P::fma(P::neg(s), P::fma(P::neg(z), tail, f), f);
}

}  // namespace detail

template <class P> [[gnu::always_inline]] constexpr typename P::real log(const typename P::real x) {
    using c = detail::logarithm_constants<P::width>;
    using real = typename P::real;
    const detail::log_split<P> part = detail::split_for_log<P>(x);
    const real f = part.fraction;
    const real e = part.exponent;
    const real ln2_low = P::constant(x, c::ln2_low);
    if constexpr (P::width == 32) {
        // log(1 + f) = f + f^2 * t(f); t = -1/2 + f * (degree 7) on [sqrt(1/2) - 1, sqrt(2) - 1], 2^-27.3
        const real t = detail::horner<P>(f, -0.5, 0x1.555554p-2, -0x1.000228p-2, 0x1.99a024p-3, -0x1.547216p-3,
                                         0x1.22d8d8p-3, -0x1.0d865cp-3, 0x1.055ec2p-3, -0x1.38ae0cp-4);
        // e * ln 2 + f exactly, as high + error: e = 0 or |e * ln2_high| >= |f|
        const real scaled = P::mul(e, P::constant(x, c::ln2_high));
        const real high = P::add(scaled, f);
        const real error = P::sub(f, P::sub(high, scaled));
        const real low = P::fma(P::mul(f, f), t, P::fma(e, ln2_low, error));
        return detail::log_special<P>(x, P::add(high, low));
    } else {
        const real low = P::fma(e, ln2_low, detail::log1p_64<P>(f));
        return detail::log_special<P>(x, P::fma(e, P::constant(x, c::ln2_high), low));
    }
}

template <class P> [[gnu::always_inline]] constexpr typename P::real log2(const typename P::real x) {
    using c = detail::logarithm_constants<P::width>;
    using real = typename P::real;
    const detail::log_split<P> part = detail::split_for_log<P>(x);
    const real f = part.fraction;
    const real log2_e = P::constant(x, c::log2_e_high);
    const real log2_e_low = P::constant(x, c::log2_e_low);
    if constexpr (P::width == 32) {
        // log2(1 + f) = f * log2(e) + f^2 * t(f); t of degree 8, 2^-27.7
        const real t = detail::horner<P>(f, -0x1.715470p-1, 0x1.ec7096p-2, -0x1.715adap-2, 0x1.277e30p-2, -0x1.eaabf4p-3,
                                         0x1.a305e2p-3, -0x1.87cd20p-3, 0x1.7d583ep-3, -0x1.c000fcp-4);
        const real low = P::fma(P::mul(f, f), t, P::mul(f, log2_e_low));
        return detail::log_special<P>(x, P::add(P::fma(f, log2_e, low), part.exponent));
    } else {
        const real natural = detail::log1p_64<P>(f);
        const real fraction = P::fma(natural, log2_e, P::mul(natural, log2_e_low));
        return detail::log_special<P>(x, P::add(fraction, part.exponent));
    }
}

}  // namespace twill::elementary
