/*
 * Sums to bytes: nearest(float(sum) * scale), halves to even, as QNNPACK rounds.
 *
 * Where a channel's sums span less than 2^23, one instruction does. A sum that starts at FUSED_START and more is, bit
 * for bit, a float of the same value as an integer above 2^23; a product with an addend that lies between 2^23 and 2^24
 * is rounded to an integer by the addition itself. What the start's product lacks to a whole number is the offset that
 * the rule needs: fuse.c looks for such a start.
 */
#ifndef TORCHNNAPI_REQUANTIZE_H
#define TORCHNNAPI_REQUANTIZE_H

#include "structures.h"
#include "isa.h"

/* The greatest float below 2^31: what is above it would become the least integer. */
#define MOST_AS_FLOAT 2147483520.0f
/* The bits of 2^23 as a float, and of the result 0, 2^23 + 2^22: between the two and as far above all 16-bit integers
 * have a place. */
#define FUSED_START 0x4b000000
#define FUSED_RESULT 0x4b400000

#if defined(ISA_AVX512VNNI)

typedef __m512i bytes;

INLINE sums nearest(sums sum, const float *scale) {
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(scale)));
}

/* The result in the low 16 bits of each lane. */
INLINE sums fused(sums sum, const float *scale, const float *offset) {
    return _mm512_castps_si512(
            _mm512_fmadd_ps(_mm512_castsi512_ps(sum), _mm512_loadu_ps(scale), _mm512_loadu_ps(offset)));
}

INLINE sums minus(sums a, int32_t b) {
    return _mm512_sub_epi32(a, _mm512_set1_epi32(b));
}

INLINE sums bounded(sums sum, const float *scale) {
    __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(scale));
    return _mm512_cvtps_epi32(_mm512_min_ps(scaled, _mm512_set1_ps(MOST_AS_FLOAT)));
}

/* Lane i of all four to bytes 4 i + ... within their 128 bits: a's four, b's, c's, d's. */
INLINE bytes pack_within(const struct limits *l, enum rescaling rounding, sums a, sums b, sums c, sums d) {
    (void) rounding;
    __m512i low = _mm512_packs_epi32(a, b), high = _mm512_packs_epi32(c, d);
    if (!l->needed) {
        return _mm512_packus_epi16(low, high);
    }
    __m512i addend = _mm512_loadu_si512(l->addend);
    __m512i packed = _mm512_packus_epi16(_mm512_adds_epi16(low, addend), _mm512_adds_epi16(high, addend));
    packed = _mm512_min_epu8(_mm512_max_epu8(packed, _mm512_loadu_si512(l->least)), _mm512_loadu_si512(l->most));
    return _mm512_xor_si512(packed, _mm512_loadu_si512(l->flip));
}

INLINE bytes pack(const struct limits *l, enum rescaling rounding, sums a, sums b, sums c, sums d) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, pack_within(l, rounding, a, b, c, d));
}

/* Part p of what was packed, `vectors` vectors wide, of which `left` bytes are wanted. */
INLINE void store_part(bytes packed, int p, int vectors, uint8_t *out, int32_t left) {
    if (vectors == 2) {
        __m256i part = p == 0 ? _mm512_castsi512_si256(packed) : _mm512_extracti64x4_epi64(packed, 1);
        if (left >= 32) {
            _mm256_storeu_si256((__m256i *) out, part);
        } else {
            _mm256_mask_storeu_epi8(out, (1u << left) - 1, part);
        }
        return;
    }
    __m128i part = p == 0 ? _mm512_castsi512_si128(packed)
            : p == 1      ? _mm512_extracti32x4_epi32(packed, 1)
            : p == 2      ? _mm512_extracti32x4_epi32(packed, 2)
                          : _mm512_extracti32x4_epi32(packed, 3);
    if (left >= 16) {
        _mm_storeu_si128((__m128i *) out, part);
    } else {
        _mm_mask_storeu_epi8(out, (__mmask16) ((1u << left) - 1), part);
    }
}

#else

/* The first `count` of 16 bytes, without a library's copy. */
INLINE void store_some(const uint8_t *from, uint8_t *out, int32_t count) {
    if (count & 8) {
        __builtin_memcpy(out, from, 8), out += 8, from += 8;
    }
    if (count & 4) {
        __builtin_memcpy(out, from, 4), out += 4, from += 4;
    }
    if (count & 2) {
        __builtin_memcpy(out, from, 2), out += 2, from += 2;
    }
    if (count & 1) {
        *out = *from;
    }
}

#if defined(HAS_AVX2)

typedef __m256i bytes;

INLINE sums nearest(sums sum, const float *scale) {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(scale)));
}

INLINE sums fused(sums sum, const float *scale, const float *offset) {
    return _mm256_castps_si256(
            _mm256_fmadd_ps(_mm256_castsi256_ps(sum), _mm256_loadu_ps(scale), _mm256_loadu_ps(offset)));
}

INLINE sums minus(sums a, int32_t b) {
    return _mm256_sub_epi32(a, _mm256_set1_epi32(b));
}

INLINE sums bounded(sums sum, const float *scale) {
    __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(scale));
    return _mm256_cvtps_epi32(_mm256_min_ps(scaled, _mm256_set1_ps(MOST_AS_FLOAT)));
}

INLINE __m256i limit_of(const void *limit) {
    return _mm256_loadu_si256((const __m256i *) limit);
}

