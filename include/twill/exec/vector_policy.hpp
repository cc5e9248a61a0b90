// The number policy over vector-extension values: vector_policy<float, 8>, vector_policy<double, 4>, ... With a hardware
// fma it gives the bits of scalar_policy in every lane. WITHOUT one, fma is a multiplication and an addition (two
// roundings; a library call for each lane would cost fifty times more): bounds are then one ulp wider.
#pragma once

#include "twill/base/elementary/scalar_policy.hpp"

namespace twill::exec {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
inline constexpr bool has_vector_fma = true;
#else
inline constexpr bool has_vector_fma = false;
#endif

// The widest vector that the target passes in one register; a wider vector_policy compiles only with -Wno-psabi.
#if defined(__AVX512F__)
inline constexpr int native_vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int native_vector_bytes = 32;
#else
inline constexpr int native_vector_bytes = 16;
#endif

namespace detail {

template <class T, int N> struct vector_type {
    using type [[gnu::vector_size(N * sizeof(T))]] = T;
};

}  // namespace detail

template <class Half> struct paired_policy;

// T in float, double; N a power of two.
template <class T, int N> struct vector_policy {
    static constexpr int width = static_cast<int>(sizeof(T) * 8);
    static constexpr int lanes = N;
    using lane_integer = typename elementary::scalar_policy<T>::integer;
    using lane_word = typename elementary::detail::scalar_integer<T>::unsigned_type;
    using real = typename detail::vector_type<T, N>::type;
    using integer = typename detail::vector_type<lane_integer, N>::type;
    using word = typename detail::vector_type<lane_word, N>::type;
    using mask = integer;  // all bits of a lane, or none

    [[gnu::always_inline]] static real constant(const real&, const double value) {
        return static_cast<T>(value) - real{};
    }
    [[gnu::always_inline]] static integer integer_constant(const real&, const long long value) {
        return static_cast<lane_integer>(value) | integer{};
    }

    [[gnu::always_inline]] static real add(const real a, const real b) { return a + b; }
    [[gnu::always_inline]] static real sub(const real a, const real b) { return a - b; }
    [[gnu::always_inline]] static real mul(const real a, const real b) { return a * b; }
    [[gnu::always_inline]] static real div(const real a, const real b) { return a / b; }
    [[gnu::always_inline]] static real fma(const real a, const real b, const real c) {
#if defined(__clang__)
        if constexpr (has_vector_fma) {
            return __builtin_elementwise_fma(a, b, c);
        }
#elif defined(__FMA__)
        // by name: independent of -ffp-contract
        if constexpr (sizeof(real) == 32 && sizeof(T) == 4) {
            return __builtin_ia32_vfmaddps256(a, b, c);
        } else if constexpr (sizeof(real) == 32) {
            return __builtin_ia32_vfmaddpd256(a, b, c);
        } else if constexpr (sizeof(real) == 16 && sizeof(T) == 4) {
            return __builtin_ia32_vfmaddps(a, b, c);
        } else if constexpr (sizeof(real) == 16) {
            return __builtin_ia32_vfmaddpd(a, b, c);
        }
#if defined(__AVX512F__)
        if constexpr (sizeof(real) == 64 && sizeof(T) == 4) {
            return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<short>(-1), 4);
        } else if constexpr (sizeof(real) == 64) {
            return __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<signed char>(-1), 4);
        }
#endif
#endif
        if constexpr (has_vector_fma) {
            real r = c;
            for (int i = 0; i < N; ++i) {
                r[i] = elementary::scalar_policy<T>::fma(a[i], b[i], c[i]);
            }
            return r;
        } else {
            return a * b + c;
        }
    }
    [[gnu::always_inline]] static real neg(const real a) { return -a; }
    [[gnu::always_inline]] static real abs(const real a) { return from_bits(bits(a) & ~sign_mask()); }
    [[gnu::always_inline]] static real max(const real c, const real x) {
#if !defined(__clang__) && defined(__SSE2__)
        // g++ makes a comparison and a blend of the conditional; the instruction is the same function
        if constexpr (sizeof(real) == 16 && sizeof(T) == 4) {
            return __builtin_ia32_maxps(c, x);
        } else if constexpr (sizeof(real) == 16) {
            return __builtin_ia32_maxpd(c, x);
        }
#if defined(__AVX__)
        if constexpr (sizeof(real) == 32 && sizeof(T) == 4) {
            return __builtin_ia32_maxps256(c, x);
        } else if constexpr (sizeof(real) == 32) {
            return __builtin_ia32_maxpd256(c, x);
        }
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(real) == 64 && sizeof(T) == 4) {
            return __builtin_ia32_maxps512_mask(c, x, x, static_cast<short>(-1), 4);
        } else if constexpr (sizeof(real) == 64) {
            return __builtin_ia32_maxpd512_mask(c, x, x, static_cast<signed char>(-1), 4);
        }
