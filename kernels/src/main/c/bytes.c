/* Element-wise kernels over quantized bytes: sums, changes to and from floats, tables. */
#include "call.h"
#include "lanes.h"
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

KERNEL(sum_bytes) {
    for (int64_t row = 0; row < call->rows; row++) {
        const int64_t at = row * call->step;
        sum_run(call->plan, call->a + at, call->b + at, call->out + at, call->count);
    }
}

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

KERNEL(multiply_bytes) {
    const struct product rule = *call->plan;
    const uint8_t *a = call->a, *b = call->b;
    uint8_t *out = call->out;
    for (int32_t row = 0; row < call->rows; row++, a += call->count, b += call->b_row, out += call->count) {
        if (rule.is_signed) {
            product_row(1, call->b_step, &rule, a, b, out, call->count);
        } else if (call->b_step) {
            product_row(0, 1, &rule, a, b, out, call->count);
        } else {
            product_row(0, 0, &rule, a, b, out, call->count);
        }
    }
}

/* Steps from the zero point, within [low, high], which are integers; a NaN is the least of a product, 0 of a quotient.
 */
INLINE ints steps_of(enum quantizing rule, floats x, float scale, float inverse, floats low, floats high) {
    floats steps = rule == QUANTIZING_PRODUCT_HALF_EVEN ? x * inverse : x / scale;
    steps = choose(x == x, limit_floats(steps, low, high), rule == QUANTIZING_PRODUCT_HALF_EVEN ? low : all_floats(0));
    if (rule == QUANTIZING_QUOTIENT_HALF_AWAY) {
        ints whole = __builtin_convertvector(steps, ints);
        floats rest = steps - __builtin_convertvector(whole, floats);
        return whole - (rest >= 0.5f) + (rest <= -0.5f);
    }
    ints nearest = nearest_ints(steps);
    if (rule == QUANTIZING_QUOTIENT_HALF_EVEN) {
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

INLINE void quantize_run(enum quantizing rule, const struct quantize_call *call) {
    const float *in = call->in;
    uint8_t *out = call->out;
    const int32_t zero_point = call->zero_point;
    const float scale = call->scale;
    floats low = all_floats((float) (call->min - zero_point)), high = all_floats((float) (call->max - zero_point));
    float inverse = 1 / scale;
    int32_t i = 0;
    for (; i <= call->count - LANES; i += LANES) {
        store_some_bytes(out + i,
                narrow(steps_of(rule, load_floats(in + i, LANES), scale, inverse, low, high) + zero_point), LANES);
    }
    if (i < call->count) {
        int32_t rest = call->count - i;
        store_some_bytes(out + i,
                narrow(steps_of(rule, load_floats(in + i, rest), scale, inverse, low, high) + zero_point), rest);
    }
}

KERNEL(quantize) {
    switch (call->rule) {
        case QUANTIZING_PRODUCT_HALF_EVEN: quantize_run(QUANTIZING_PRODUCT_HALF_EVEN, call); break;
        case QUANTIZING_QUOTIENT_HALF_EVEN: quantize_run(QUANTIZING_QUOTIENT_HALF_EVEN, call); break;
        default: quantize_run(QUANTIZING_QUOTIENT_HALF_AWAY, call); break;
    }
}

INLINE void dequantize_run(int is_signed, const struct dequantize_call *call) {
    const uint8_t *in = call->in;
    float *out = call->out;
    int32_t i = 0;
    for (; i <= call->count - LANES; i += LANES) {
        store_floats(out + i,
                __builtin_convertvector(widen(load_bytes(in + i, LANES), is_signed) - call->zero_point, floats)
                        * call->scale,
                LANES);
    }
    if (i < call->count) {
        int32_t rest = call->count - i;
        store_floats(out + i,
                __builtin_convertvector(widen(load_bytes(in + i, rest), is_signed) - call->zero_point, floats)
                        * call->scale,
                rest);
    }
}

KERNEL(dequantize) {
    if (call->is_signed) {
        dequantize_run(1, call);
    } else {
        dequantize_run(0, call);
    }
}

#if defined(__x86_64__)

/* A table of 256 bytes for shuffles of 16: what each part of 16 differs in from the one before, each half from 0. */
#define PARTS 16
/* Bytes of a vector, and vectors that share the loads of the parts. */
#define VECTOR_BYTES (4 * LANES)
#define AT_ONCE 2

#if defined(ISA_AVX512VNNI)

INLINE sums part_of(const uint8_t *p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) p));
}
INLINE sums shuffled(sums part, sums at) {
    return _mm512_shuffle_epi8(part, at);
}
INLINE sums one_part_less(sums at) {
    return _mm512_subs_epi8(at, _mm512_set1_epi8(PARTS));
}
INLINE sums load_run(const uint8_t *p) {
    return _mm512_loadu_si512(p);
}
INLINE void store_run(uint8_t *p, sums x) {
    _mm512_storeu_si512(p, x);
}
INLINE sums other_half(sums at) {
    return _mm512_xor_si512(at, _mm512_set1_epi8((char) 128));
}

