/*
 * Depthwise by dot products over four rows: the bytes of four rows under the kernel are interleaved once a column, 64 channels at a
 * time, then every output column takes one dot product a kernel column and 16 channels. Columns under the usual 3x3 kernels are
 * interleaved in registers, those under others in the first cache. Unpacking within 128-bit
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

/* With a mask of the channels there are, and signed bytes made unsigned; `plain` columns need neither. */
INLINE void interleave(const struct rows *rows, int32_t count, __m512i flip, __mmask64 mask, const int plain, uint8_t *target) {
    struct rows r = *rows;
    for (; count > 0; count--, target += 256) {
        __m512i row[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            row[i] = plain ? _mm512_loadu_si512(r.first[i]) : _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, r.first[i]), flip);
            r.first[i] += r.step[i];
        }
        __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
        __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]), high23 = _mm512_unpackhi_epi8(row[2], row[3]);
        _mm512_store_si512(target, _mm512_unpacklo_epi16(low01, low23));
        _mm512_store_si512(target + 64, _mm512_unpackhi_epi16(low01, low23));
        _mm512_store_si512(target + 128, _mm512_unpacklo_epi16(high01, high23));
        _mm512_store_si512(target + 192, _mm512_unpackhi_epi16(high01, high23));
    }
}

/* Columns [x, x + columns) of the four rows from y, those outside the image as zero points. */
INLINE void interleave_columns(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x, int32_t columns, int32_t channel,
                               __m512i flip, __mmask64 mask, const uint8_t *zeros, uint8_t *target) {
    struct rows outside, inside;
    int32_t from = x < 0 ? -x : 0;
    int32_t to = d->in_w - x;
    from = from < columns ? from : columns;
    to = to < from ? from : to < columns ? to : columns;
    const uint8_t *end = in + (int64_t) d->ring * d->in_w * d->channels + d->slack;
    int plain = !d->signed_input;
    for (int32_t i = 0; i < 4; i++) {
        /* Of four rows some may lie beyond the kernel's last, and so beyond what 32 bits hold. */
        int64_t row = y + (int64_t) i * d->dilation_h;
        int32_t there = row >= 0 && row < d->in_h;
        outside.first[i] = zeros;
        outside.step[i] = 0;
        inside.first[i] = there ? input_at(d, in, (int32_t) row, x + from) + channel : zeros;
        inside.step[i] = there ? d->channels : 0;
        /* Beyond the last channel lies the next column's first, which no result takes; beyond the last column nothing. */
        plain &= !there || inside.first[i] + (int64_t) (to - from - 1) * d->channels + GROUP <= end;
    }
    interleave(&outside, from, flip, mask, 0, target);
    if (plain) {
        interleave(&inside, to - from, flip, mask, 1, target + 256 * from);
    } else {
        interleave(&inside, to - from, flip, mask, 0, target + 256 * from);
    }
    interleave(&outside, columns - to, flip, mask, 0, target + 256 * to);
}

/* Four vectors of sums, in the order of the unpacking, to 64 bytes. */
INLINE void store_group(const struct requantization *r, enum rescaling rounding, int32_t channel, const __m512i *sum, uint8_t *out,
                        __mmask64 mask) {
    __m512i s[4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        s[v] = rescaled(r, rounding, channel + 16 * v, sum[v]);
    }
    __m512i packed = pack_within(&r->limits[rounding], s[0], s[1], s[2], s[3]);
    if (mask == ~0ull) {
        _mm512_storeu_si512(out, packed);
    } else {
        _mm512_mask_storeu_epi8(out, mask, packed);
    }
}

/* Some columns of a row of the output: where their inputs were interleaved to, and where they go. */
struct strip {
    const uint8_t *bytes;
    uint8_t *out;
    int32_t count;
    int32_t channel;
    int32_t columns;  /* interleaved of each row group */
    __mmask64 mask;
};

