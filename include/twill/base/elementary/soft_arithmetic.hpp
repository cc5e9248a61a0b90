// IEEE arithmetic that constant evaluation accepts everywhere: clang refuses an operation that produces a NaN, g++ one
// that overflows, and neither has a portable constexpr fma, sqrt or floor. Results are those of the hardware, bit for
// bit, but that every NaN is the positive quiet one. Meant for constant evaluation: simple rather than fast.
#pragma once

namespace twill::elementary::soft {

__extension__ using uint128 = unsigned __int128;

template <class T> struct format;
template <> struct format<float> {
    using unsigned_bits = unsigned int;
    static constexpr int precision = 24, bias = 127, max_exponent = 255;
};
template <> struct format<double> {
    using unsigned_bits = unsigned long long;
    static constexpr int precision = 53, bias = 1023, max_exponent = 2047;
};

template <class T> constexpr T infinity(const bool negative) {
    return negative ? -static_cast<T>(__builtin_inf()) : static_cast<T>(__builtin_inf());
}
template <class T> constexpr T quiet_nan() { return static_cast<T>(__builtin_nan("")); }
template <class T> constexpr bool is_nan(const T x) { return x != x; }
template <class T> constexpr bool is_infinite(const T x) { return x == infinity<T>(false) || x == infinity<T>(true); }
template <class T> constexpr bool sign_bit(const T x) {
    return (__builtin_bit_cast(typename format<T>::unsigned_bits, x) >> (sizeof(T) * 8 - 1)) != 0;
}
template <class T> constexpr T absolute(const T x) { return sign_bit(x) ? -x : x; }

// A finite nonzero |x| as mantissa * 2^exponent.
struct parts {
    unsigned long long mantissa;
    int exponent;
};
template <class T> constexpr parts split(const T x) {
    using f = format<T>;
    const auto bits = __builtin_bit_cast(typename f::unsigned_bits, absolute(x));
    const int biased = static_cast<int>(bits >> (f::precision - 1));
    const unsigned long long fraction = bits & ((1ULL << (f::precision - 1)) - 1);
    if (biased == 0) {
        return {fraction, 1 - f::bias - (f::precision - 1)};
    }
    return {fraction | (1ULL << (f::precision - 1)), biased - f::bias - (f::precision - 1)};
}

constexpr int bit_width(const uint128 x) {
    const auto high = static_cast<unsigned long long>(x >> 64);
    const auto low = static_cast<unsigned long long>(x);
    return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}
// x / 2^n, the lowest bit set if anything was lost.
constexpr uint128 shift_right_sticky(const uint128 x, const int n) {
    if (n <= 0) {
        return x;
    }
    if (n > 127) {
        return x != 0 ? 1 : 0;
    }
    return (x >> n) | ((x & ((static_cast<uint128>(1) << n) - 1)) != 0 ? 1U : 0U);
}

// mantissa * 2^exponent rounded to nearest even; the lowest bit of a mantissa of more than precision + 2 bits may be sticky.
template <class T> constexpr T round_pack(const bool negative, uint128 mantissa, int exponent) {
    using f = format<T>;
    using u = typename f::unsigned_bits;
    constexpr int least = 1 - f::bias - (f::precision - 1);
    const int excess = bit_width(mantissa) - (f::precision + 2);
    int shift = excess > 0 ? excess : 0;
    if (exponent + shift < least - 2) {
        shift = least - 2 - exponent;
    }
    mantissa = shift_right_sticky(mantissa, shift);
    exponent += shift;
    while (bit_width(mantissa) < f::precision + 2 && exponent > least - 2) {
        mantissa <<= 1;
        --exponent;
    }
    const auto wide = static_cast<unsigned long long>(mantissa);  // precision + 2 bits, or subnormal
    unsigned long long kept = wide >> 2;
    const unsigned long long rest = wide & 3U;
    kept += (rest > 2 || (rest == 2 && (kept & 1U) != 0)) ? 1U : 0U;
    // a subnormal that rounds up to the least normal, and a carry out of the mantissa, are right by the layout
    const bool normal = (wide >> (f::precision + 1)) != 0;
    const int biased = normal ? exponent + 2 - least + 1 : 0;
    if (biased >= f::max_exponent) {
        return infinity<T>(negative);
    }
    const unsigned long long hidden = normal ? 1ULL << (f::precision - 1) : 0ULL;
    const unsigned long long bits = (static_cast<unsigned long long>(biased) << (f::precision - 1)) + (kept - hidden);
    const T magnitude = __builtin_bit_cast(T, static_cast<u>(bits));
    return negative ? -magnitude : magnitude;
}

// float results computed in double: one operation on 24-bit operands rounds innocuously.
constexpr float narrow(const double x) {
    if (is_nan(x)) {
        return quiet_nan<float>();
    }
    if (absolute(x) >= 0x1.ffffffp127) {
        return infinity<float>(x < 0);
    }
    return static_cast<float>(x);
}

template <class T> constexpr T mul(const T a, const T b) {
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && b == 0) || (is_infinite(b) && a == 0)) {
        return quiet_nan<T>();
    }
    if constexpr (sizeof(T) == 4) {
        return narrow(static_cast<double>(a) * static_cast<double>(b));
    } else {
        if (absolute(a) > 1 && absolute(b) > 1 && absolute((a * 0x1p-540) * (b * 0x1p-540)) >= 0x1p-56) {
            return infinity<T>(sign_bit(a) != sign_bit(b));
        }
        return a * b;
    }
}
template <class T> constexpr T div(const T a, const T b) {
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b)) || (a == 0 && b == 0)) {
        return quiet_nan<T>();
    }
    if (b == 0) {
        return infinity<T>(sign_bit(a) != sign_bit(b));
    }
    if constexpr (sizeof(T) == 4) {
        return narrow(static_cast<double>(a) / static_cast<double>(b));
    } else {
        if (absolute(a) > 1 && absolute(b) < 1 && absolute((a * 0x1p-540) / (b * 0x1p540)) >= 0x1p-56) {
            return infinity<T>(sign_bit(a) != sign_bit(b));
        }
        return a / b;
    }
}
template <class T> constexpr T add(const T a, const T b) {
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b) && a != b)) {
        return quiet_nan<T>();
    }
    if constexpr (sizeof(T) == 4) {
        return narrow(static_cast<double>(a) + static_cast<double>(b));
    } else {
        if (absolute(a) >= 0x1p1022 && absolute(a * 0.5 + b * 0.5) >= 0x1p1023) {
            return infinity<T>(sign_bit(a));
        }
        if (absolute(b) >= 0x1p1022 && absolute(a * 0.5 + b * 0.5) >= 0x1p1023) {
            return infinity<T>(sign_bit(b));
        }
        return a + b;
    }
}

