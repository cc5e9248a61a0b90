#include "twill/base/elementary.hpp"
#include "twill/exec/vector_policy.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace el = twill::elementary;

namespace {

using f32 = el::scalar_policy<float>;
using f64 = el::scalar_policy<double>;

struct exp_function {
    static constexpr double bound_32 = 1.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::exp<P>(x); }
    template <class T> static T reference(T x) { return std::exp(x); }
};
struct exp2_function {
    static constexpr double bound_32 = 1.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::exp2<P>(x); }
    template <class T> static T reference(T x) { return std::exp2(x); }
};
struct log_function {
    static constexpr double bound_32 = 1.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::log<P>(x); }
    template <class T> static T reference(T x) { return std::log(x); }
};
struct log2_function {
    static constexpr double bound_32 = 1.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::log2<P>(x); }
    template <class T> static T reference(T x) { return std::log2(x); }
};
struct sin_function {
    static constexpr double bound_32 = 1.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::sin<P>(x); }
    // needs a C library that reduces exactly, as glibc does
    template <class T> static T reference(T x) { return std::sin(x); }
};
struct tanh_function {
    static constexpr double bound_32 = 2.0, bound_64 = 2.0;
    template <class P> [[gnu::always_inline]] static constexpr typename P::real run(typename P::real x) { return el::tanh<P>(x); }
    template <class T> static T reference(T x) { return std::tanh(x); }
};

constexpr double wrong = 1e9;

// The distance from a more precise reference in units of the last place that T has there.
template <class T, class R> double error_in_ulp(const T got, const R reference) {
    if (std::isnan(reference) || std::isnan(got)) {
        return std::isnan(reference) && std::isnan(got) ? 0.0 : wrong;
    }
    if (std::isinf(reference)) {
        return std::isinf(got) && std::signbit(got) == std::signbit(reference) ? 0.0 : wrong;
    }
    constexpr int digits = sizeof(T) == 4 ? 24 : 53;
    constexpr int least = sizeof(T) == 4 ? -149 : -1074;
    constexpr int greatest = sizeof(T) == 4 ? 128 : 1024;
    if (std::isinf(got)) {  // an overflow is a rounding when the reference is within the bound of 2^greatest
        const R limit = std::ldexp(R(1), greatest);
        const R unit = std::ldexp(R(1), greatest - digits);
        const R distance = std::fabs(std::copysign(limit, R(got)) - reference) / unit;
        return std::fabs(reference) >= limit ? 0.0 : static_cast<double>(distance);
    }
    int exponent = 0;
    std::frexp(reference, &exponent);
    const R unit = std::ldexp(R(1), exponent - digits < least ? least : exponent - digits);
    return static_cast<double>(std::fabs(static_cast<R>(got) - reference) / unit);
}

