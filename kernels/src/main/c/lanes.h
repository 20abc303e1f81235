/*
 * Vectors of LANES floats or 32-bit integers, and of as many bytes, for kernels that are written once for every
 * instruction set. Arithmetic, comparisons (-1 or 0 a lane) and conversions are the compiler's vector extensions; here
 * is what those lack. A count below LANES touches only the first lanes of memory.
 */
#ifndef TORCHNNAPI_LANES_H
#define TORCHNNAPI_LANES_H

#include <stdint.h>
#include "isa.h"

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));
typedef int8_t signed_bytes __attribute__((vector_size(LANES)));

#if LANES == 16
#define LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN_LANES(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define LANE(n, i) (((n) + (i)) % 16)
#define TURNED(x, n) \
    __builtin_shufflevector(x, x, LANE(n, 0), LANE(n, 1), LANE(n, 2), LANE(n, 3), LANE(n, 4), LANE(n, 5), LANE(n, 6), \
            LANE(n, 7), LANE(n, 8), LANE(n, 9), LANE(n, 10), LANE(n, 11), LANE(n, 12), LANE(n, 13), LANE(n, 14), \
            LANE(n, 15))
#elif LANES == 8
#define LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define EVEN_LANES(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define LANE(n, i) (((n) + (i)) % 8)
#define TURNED(x, n) \
    __builtin_shufflevector( \
            x, x, LANE(n, 0), LANE(n, 1), LANE(n, 2), LANE(n, 3), LANE(n, 4), LANE(n, 5), LANE(n, 6), LANE(n, 7))
#else
#define LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define EVEN_LANES(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define LANE(n, i) (((n) + (i)) % 4)
#define TURNED(x, n) __builtin_shufflevector(x, x, LANE(n, 0), LANE(n, 1), LANE(n, 2), LANE(n, 3))
#endif

/* Less zero, not plus it: that is x for -0 too, so that no instruction computes it and x comes from memory in all lanes
 * at once. */
INLINE floats all_floats(float x) {
    return x - (floats) {0};
}

INLINE ints all_ints(int32_t x) {
    return (ints) {0} + x;
}

/* x where the mask is set, else y. */
INLINE floats choose(ints mask, floats x, floats y) {
    return (floats) ((mask & (ints) x) | (~mask & (ints) y));
}

INLINE ints choose_ints(ints mask, ints x, ints y) {
    return (mask & x) | (~mask & y);
}

#if defined(ISA_AVX512VNNI)

INLINE floats load_floats(const float *p, int32_t count) {
    return count >= LANES ? (floats) _mm512_loadu_ps(p)
                          : (floats) _mm512_maskz_loadu_ps((__mmask16) ((1u << count) - 1), p);
}

INLINE void store_floats(float *p, floats x, int32_t count) {
    if (count >= LANES) {
        _mm512_storeu_ps(p, (__m512) x);
    } else {
        _mm512_mask_storeu_ps(p, (__mmask16) ((1u << count) - 1), (__m512) x);
    }
}

INLINE bytes load_bytes(const uint8_t *p, int32_t count) {
    return (bytes) (count >= LANES ? _mm_loadu_si128((const __m128i *) p)
                                   : _mm_maskz_loadu_epi8((__mmask16) ((1u << count) - 1), p));
}

INLINE void store_some_bytes(uint8_t *p, bytes x, int32_t count) {
    if (count >= LANES) {
        _mm_storeu_si128((__m128i *) p, (__m128i) x);
    } else {
        _mm_mask_storeu_epi8(p, (__mmask16) ((1u << count) - 1), (__m128i) x);
    }
}

/* The larger; x, so also a NaN of it, unless it is below. */
INLINE floats at_least(floats x, floats limit) {
    return (floats) _mm512_max_ps((__m512) limit, (__m512) x);
}
INLINE floats at_most(floats x, floats limit) {
    return (floats) _mm512_min_ps((__m512) limit, (__m512) x);
}
INLINE ints larger_ints(ints x, ints y) {
    return (ints) _mm512_max_epi32((__m512i) x, (__m512i) y);
}
INLINE ints smaller_ints(ints x, ints y) {
    return (ints) _mm512_min_epi32((__m512i) x, (__m512i) y);
}
INLINE floats multiply_add(floats x, floats y, floats z) {
    return (floats) _mm512_fmadd_ps((__m512) x, (__m512) y, (__m512) z);
}
INLINE floats square_root(floats x) {
    return (floats) _mm512_sqrt_ps((__m512) x);
}
/* To nearest, halves to even; for |x| < 2^31. */
INLINE ints nearest_ints(floats x) {
    return (ints) _mm512_cvtps_epi32((__m512) x);
}
INLINE int any(ints mask) {
    return _mm512_movepi32_mask((__m512i) mask) != 0;
}