INLINE void any_columns(const struct depthwise *d, const struct strip *s, const enum rescaling rounding) {
    int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    int32_t groups = (d->kernel_h + 3) / 4;
    const uint8_t *bytes = s->bytes;
    uint8_t *out = s->out;
    for (int32_t x = 0; x < s->count; x++, bytes += (int64_t) 256 * d->stride_w, out += d->channels) {
        __m512i sum[4];
        UNROLLED
        for (int v = 0; v < 4; v++) {
            sum[v] = load_sums(d->bias + s->channel + 16 * v);
        }
        for (int32_t g = 0; g < groups; g++) {
            const uint8_t *b = bytes + (int64_t) g * s->columns * 256;
            const int8_t *w = d->weights + ((int64_t) g * d->kernel_w * padded + s->channel) * 4;
            for (int32_t k = 0; k < d->kernel_w; k++, b += (int64_t) d->dilation_w * 256, w += (int64_t) padded * 4) {
                UNROLLED
                for (int v = 0; v < 4; v++) {
                    sum[v] = dot(sum[v], _mm512_load_si512(b + 64 * v), weights_of(w + 64 * v));
                }
            }
        }
        store_group(&d->rule, rounding, s->channel, sum, out, s->mask);
    }
}

SEPARATE void any_fused(const struct depthwise *d, const struct strip *s) { any_columns(d, s, FUSED); }
SEPARATE void any_nearest(const struct depthwise *d, const struct strip *s) { any_columns(d, s, NEAREST); }
SEPARATE void any_bounded(const struct depthwise *d, const struct strip *s) { any_columns(d, s, BOUNDED); }

/* Three rows under a 3x3 kernel without dilation, of one group of channels: where column 0 begins and how far apart columns are. */
struct three_rows {
    const uint8_t *first[3];
    int64_t step[3];
    const uint8_t *zeros;
    int32_t width;
};

/* Interleaves a column into registers; the fourth bytes meet weights of 0. */
INLINE void column_at(const struct three_rows *r, int32_t x, __m512i *column) {
    __m512i row[3];
    if ((uint32_t) x < (uint32_t) r->width) {
        UNROLLED
        for (int i = 0; i < 3; i++) {
            row[i] = _mm512_loadu_si512(r->first[i] + x * r->step[i]);
        }
    } else {
        row[0] = row[1] = row[2] = _mm512_loadu_si512(r->zeros);
    }
    __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
    __m512i low2 = _mm512_unpacklo_epi8(row[2], row[2]), high2 = _mm512_unpackhi_epi8(row[2], row[2]);
    column[0] = _mm512_unpacklo_epi16(low01, low2);
    column[1] = _mm512_unpackhi_epi16(low01, low2);
    column[2] = _mm512_unpacklo_epi16(high01, high2);
    column[3] = _mm512_unpackhi_epi16(high01, high2);
}

/* A row of one group by a 3x3 kernel: weights and the three columns under it stay in registers. */
INLINE void rolling(const struct depthwise *d, const struct three_rows *three, int32_t channel, uint8_t *out, __mmask64 mask,
                    const int stride, const enum rescaling rounding) {
    /* Copies, which the stores of results cannot change. */
    const struct three_rows rows = *three, *r = &rows;
    const struct requantization rule = d->rule;
    const int32_t *bias = d->bias + channel;
    const int64_t out_step = d->channels;
    int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    __m512i w[3][4], column[3][4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        UNROLLED
        for (int k = 0; k < 3; k++) {
            w[k][v] = weights_of(d->weights + ((int64_t) k * padded + channel) * 4 + 64 * v);
        }
    }
    int32_t x = -d->pad_left;
    column_at(r, x, column[0]);
    if (stride == 1) {
        column_at(r, x + 1, column[1]);
    }
    for (int32_t left = d->out_w;;) {
        /* As many steps as bring the columns back to where they began. */
        UNROLLED
        for (int i = 0; i < 4 - stride; i++) {
            const int a = stride == 1 ? i : 2 * i, b = stride == 1 ? (i + 1) % 3 : 1, c = stride == 1 ? (i + 2) % 3 : 2 - 2 * i;
            if (stride == 2) {
                column_at(r, x + 1, column[b]);
            }
            column_at(r, x + 2, column[c]);
            __m512i sum[4];
            UNROLLED
            for (int v = 0; v < 4; v++) {
                sum[v] = load_sums(bias + 16 * v);
                sum[v] = dot(dot(dot(sum[v], column[a][v], w[0][v]), column[b][v], w[1][v]), column[c][v], w[2][v]);
            }
            store_group(&rule, rounding, channel, sum, out, mask);
            out += out_step;
            x += stride;
            if (--left == 0) {
                return;
            }
        }
    }
}