float float_of(const std::uint32_t bits) {
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
double double_of(const std::uint64_t bits) {
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
template <class T> bool same_bits(const T a, const T b) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class F> double worst_32(const std::uint64_t stride, const std::uint64_t first) {
    double worst = 0;
    for (std::uint64_t i = first; i < (std::uint64_t{1} << 32); i += stride) {
        const float x = float_of(static_cast<std::uint32_t>(i));
        const double error = error_in_ulp(F::template run<f32>(x), F::template reference<double>(x));
        worst = error > worst ? error : worst;
    }
    return worst;
}
template <class F> double worst_64(const int count, const double low, const double high) {
    std::mt19937_64 random{20240607};
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t bits = random();
        const double x = i % 2 == 0 ? double_of(bits) : low + (high - low) * (static_cast<double>(bits >> 11) * 0x1p-53);
        const double error = error_in_ulp(F::template run<f64>(x), F::template reference<long double>(x));
        worst = error > worst ? error : worst;
    }
    return worst;
}

constexpr double inf = __builtin_inf();
constexpr double nan_value = __builtin_nan("");

// The inputs that are evaluated in both ways. The first ones hold special and edge values.
template <class T> inline constexpr T edge_values[] = {
    T(0), -T(0), T(1), T(-1), T(0.5), T(2), T(10), T(-10), T(3.0625), T(-0.3125), T(1.5707963267948966), T(3.141592653589793),
    T(22), T(1e6), T(-1e10), T(1e30), T(88.5), T(-87.5), T(-103), T(88.75), T(-150), T(127.5), T(128), T(0x1p-126), T(0x1p-127),
    T(0x1p-149), T(-0x1p-149), T(0x1.fffffep127), T(inf), T(-inf), T(nan_value), T(0.99999994), T(1.0000001), T(9), T(20),
    sizeof(T) == 8 ? T(709.5) : T(1), sizeof(T) == 8 ? T(-744.5) : T(1), sizeof(T) == 8 ? T(0x1.fffffffffffffp1023 / 3) : T(1),
    sizeof(T) == 8 ? T(6381956970095103.0 * 0x1p797) : T(1), sizeof(T) == 8 ? T(0x1p-1060) : T(1)};
template <class T> constexpr int edge_count = static_cast<int>(sizeof(edge_values<T>) / sizeof(T));

template <class P> struct results {
    typename P::real at[edge_count<typename P::real>];
};
template <class F, class P> constexpr results<P> evaluate_edges() {
    results<P> r{};
    for (int i = 0; i < edge_count<typename P::real>; ++i) {
        r.at[i] = F::template run<P>(edge_values<typename P::real>[i]);
    }
    return r;
}
template <class F, class P> void edges_agree() {
    using T = typename P::real;
    static constexpr results<P> folded = evaluate_edges<F, P>();
    for (int i = 0; i < edge_count<T>; ++i) {
        volatile T input = edge_values<T>[i];
        const T x = input;
        INFO("x = " << x << " folded " << folded.at[i] << " computed " << F::template run<P>(x));
        CHECK(same_bits(folded.at[i], F::template run<P>(x)));
        using R = std::conditional_t<sizeof(T) == 4, double, long double>;
        CHECK(error_in_ulp(folded.at[i], F::template reference<R>(x)) <= (sizeof(T) == 4 ? F::bound_32 : F::bound_64));
    }
}

template <class F, class T, int N, class Next> void vector_agrees(Next next, const double bound) {
    using V = twill::exec::lanes_policy<T, N>;
    using P = el::scalar_policy<T>;
    using R = std::conditional_t<sizeof(T) == 4, double, long double>;
    int different = 0;
    double worst = 0;
    for (int i = 0; i < (1 << 15); ++i) {
        T in[N];
        T out[N];
        for (T& x : in) {
            x = next();
        }
        typename V::real v;
        std::memcpy(&v, in, sizeof v);
        v = F::template run<V>(v);
        std::memcpy(out, &v, sizeof v);
        for (int lane = 0; lane < N; ++lane) {
            different += same_bits(out[lane], F::template run<P>(in[lane])) ? 0 : 1;
            const double error = error_in_ulp(out[lane], F::template reference<R>(in[lane]));
            worst = error > worst ? error : worst;
        }
    }
    if (twill::exec::has_vector_fma) {
        CHECK(different == 0);
    }
    INFO("worst error of a lane " << worst);
    CHECK(worst <= bound + (twill::exec::has_vector_fma ? 0.0 : 1.0));
}

// A policy over counted values: what a recorder would see.
int operation_count = 0;
struct symbol {
    int id = 0;
};
struct condition {};
template <int Width> struct counting_policy {
    static constexpr int width = Width;
    using real = symbol;
    using integer = symbol;
    using mask = condition;
    using wide = counting_policy<64>;
    static symbol next() { return {++operation_count}; }
    static symbol constant(symbol, double) { return {}; }
    static symbol integer_constant(symbol, long long) { return {}; }
    static symbol add(symbol, symbol) { return next(); }
    static symbol sub(symbol, symbol) { return next(); }
    static symbol mul(symbol, symbol) { return next(); }
    static symbol div(symbol, symbol) { return next(); }
    static symbol fma(symbol, symbol, symbol) { return next(); }
    static symbol neg(symbol) { return next(); }
    static symbol abs(symbol) { return next(); }
    static symbol max(symbol, symbol) { return next(); }
    static symbol min(symbol, symbol) { return next(); }
    static condition less(symbol, symbol) { return next(), condition{}; }
    static symbol select(condition, symbol, symbol) { return next(); }
    static symbol iadd(symbol, symbol) { return next(); }
    static symbol isub(symbol, symbol) { return next(); }
    static symbol iand(symbol, symbol) { return next(); }
    static symbol ior(symbol, symbol) { return next(); }
    static symbol ixor(symbol, symbol) { return next(); }
    static symbol shift_left(symbol, int) { return next(); }
    static symbol shift_right_arithmetic(symbol, int) { return next(); }
    static symbol shift_right_logical(symbol, int) { return next(); }
    static symbol shift_left_by(symbol, symbol) { return next(); }
    static symbol shift_right_logical_by(symbol, symbol) { return next(); }
    static condition iless(symbol, symbol) { return next(), condition{}; }
    static symbol iselect(condition, symbol, symbol) { return next(); }
    static symbol bits(symbol a) { return a; }  // free: a reinterpretation
    static symbol from_bits(symbol a) { return a; }
    static symbol to_real(symbol) { return next(); }
    static symbol widen(symbol) { return next(); }
    static symbol narrow(symbol) { return next(); }
};
template <class F, int Width> int operations() {
    operation_count = 0;
    F::template run<counting_policy<Width>>(symbol{});
    return operation_count;
}

}  // namespace

