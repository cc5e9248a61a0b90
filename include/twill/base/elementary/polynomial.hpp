#pragma once

namespace twill::elementary::detail {

// c0 + x * (c1 + x * (c2 + ...)), one fma per degree.
template <class P>
[[gnu::always_inline]] constexpr typename P::real horner(const typename P::real x, const double c0) {
    return P::constant(x, c0);
}
template <class P, class... Rest>
[[gnu::always_inline]] constexpr typename P::real horner(const typename P::real x, const double c0, const double c1,
                                                        const Rest... rest) {
    return P::fma(horner<P>(x, c1, rest...), x, P::constant(x, c0));
}

// What the algorithms need to know of an IEEE format.
template <int Width> struct float_format;
template <> struct float_format<32> {
    static constexpr int mantissa_bits = 23;
    static constexpr int exponent_bias = 127;
    static constexpr double round_magic = 0x1.8p23;  // x + magic - magic rounds x to an integer, kept in the low bits
    static constexpr long long sign_mask = -0x7fffffffLL - 1;
    static constexpr long long mantissa_mask = 0x7fffffLL;
    static constexpr double smallest_normal = 0x1p-126;
    static constexpr double smallest = 0x1p-149;
};
template <> struct float_format<64> {
    static constexpr int mantissa_bits = 52;
    static constexpr int exponent_bias = 1023;
    static constexpr double round_magic = 0x1.8p52;
    static constexpr long long sign_mask = -0x7fffffffffffffffLL - 1;
    static constexpr long long mantissa_mask = 0xfffffffffffffLL;
    static constexpr double smallest_normal = 0x1p-1022;
    static constexpr double smallest = 0x1p-1074;
};

}  // namespace twill::elementary::detail
