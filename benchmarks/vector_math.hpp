// Vectors by hand, for the loops that generated code is held against: the widest that the machine has.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstddef>

namespace bench {

#if defined(__AVX512F__)

inline constexpr size_t lanes = 16;
using vec = __m512;
inline vec splat(float v) { return _mm512_set1_ps(v); }
inline vec load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, vec v) { _mm512_storeu_ps(p, v); }
inline vec add(vec a, vec b) { return _mm512_add_ps(a, b); }
inline vec sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
inline vec mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
inline vec max(vec a, vec b) { return _mm512_max_ps(a, b); }
inline vec min(vec a, vec b) { return _mm512_min_ps(a, b); }
inline vec fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }       // a * b + c
inline vec negative_fma(vec a, vec b, vec c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a * b
inline vec round(vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline vec scale(vec p, vec k) { return _mm512_scalef_ps(p, k); }              // p * 2^k
inline float sum_of(vec v) { return _mm512_reduce_add_ps(v); }
inline float max_of(vec v) { return _mm512_reduce_max_ps(v); }
inline constexpr float exp_least = -104.f;

#elif defined(__AVX2__) && defined(__FMA__)

inline constexpr size_t lanes = 8;
using vec = __m256;
inline vec splat(float v) { return _mm256_set1_ps(v); }
inline vec load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, vec v) { _mm256_storeu_ps(p, v); }
inline vec add(vec a, vec b) { return _mm256_add_ps(a, b); }
inline vec sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
inline vec mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
inline vec max(vec a, vec b) { return _mm256_max_ps(a, b); }
inline vec min(vec a, vec b) { return _mm256_min_ps(a, b); }
inline vec fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
inline vec negative_fma(vec a, vec b, vec c) { return _mm256_fnmadd_ps(a, b, c); }
inline vec round(vec a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
// AVX2 has no scalef: the exponent is added to that of 1, so results below 2^-126 are not representable.
inline vec scale(vec p, vec k) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(p, _mm256_castsi256_ps(exponent));
}
inline float sum_of(vec v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
inline float max_of(vec v) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
inline constexpr float exp_least = -87.3f;

#else
#define BENCH_NO_HAND_LOOPS
#endif

#if !defined(BENCH_NO_HAND_LOOPS)
// About 1 ulp where the result is normal: 2^k * p(r), degree 6. NaN is not kept, infinity neither.
inline vec exp(vec x) {
  x = max(min(x, splat(88.37f)), splat(exp_least));
  const vec k = round(mul(x, splat(1.44269504088896341f)));
  vec r = negative_fma(k, splat(0.693359375f), x);
  r = negative_fma(k, splat(-2.12194440e-4f), r);
  vec p = splat(1.9875691500e-4f);
  p = fma(p, r, splat(1.3981999507e-3f));
  p = fma(p, r, splat(8.3334519073e-3f));
  p = fma(p, r, splat(4.1665795894e-2f));
  p = fma(p, r, splat(1.6666665459e-1f));
  p = fma(p, r, splat(5.0000001201e-1f));
  p = add(fma(p, mul(r, r), r), splat(1.f));
  return scale(p, k);
}
#endif

}  // namespace bench
