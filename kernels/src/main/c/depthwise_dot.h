/*
 * Depthwise by dot products over four rows: the bytes of four rows under the kernel are interleaved once a column, 64 channels at a
 * time, then every output column takes one dot product a kernel column and 16 channels. Unpacking within 128-bit
 * lanes leaves the channels of a group in the order lane, quarter, four: weights, bias and scales come in that order too, and
 * packing the results back restores the natural one.
 */

/* Input columns interleaved at a time: 256 bytes each and row group, so that they stay in the first cache. */
#define COLUMNS 48

/* The rows under a group of four kernel rows: where their columns begin, and how far apart they are; 0 repeats one column. */
struct rows {
    const uint8_t *first[4];
    int64_t step[4];
};

static inline void interleave(const struct depthwise *d, struct rows *r, __mmask64 mask, uint8_t *target) {
    __m512i row[4];
    UNROLLED
    for (int32_t i = 0; i < 4; i++) {
        row[i] = _mm512_maskz_loadu_epi8(mask, r->first[i]);
        r->first[i] += r->step[i];
        if (d->signed_input) {
            row[i] = _mm512_xor_si512(row[i], _mm512_set1_epi8((char) 128));
        }
    }
    __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
    __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]), high23 = _mm512_unpackhi_epi8(row[2], row[3]);
    _mm512_storeu_si512(target, _mm512_unpacklo_epi16(low01, low23));
    _mm512_storeu_si512(target + 64, _mm512_unpackhi_epi16(low01, low23));
    _mm512_storeu_si512(target + 128, _mm512_unpacklo_epi16(high01, high23));
    _mm512_storeu_si512(target + 192, _mm512_unpackhi_epi16(high01, high23));
}

/* Columns [x, x + columns) of the four rows from y, those outside the image as zero points. */
static inline void interleave_columns(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x, int32_t columns,
                                      int32_t channel, __mmask64 mask, const uint8_t *zeros, uint8_t *target) {
    struct rows outside, inside;
    int32_t from = x < 0 ? -x : 0;
    int32_t to = d->in_w - x;
    from = from < columns ? from : columns;
    to = to < from ? from : to < columns ? to : columns;
    for (int32_t i = 0; i < 4; i++) {
        int32_t row = y + i * d->dilation_h;
        int32_t there = row >= 0 && row < d->in_h;
        outside.first[i] = zeros;
        outside.step[i] = 0;
        inside.first[i] = there ? in + ((int64_t) row * d->in_w + x + from) * d->channels + channel : zeros;
        inside.step[i] = there ? d->channels : 0;
    }
    for (int32_t i = 0; i < from; i++) {
        interleave(d, &outside, mask, target + 256 * i);
    }
    for (int32_t i = from; i < to; i++) {
        interleave(d, &inside, mask, target + 256 * i);
    }
    for (int32_t i = to; i < columns; i++) {
        interleave(d, &outside, mask, target + 256 * i);
    }
}

/* Four vectors of sums, in the order of the unpacking, to 64 bytes. */
static inline void store_group(const struct channel_rule *rule, const __m512i *sum, uint8_t *out, __mmask64 mask) {
    const __m512i low = _mm512_set1_epi16(255);
    __m512i zero = _mm512_packs_epi32(rule[0].zero_point, rule[0].zero_point);
    __m512i first = _mm512_packs_epi32(scaled(&rule[0], sum[0]), scaled(&rule[1], sum[1]));
    __m512i second = _mm512_packs_epi32(scaled(&rule[2], sum[2]), scaled(&rule[3], sum[3]));
    first = _mm512_and_si512(_mm512_add_epi16(first, zero), low);
    second = _mm512_and_si512(_mm512_add_epi16(second, zero), low);
    _mm512_mask_storeu_epi8(out, mask, _mm512_packus_epi16(first, second));
}