#elif defined(HAS_AVX2)

INLINE __m256i first_lanes(int32_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINE floats load_floats(const float *p, int32_t count) {
    return (floats) (count >= LANES ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first_lanes(count)));
}

INLINE void store_floats(float *p, floats x, int32_t count) {
    if (count >= LANES) {
        _mm256_storeu_ps(p, (__m256) x);
    } else {
        _mm256_maskstore_ps(p, first_lanes(count), (__m256) x);
    }
}

INLINE floats at_least(floats x, floats limit) {
    return (floats) _mm256_max_ps((__m256) limit, (__m256) x);
}
INLINE floats at_most(floats x, floats limit) {
    return (floats) _mm256_min_ps((__m256) limit, (__m256) x);
}
INLINE ints larger_ints(ints x, ints y) {
    return (ints) _mm256_max_epi32((__m256i) x, (__m256i) y);
}
INLINE ints smaller_ints(ints x, ints y) {
    return (ints) _mm256_min_epi32((__m256i) x, (__m256i) y);
}
INLINE floats multiply_add(floats x, floats y, floats z) {
    return (floats) _mm256_fmadd_ps((__m256) x, (__m256) y, (__m256) z);
}
INLINE floats square_root(floats x) {
    return (floats) _mm256_sqrt_ps((__m256) x);
}
INLINE ints nearest_ints(floats x) {
    return (ints) _mm256_cvtps_epi32((__m256) x);
}
INLINE int any(ints mask) {
    return _mm256_movemask_ps((__m256) mask) != 0;
}

#else

INLINE floats load_floats(const float *p, int32_t count) {
    floats x = {0};
    if (count >= LANES) {
        __builtin_memcpy(&x, p, sizeof x);
        return x;
    }
    for (int32_t i = 0; i < LANES - 1; i++) {
        x[i] = i < count ? p[i] : 0;
    }
    return x;
}

INLINE void store_floats(float *p, floats x, int32_t count) {
    if (count >= LANES) {
        __builtin_memcpy(p, &x, sizeof x);
        return;
    }
    for (int32_t i = 0; i < LANES - 1; i++) {
        if (i < count) {
            p[i] = x[i];
        }
    }
}

#if defined(ISA_SSE41)

INLINE floats at_least(floats x, floats limit) {
    return (floats) _mm_max_ps((__m128) limit, (__m128) x);
}
INLINE floats at_most(floats x, floats limit) {
    return (floats) _mm_min_ps((__m128) limit, (__m128) x);
}
INLINE ints larger_ints(ints x, ints y) {
    return (ints) _mm_max_epi32((__m128i) x, (__m128i) y);
}
INLINE ints smaller_ints(ints x, ints y) {
    return (ints) _mm_min_epi32((__m128i) x, (__m128i) y);
}
INLINE floats multiply_add(floats x, floats y, floats z) {
    return x * y + z;
}
INLINE floats square_root(floats x) {
    return (floats) _mm_sqrt_ps((__m128) x);
}
INLINE ints nearest_ints(floats x) {
    return (ints) _mm_cvtps_epi32((__m128) x);
}
INLINE int any(ints mask) {
    return _mm_movemask_ps((__m128) mask) != 0;
}

#else

INLINE floats at_least(floats x, floats limit) {
    return (floats) vmaxq_f32((float32x4_t) limit, (float32x4_t) x);
}
INLINE floats at_most(floats x, floats limit) {
    return (floats) vminq_f32((float32x4_t) limit, (float32x4_t) x);
}
INLINE ints larger_ints(ints x, ints y) {
    return (ints) vmaxq_s32((int32x4_t) x, (int32x4_t) y);
}
INLINE ints smaller_ints(ints x, ints y) {
    return (ints) vminq_s32((int32x4_t) x, (int32x4_t) y);
}
INLINE floats multiply_add(floats x, floats y, floats z) {
    return (floats) vfmaq_f32((float32x4_t) z, (float32x4_t) x, (float32x4_t) y);
}
INLINE floats square_root(floats x) {
    return (floats) vsqrtq_f32((float32x4_t) x);
}
INLINE ints nearest_ints(floats x) {
    return (ints) vcvtnq_s32_f32((float32x4_t) x);
}
INLINE int any(ints mask) {
    return vmaxvq_u32((uint32x4_t) mask) != 0;
}

