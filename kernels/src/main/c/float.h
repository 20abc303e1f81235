/*
 * Float kernels: what the Java side and every instruction set share.
 *
 * An image lies as [ceil(C / block)][height][width][block]; offsets and steps count
 * floats.
 */
#ifndef TORCHNNAPI_FLOAT_H
#define TORCHNNAPI_FLOAT_H

#include "calls.h"
#include "unary.h"

/* A vector has as many lanes as the blocked layout; a panel of weights is up to FLOAT_VECTORS of them, a tile up to
 * FLOAT_PIXELS pixels. */
#if defined(ISA_AVX512VNNI)
#define FLOAT_LANES 16
#define FLOAT_VECTORS 2
#define FLOAT_PIXELS 14
typedef __m512 vec;
INLINE vec vec_load(const float *p) {
    return _mm512_loadu_ps(p);
}
INLINE void vec_store(float *p, vec v) {
    _mm512_storeu_ps(p, v);
}
INLINE vec vec_all(float x) {
    return _mm512_set1_ps(x);
}
INLINE vec vec_add(vec a, vec b) {
    return _mm512_add_ps(a, b);
}
INLINE vec vec_sub(vec a, vec b) {
    return _mm512_sub_ps(a, b);
}
INLINE vec vec_mul(vec a, vec b) {
    return _mm512_mul_ps(a, b);
}
INLINE vec vec_fma(vec sum, vec a, vec b) {
    return _mm512_fmadd_ps(a, b, sum);
}
/* sum - a * b */
INLINE vec vec_fnma(vec sum, vec a, vec b) {
    return _mm512_fnmadd_ps(a, b, sum);
}
/* x86 returns the second operand where one is a NaN, so NaNs stay. */
INLINE vec vec_limit(vec v, vec min, vec max) {
    return _mm512_min_ps(max, _mm512_max_ps(min, v));
}

#elif defined(HAS_AVX2)
#define FLOAT_LANES 8
#define FLOAT_VECTORS 2
#define FLOAT_PIXELS 6
typedef __m256 vec;
INLINE vec vec_load(const float *p) {
    return _mm256_loadu_ps(p);
}
INLINE void vec_store(float *p, vec v) {
    _mm256_storeu_ps(p, v);
}
INLINE vec vec_all(float x) {
    return _mm256_set1_ps(x);
}
INLINE vec vec_add(vec a, vec b) {
    return _mm256_add_ps(a, b);
}
INLINE vec vec_sub(vec a, vec b) {
    return _mm256_sub_ps(a, b);
}
INLINE vec vec_mul(vec a, vec b) {
    return _mm256_mul_ps(a, b);
}
INLINE vec vec_fma(vec sum, vec a, vec b) {
    return _mm256_fmadd_ps(a, b, sum);
}
INLINE vec vec_fnma(vec sum, vec a, vec b) {
    return _mm256_fnmadd_ps(a, b, sum);
}
INLINE vec vec_limit(vec v, vec min, vec max) {
    return _mm256_min_ps(max, _mm256_max_ps(min, v));
}

#else
#define FLOAT_LANES 8
#define FLOAT_VECTORS 1
#if defined(ISA_SSE41)
#define FLOAT_PIXELS 6
typedef __m128 half_vec;
#define HALF_LOAD _mm_loadu_ps
#define HALF_STORE _mm_storeu_ps
#define HALF_ALL _mm_set1_ps
#define HALF_FMA(sum, a, b) ((sum) + (a) * (b))
#define HALF_FNMA(sum, a, b) ((sum) - (a) * (b))
#define HALF_LIMIT(v, min, max) _mm_min_ps(max, _mm_max_ps(min, v))
#else
#if defined(__arm__)
#define FLOAT_PIXELS 6
#else
#define FLOAT_PIXELS 8
#endif
typedef float32x4_t half_vec;
#define HALF_LOAD vld1q_f32
#define HALF_STORE vst1q_f32
#define HALF_ALL vdupq_n_f32
#if defined(__arm__)
/* In its place: compilers that load ahead would have no registers left for sums. */
INLINE half_vec half_fma(half_vec sum, half_vec a, half_vec b) {
    sum = vfmaq_f32(sum, a, b);
    __asm__ volatile("" : "+w"(sum));
    return sum;
}
#define HALF_FMA half_fma
#else
#define HALF_FMA vfmaq_f32
#endif
#define HALF_FNMA vfmsq_f32
#define HALF_LIMIT(v, min, max) vminq_f32(max, vmaxq_f32(min, v))
#endif
typedef struct {
    half_vec low, high;
} vec;
INLINE vec vec_load(const float *p) {
    return (vec) {HALF_LOAD(p), HALF_LOAD(p + 4)};
}
INLINE void vec_store(float *p, vec v) {
    HALF_STORE(p, v.low), HALF_STORE(p + 4, v.high);
}
INLINE vec vec_all(float x) {
    return (vec) {HALF_ALL(x), HALF_ALL(x)};
}
INLINE vec vec_add(vec a, vec b) {
    return (vec) {a.low + b.low, a.high + b.high};
}
INLINE vec vec_sub(vec a, vec b) {
    return (vec) {a.low - b.low, a.high - b.high};
}
INLINE vec vec_mul(vec a, vec b) {
    return (vec) {a.low * b.low, a.high * b.high};
}
INLINE vec vec_fma(vec sum, vec a, vec b) {
    return (vec) {HALF_FMA(sum.low, a.low, b.low), HALF_FMA(sum.high, a.high, b.high)};
}
INLINE vec vec_fnma(vec sum, vec a, vec b) {
    return (vec) {HALF_FNMA(sum.low, a.low, b.low), HALF_FNMA(sum.high, a.high, b.high)};
}
INLINE vec vec_limit(vec v, vec min, vec max) {
    return (vec) {HALF_LIMIT(v.low, min.low, max.low), HALF_LIMIT(v.high, min.high, max.high)};
}
#endif

/* x * relu6(x + 3) / 6, rounded as Activation does in Java. */
INLINE vec vec_hard_swish(vec x) {
    return vec_mul(x, vec_mul(vec_limit(vec_add(x, vec_all(3)), vec_all(0), vec_all(6)), vec_all(1.0f / 6)));
}

INLINE int float_is_hard_swish(const struct float_activation *a) {
    return a->function == 1 + UNARY_HARD_SWISH;
}

/* Whether sums are stored as they are and activated there, in the first cache: loops of products have no registers for
 * what most functions need. */
INLINE int float_is_later(const struct float_activation *a) {
    return a->function != 0 && !float_is_hard_swish(a);
}

/* Activates stored sums. */
INLINE void float_activate_later(const struct float_activation *a, float *sums, int32_t n) {
    NAME(unary_run)((enum unary)(a->function - 1), sums, sums, n);
    if (a->min > -__builtin_inff() || a->max < __builtin_inff()) {
        NAME(clamp_run)(sums, sums, n, a->min, a->max);
    }
}

#define FLOAT_NO_ACTIVATION ((struct float_activation) {-__builtin_inff(), __builtin_inff(), 0})

/* As the vector instructions do it, for sums that do not lie as vectors; not of what is activated later. */
INLINE float float_activate(const struct float_activation *a, float x) {
    if (float_is_hard_swish(a)) {
        float gate = x + 3;
        gate = gate < 0 ? 0 : gate;
        x *= (gate > 6 ? 6 : gate) * (1.0f / 6);
    }
    x = x < a->min ? a->min : x;
    return x > a->max ? a->max : x;
}

#define FLOAT_PANEL (FLOAT_LANES * FLOAT_VECTORS)

#endif
