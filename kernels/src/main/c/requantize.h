/* Sums to bytes, for one vector of channels: rule_of its first channel, a multiple of LANES, then store_bytes for every pixel. */
#ifndef TORCHNNAPI_REQUANTIZE_H
#define TORCHNNAPI_REQUANTIZE_H

#if defined(ISA_AVX512VNNI)

/* What one vector of channels needs, read once: stores of bytes might change anything that is read from memory after them. */
struct channel_rule {
    __m512 scale;
    __m512i multiplier, left, even_round, odd_round, even_shift, odd_shift;
    __m512i zero_point, min, max;
    __mmask16 exact, rounds_twice;
    int32_t half_even, any_left, negatives;
};

static inline struct channel_rule rule_of(const struct requantization *r, int32_t channel) {
    struct channel_rule c;
    c.half_even = r->scale != 0;
    c.any_left = r->any_left;
    c.negatives = r->min < r->zero_point;
    c.zero_point = _mm512_set1_epi32(r->zero_point);
    c.min = _mm512_set1_epi32(r->min - r->zero_point);
    c.max = _mm512_set1_epi32(r->max - r->zero_point);
    if (c.half_even) {
        c.scale = _mm512_loadu_ps(r->scale + channel);
        return c;
    }
    c.multiplier = _mm512_loadu_si512(r->multiplier + channel);
    c.left = _mm512_loadu_si512(r->left + channel);
    c.even_round = _mm512_loadu_si512(r->pair_round + channel);
    c.odd_round = _mm512_loadu_si512(r->pair_round + channel + 8);
    c.even_shift = _mm512_loadu_si512(r->pair_shift + channel);
    c.odd_shift = _mm512_loadu_si512(r->pair_shift + channel + 8);
    c.exact = _mm512_cmpeq_epi32_mask(c.multiplier, _mm512_set1_epi32(1 << 30));
    __m512i right = _mm512_loadu_si512(r->right + channel);
    c.rounds_twice = _mm512_test_epi32_mask(right, right);
    return c;
}

static inline __m512i half_even(const struct channel_rule *c, __m512i sum) {
    __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), c->scale);
    /* The limits before the rounding: they are integers, so the result is the same, and no conversion overflows. */
    scaled = _mm512_max_ps(scaled, _mm512_cvtepi32_ps(c->min));
    scaled = _mm512_min_ps(scaled, _mm512_cvtepi32_ps(c->max));
    return _mm512_cvtps_epi32(scaled);
}

/*
 * floor(floor(y + 1/2) / 2^n + 1/2) is floor((y + 1/2 + 2^(n-1)) / 2^n): one addition and one shift do both roundings where
 * the first result is not negative. Where it is, the second rounds its halves down, which one less before it does. The first is
 * negative where sum * multiplier < -2^30; multipliers are at least 2^30, so for every sum < -1, and -1 but for 2^30 itself.
 * Where nothing below the zero point is kept, negative results do not matter.
 */
static inline __m512i fixed_point(const struct channel_rule *c, __m512i sum) {
    if (c->any_left) {
        sum = _mm512_sllv_epi32(sum, c->left);
    }
    __m512i even = _mm512_add_epi64(_mm512_mul_epi32(sum, c->multiplier), c->even_round);
    __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sum, 32), _mm512_srli_epi64(c->multiplier, 32)), c->odd_round);
    if (c->negatives) {
        const __m512i one = _mm512_set1_epi32(1);
        __m512i raised = _mm512_mask_add_epi32(sum, c->exact, sum, one);
        __m512i less = _mm512_maskz_slli_epi32(_mm512_movepi32_mask(raised) & c->rounds_twice, one, 31);
        even = _mm512_sub_epi64(even, _mm512_maskz_mov_epi32(0x5555, less));
        odd = _mm512_sub_epi64(odd, _mm512_srli_epi64(less, 32));
    }
    even = _mm512_srav_epi64(even, c->even_shift);
    odd = _mm512_srav_epi64(odd, c->odd_shift);
    __m512i scaled = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
    return _mm512_min_epi32(_mm512_max_epi32(scaled, c->min), c->max);
}

/* Within [min, max] less the zero point. */
static inline __m512i scaled(const struct channel_rule *c, __m512i sum) {
    return c->half_even ? half_even(c, sum) : fixed_point(c, sum);
}

static inline void store_bytes(const struct channel_rule *c, sums sum, uint8_t *out, int32_t count) {
    __m512i bytes = _mm512_add_epi32(scaled(c, sum), c->zero_point);
    if (count >= LANES) {
        _mm_storeu_si128((__m128i *) out, _mm512_cvtepi32_epi8(bytes));
    } else if (count > 0) {
        _mm512_mask_cvtepi32_storeu_epi8(out, (__mmask16) ((1u << count) - 1), bytes);
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

struct channel_rule {
    const struct requantization *rule;
    int32_t channel;
};

static inline struct channel_rule rule_of(const struct requantization *r, int32_t channel) {
    return (struct channel_rule) {r, channel};
}

static inline void store_bytes(const struct channel_rule *c, sums sum, uint8_t *out, int32_t count) {
    int32_t lanes[LANES];
    __builtin_memcpy(lanes, &sum, sizeof lanes);
    for (int32_t i = 0; i < LANES && i < count; i++) {
        out[i] = to_byte(c->rule, lanes[i], c->channel + i);
    }
}

#endif
#endif
