// The only macros of the library: compiler detection and host/device marks. Each may be defined by the user beforehand.
#pragma once

#define TWILL_VERSION_MAJOR 0
#define TWILL_VERSION_MINOR 1
#define TWILL_VERSION_PATCH 0

#if !defined(TWILL_EXCEPTIONS)
#if defined(__cpp_exceptions)
#define TWILL_EXCEPTIONS 1
#else
#define TWILL_EXCEPTIONS 0
#endif
#endif

// 1: every stage verifies the graphs it hands on (on in the tests).
#if !defined(TWILL_VERIFY)
#define TWILL_VERIFY 0
#endif

#if !defined(TWILL_ALWAYS_INLINE)
#if defined(__GNUC__) || defined(__clang__)
#define TWILL_ALWAYS_INLINE [[gnu::always_inline]] inline
#else
#define TWILL_ALWAYS_INLINE inline
#endif
#endif

#if !defined(TWILL_RESTRICT)
#define TWILL_RESTRICT __restrict__
#endif

// Bytes of the widest vector register of this translation unit; 0 means scalar code only.
#if !defined(TWILL_VECTOR_BYTES)
#if defined(__CUDA_ARCH__)
#define TWILL_VECTOR_BYTES 0
#elif defined(__AVX512F__)
#define TWILL_VECTOR_BYTES 64
#elif defined(__AVX__)
#define TWILL_VECTOR_BYTES 32
#else
#define TWILL_VECTOR_BYTES 16
#endif
#endif

// 1 when a multiply-add with one rounding is an instruction of the target.
#if !defined(TWILL_FMA)
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define TWILL_FMA 1
#else
#define TWILL_FMA 0
#endif
#endif

#if !defined(TWILL_OPENMP)
#if defined(_OPENMP)
#define TWILL_OPENMP 1
#else
#define TWILL_OPENMP 0
#endif
#endif

// Inline code that depends on these settings lives in a namespace named after them, so that two translation units
// compiled with different ones can be linked together (no one-definition-rule violation).
#define TWILL_CONCATENATE_(a, b, c, d, e, f) a##b##c##d##e##f
#define TWILL_CONCATENATE(a, b, c, d, e, f) TWILL_CONCATENATE_(a, b, c, d, e, f)
#if defined(__FAST_MATH__)
#define TWILL_FAST_MATH 1
#else
#define TWILL_FAST_MATH 0
#endif
#if !defined(TWILL_ABI)
#define TWILL_ABI TWILL_CONCATENATE(abi_v, TWILL_VECTOR_BYTES, _f, TWILL_FMA, TWILL_OPENMP, TWILL_FAST_MATH)
#endif