template <class T> constexpr T fma(const T a, const T b, const T c) {
    if (is_nan(a) || is_nan(b) || is_nan(c) || is_infinite(a) || is_infinite(b) || is_infinite(c) || a == 0 || b == 0) {
        if (is_infinite(c) && !is_infinite(a) && !is_infinite(b)) {
            return is_nan(a) || is_nan(b) ? quiet_nan<T>() : c;
        }
        return add(mul(a, b), c);  // the product is exact, or not finite
    }
    const parts x = split(a);
    const parts y = split(b);
    uint128 product = static_cast<uint128>(x.mantissa) * y.mantissa;
    int product_exponent = x.exponent + y.exponent;
    const bool product_negative = sign_bit(a) != sign_bit(b);
    if (c == 0) {
        return round_pack<T>(product_negative, product, product_exponent);
    }
    const parts z = split(c);
    uint128 addend = z.mantissa;
    int addend_exponent = z.exponent;
    // both to 126 bits; what the smaller one then loses lies below every bit that can matter
    const int up_product = 126 - bit_width(product);
    const int up_addend = 126 - bit_width(addend);
    product <<= up_product;
    product_exponent -= up_product;
    addend <<= up_addend;
    addend_exponent -= up_addend;
    const int exponent = product_exponent > addend_exponent ? product_exponent : addend_exponent;
    product = shift_right_sticky(product, exponent - product_exponent);
    addend = shift_right_sticky(addend, exponent - addend_exponent);
    if (product_negative == sign_bit(c)) {
        return round_pack<T>(product_negative, product + addend, exponent);
    }
    if (product == addend) {
        return T{0};
    }
    return product > addend ? round_pack<T>(product_negative, product - addend, exponent)
                            : round_pack<T>(sign_bit(c), addend - product, exponent);
}

template <class T> constexpr T sqrt(const T x) {
    if (is_nan(x) || x < 0) {
        return quiet_nan<T>();
    }
    if (x == 0 || is_infinite(x)) {
        return x;
    }
    const parts p = split(x);
    uint128 square = p.mantissa;
    int exponent = p.exponent;
    int up = 2 * format<T>::precision + 6 - bit_width(square);
    up += (exponent - up) % 2 != 0 ? 1 : 0;
    square <<= up;
    exponent -= up;
    uint128 root = 0;
    uint128 rest = square;
    for (uint128 bit = static_cast<uint128>(1) << 112; bit != 0; bit >>= 2) {
        const uint128 trial = root + bit;
        root >>= 1;
        if (rest >= trial) {
            rest -= trial;
            root += bit;
        }
    }
    return round_pack<T>(false, (root << 1) | (rest != 0 ? 1U : 0U), exponent / 2 - 1);
}

}  // namespace twill::elementary::soft
