/*
 * Depthwise by pairs of taps: 16 channels at a time, of two pixels under the kernel, whose products 16-bit
 * multiplications add up in 32 bits. Pixels outside the image are zero points, which the bias makes good. A last tap
 * without another is paired with itself, and a weight of 0. Where registers have room for it weights are widened once
 * for a row of the output.
 */

#define BLOCK 16
#define BLOCK_VECTORS (BLOCK / LANES)

#if defined(__x86_64__)
#define WIDE_WEIGHTS 1

/* Adds the products of 16 channels of two pixels. */
INLINE void add_taps(const uint8_t *first, const uint8_t *second, const uint8_t *w, const int signed_input, sums *sum) {
    __m128i a = _mm_loadu_si128((const __m128i *) first), b = _mm_loadu_si128((const __m128i *) second);
    if (signed_input) {
        a = _mm_xor_si128(a, _mm_set1_epi8((char) 128));
        b = _mm_xor_si128(b, _mm_set1_epi8((char) 128));
    }
#if defined(HAS_AVX2)
    __m256i low = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), high = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b));
    sum[0] = dot_wide(sum[0], low, load_words(w));
    sum[1] = dot_wide(sum[1], high, load_words(w + 32));
#else
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
    sum[0] = dot_wide(sum[0], _mm_unpacklo_epi8(low, zero), load_words(w));
    sum[1] = dot_wide(sum[1], _mm_unpackhi_epi8(low, zero), load_words(w + 16));
    sum[2] = dot_wide(sum[2], _mm_unpacklo_epi8(high, zero), load_words(w + 32));
    sum[3] = dot_wide(sum[3], _mm_unpackhi_epi8(high, zero), load_words(w + 48));
#endif
}

/* n weights, a multiple of 16. */
static void widen_weights(const int8_t *from, int64_t n, uint8_t *to) {
    for (int64_t i = 0; i < n; i += 2 * LANES) {
        store_words(to + 2 * i, words_of_weights(from + i));
    }
}

#else
#define WIDE_WEIGHTS 0

INLINE void add_tap(uint8x16_t x, int8x16_t w, sums *sum) {
    int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(x))), high = vreinterpretq_s16_u16(vmovl_high_u8(x));
    int16x8_t low_weights = vmovl_s8(vget_low_s8(w)), high_weights = vmovl_high_s8(w);
    sum[0] = vmlal_s16(sum[0], vget_low_s16(low), vget_low_s16(low_weights));
    sum[1] = vmlal_high_s16(sum[1], low, low_weights);
    sum[2] = vmlal_s16(sum[2], vget_low_s16(high), vget_low_s16(high_weights));
    sum[3] = vmlal_high_s16(sum[3], high, high_weights);
}

INLINE void add_taps(const uint8_t *first, const uint8_t *second, const uint8_t *w, const int signed_input, sums *sum) {
    const uint8x16_t flip = vdupq_n_u8(signed_input ? 128 : 0);
    int8x16x2_t weights = vld2q_s8((const int8_t *) w);
    add_tap(veorq_u8(vld1q_u8(first), flip), weights.val[0], sum);
    add_tap(veorq_u8(vld1q_u8(second), flip), weights.val[1], sum);
}

#endif

/*
 * What a row of the output keeps in its scratch: where each tap's pixel begins and how far on that of the next output
 * does, a pixel of zero points, of whole blocks, the wide weights, and for the last channels, where they fill no block,
 * where each tap's are, or a copy of them where a block would leave the image.
 */
struct taps {
    const uint8_t **pixel;
    int64_t *step;
    const uint8_t **last;
    uint8_t *copies;
    uint8_t *zeros;
    const uint8_t *weights;
};

static int32_t tap_pairs(const struct depthwise *d) {
    return (d->kernel_h * d->kernel_w + 1) / 2;
}

/* Weights of a pair. */
static int64_t pair_weights(const struct depthwise *d) {
    return 2 * (((int64_t) d->channels + GROUP - 1) / GROUP * GROUP);
}

static struct taps taps_in(const struct depthwise *d, uint8_t *scratch) {
    int32_t count = 2 * tap_pairs(d);
    struct taps t;
    t.pixel = (const uint8_t **) scratch;
    t.step = (int64_t *) (t.pixel + count);
    t.last = (const uint8_t **) (t.step + count);
    t.copies = (uint8_t *) (t.last + count);
    t.zeros = t.copies + BLOCK * (int64_t) count;
    t.weights = WIDE_WEIGHTS ? t.zeros + (d->channels + BLOCK) : (const uint8_t *) d->weights;
    return t;
}

/* Bytes of scratch that a row needs. */
INLINE int64_t depthwise_scratch_size(const struct depthwise *d) {
    int64_t pairs = tap_pairs(d);
    return (3 * 8 + BLOCK) * 2 * pairs + d->channels + BLOCK + WIDE_WEIGHTS * 2 * pairs * pair_weights(d);
}

/* The pixels under output x of row y. */
static void find_taps(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x, const struct taps *t) {
    int32_t tap = 0;
    for (int32_t ky = 0; ky < d->kernel_h; ky++) {
        int32_t row = y * d->stride_h + ky * d->dilation_h - d->pad_top;
        int there = row >= 0 && row < d->in_h;
        for (int32_t kx = 0; kx < d->kernel_w; kx++, tap++) {
            int32_t column = x * d->stride_w + kx * d->dilation_w - d->pad_left;
            int inside = there && column >= 0 && column < d->in_w;
            t->pixel[tap] = inside ? input_at(d, in, row, column) : t->zeros;
            t->step[tap] = inside ? d->stride_w * (int64_t) d->channels : 0;
        }
    }
    if (tap % 2) {
        t->pixel[tap] = t->pixel[tap - 1];
        t->step[tap] = t->step[tap - 1];
    }
}