TEMPLATE_TEST_CASE("elementary functions stay within their bounds", "[elementary]", exp_function, exp2_function, log_function,
                   log2_function, sin_function, tanh_function) {
    const double strided = worst_32<TestType>(1021, 0);
    const double random = worst_64<TestType>(300000, -40, 40);
    const double spread = worst_64<TestType>(300000, -750, 1030);
    const double near_one = worst_64<TestType>(300000, -1.7, 1.7);
    CAPTURE(strided, random, spread, near_one);
    CHECK(strided <= TestType::bound_32);
    CHECK(random <= TestType::bound_64);
    CHECK(spread <= TestType::bound_64);
    CHECK(near_one <= TestType::bound_64);
}

TEMPLATE_TEST_CASE("every float32 argument", "[.exhaustive]", exp_function, exp2_function, log_function, log2_function,
                   sin_function, tanh_function) {
    const double worst = worst_32<TestType>(1, 0);
    WARN("float32 worst error " << worst << " ulp");
    CHECK(worst <= TestType::bound_32);
}

TEMPLATE_TEST_CASE("many float64 arguments", "[.exhaustive]", exp_function, exp2_function, log_function, log2_function,
                   sin_function, tanh_function) {
    double worst = 0;
    for (const double range : {1.0, 2.0, 40.0, 1080.0}) {
        const double error = worst_64<TestType>(4000000, TestType::template run<f64>(0.0) < -1 ? 0 : -range, range);
        worst = error > worst ? error : worst;
    }
    WARN("float64 worst error " << worst << " ulp");
    CHECK(worst <= TestType::bound_64);
}

TEMPLATE_TEST_CASE("constant evaluation gives the bits of run time", "[elementary]", exp_function, exp2_function,
                   log_function, log2_function, sin_function, tanh_function) {
    edges_agree<TestType, f32>();
    edges_agree<TestType, f64>();
}

TEST_CASE("the sine of arguments near multiples of half pi", "[elementary]") {
    double worst = 0;
    for (int k = 1; k < 200000; ++k) {
        const double near = k * 1.5707963267948966;
        for (const double x : {near, std::nextafter(near, 0.0), std::nextafter(near, 1e300), -near}) {
            const double error = error_in_ulp(el::sin<f64>(x), std::sin(static_cast<long double>(x)));
            worst = error > worst ? error : worst;
            const auto y = static_cast<float>(x);
            const double error_32 = error_in_ulp(el::sin<f32>(y), std::sin(static_cast<double>(y)));
            worst = 2 * error_32 > worst ? 2 * error_32 : worst;
        }
    }
    CHECK(worst <= 2.0);
}

TEMPLATE_TEST_CASE("vectors give the bits of scalars", "[elementary]", exp_function, exp2_function, log_function, log2_function,
                   sin_function, tanh_function) {
    std::mt19937_64 random{7};
    const auto any_float = [&] {
        const auto bits = static_cast<std::uint32_t>(random());
        return bits % 2 == 0 ? float_of(bits) : static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-26F;
    };
    const auto any_double = [&] {
        const std::uint64_t bits = random();
        return bits % 2 == 0 ? double_of(bits) : static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-58;
    };
    vector_agrees<TestType, float, 4>(any_float, TestType::bound_32);
    vector_agrees<TestType, float, 8>(any_float, TestType::bound_32);
    vector_agrees<TestType, float, 32>(any_float, TestType::bound_32);
    vector_agrees<TestType, double, 2>(any_double, TestType::bound_64);
    vector_agrees<TestType, double, 4>(any_double, TestType::bound_64);
}