#endif
#endif
        return c > x ? c : x;
    }
    [[gnu::always_inline]] static real min(const real c, const real x) {
#if !defined(__clang__) && defined(__SSE2__)
        // g++ makes a comparison and a blend of the conditional; the instruction is the same function
        if constexpr (sizeof(real) == 16 && sizeof(T) == 4) {
            return __builtin_ia32_minps(c, x);
        } else if constexpr (sizeof(real) == 16) {
            return __builtin_ia32_minpd(c, x);
        }
#if defined(__AVX__)
        if constexpr (sizeof(real) == 32 && sizeof(T) == 4) {
            return __builtin_ia32_minps256(c, x);
        } else if constexpr (sizeof(real) == 32) {
            return __builtin_ia32_minpd256(c, x);
        }
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(real) == 64 && sizeof(T) == 4) {
            return __builtin_ia32_minps512_mask(c, x, x, static_cast<short>(-1), 4);
        } else if constexpr (sizeof(real) == 64) {
            return __builtin_ia32_minpd512_mask(c, x, x, static_cast<signed char>(-1), 4);
        }
#endif
#endif
        return c < x ? c : x;
    }
    [[gnu::always_inline]] static real sqrt(const real a) {
#if defined(__clang__)
        return __builtin_elementwise_sqrt(a);
#else
        real r = a;
        for (int i = 0; i < N; ++i) {
            r[i] = elementary::scalar_policy<T>::sqrt(a[i]);
        }
        return r;
#endif
    }
    [[gnu::always_inline]] static mask less(const real a, const real b) { return a < b; }
    [[gnu::always_inline]] static mask not_equal(const real a, const real b) { return a != b; }
    [[gnu::always_inline]] static real select(const mask m, const real a, const real b) { return m ? a : b; }

    // through unsigned lanes: signed overflow is undefined in vectors as well
    [[gnu::always_inline]] static integer iadd(const integer a, const integer b) { return (integer)((word)a + (word)b); }
    [[gnu::always_inline]] static integer isub(const integer a, const integer b) { return (integer)((word)a - (word)b); }
    [[gnu::always_inline]] static integer iand(const integer a, const integer b) { return a & b; }
    [[gnu::always_inline]] static integer ior(const integer a, const integer b) { return a | b; }
    [[gnu::always_inline]] static integer ixor(const integer a, const integer b) { return a ^ b; }
    [[gnu::always_inline]] static integer shift_left(const integer a, const int n) { return (integer)((word)a << n); }
    [[gnu::always_inline]] static integer shift_right_arithmetic(const integer a, const int n) { return a >> n; }
    [[gnu::always_inline]] static integer shift_right_logical(const integer a, const int n) { return (integer)((word)a >> n); }
    [[gnu::always_inline]] static integer shift_left_by(const integer a, const integer n) {
        return (integer)((word)a << (word)n);
    }
    [[gnu::always_inline]] static integer shift_right_logical_by(const integer a, const integer n) {
        return (integer)((word)a >> (word)n);
    }
    [[gnu::always_inline]] static mask iless(const integer a, const integer b) { return a < b; }
    [[gnu::always_inline]] static integer iselect(const mask m, const integer a, const integer b) { return m ? a : b; }

    [[gnu::always_inline]] static integer bits(const real a) { return (integer)a; }
    [[gnu::always_inline]] static real from_bits(const integer a) { return (real)a; }
    [[gnu::always_inline]] static integer to_integer(const real a) { return __builtin_convertvector(a, integer); }
    [[gnu::always_inline]] static real to_real(const integer a) { return __builtin_convertvector(a, real); }

    // float32 in twice the lanes' bytes: two vectors of half the lanes, each as large as this one.
    using wide = paired_policy<vector_policy<double, (N > 1 ? N / 2 : 1)>>;
    [[gnu::always_inline]] static auto widen(const real a) {
        using half = typename detail::vector_type<float, N / 2>::type;
        half low{}, high{};
        for (int i = 0; i < N / 2; ++i) {
            low[i] = a[i];
            high[i] = a[i + N / 2];
        }
        using wide_half = typename detail::vector_type<double, N / 2>::type;
        return typename wide::real{__builtin_convertvector(low, wide_half), __builtin_convertvector(high, wide_half)};
    }
    template <class Pair> [[gnu::always_inline]] static real narrow(const Pair& a) {
        using half = typename detail::vector_type<float, N / 2>::type;
        const half low = __builtin_convertvector(a.low, half);
        const half high = __builtin_convertvector(a.high, half);
        real r{};
        for (int i = 0; i < N / 2; ++i) {
            r[i] = low[i];
            r[i + N / 2] = high[i];
        }
        return r;
    }