INLINE bytes pack(const struct limits *l, enum rescaling rounding, sums a, sums b, sums c, sums d) {
    (void) rounding;
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_packs_epi32(a, b), high = _mm256_packs_epi32(c, d);
    if (!l->needed) {
        return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    }
    __m256i packed = _mm256_packus_epi16(
            _mm256_adds_epi16(low, limit_of(l->addend)), _mm256_adds_epi16(high, limit_of(l->addend)));
    packed = _mm256_min_epu8(_mm256_max_epu8(packed, limit_of(l->least)), limit_of(l->most));
    return _mm256_permutevar8x32_epi32(_mm256_xor_si256(packed, limit_of(l->flip)), order);
}

INLINE void store_part(bytes packed, int p, int vectors, uint8_t *out, int32_t left) {
    (void) vectors;
    __m128i part = p == 0 ? _mm256_castsi256_si128(packed) : _mm256_extracti128_si256(packed, 1);
    if (left >= 16) {
        _mm_storeu_si128((__m128i *) out, part);
    } else {
        uint8_t copy[16];
        _mm_storeu_si128((__m128i *) copy, part);
        store_some(copy, out, left);
    }
}

#elif defined(ISA_SSE41)

typedef __m128i bytes;

INLINE sums nearest(sums sum, const float *scale) {
    return _mm_cvtps_epi32(_mm_cvtepi32_ps(sum) * _mm_loadu_ps(scale));
}

INLINE sums bounded(sums sum, const float *scale) {
    __m128 scaled = _mm_cvtepi32_ps(sum) * _mm_loadu_ps(scale);
    return _mm_cvtps_epi32(_mm_min_ps(scaled, _mm_set1_ps(MOST_AS_FLOAT)));
}

INLINE __m128i limit_of(const void *limit) {
    return _mm_loadu_si128((const __m128i *) limit);
}

INLINE bytes pack(const struct limits *l, enum rescaling rounding, sums a, sums b, sums c, sums d) {
    (void) rounding;
    __m128i low = _mm_packs_epi32(a, b), high = _mm_packs_epi32(c, d);
    if (!l->needed) {
        return _mm_packus_epi16(low, high);
    }
    __m128i packed =
            _mm_packus_epi16(_mm_adds_epi16(low, limit_of(l->addend)), _mm_adds_epi16(high, limit_of(l->addend)));
    packed = _mm_min_epu8(_mm_max_epu8(packed, limit_of(l->least)), limit_of(l->most));
    return _mm_xor_si128(packed, limit_of(l->flip));
}

INLINE void store_part(bytes packed, int p, int vectors, uint8_t *out, int32_t left) {
    const int width = vectors * LANES;
    uint8_t copy[16];
    if (left >= width && width == 16) {
        _mm_storeu_si128((__m128i *) out, packed);
    } else if (left >= width) {
        _mm_storel_epi64((__m128i *) out, p == 0 ? packed : _mm_unpackhi_epi64(packed, packed));
    } else {
        _mm_storeu_si128((__m128i *) copy, packed);
        store_some(copy + p * width, out, left);
    }
}

#else

typedef uint8x16_t bytes;

INLINE sums nearest(sums sum, const float *scale) {
    return vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sum), vld1q_f32(scale)));
}

INLINE sums fused(sums sum, const float *scale, const float *offset) {
    return vreinterpretq_s32_f32(vfmaq_f32(vld1q_f32(offset), vreinterpretq_f32_s32(sum), vld1q_f32(scale)));
}

INLINE sums minus(sums a, int32_t b) {
    return vsubq_s32(a, vdupq_n_s32(b));
}

/* Conversions saturate here. */
INLINE sums bounded(sums sum, const float *scale) {
    return nearest(sum, scale);
}

/* Results of 16 bits. Those of a multiply-add are the low ones: fuse.c finds none for sums whose results are larger. */
INLINE int16x8_t narrow(enum rescaling rounding, sums a, sums b) {
    return rounding == RESCALING_FUSED ? vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b))
                                       : vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
}

INLINE bytes pack(const struct limits *l, enum rescaling rounding, sums a, sums b, sums c, sums d) {
    int16x8_t low = narrow(rounding, a, b), high = narrow(rounding, c, d);
    if (!l->needed) {
        return vcombine_u8(vqmovun_s16(low), vqmovun_s16(high));
    }
    int16x8_t addend = vld1q_s16(l->addend);
    uint8x16_t packed = vcombine_u8(vqmovun_s16(vqaddq_s16(low, addend)), vqmovun_s16(vqaddq_s16(high, addend)));
    packed = vminq_u8(vmaxq_u8(packed, vld1q_u8(l->least)), vld1q_u8(l->most));
    return veorq_u8(packed, vld1q_u8(l->flip));
}

INLINE void store_part(bytes packed, int p, int vectors, uint8_t *out, int32_t left) {
    (void) p;
    (void) vectors;
    if (left >= 16) {
        vst1q_u8(out, packed);
    } else {
        uint8_t copy[16];
        vst1q_u8(copy, packed);
        store_some(copy, out, left);
    }
}

#endif
#endif

/* One vector of sums of the channels from `channel` on, rounded, for `pack`; `rounding` is the rule's, known to the
 * compiler. */
INLINE sums rescaled(const struct requantization *r, enum rescaling rounding, int32_t channel, sums sum) {
    const float *scale = r->scale + channel;
#if defined(__aarch64__) || defined(__arm__)
    if (rounding == RESCALING_FUSED) {
        return fused(sum, scale, r->offset + channel);
    }
#elif !defined(ROUNDS_TWICE)
    if (rounding == RESCALING_FUSED) {
        return minus(fused(sum, scale, r->offset + channel), FUSED_RESULT);
    }
#endif
    return rounding == RESCALING_NEAREST ? nearest(sum, scale) : bounded(sum, scale);
}

#endif