#elif defined(HAS_AVX2)

INLINE sums part_of(const uint8_t *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) p));
}
INLINE sums shuffled(sums part, sums at) {
    return _mm256_shuffle_epi8(part, at);
}
INLINE sums one_part_less(sums at) {
    return _mm256_subs_epi8(at, _mm256_set1_epi8(PARTS));
}
INLINE sums load_run(const uint8_t *p) {
    return load_words(p);
}
INLINE void store_run(uint8_t *p, sums x) {
    store_words(p, x);
}
INLINE sums other_half(sums at) {
    return _mm256_xor_si256(at, _mm256_set1_epi8((char) 128));
}

#else

INLINE sums part_of(const uint8_t *p) {
    return load_words(p);
}
INLINE sums shuffled(sums part, sums at) {
    return _mm_shuffle_epi8(part, at);
}
INLINE sums one_part_less(sums at) {
    return _mm_subs_epi8(at, _mm_set1_epi8(PARTS));
}
INLINE sums load_run(const uint8_t *p) {
    return load_words(p);
}
INLINE void store_run(uint8_t *p, sums x) {
    store_words(p, x);
}
INLINE sums other_half(sums at) {
    return _mm_xor_si128(at, _mm_set1_epi8((char) 128));
}

#endif

struct parts {
    sums of[PARTS];
};

/* Of a table, whose parts are as they are behind another half. */
INLINE struct parts parts_of_table(const uint8_t *table) {
    struct parts parts;
    UNROLLED
    for (int p = 0; p < PARTS; p++) {
        parts.of[p] = part_of(table + PARTS * p);
        if (p % (PARTS / 2) > 0) {
            parts.of[p] ^= part_of(table + PARTS * (p - 1));
        }
    }
    return parts;
}

/* A shuffle gives 0 where the highest bit is set: less 16 for each part, and never more than -128, bytes of the other
 * half never count, and the others from the first part to their own, whose differences add up to it. */
INLINE void look_up_vectors(const struct parts *parts, const uint8_t *in, uint8_t *out, const int vectors) {
    sums at[AT_ONCE], found[AT_ONCE];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        at[v] = load_run(in + v * VECTOR_BYTES);
        found[v] = at[v] ^ at[v];
    }
    UNROLLED
    for (int half = 0; half < 2; half++) {
        sums within[AT_ONCE];
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            within[v] = half ? other_half(at[v]) : at[v];
        }
        UNROLLED
        for (int p = 0; p < PARTS / 2; p++) {
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                found[v] ^= shuffled(parts->of[half * (PARTS / 2) + p], within[v]);
                within[v] = one_part_less(within[v]);
            }
        }
    }
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        store_run(out + v * VECTOR_BYTES, found[v]);
    }
}

/* Whole vectors of n bytes; returns how many bytes these are. */
INLINE int32_t look_up_runs(const struct parts *parts, const uint8_t *in, uint8_t *out, int32_t n) {
    int32_t i = 0;
    for (; i <= n - AT_ONCE * VECTOR_BYTES; i += AT_ONCE * VECTOR_BYTES) {
        look_up_vectors(parts, in + i, out + i, AT_ONCE);
    }
    for (; i <= n - VECTOR_BYTES; i += VECTOR_BYTES) {
        look_up_vectors(parts, in + i, out + i, 1);
    }
    return i;
}