private:
    static integer sign_mask() {
        return static_cast<lane_integer>(static_cast<lane_word>(1) << (width - 1)) | integer{};
    }
};

// Two values of a policy side by side: lanes beyond what one register holds.
template <class Half> struct paired_policy {
    template <class V> struct pair {
        V low, high;
    };
    static constexpr int width = Half::width;
    using real = pair<typename Half::real>;
    using integer = pair<typename Half::integer>;
    struct mask {
        typename Half::mask low, high;
    };

    [[gnu::always_inline]] static real constant(const real& like, const double value) {
        return {Half::constant(like.low, value), Half::constant(like.low, value)};
    }
    [[gnu::always_inline]] static integer integer_constant(const real& like, const long long value) {
        return {Half::integer_constant(like.low, value), Half::integer_constant(like.low, value)};
    }
    [[gnu::always_inline]] static real add(const real& a, const real& b) { return {Half::add(a.low, b.low), Half::add(a.high, b.high)}; }
    [[gnu::always_inline]] static real sub(const real& a, const real& b) { return {Half::sub(a.low, b.low), Half::sub(a.high, b.high)}; }
    [[gnu::always_inline]] static real mul(const real& a, const real& b) { return {Half::mul(a.low, b.low), Half::mul(a.high, b.high)}; }
    [[gnu::always_inline]] static real div(const real& a, const real& b) { return {Half::div(a.low, b.low), Half::div(a.high, b.high)}; }
    [[gnu::always_inline]] static real fma(const real& a, const real& b, const real& c) {
        return {Half::fma(a.low, b.low, c.low), Half::fma(a.high, b.high, c.high)};
    }
    [[gnu::always_inline]] static real neg(const real& a) { return {Half::neg(a.low), Half::neg(a.high)}; }
    [[gnu::always_inline]] static real abs(const real& a) { return {Half::abs(a.low), Half::abs(a.high)}; }
    [[gnu::always_inline]] static real max(const real& a, const real& b) { return {Half::max(a.low, b.low), Half::max(a.high, b.high)}; }
    [[gnu::always_inline]] static real min(const real& a, const real& b) { return {Half::min(a.low, b.low), Half::min(a.high, b.high)}; }
    [[gnu::always_inline]] static real sqrt(const real& a) { return {Half::sqrt(a.low), Half::sqrt(a.high)}; }
    [[gnu::always_inline]] static mask less(const real& a, const real& b) { return {Half::less(a.low, b.low), Half::less(a.high, b.high)}; }
    [[gnu::always_inline]] static mask not_equal(const real& a, const real& b) {
        return {Half::not_equal(a.low, b.low), Half::not_equal(a.high, b.high)};
    }
    [[gnu::always_inline]] static real select(const mask& m, const real& a, const real& b) {
        return {Half::select(m.low, a.low, b.low), Half::select(m.high, a.high, b.high)};
    }
    [[gnu::always_inline]] static integer iadd(const integer& a, const integer& b) { return {Half::iadd(a.low, b.low), Half::iadd(a.high, b.high)}; }
    [[gnu::always_inline]] static integer isub(const integer& a, const integer& b) { return {Half::isub(a.low, b.low), Half::isub(a.high, b.high)}; }
    [[gnu::always_inline]] static integer iand(const integer& a, const integer& b) { return {Half::iand(a.low, b.low), Half::iand(a.high, b.high)}; }
    [[gnu::always_inline]] static integer ior(const integer& a, const integer& b) { return {Half::ior(a.low, b.low), Half::ior(a.high, b.high)}; }
    [[gnu::always_inline]] static integer ixor(const integer& a, const integer& b) { return {Half::ixor(a.low, b.low), Half::ixor(a.high, b.high)}; }
    [[gnu::always_inline]] static integer shift_left(const integer& a, const int n) {
        return {Half::shift_left(a.low, n), Half::shift_left(a.high, n)};
    }
    [[gnu::always_inline]] static integer shift_right_arithmetic(const integer& a, const int n) {
        return {Half::shift_right_arithmetic(a.low, n), Half::shift_right_arithmetic(a.high, n)};
    }
    [[gnu::always_inline]] static integer shift_right_logical(const integer& a, const int n) {
        return {Half::shift_right_logical(a.low, n), Half::shift_right_logical(a.high, n)};
    }
    [[gnu::always_inline]] static integer shift_left_by(const integer& a, const integer& n) {
        return {Half::shift_left_by(a.low, n.low), Half::shift_left_by(a.high, n.high)};
    }
    [[gnu::always_inline]] static integer shift_right_logical_by(const integer& a, const integer& n) {
        return {Half::shift_right_logical_by(a.low, n.low), Half::shift_right_logical_by(a.high, n.high)};
    }
    [[gnu::always_inline]] static mask iless(const integer& a, const integer& b) { return {Half::iless(a.low, b.low), Half::iless(a.high, b.high)}; }
    [[gnu::always_inline]] static integer iselect(const mask& m, const integer& a, const integer& b) {
        return {Half::iselect(m.low, a.low, b.low), Half::iselect(m.high, a.high, b.high)};
    }
    [[gnu::always_inline]] static integer bits(const real& a) { return {Half::bits(a.low), Half::bits(a.high)}; }
    [[gnu::always_inline]] static real from_bits(const integer& a) { return {Half::from_bits(a.low), Half::from_bits(a.high)}; }
    [[gnu::always_inline]] static integer to_integer(const real& a) { return {Half::to_integer(a.low), Half::to_integer(a.high)}; }
    [[gnu::always_inline]] static real to_real(const integer& a) { return {Half::to_real(a.low), Half::to_real(a.high)}; }

    using wide = paired_policy<typename Half::wide>;
    [[gnu::always_inline]] static auto widen(const real& a) {
        return typename wide::real{Half::widen(a.low), Half::widen(a.high)};
    }
    template <class Pair> [[gnu::always_inline]] static real narrow(const Pair& a) {
        return {Half::narrow(a.low), Half::narrow(a.high)};
    }
};

namespace detail {

template <class T, int N, bool Fits = (N * static_cast<int>(sizeof(T)) <= native_vector_bytes)> struct lanes_policy_of {
    using type = vector_policy<T, N>;
};
template <class T, int N> struct lanes_policy_of<T, N, false> {
    using type = paired_policy<typename lanes_policy_of<T, N / 2>::type>;
};

}  // namespace detail

// N lanes of T in as many native vectors as they need; its `real` has the N values in memory order.
template <class T, int N> using lanes_policy = typename detail::lanes_policy_of<T, N>::type;

}  // namespace twill::exec
