/* Element-wise kernels over quantized bytes: sums, changes to and from floats, tables. */
#include "element.h"
#include "sum.h"

#if defined(ISA_AVX512VNNI)

/* A sum's rule for 64 bytes at a time. Multipliers are below 2^23, which is too much for words: they are in two parts,
 * of 2^11 and of 1. */
struct wide_sum {
    __m512i high, low, offset, zero_point, least, most, flip;
    __m128i shift;
};

#define PART 11

/* Signed bytes are read as unsigned ones 128 higher, and so are the results. */
INLINE struct wide_sum wide_sum_of(const struct sum *s) {
    const int32_t flip = s->is_signed ? 128 : 0, part = (1 << PART) - 1;
    return (struct wide_sum) {.high = _mm512_set1_epi32((s->multiplier_a >> PART & 0xffff)
                                      | (int32_t) ((uint32_t) (s->multiplier_b >> PART) << 16)),
            .low = _mm512_set1_epi32((s->multiplier_a & part) | (s->multiplier_b & part) << 16),
            .offset = _mm512_set1_epi32(s->offset - flip * (s->multiplier_a + s->multiplier_b)),
            .zero_point = _mm512_set1_epi16((int16_t) (s->zero_point + flip)),
            .least = _mm512_set1_epi8((char) (s->min + flip)),
            .most = _mm512_set1_epi8((char) (s->max + flip)),
            .flip = _mm512_set1_epi8((char) flip),
            .shift = _mm_cvtsi32_si128(s->shift - 1)};
}

/* Twice the sums of 16 pairs of words, with what the halving must round: down, after 1 is added. */
INLINE __m512i doubled_sums(const struct wide_sum *s, __m512i pairs) {
    __m512i sum = _mm512_add_epi32(
            _mm512_dpwssd_epi32(s->offset, pairs, s->low), _mm512_slli_epi32(_mm512_madd_epi16(pairs, s->high), PART));
    /* Halves away from zero: 1 less if negative. */
    return _mm512_sra_epi32(_mm512_add_epi32(sum, _mm512_srai_epi32(sum, 31)), s->shift);
}

/* 16-bit sums halved, and the zero point added. */
INLINE __m512i halved(const struct wide_sum *s, __m512i first, __m512i second) {
    __m512i sum = _mm512_adds_epi16(_mm512_packs_epi32(first, second), _mm512_set1_epi16(1));
    return _mm512_adds_epi16(_mm512_srai_epi16(sum, 1), s->zero_point);
}

/* Sums of n bytes. */
INLINE void sum_run(const struct sum *rule, const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n) {
    const struct wide_sum s = wide_sum_of(rule);
    const __m512i zero = _mm512_setzero_si512();
    for (int32_t i = 0; i < n; i += 64) {
        const __mmask64 there = n - i < 64 ? (1ull << (n - i)) - 1 : ~0ull;
        __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, a + i), s.flip);
        __m512i y = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, b + i), s.flip);
        __m512i low = _mm512_unpacklo_epi8(x, y), high = _mm512_unpackhi_epi8(x, y);
        __m512i first = halved(&s, doubled_sums(&s, _mm512_unpacklo_epi8(low, zero)),
                doubled_sums(&s, _mm512_unpackhi_epi8(low, zero)));
        __m512i second = halved(&s, doubled_sums(&s, _mm512_unpacklo_epi8(high, zero)),
                doubled_sums(&s, _mm512_unpackhi_epi8(high, zero)));
        __m512i sum = _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(first, second), s.least), s.most);
        _mm512_mask_storeu_epi8(out + i, there, _mm512_xor_si512(sum, s.flip));
    }
}

#else

INLINE void sum_as(int is_signed, const struct sum *s, const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n) {
    const struct sum rule = *s;
    int32_t i = 0;
    for (; i <= n - LANES; i += LANES) {
        ints sum =
                sum_of(&rule, widen(load_bytes(a + i, LANES), is_signed), widen(load_bytes(b + i, LANES), is_signed));
        store_some_bytes(out + i, narrow(sum), LANES);
    }
    if (i < n) {
        int32_t rest = n - i;
        ints sum = sum_of(&rule, widen(load_bytes(a + i, rest), is_signed), widen(load_bytes(b + i, rest), is_signed));
        store_some_bytes(out + i, narrow(sum), rest);
    }
}

/* Sums of n bytes. */
INLINE void sum_run(const struct sum *s, const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n) {
    if (s->is_signed) {
        sum_as(1, s, a, b, out, n);
    } else {
        sum_as(0, s, a, b, out, n);
    }
}

#endif

/* plan: struct sum; out = a + b for m rows of n bytes that begin k apart. */
KERNEL(sum_bytes) {
    const struct sum *s = call->plan;
    for (int64_t row = 0; row < call->m; row++) {
        const uint8_t *a = BYTES_OF(call->a, call->a_at + row * call->k),
                      *b = BYTES_OF(call->b, call->b_at + row * call->k);
        uint8_t *out = (uint8_t *) call->out + call->out_at + row * call->k;
        sum_run(s, a, b, out, call->n);
    }
}

/* Laid out by NativeProduct; the rule is that of ByteProduct in Java. */
struct product {
    int32_t zero_a, zero_b;
    float factor, rest;
    int32_t zero_point, min, max, is_signed;
};