#define ROLLING(suffix, stride, rounding) \
    SEPARATE void rolling_##suffix(const struct depthwise *d, const struct three_rows *r, int32_t channel, uint8_t *out, __mmask64 mask) { \
        rolling(d, r, channel, out, mask, stride, rounding); \
    }

ROLLING(1_fused, 1, FUSED)
ROLLING(2_fused, 2, FUSED)
ROLLING(1_nearest, 1, NEAREST)
ROLLING(2_nearest, 2, NEAREST)

/* A group of a row with the columns under the kernel in registers; whether that can be done. */
static int row_of_three(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t channel, __mmask64 mask, const uint8_t *zeros,
                        uint8_t *out) {
    enum rescaling rounding = d->rule.rounding[channel / GROUP];
    if (d->kernel_h != 3 || d->kernel_w != 3 || d->dilation_h != 1 || d->dilation_w != 1 || d->stride_w > 2 || d->signed_input
        || rounding == BOUNDED) {
        return 0;
    }
    struct three_rows r;
    const uint8_t *end = in + (int64_t) d->ring * d->in_w * d->channels + d->slack;
    r.zeros = zeros;
    r.width = d->in_w;
    for (int32_t i = 0; i < 3; i++) {
        int32_t row = y * d->stride_h - d->pad_top + i;
        int there = row >= 0 && row < d->in_h;
        r.first[i] = there ? input_at(d, in, row, 0) + channel : zeros;
        r.step[i] = there ? d->channels : 0;
        /* Beyond the last channel lies the next column's first, which no result takes; beyond the last column nothing. */
        if (there && r.first[i] + (d->in_w - 1) * r.step[i] + GROUP > end) {
            return 0;
        }
    }
    if (d->stride_w == 1) {
        rounding == FUSED ? rolling_1_fused(d, &r, channel, out, mask) : rolling_1_nearest(d, &r, channel, out, mask);
    } else {
        rounding == FUSED ? rolling_2_fused(d, &r, channel, out, mask) : rolling_2_nearest(d, &r, channel, out, mask);
    }
    return 1;
}

/*
 * Row y of the output. Scratch, from a multiple of 64 bytes: a vector of zero points, then 256 bytes for every input column under COLUMNS
 * and every four kernel rows.
 */
INLINE void depthwise_row(const struct depthwise *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t y,
                          uint8_t *scratch) {
    int32_t reach = (d->kernel_w - 1) * d->dilation_w + 1;
    int32_t step = COLUMNS <= reach ? 1 : (COLUMNS - reach) / d->stride_w + 1;
    int32_t groups = (d->kernel_h + 3) / 4;
    __m512i flip = _mm512_set1_epi8(d->signed_input ? (char) 128 : 0);
    uint8_t *bytes = scratch + 64;
    in += in_offset;
    out += out_offset;
    _mm512_store_si512(scratch, _mm512_set1_epi8((char) d->zero_point));
    for (int32_t channel = 0; channel < d->channels; channel += GROUP) {
        int32_t left = d->channels - channel;
        __mmask64 mask = left >= GROUP ? ~0ull : (1ull << left) - 1;
        enum rescaling rounding = d->rule.rounding[channel / GROUP];
        if (row_of_three(d, in, y, channel, mask, scratch, out + channel)) {
            continue;
        }
        for (int32_t x = 0; x < d->out_w; x += step) {
            int32_t count = x + step < d->out_w ? step : d->out_w - x;
            int32_t columns = (count - 1) * d->stride_w + reach;
            for (int32_t g = 0; g < groups; g++) {
                interleave_columns(d, in, y * d->stride_h - d->pad_top + 4 * g * d->dilation_h, x * d->stride_w - d->pad_left, columns,
                                   channel, flip, mask, scratch, bytes + (int64_t) g * columns * 256);
            }
            struct strip s = {bytes, out + (int64_t) x * d->channels + channel, count, channel, columns, mask};
            rounding == FUSED ? any_fused(d, &s) : rounding == NEAREST ? any_nearest(d, &s) : any_bounded(d, &s);
        }
    }
}

/* Bytes of scratch that a row needs. */
INLINE int64_t depthwise_scratch_size(const struct depthwise *d) {
    int64_t reach = (int64_t) (d->kernel_w - 1) * d->dilation_w + 1;
    return 64 + (d->kernel_h + 3) / 4 * 256 * (reach > COLUMNS ? reach : COLUMNS);
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 1;
}
