#pragma once

#include "twill/base/elementary/polynomial.hpp"

namespace twill::elementary {

namespace detail {

// Coefficients: weighted minimax, each rounded to the width in turn and the rest fitted again; errors are relative to
// the function. "2^-26" means max |p / f - 1|.
template <int Width> struct exponential_constants;

template <> struct exponential_constants<32> : float_format<32> {
    static constexpr double exp_lower = -104.0, exp_upper = 89.0;     // e^lower rounds to 0, e^upper to infinity
    static constexpr double exp2_lower = -152.0, exp2_upper = 129.0;
    static constexpr double tanh_upper = 10.0;                        // tanh rounds to 1 from 9.02
    static constexpr double tanh_reciprocal = 0.5 - 0x1p-20;
    static constexpr double log2_e = 0x1.715476p+0;
    static constexpr double ln2_high = 0x1.62e4p-1, ln2_low = 0x1.7f7d1cp-20;  // 16 bits: k * ln2_high is exact

    // (e^r - 1 - r) / r^2 on [-0.3475, 0.3475], degree 4, 2^-26.1 of e^r - 1 and 2^-27.6 of e^r; lower ones in front
    template <class P, class... Lower>
    [[gnu::always_inline]] static constexpr typename P::real exp_series(const typename P::real r, const Lower... lower) {
        return horner<P>(r, lower..., 0x1.fffffep-2, 0x1.5554b0p-3, 0x1.555708p-5, 0x1.1227fep-7, 0x1.6b8450p-10);
    }
    // 2^r on [-1/2, 1/2], degree 6, 2^-28.3
    template <class P> [[gnu::always_inline]] static constexpr typename P::real exp2_series(const typename P::real r) {
        return horner<P>(r, 1.0, 0x1.62e430p-1, 0x1.ebfbdcp-3, 0x1.c6af7ap-5, 0x1.3b2ddap-7, 0x1.5f0976p-10,
                         0x1.4172bap-13);
    }
};

template <> struct exponential_constants<64> : float_format<64> {
    static constexpr double exp_lower = -746.0, exp_upper = 710.0;
    static constexpr double exp2_lower = -1076.0, exp2_upper = 1025.0;
    static constexpr double tanh_upper = 20.0;
    static constexpr double tanh_reciprocal = 0.5 - 0x1p-46;
    static constexpr double log2_e = 0x1.71547652b82fep+0;
    static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // 42 bits

    // as above: degree 10, 2^-61.5 of e^r - 1
    template <class P, class... Lower>
    [[gnu::always_inline]] static constexpr typename P::real exp_series(const typename P::real r, const Lower... lower) {
        return horner<P>(r, lower..., 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555554fp-5, 0x1.111111110f631p-7,
                         0x1.6c16c16c19d27p-10, 0x1.a01a01b01c6b7p-13, 0x1.a01a0192505f3p-16, 0x1.71ddf7ba67846p-19,
                         0x1.27e50a4c59bb6p-22, 0x1.af5fe1e71c4bdp-26, 0x1.1f27cd0541327p-29);
    }
    // as above: degree 12, 2^-59.7
    template <class P> [[gnu::always_inline]] static constexpr typename P::real exp2_series(const typename P::real r) {
        return horner<P>(r, 1.0, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58ep-3, 0x1.c6b08d704a1d3p-5, 0x1.3b2ab6fba5193p-7,
                         0x1.5d87fe7874aa3p-10, 0x1.430912f75d3afp-13, 0x1.ffcbfd46d6c77p-17, 0x1.62c027011d9bfp-20,
                         0x1.b523382c2b71ep-24, 0x1.e4bc4fa45c93fp-28, 0x1.ec6710a81ce0dp-32, 0x1.dfaea6c706040p-36);
    }
};

// value * 2^k in two steps, 2^a * 2^b with a + b = k, so that overflow and subnormal results are right: the first product
// is exact. `shifted` is the sum k + (magic + 2 * bias) that rounded k: a's biased exponent is half its low bits.
template <class P>
[[gnu::always_inline]] constexpr typename P::real scale_by_power(const typename P::real value, const typename P::real shifted) {
    using f = float_format<P::width>;
    using integer = typename P::integer;
    const integer sum = P::bits(shifted);
    const integer exponent_mask = P::integer_constant(value, ~(f::sign_mask | f::mantissa_mask));
    const integer first = P::iand(P::shift_left(sum, f::mantissa_bits - 1), exponent_mask);
    const integer second = P::isub(P::shift_left(sum, f::mantissa_bits), first);
    return P::mul(P::mul(value, P::from_bits(first)), P::from_bits(second));
}

}  // namespace detail

// e^x = 2^k * e^r with r in [-ln 2 / 2, ln 2 / 2].
template <class P> [[gnu::always_inline]] constexpr typename P::real exp(const typename P::real x) {
    using c = detail::exponential_constants<P::width>;
    const typename P::real bounded = P::min(P::constant(x, c::exp_upper), P::max(P::constant(x, c::exp_lower), x));
    const typename P::real magic = P::constant(x, c::round_magic + 2 * c::exponent_bias);
    const typename P::real shifted = P::fma(bounded, P::constant(x, c::log2_e), magic);
    const typename P::real k = P::sub(shifted, magic);
    const typename P::real r = P::fma(k, P::constant(x, -c::ln2_low), P::fma(k, P::constant(x, -c::ln2_high), bounded));
    return detail::scale_by_power<P>(c::template exp_series<P>(r, 1.0, 1.0), shifted);
}

// 2^x = 2^k * 2^r with r = x - k exactly, in [-1/2, 1/2].
template <class P> [[gnu::always_inline]] constexpr typename P::real exp2(const typename P::real x) {
    using c = detail::exponential_constants<P::width>;
    const typename P::real bounded = P::min(P::constant(x, c::exp2_upper), P::max(P::constant(x, c::exp2_lower), x));
    const typename P::real magic = P::constant(x, c::round_magic + 2 * c::exponent_bias);
    const typename P::real shifted = P::add(bounded, magic);
    const typename P::real r = P::sub(bounded, P::sub(shifted, magic));
    return detail::scale_by_power<P>(c::template exp2_series<P>(r), shifted);
}

// tanh |x| = t / (t + 2) with t = e^(2|x|) - 1 = 2^k (e^r - 1) + (2^k - 1): no cancellation, as k >= 0. The sign is x's.
// The quotient q is then corrected for its own rounding and for that of t + 2: by the remainder times 1 / (t + 2), which
// is (1 - q) / 2. The correction fades out near q = 1, where neither matters and t is too large to find the errors.
template <class P> [[gnu::always_inline]] constexpr typename P::real tanh(const typename P::real x) {
    using c = detail::exponential_constants<P::width>;
    using real = typename P::real;
    const real magnitude = P::min(P::constant(x, c::tanh_upper), P::abs(x));
    const real y = P::add(magnitude, magnitude);
    const real magic = P::constant(x, c::round_magic + c::exponent_bias);
    const real shifted = P::fma(y, P::constant(x, c::log2_e), magic);
    const real k = P::sub(shifted, magic);
    const real r = P::fma(k, P::constant(x, -c::ln2_low), P::fma(k, P::constant(x, -c::ln2_high), y));
    const real m = P::fma(P::mul(r, r), c::template exp_series<P>(r), r);
    // 2^k: the low bits of the sum are its biased exponent
    const real scale = P::from_bits(P::shift_left(P::bits(shifted), c::mantissa_bits));
    const real t = P::fma(scale, m, P::sub(scale, P::constant(x, 1.0)));
    const real two = P::constant(x, 2.0);
    const real divisor = P::add(t, two);
    const real quotient = P::div(t, divisor);
    const real divisor_error = P::sub(t, P::sub(divisor, two));
    const real minus_quotient = P::neg(quotient);
    const real remainder = P::fma(minus_quotient, divisor_error, P::fma(minus_quotient, divisor, t));
    const real reciprocal = P::max(P::constant(x, 0.0),
                                   P::fma(quotient, P::constant(x, -0.5), P::constant(x, c::tanh_reciprocal)));
    const real result = P::fma(remainder, reciprocal, quotient);
    return P::from_bits(P::ior(P::bits(result), P::iand(P::bits(x), P::integer_constant(x, c::sign_mask))));
}

}  // namespace twill::elementary