/* Of bytes as the integers they stand for. */
INLINE ints product_of(const struct product *rule, ints a, ints b) {
    floats x = __builtin_convertvector(a - rule->zero_a, floats) * __builtin_convertvector(b - rule->zero_b, floats);
    floats whole = x * rule->factor;
    floats steps = limit_floats(whole, all_floats((float) (rule->min - rule->zero_point)),
            all_floats((float) (rule->max - rule->zero_point)));
    ints nearest = nearest_ints(steps);
    if (rule->rest != 0) {
        /* Where the product was rounded to a half, what it lost decides. */
        floats half = steps - __builtin_convertvector(nearest, floats);
        floats lost = multiply_add(x, all_floats(rule->factor), -whole) + x * rule->rest;
        nearest -= (half == 0.5f) & (lost > 0);
        nearest += (half == -0.5f) & (lost < 0);
    }
    return nearest + rule->zero_point;
}

INLINE void product_row(int is_signed, int step, const struct product *rule, const uint8_t *a, const uint8_t *b,
        uint8_t *out, int32_t n) {
    for (int32_t i = 0; i < n; i += LANES) {
        int32_t count = n - i;
        ints left = widen(load_bytes(a + i, count), is_signed);
        ints right = step ? widen(load_bytes(b + i, count), is_signed) : all_ints(is_signed ? (int8_t) *b : *b);
        store_some_bytes(out + i, narrow(product_of(rule, left, right)), count);
    }
}

/* plan: struct product; out = a * b for m rows of n bytes, one behind the other in a and out. Rows of b begin i apart,
 * their bytes k, which is 0 where one byte serves a row. */
KERNEL(multiply_bytes) {
    const struct product rule = *(const struct product *) call->plan;
    const uint8_t *a = BYTES_OF(call->a, call->a_at), *b = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    for (int32_t row = 0; row < call->m; row++, a += call->n, b += call->i, out += call->n) {
        if (rule.is_signed) {
            product_row(1, call->k, &rule, a, b, out, call->n);
        } else if (call->k) {
            product_row(0, 1, &rule, a, b, out, call->n);
        } else {
            product_row(0, 0, &rule, a, b, out, call->n);
        }
    }
}

/* As Quantizing.Rule in Java. */
enum rule { PRODUCT_HALF_EVEN, QUOTIENT_HALF_EVEN, QUOTIENT_HALF_AWAY };

/* Steps from the zero point, within [low, high], which are integers; a NaN is the least of a product, 0 of a quotient.
 */
INLINE ints steps_of(enum rule rule, floats x, float scale, float inverse, floats low, floats high) {
    floats steps = rule == PRODUCT_HALF_EVEN ? x * inverse : x / scale;
    steps = choose(x == x, limit_floats(steps, low, high), rule == PRODUCT_HALF_EVEN ? low : all_floats(0));
    if (rule == QUOTIENT_HALF_AWAY) {
        ints whole = __builtin_convertvector(steps, ints);
        floats rest = steps - __builtin_convertvector(whole, floats);
        return whole - (rest >= 0.5f) + (rest <= -0.5f);
    }
    ints nearest = nearest_ints(steps);
    if (rule == QUOTIENT_HALF_EVEN) {
        /* Where the quotient was rounded to a half, what it lost decides. */
        floats rest = steps - __builtin_convertvector(nearest, floats);
#if defined(ROUNDS_TWICE)
        /* Rarely, and then it takes long. */
        if (!any((rest == 0.5f) | (rest == -0.5f))) {
            return nearest;
        }
#endif
        floats lost = close_difference(-steps, all_floats(scale), x);
        nearest -= (rest == 0.5f) & (lost > 0);
        nearest += (rest == -0.5f) & (lost < 0);
    }
    return nearest;
}

INLINE void quantize_run(enum rule rule, const struct call *call) {
    const float *in = FLOATS_OF(call->a, call->a_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    floats low = all_floats((float) (call->i - call->k)), high = all_floats((float) (call->j - call->k));
    float inverse = 1 / call->p;
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        store_some_bytes(out + i,
                narrow(steps_of(rule, load_floats(in + i, LANES), call->p, inverse, low, high) + call->k), LANES);
    }
    if (i < call->n) {
        int32_t rest = call->n - i;
        store_some_bytes(out + i,
                narrow(steps_of(rule, load_floats(in + i, rest), call->p, inverse, low, high) + call->k), rest);
    }
}

/* Of n floats, scale p, zero point k, limits i and j, op a rule. */
KERNEL(quantize) {
    switch (call->op) {
        case PRODUCT_HALF_EVEN: quantize_run(PRODUCT_HALF_EVEN, call); break;
        case QUOTIENT_HALF_EVEN: quantize_run(QUOTIENT_HALF_EVEN, call); break;
        default: quantize_run(QUOTIENT_HALF_AWAY, call); break;
    }
}

INLINE void dequantize_run(int is_signed, const struct call *call) {
    const uint8_t *in = BYTES_OF(call->a, call->a_at);
    float *out = (float *) call->out + call->out_at;
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        store_floats(out + i,
                __builtin_convertvector(widen(load_bytes(in + i, LANES), is_signed) - call->k, floats) * call->p,
                LANES);
    }
    if (i < call->n) {
        int32_t rest = call->n - i;
        store_floats(out + i,
                __builtin_convertvector(widen(load_bytes(in + i, rest), is_signed) - call->k, floats) * call->p, rest);
    }
}

/* (a - k) * p for n bytes, signed if op is 1. */
KERNEL(dequantize) {
    if (call->op) {
        dequantize_run(1, call);
    } else {
        dequantize_run(0, call);
    }
}

/* out = b[a] for n bytes. */
KERNEL(look_up) {
    const uint8_t *in = BYTES_OF(call->a, call->a_at), *table = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++) {
        out[i] = table[in[i]];
    }
}

/* out = plan[256 a + b] for n bytes; each input's step is k or i, 0 where one byte serves all. */
KERNEL(look_up_pairs) {
    const uint8_t *table = call->plan, *a = BYTES_OF(call->a, call->a_at), *b = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++, a += call->k, b += call->i) {
        out[i] = table[*a << 8 | *b];
    }
}
