/*
 * Float kernels: what the Java side and every instruction set share.
 *
 * Freestanding, as int8.h says. An image lies as [ceil(C / block)][height][width][block]; offsets and steps count floats.
 */
#ifndef TORCHNNAPI_FLOAT_H
#define TORCHNNAPI_FLOAT_H

#include <stdint.h>
#include "isa.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* A vector has as many lanes as the blocked layout; a panel of weights is up to FLOAT_VECTORS of them, a tile up to FLOAT_PIXELS pixels. */
#if defined(ISA_AVX512VNNI)
#define FLOAT_LANES 16
#define FLOAT_VECTORS 2
#define FLOAT_PIXELS 14
typedef __m512 vec;
INLINE vec vec_load(const float *p) { return _mm512_loadu_ps(p); }
INLINE void vec_store(float *p, vec v) { _mm512_storeu_ps(p, v); }
INLINE vec vec_all(float x) { return _mm512_set1_ps(x); }
INLINE vec vec_add(vec a, vec b) { return _mm512_add_ps(a, b); }
INLINE vec vec_sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
INLINE vec vec_mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
INLINE vec vec_fma(vec sum, vec a, vec b) { return _mm512_fmadd_ps(a, b, sum); }
/* sum - a * b */
INLINE vec vec_fnma(vec sum, vec a, vec b) { return _mm512_fnmadd_ps(a, b, sum); }
/* x86 returns the second operand where one is a NaN, so NaNs stay. */
INLINE vec vec_limit(vec v, vec min, vec max) { return _mm512_min_ps(max, _mm512_max_ps(min, v)); }

#elif defined(ISA_AVX2)
#define FLOAT_LANES 8
#define FLOAT_VECTORS 2
#define FLOAT_PIXELS 6
typedef __m256 vec;
INLINE vec vec_load(const float *p) { return _mm256_loadu_ps(p); }
INLINE void vec_store(float *p, vec v) { _mm256_storeu_ps(p, v); }
INLINE vec vec_all(float x) { return _mm256_set1_ps(x); }
INLINE vec vec_add(vec a, vec b) { return _mm256_add_ps(a, b); }
INLINE vec vec_sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
INLINE vec vec_mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
INLINE vec vec_fma(vec sum, vec a, vec b) { return _mm256_fmadd_ps(a, b, sum); }
INLINE vec vec_fnma(vec sum, vec a, vec b) { return _mm256_fnmadd_ps(a, b, sum); }
INLINE vec vec_limit(vec v, vec min, vec max) { return _mm256_min_ps(max, _mm256_max_ps(min, v)); }

#else
#define FLOAT_LANES 8
#define FLOAT_VECTORS 1
#define FLOAT_PIXELS 8
typedef struct { float32x4_t low, high; } vec;
INLINE vec vec_load(const float *p) { return (vec) {vld1q_f32(p), vld1q_f32(p + 4)}; }
INLINE void vec_store(float *p, vec v) { vst1q_f32(p, v.low), vst1q_f32(p + 4, v.high); }
INLINE vec vec_all(float x) { return (vec) {vdupq_n_f32(x), vdupq_n_f32(x)}; }
INLINE vec vec_add(vec a, vec b) { return (vec) {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)}; }
INLINE vec vec_sub(vec a, vec b) { return (vec) {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)}; }
INLINE vec vec_mul(vec a, vec b) { return (vec) {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)}; }
INLINE vec vec_fma(vec sum, vec a, vec b) { return (vec) {vfmaq_f32(sum.low, a.low, b.low), vfmaq_f32(sum.high, a.high, b.high)}; }
INLINE vec vec_fnma(vec sum, vec a, vec b) { return (vec) {vfmsq_f32(sum.low, a.low, b.low), vfmsq_f32(sum.high, a.high, b.high)}; }
INLINE vec vec_limit(vec v, vec min, vec max) {
    return (vec) {vminq_f32(max.low, vmaxq_f32(min.low, v.low)), vminq_f32(max.high, vmaxq_f32(min.high, v.high))};
}
#endif

/* x * relu6(x + 3) / 6, rounded as Activation does in Java. */
INLINE vec vec_hard_swish(vec x) {
    return vec_mul(x, vec_mul(vec_limit(vec_add(x, vec_all(3)), vec_all(0), vec_all(6)), vec_all(1.0f / 6)));
}

/* What becomes of a sum before it is stored. */
struct float_activation {
    float min, max;            /* limits */
    int32_t hard_swish;        /* whether it comes first */
};

#define FLOAT_NO_ACTIVATION ((struct float_activation) {-__builtin_inff(), __builtin_inff(), 0})

/* As the vector instructions do it, for sums that do not lie as vectors. */
INLINE float float_activate(const struct float_activation *a, float x) {
    if (a->hard_swish) {
        float gate = x + 3;
        gate = gate < 0 ? 0 : gate;
        x *= (gate > 6 ? 6 : gate) * (1.0f / 6);
    }
    x = x < a->min ? a->min : x;
    return x > a->max ? a->max : x;
}

#define FLOAT_PANEL (FLOAT_LANES * FLOAT_VECTORS)

#endif