#endif

#endif

#if defined(ROUNDS_TWICE)

typedef double doubles __attribute__((vector_size(8 * LANES)));

/* x * y + z where x * y is nearly -z, so that what rounding the product would take away is the result. */
INLINE floats close_difference(floats x, floats y, floats z) {
    doubles product = __builtin_convertvector(x, doubles) * __builtin_convertvector(y, doubles);
    return __builtin_convertvector(product + __builtin_convertvector(z, doubles), floats);
}

/* x * y + z where a result is defined as rounded once. The product is exact, and the sum rounded to odd: then rounding
 * again is as if it were the only time (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
 * algorithms using rounding to odd", 2008). */
INLINE floats fused_multiply_add(floats x, floats y, floats z) {
    typedef int64_t longs __attribute__((vector_size(8 * LANES)));
    doubles product = __builtin_convertvector(x, doubles) * __builtin_convertvector(y, doubles);
    doubles addend = __builtin_convertvector(z, doubles);
    doubles sum = product + addend, part = sum - product;
    doubles lost = (product - (sum - part)) + (addend - part);
    longs even = ((longs) sum & 1) - 1, lost_some = (lost > 0) | (lost < 0), away = (lost > 0) ^ (sum < 0);
    /* One unit towards what was lost: away is -1 where that is away from 0, else 0. */
    sum = (doubles) ((longs) sum + (even & lost_some & (-1 - 2 * away)));
    return __builtin_convertvector(sum, floats);
}
INLINE float fused_scalar(float x, float y, float z) {
    return fused_multiply_add(all_floats(x), all_floats(y), all_floats(z))[0];
}

#else

#define close_difference multiply_add
#define fused_multiply_add multiply_add
#define fused_scalar __builtin_fmaf

#endif

/* Loads the first `count` bytes of a vector, with zeros behind them, and stores them. */
#define BYTE_VECTOR(vector, size, load, store) \
    INLINE vector load(const uint8_t *p, int32_t count) { \
        vector x = {0}; \
        if (count >= (size)) { \
            __builtin_memcpy(&x, p, size); \
            return x; \
        } \
        for (int32_t i = 0; i < (size) - 1; i++) { \
            x[i] = i < count ? p[i] : 0; \
        } \
        return x; \
    } \
    INLINE void store(uint8_t *p, vector x, int32_t count) { \
        if (count >= (size)) { \
            __builtin_memcpy(p, &x, size); \
            return; \
        } \
        for (int32_t i = 0; i < (size) - 1; i++) { \
            if (i < count) { \
                p[i] = x[i]; \
            } \
        } \
    }

#if !defined(ISA_AVX512VNNI)

BYTE_VECTOR(bytes, LANES, load_bytes, store_some_bytes)

#endif

/* What bytes of either sign stand for. */
INLINE ints widen(bytes x, int is_signed) {
    return is_signed ? __builtin_convertvector((signed_bytes) x, ints) : __builtin_convertvector(x, ints);
}

/* The low byte of each lane. */
INLINE bytes narrow(ints x) {
    return __builtin_convertvector(x, bytes);
}

INLINE floats limit_floats(floats x, floats low, floats high) {
    return at_most(at_least(x, low), high);
}

INLINE float largest_lane(floats x) {
    float largest = x[0];
    for (int32_t i = 1; i < LANES; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    return largest;
}

/* By halves, since each addition of the next lane would wait for the last. */
INLINE float sum_of_lanes(floats x) {
#if LANES == 16
    x += TURNED(x, 8);
#endif
#if LANES >= 8
    x += TURNED(x, 4);
#endif
    x += TURNED(x, 2);
    x += TURNED(x, 1);
    return x[0];
}

/* The first lanes of x, and the others of `otherwise`. */
INLINE floats keep_first(floats x, int32_t count, floats otherwise) {
#if LANES == 16
    const ints place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif LANES == 8
    const ints place = {0, 1, 2, 3, 4, 5, 6, 7};
#else
    const ints place = {0, 1, 2, 3};
#endif
    return choose(place < count, x, otherwise);
}

#endif
