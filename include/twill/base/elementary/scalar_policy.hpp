#pragma once

#include "twill/base/elementary/soft_arithmetic.hpp"

namespace twill::elementary {

namespace detail {

template <class T> struct scalar_integer;
template <> struct scalar_integer<float> {
    using type = int;
    using unsigned_type = unsigned int;
};
template <> struct scalar_integer<double> {
    using type = long long;
    using unsigned_type = unsigned long long;
};

template <class T> constexpr T magnitude_limit = sizeof(T) == 4 ? static_cast<T>(0x1p23) : static_cast<T>(0x1p52);

// rounded, with the sign of x also on a zero
template <class T> constexpr T with_sign_of(const T x, const T rounded) {
    return rounded == 0 && soft::sign_bit(x) ? -T{0} : rounded;
}

}  // namespace detail

// Toward zero. Exact; NaN, infinities and zeros are returned as they are. The same for the three below.
template <class T> constexpr T trunc(const T x) {
    if (!(soft::absolute(x) < detail::magnitude_limit<T>)) {
        return x;
    }
    return detail::with_sign_of(x, static_cast<T>(static_cast<long long>(x)));
}
template <class T> constexpr T floor(const T x) {
    const T t = trunc(x);
    return t > x ? t - T{1} : t;
}
template <class T> constexpr T round_to_nearest_even(const T x) {
    if (!(soft::absolute(x) < detail::magnitude_limit<T>)) {
        return x;
    }
    const T t = trunc(x);
    const T rest = soft::absolute(x - t);
    const bool up = rest > T(0.5) || (rest == T(0.5) && static_cast<long long>(t) % 2 != 0);
    return up ? (x < 0 ? t - T{1} : t + T{1}) : t;
}
// Correctly rounded.
template <class T> constexpr T sqrt_scalar(const T x) {
    if (__builtin_is_constant_evaluated()) {
        return soft::sqrt(x);
    }
    if constexpr (sizeof(T) == 4) {
        return __builtin_sqrtf(x);
    } else {
        return __builtin_sqrt(x);
    }
}

// Plain numbers: in constant evaluation and at run time the same bits (NaNs aside). At run time fma is the hardware's
// or, without one, the C library's: always one rounding.
template <class T> struct scalar_policy {
    using real = T;
    using integer = typename detail::scalar_integer<T>::type;
    using mask = bool;
    static constexpr int width = static_cast<int>(sizeof(T) * 8);

    static constexpr real constant(real, const double value) { return soft_cast(value); }
    static constexpr integer integer_constant(real, const long long value) { return static_cast<integer>(value); }

    static constexpr real add(const real a, const real b) {
        return __builtin_is_constant_evaluated() ? soft::add(a, b) : a + b;
    }
    static constexpr real sub(const real a, const real b) {
        return __builtin_is_constant_evaluated() ? soft::add(a, neg(b)) : a - b;
    }
    static constexpr real mul(const real a, const real b) {
        return __builtin_is_constant_evaluated() ? soft::mul(a, b) : a * b;
    }
    static constexpr real div(const real a, const real b) {
        return __builtin_is_constant_evaluated() ? soft::div(a, b) : a / b;
    }
    static constexpr real fma(const real a, const real b, const real c) {
        if (__builtin_is_constant_evaluated()) {
            return soft::fma(a, b, c);
        }
        if constexpr (sizeof(T) == 4) {
            return __builtin_fmaf(a, b, c);
        } else {
            return __builtin_fma(a, b, c);
        }
    }
    static constexpr real neg(const real a) {
        return from_bits(ixor(bits(a), sign_mask));
    }
    static constexpr real abs(const real a) { return from_bits(iand(bits(a), ~sign_mask)); }
    static constexpr real max(const real c, const real x) { return c > x ? c : x; }
    static constexpr real min(const real c, const real x) { return c < x ? c : x; }
    static constexpr real sqrt(const real a) { return sqrt_scalar(a); }
    static constexpr mask less(const real a, const real b) { return a < b; }
    static constexpr mask not_equal(const real a, const real b) { return a != b; }
    static constexpr real select(const mask m, const real a, const real b) { return m ? a : b; }

    static constexpr integer iadd(const integer a, const integer b) { return wrap(unwrap(a) + unwrap(b)); }
    static constexpr integer isub(const integer a, const integer b) { return wrap(unwrap(a) - unwrap(b)); }
    static constexpr integer iand(const integer a, const integer b) { return a & b; }
    static constexpr integer ior(const integer a, const integer b) { return a | b; }
    static constexpr integer ixor(const integer a, const integer b) { return a ^ b; }
    static constexpr integer shift_left(const integer a, const int n) { return wrap(unwrap(a) << n); }
    static constexpr integer shift_right_arithmetic(const integer a, const int n) { return a >> n; }
    static constexpr integer shift_right_logical(const integer a, const int n) { return wrap(unwrap(a) >> n); }
    static constexpr integer shift_left_by(const integer a, const integer n) { return wrap(unwrap(a) << n); }
    static constexpr integer shift_right_logical_by(const integer a, const integer n) { return wrap(unwrap(a) >> n); }
    static constexpr mask iless(const integer a, const integer b) { return a < b; }
    static constexpr integer iselect(const mask m, const integer a, const integer b) { return m ? a : b; }

    static constexpr integer bits(const real a) { return __builtin_bit_cast(integer, a); }
    static constexpr real from_bits(const integer a) { return __builtin_bit_cast(real, a); }
    static constexpr integer to_integer(const real a) { return static_cast<integer>(a); }
    static constexpr real to_real(const integer a) { return static_cast<real>(a); }

    using wide = scalar_policy<double>;
    static constexpr double widen(const real a) { return static_cast<double>(a); }
    static constexpr real narrow(const double a) { return soft_cast(a); }

private:
    using word = typename detail::scalar_integer<T>::unsigned_type;
    static constexpr integer sign_mask = static_cast<integer>(static_cast<word>(1) << (width - 1));
    static constexpr word unwrap(const integer a) { return static_cast<word>(a); }
    static constexpr integer wrap(const word a) { return static_cast<integer>(a); }
    static constexpr real soft_cast(const double value) {
        if constexpr (sizeof(T) == 4) {
            return __builtin_is_constant_evaluated() ? soft::narrow(value) : static_cast<float>(value);
        } else {
            return value;
        }
    }
};

}  // namespace twill::elementary