/* Channels [channel, channel + count) of an output, count at most a block, which are `at` bytes behind the pixels;
 * `pairs` of taps. */
INLINE void tap_block(const struct depthwise *d, const struct taps *t, const uint8_t *const *pixel, int64_t at,
        int32_t channel, int32_t count, const int32_t pairs, const int signed_input, uint8_t *out) {
    const int64_t pair_bytes = (1 + WIDE_WEIGHTS) * pair_weights(d);
    const uint8_t *w = t->weights + (1 + WIDE_WEIGHTS) * 2 * (int64_t) channel;
    sums sum[BLOCK_VECTORS], four[4];
    UNROLLED
    for (int v = 0; v < BLOCK_VECTORS; v++) {
        sum[v] = load_sums(d->bias + channel + v * LANES);
    }
    for (int32_t pair = 0; pair < pairs; pair++, w += pair_bytes) {
        add_taps(pixel[2 * pair] + at, pixel[2 * pair + 1] + at, w, signed_input, sum);
    }
    enum rescaling rounding = d->rule.rounding[channel / GROUP];
    UNROLLED
    for (int i = 0; i < 4; i++) {
        int v = i % BLOCK_VECTORS;
        four[i] = rounding == RESCALING_FUSED ? rescaled(&d->rule, RESCALING_FUSED, channel + v * LANES, sum[v])
                                              : rescaled(&d->rule, rounding, channel + v * LANES, sum[v]);
    }
    store_part(pack(&d->rule.limits[rounding], rounding, four[0], four[1], four[2], four[3]), 0, BLOCK_VECTORS, out,
            count);
}

/* All channels of an output; the image ends at `end`. */
INLINE void tap_pixel(const struct depthwise *d, const struct taps *t, const uint8_t *end, const int32_t pairs,
        const int signed_input, uint8_t *out) {
    int32_t channel = 0;
    for (; channel + BLOCK <= d->channels; channel += BLOCK) {
        tap_block(d, t, t->pixel, channel, channel, BLOCK, pairs, signed_input, out + channel);
    }
    const int32_t left = d->channels - channel;
    if (left == 0) {
        return;
    }
    for (int32_t i = 0; i < 2 * pairs; i++) {
        t->last[i] = t->pixel[i] + channel;
        if (t->step[i] != 0 && t->last[i] + BLOCK > end) {
            uint8_t *whole = t->copies + BLOCK * i;
            store_some(t->last[i], whole, left);
            t->last[i] = whole;
        }
    }
    tap_block(d, t, t->last, 0, channel, left, pairs, signed_input, out + channel);
}

INLINE void tap_row(const struct depthwise *plan, const uint8_t *in, int32_t y, const int32_t pairs,
        const int signed_input, const struct taps *taps, uint8_t *out) {
    /* Copies, which the stores of results cannot change. */
    const struct depthwise copy_of_plan = *plan, *d = &copy_of_plan;
    const struct taps copy_of_taps = *taps, *t = &copy_of_taps;
    const uint8_t *end = in + (int64_t) d->ring * d->in_w * d->channels + d->slack;
    /* Outputs with all their taps between the image's sides: their pixels are those of the output before, as far on. */
    const int64_t most = (int64_t) d->in_w - 1 + d->pad_left - (d->kernel_w - 1) * (int64_t) d->dilation_w;
    const int64_t inner = ((int64_t) d->pad_left + d->stride_w - 1) / d->stride_w,
                  inner_end = most < 0 ? 0 : most / d->stride_w + 1;
    for (int32_t x = 0; x < d->out_w; x++, out += d->channels) {
        if (x > inner && x < inner_end) {
            for (int32_t i = 0; i < 2 * pairs; i++) {
                t->pixel[i] += t->step[i];
            }
        } else {
            find_taps(d, in, y, x, t);
        }
        tap_pixel(d, t, end, pairs, signed_input, out);
    }
}

/* The pairs of the usual 3x3 kernel are known to the compiler. */
#define NINE_TAPS 5

SEPARATE void nine_taps_row(
        const struct depthwise *d, const uint8_t *in, int32_t y, const struct taps *t, uint8_t *out) {
    tap_row(d, in, y, NINE_TAPS, 0, t, out);
}

SEPARATE void unsigned_row(
        const struct depthwise *d, const uint8_t *in, int32_t y, const struct taps *t, uint8_t *out) {
    tap_row(d, in, y, tap_pairs(d), 0, t, out);
}

SEPARATE void signed_row(const struct depthwise *d, const uint8_t *in, int32_t y, const struct taps *t, uint8_t *out) {
    tap_row(d, in, y, tap_pairs(d), 1, t, out);
}

/* Row y of the output. */
INLINE void depthwise_row(const struct depthwise *d, const uint8_t *in, uint8_t *out, int32_t y, uint8_t *scratch) {
    const struct taps t = taps_in(d, scratch);
    const int32_t pairs = tap_pairs(d);
    fill(t.zeros, d->channels + BLOCK, d->zero_point);
#if WIDE_WEIGHTS
    widen_weights(d->weights, pairs * pair_weights(d), (uint8_t *) t.weights);
#endif
    (d->signed_input ? signed_row : pairs == NINE_TAPS ? nine_taps_row : unsigned_row)(d, in, y, &t, out);
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 0;
}
