/* Sums to bytes, for one vector of channels. `channel` is the first one's index, a multiple of LANES. */
#ifndef TORCHNNAPI_REQUANTIZE_H
#define TORCHNNAPI_REQUANTIZE_H

#if defined(ISA_AVX512VNNI)

static inline __m512i half_even(const struct requantization *r, __m512i sum, int32_t channel) {
    __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(r->scale + channel));
    scaled = _mm512_max_ps(scaled, _mm512_set1_ps((float) (r->min - r->zero_point)));
    scaled = _mm512_min_ps(scaled, _mm512_set1_ps((float) (r->max - r->zero_point)));
    return _mm512_cvtps_epi32(scaled);
}

/*
 * floor(floor(y + 1/2) / 2^n + 1/2) is floor((y + 1/2 + 2^(n-1)) / 2^n): one addition and one shift do both roundings where
 * the first result is not negative. Where it is, the second rounds its halves down, which one less before it does. The first is
 * negative where sum * multiplier < -2^30; multipliers are at least 2^30, so for every sum < -1, and -1 but for 2^30 itself.
 */
static inline __m512i fixed_point(const struct requantization *r, __m512i sum, int32_t channel) {
    const __m512i one = _mm512_set1_epi32(1);
    __m512i m = _mm512_loadu_si512(r->multiplier + channel);
    __mmask16 exact = _mm512_cmpeq_epi32_mask(m, _mm512_set1_epi32(1 << 30));
    if (r->any_left) {
        sum = _mm512_sllv_epi32(sum, _mm512_loadu_si512(r->left + channel));
    }
    __m512i even = _mm512_add_epi64(_mm512_mul_epi32(sum, m), _mm512_loadu_si512(r->pair_round + channel));
    __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sum, 32), _mm512_srli_epi64(m, 32)),
                                   _mm512_loadu_si512(r->pair_round + channel + 8));
    if (r->min < r->zero_point) {
        __mmask16 negative = _mm512_cmplt_epi32_mask(_mm512_mask_add_epi32(sum, exact, sum, one), _mm512_setzero_si512())
            & _mm512_test_epi32_mask(_mm512_loadu_si512(r->right + channel), _mm512_set1_epi32(-1));
        __m512i less = _mm512_maskz_slli_epi32(negative, one, 31);
        even = _mm512_sub_epi64(even, _mm512_and_si512(less, _mm512_set1_epi64(0xffffffffLL)));
        odd = _mm512_sub_epi64(odd, _mm512_srli_epi64(less, 32));
    }
    even = _mm512_srav_epi64(even, _mm512_loadu_si512(r->pair_shift + channel));
    odd = _mm512_srav_epi64(odd, _mm512_loadu_si512(r->pair_shift + channel + 8));
    __m512i scaled = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
    scaled = _mm512_max_epi32(scaled, _mm512_set1_epi32(r->min - r->zero_point));
    return _mm512_min_epi32(scaled, _mm512_set1_epi32(r->max - r->zero_point));
}

static inline void store_bytes(const struct requantization *r, sums sum, int32_t channel, uint8_t *out, int32_t count) {
    __m512i scaled = r->scale ? half_even(r, sum, channel) : fixed_point(r, sum, channel);
    scaled = _mm512_add_epi32(scaled, _mm512_set1_epi32(r->zero_point));
    if (count >= LANES) {
        _mm_storeu_si128((__m128i *) out, _mm512_cvtepi32_epi8(scaled));
    } else if (count > 0) {
        _mm512_mask_cvtepi32_storeu_epi8(out, (__mmask16) ((1u << count) - 1), scaled);
    }
}

#else

static inline int32_t fixed_point(const struct requantization *r, int32_t sum, int32_t channel) {
    int64_t product = (int64_t) (int32_t) ((uint32_t) sum << r->left[channel]) * r->multiplier[channel];
    int32_t high = (int32_t) ((product + (1 << 30)) >> 31);
    int32_t right = r->right[channel];
    int32_t mask = (int32_t) ((1u << right) - 1);
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0));
}

static inline int32_t half_even(const struct requantization *r, int32_t sum, int32_t channel) {
    float scaled = (float) sum * r->scale[channel];
    float min = (float) (r->min - r->zero_point);
    float max = (float) (r->max - r->zero_point);
    scaled = scaled < min ? min : scaled;
    scaled = scaled > max ? max : scaled;
    /* Within 2^22, adding and taking away 1.5 * 2^23 rounds halves to even. */
    volatile float shifted = scaled + 12582912.0f;
    return (int32_t) (shifted - 12582912.0f);
}

static inline uint8_t to_byte(const struct requantization *r, int32_t sum, int32_t channel) {
    int32_t scaled = r->zero_point + (r->scale ? half_even(r, sum, channel) : fixed_point(r, sum, channel));
    return (uint8_t) (scaled < r->min ? r->min : scaled > r->max ? r->max : scaled);
}

static inline void store_bytes(const struct requantization *r, sums sum, int32_t channel, uint8_t *out, int32_t count) {
    int32_t lanes[LANES];
    __builtin_memcpy(lanes, &sum, sizeof lanes);
    for (int32_t i = 0; i < LANES && i < count; i++) {
        out[i] = to_byte(r, lanes[i], channel + i);
    }
}

#endif
#endif