#elif defined(__aarch64__)

#define PART 64
#define VECTOR_BYTES 16

struct parts {
    uint8x16x4_t of[4];
};

INLINE struct parts parts_of_table(const uint8_t *table) {
    struct parts parts;
    for (int p = 0; p < 4; p++) {
        for (int v = 0; v < 4; v++) {
            parts.of[p].val[v] = vld1q_u8(table + PART * p + VECTOR_BYTES * v);
        }
    }
    return parts;
}

/* Whole vectors of n bytes; returns how many bytes these are. What lies outside a part of the table stays. */
INLINE int32_t look_up_runs(const struct parts *parts, const uint8_t *in, uint8_t *out, int32_t n) {
    int32_t i = 0;
    for (; i <= n - VECTOR_BYTES; i += VECTOR_BYTES) {
        uint8x16_t at = vld1q_u8(in + i), found = vqtbl4q_u8(parts->of[0], at);
        UNROLLED
        for (int p = 1; p < 4; p++) {
            at = vsubq_u8(at, vdupq_n_u8(PART));
            found = vqtbx4q_u8(found, parts->of[p], at);
        }
        vst1q_u8(out + i, found);
    }
    return i;
}

#else

/* Shuffles of 32-bit processors reach too few bytes. */

struct parts {
    const uint8_t *table;
};

INLINE struct parts parts_of_table(const uint8_t *table) {
    return (struct parts) {table};
}

INLINE int32_t look_up_runs(const struct parts *parts, const uint8_t *in, uint8_t *out, int32_t n) {
    (void) parts, (void) in, (void) out, (void) n;
    return 0;
}

#endif

/* Rows that follow each other are one. */
KERNEL(look_up) {
    const int joined = call->rows > 1 && call->step == call->count;
    const int32_t rows = joined ? 1 : call->rows, count = joined ? call->rows * call->count : call->count;
    const struct parts parts = parts_of_table(call->table);
    const uint8_t *in = call->in;
    uint8_t *out = call->out;
    for (int32_t row = 0; row < rows; row++, in += call->step, out += call->step) {
        for (int32_t i = look_up_runs(&parts, in, out, count); i < count; i++) {
            out[i] = call->table[in[i]];
        }
    }
}

#if defined(ISA_AVX512VNNI)

/* Of a table in four parts of 64; in assembly, so that compilers need not know the instruction. */
INLINE __m512i shuffled_wide(const __m512i *parts, __m512i at) {
    __m512i low = at, high = at;
    __asm__("vpermi2b %2, %1, %0" : "+v"(low) : "v"(parts[0]), "v"(parts[1]));
    __asm__("vpermi2b %2, %1, %0" : "+v"(high) : "v"(parts[2]), "v"(parts[3]));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high);
}

KERNEL(look_up_shuffled) {
    const int32_t count = call->count;
    const uint8_t *in = call->in;
    uint8_t *out = call->out;
    __m512i parts[4];
    UNROLLED
    for (int p = 0; p < 4; p++) {
        parts[p] = load_run(call->table + VECTOR_BYTES * p);
    }
    for (int32_t row = 0; row < call->rows; row++, in += call->step, out += call->step) {
        int32_t i = 0;
        for (; i <= count - VECTOR_BYTES; i += VECTOR_BYTES) {
            store_run(out + i, shuffled_wide(parts, load_run(in + i)));
        }
        if (i < count) {
            const __mmask64 there = (1ull << (count - i)) - 1;
            _mm512_mask_storeu_epi8(out + i, there, shuffled_wide(parts, _mm512_maskz_loadu_epi8(there, in + i)));
        }
    }
}

#endif

KERNEL(look_up_pairs) {
    const uint8_t *a = call->a, *b = call->b;
    for (int32_t i = 0; i < call->count; i++, a += call->a_step, b += call->b_step) {
        call->out[i] = call->table[*a << 8 | *b];
    }
}