TEST_CASE("the soft operations of constant evaluation are those of the hardware", "[elementary]") {
    std::mt19937_64 random{11};
    const auto pick_double = [&] {
        const std::uint64_t bits = random();
        switch (bits % 8) {
        case 0: return double_of(random());
        case 1: return double_of(random() & 0x801fffffffffffffULL);
        case 2: return double_of(random() | 0x7fe0000000000000ULL);
        case 3: return static_cast<double>(static_cast<std::int64_t>(random() % 17) - 8);
        default: return double_of((random() & 0x803fffffffffffffULL) + ((0x3e0ULL + random() % 64) << 52));
        }
    };
    const auto pick_float = [&] {
        const auto bits = static_cast<std::uint32_t>(random());
        switch (bits % 8) {
        case 0: return float_of(static_cast<std::uint32_t>(random()));
        case 1: return float_of(static_cast<std::uint32_t>(random()) & 0x80ffffffU);
        case 2: return float_of(static_cast<std::uint32_t>(random()) | 0x7f000000U);
        case 3: return static_cast<float>(static_cast<int>(random() % 17) - 8);
        default: return float_of((static_cast<std::uint32_t>(random()) & 0x80ffffffU) + ((0x70U + bits % 32) << 23));
        }
    };
    int different = 0;
    for (int i = 0; i < 400000; ++i) {
        const double a = pick_double();
        const double b = pick_double();
        double c = pick_double();
        c = i % 4 == 0 ? -(a * b) : c;
        different += same_bits(el::soft::fma(a, b, c), std::fma(a, b, c)) ? 0 : 1;
        different += same_bits(el::soft::mul(a, b), a * b) ? 0 : 1;
        different += same_bits(el::soft::div(a, b), a / b) ? 0 : 1;
        different += same_bits(el::soft::add(a, b), a + b) ? 0 : 1;
        different += same_bits(el::soft::sqrt(a), std::sqrt(a)) ? 0 : 1;
        different += same_bits(el::trunc(a), std::trunc(a)) ? 0 : 1;
        different += same_bits(el::floor(a), std::floor(a)) ? 0 : 1;
        different += same_bits(el::round_to_nearest_even(a), std::nearbyint(a)) ? 0 : 1;
        const float p = pick_float();
        const float q = pick_float();
        float r = pick_float();
        r = i % 4 == 0 ? -(p * q) : r;
        different += same_bits(el::soft::fma(p, q, r), std::fma(p, q, r)) ? 0 : 1;
        different += same_bits(el::soft::mul(p, q), p * q) ? 0 : 1;
        different += same_bits(el::soft::div(p, q), p / q) ? 0 : 1;
        different += same_bits(el::soft::add(p, q), p + q) ? 0 : 1;
        different += same_bits(el::soft::sqrt(p), std::sqrt(p)) ? 0 : 1;
        different += same_bits(el::trunc(p), std::trunc(p)) ? 0 : 1;
        different += same_bits(el::floor(p), std::floor(p)) ? 0 : 1;
        different += same_bits(el::round_to_nearest_even(p), std::nearbyint(p)) ? 0 : 1;
    }
    CHECK(different == 0);
    static_assert(el::soft::sqrt(2.0) == 0x1.6a09e667f3bcdp+0 && el::soft::sqrt(0x1p-1074) == 0x1p-537);
    static_assert(el::floor(-0.5) == -1.0 && el::round_to_nearest_even(2.5F) == 2.0F && el::trunc(-7.75) == -7.0);
}

TEST_CASE("a recording policy sees a short straight line", "[elementary]") {
    CAPTURE((operations<exp_function, 32>()), (operations<exp2_function, 32>()), (operations<log_function, 32>()),
            (operations<log2_function, 32>()), (operations<sin_function, 32>()), (operations<tanh_function, 32>()));
    CAPTURE((operations<exp_function, 64>()), (operations<exp2_function, 64>()), (operations<log_function, 64>()),
            (operations<log2_function, 64>()), (operations<sin_function, 64>()), (operations<tanh_function, 64>()));
    CHECK(operations<exp_function, 32>() <= 20);
    CHECK(operations<exp2_function, 32>() <= 20);
    CHECK(operations<log_function, 32>() <= 40);
    CHECK(operations<log2_function, 32>() <= 40);
    CHECK(operations<sin_function, 32>() <= 60);
    CHECK(operations<tanh_function, 32>() <= 40);
    CHECK(operations<sin_function, 64>() <= 210);
}