/* Output columns [x0, x1) of a 3-column kernel of up to four rows without dilation: its weights stay in registers. */
static inline void three_columns(const struct depthwise *d, int32_t x0, int32_t x1, int32_t channel, int32_t padded,
                                 const struct channel_rule *rule, const uint8_t *bytes, uint8_t *out, __mmask64 mask) {
    __m512i w[3][4], bias[4];
    UNROLLED
    for (int32_t v = 0; v < 4; v++) {
        bias[v] = load_sums(d->bias + channel + 16 * v);
        UNROLLED
        for (int32_t k = 0; k < 3; k++) {
            w[k][v] = weights_of(d->weights + ((int64_t) k * padded + channel) * 4 + 64 * v);
        }
    }
    for (int32_t x = x0; x < x1; x++, bytes += 256 * d->stride_w) {
        __m512i sum[4];
        UNROLLED
        for (int32_t v = 0; v < 4; v++) {
            sum[v] = bias[v];
            UNROLLED
            for (int32_t k = 0; k < 3; k++) {
                sum[v] = dot(sum[v], _mm512_loadu_si512(bytes + 256 * k + 64 * v), w[k][v]);
            }
        }
        store_group(rule, sum, out + (int64_t) x * d->channels + channel, mask);
    }
}

static inline void any_columns(const struct depthwise *d, int32_t x0, int32_t x1, int32_t channel, int32_t padded, int32_t groups,
                               int32_t columns, const struct channel_rule *rule, const uint8_t *bytes, uint8_t *out, __mmask64 mask) {
    for (int32_t x = x0; x < x1; x++, bytes += 256 * d->stride_w) {
        __m512i sum[4];
        UNROLLED
        for (int32_t v = 0; v < 4; v++) {
            sum[v] = load_sums(d->bias + channel + 16 * v);
        }
        for (int32_t g = 0; g < groups; g++) {
            const uint8_t *b = bytes + g * columns * 256;
            const int8_t *w = d->weights + ((int64_t) g * d->kernel_w * padded + channel) * 4;
            for (int32_t k = 0; k < d->kernel_w; k++, b += d->dilation_w * 256, w += (int64_t) padded * 4) {
                UNROLLED
                for (int32_t v = 0; v < 4; v++) {
                    sum[v] = dot(sum[v], _mm512_loadu_si512(b + 64 * v), weights_of(w + 64 * v));
                }
            }
        }
        store_group(rule, sum, out + (int64_t) x * d->channels + channel, mask);
    }
}

/*
 * Row y of the output. Scratch: a vector of zero points, then 256 bytes for every input column under COLUMNS and every four kernel rows.
 */
EXPORT void NAME(depthwise)(const struct depthwise *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t y,
                            uint8_t *scratch) {
    int32_t reach = (d->kernel_w - 1) * d->dilation_w + 1;
    int32_t step = COLUMNS <= reach ? 1 : (COLUMNS - reach) / d->stride_w + 1;
    int32_t groups = (d->kernel_h + 3) / 4;
    int32_t padded = (d->channels + 63) / 64 * 64;
    uint8_t *row = out + out_offset + (int64_t) y * d->out_w * d->channels;
    uint8_t *bytes = scratch + 64;
    _mm512_storeu_si512(scratch, _mm512_set1_epi8((char) d->zero_point));
    for (int32_t channel = 0; channel < d->channels; channel += 64) {
        int32_t left = d->channels - channel;
        __mmask64 mask = left >= 64 ? ~0ull : (1ull << left) - 1;
        struct channel_rule rule[4];
        for (int32_t v = 0; v < 4; v++) {
            rule[v] = rule_of(&d->rule, channel + 16 * v);
        }
        for (int32_t x = 0; x < d->out_w; x += step) {
            int32_t end = x + step < d->out_w ? x + step : d->out_w;
            int32_t columns = (end - 1 - x) * d->stride_w + reach;
            for (int32_t g = 0; g < groups; g++) {
                interleave_columns(d, in + in_offset, y * d->stride_h - d->pad_top + 4 * g * d->dilation_h, x * d->stride_w - d->pad_left,
                                   columns, channel, mask, scratch, bytes + g * columns * 256);
            }
            if (d->kernel_w == 3 && d->dilation_w == 1 && groups == 1) {
                three_columns(d, x, end, channel, padded, rule, bytes, row, mask);
            } else {
                any_columns(d, x, end, channel, padded, groups, columns, rule, bytes, row, mask);
            }
        }
    }
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 1;
}
