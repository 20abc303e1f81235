/*
 * Depthwise by dot products over four rows: the bytes of four rows under the kernel are interleaved once a column, a
 * vector of channels at a time, then every output column takes one dot product a kernel column and quarter of them.
 * Columns under the usual 3x3 kernels are interleaved in registers, those under others in the first cache. Interleaving
 * within 128-bit lanes leaves the channels of a block in the order lane, quarter, four: weights, bias and scales come
 * in that order too, and packing the results back restores the natural one.
 */

/* Channels at a time. */
#define BLOCK (4 * LANES)
/* Bytes of an interleaved column, which begin on a multiple of a vector. */
#define COLUMN (4 * BLOCK)
/* Input columns interleaved at a time, so that they stay in the first cache. */
#define COLUMNS 48

#if defined(ISA_AVX512VNNI)

/* Bytes are read as they are, unless they are signed. */
#define FLIPS_ALL 0
/* Whether a part of a block is stored as fast as a whole one. */
#define STORES_PARTS 1
/* Outputs at a time, under kernels of any size. */
#define OUTPUTS 1
/* The channels of a block that there are. */
typedef __mmask64 present;
#define ALL_PRESENT (~0ull)

INLINE present present_of(int32_t left) {
    return left >= BLOCK ? ALL_PRESENT : (1ull << left) - 1;
}

INLINE bytes all_bytes(int32_t x) {
    return _mm512_set1_epi8((char) x);
}

INLINE bytes load_block(const uint8_t *p) {
    return _mm512_loadu_si512(p);
}

INLINE bytes load_present(const uint8_t *p, present channels) {
    return _mm512_maskz_loadu_epi8(channels, p);
}

INLINE void store_block(uint8_t *p, bytes x) {
    _mm512_storeu_si512(p, x);
}

INLINE void store_present(uint8_t *p, bytes x, present channels) {
    _mm512_mask_storeu_epi8(p, channels, x);
}

INLINE bytes exclusive_or(bytes a, bytes b) {
    return _mm512_xor_si512(a, b);
}

INLINE sums aligned_sums(const uint8_t *p) {
    return _mm512_load_si512(p);
}

INLINE void store_aligned(uint8_t *p, sums x) {
    _mm512_store_si512(p, x);
}

/* The bytes of four rows in turn. */
INLINE void interleave_rows(const bytes *row, sums *column) {
    __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
    __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]), high23 = _mm512_unpackhi_epi8(row[2], row[3]);
    column[0] = _mm512_unpacklo_epi16(low01, low23);
    column[1] = _mm512_unpackhi_epi16(low01, low23);
    column[2] = _mm512_unpacklo_epi16(high01, high23);
    column[3] = _mm512_unpackhi_epi16(high01, high23);
}

#else

#if defined(SIGNED_INPUTS)
#define FLIPS_ALL 1
#else
#define FLIPS_ALL 0
#endif
#define STORES_PARTS 0
#define OUTPUTS 2
typedef int32_t present;
#define ALL_PRESENT BLOCK
#define pack_within pack

INLINE present present_of(int32_t left) {
    return left >= BLOCK ? BLOCK : left;
}

INLINE bytes all_bytes(int32_t x) {
    return vdupq_n_u8((uint8_t) x);
}

INLINE bytes load_block(const uint8_t *p) {
    return vld1q_u8(p);
}

INLINE bytes load_present(const uint8_t *p, present channels) {
    if (channels == ALL_PRESENT) {
        return vld1q_u8(p);
    }
    uint8_t copy[BLOCK] = {0};
    store_some(p, copy, channels);
    return vld1q_u8(copy);
}

INLINE void store_block(uint8_t *p, bytes x) {
    vst1q_u8(p, x);
}

INLINE void store_present(uint8_t *p, bytes x, present channels) {
    uint8_t copy[BLOCK];
    vst1q_u8(copy, x);
    store_some(copy, p, channels);
}

INLINE bytes exclusive_or(bytes a, bytes b) {
    return veorq_u8(a, b);
}

INLINE sums aligned_sums(const uint8_t *p) {
    return vreinterpretq_s32_u8(vld1q_u8(p));
}

INLINE void store_aligned(uint8_t *p, sums x) {
    vst1q_u8(p, vreinterpretq_u8_s32(x));
}

/* The bytes of four rows in turn. */
INLINE void interleave_rows(const bytes *row, sums *column) {
    uint16x8_t low01 = vreinterpretq_u16_u8(vzip1q_u8(row[0], row[1])),
               high01 = vreinterpretq_u16_u8(vzip2q_u8(row[0], row[1]));
    uint16x8_t low23 = vreinterpretq_u16_u8(vzip1q_u8(row[2], row[3])),
               high23 = vreinterpretq_u16_u8(vzip2q_u8(row[2], row[3]));
    column[0] = vreinterpretq_s32_u16(vzip1q_u16(low01, low23));
    column[1] = vreinterpretq_s32_u16(vzip2q_u16(low01, low23));
    column[2] = vreinterpretq_s32_u16(vzip1q_u16(high01, high23));
    column[3] = vreinterpretq_s32_u16(vzip2q_u16(high01, high23));
}

#endif

/* What makes bytes of the sign that dot products take. */
INLINE bytes flip_of(const struct depthwise *d) {
    return all_bytes((d->signed_input ? 128 : 0) ^ (FLIPS_ALL ? 128 : 0));
}

/* The rows under a group of four kernel rows: where their columns begin, and how far apart they are; 0 repeats one
 * column. */
struct rows {
    const uint8_t *first[4];
    int64_t step[4];
};

/* `plain` columns have all channels, and bytes of the sign that dot products take unless all are flipped. */
INLINE void interleave(
        const struct rows *rows, int32_t count, bytes flip, present channels, const int plain, uint8_t *target) {
    struct rows r = *rows;
    for (; count > 0; count--, target += COLUMN) {
        bytes row[4];
        sums column[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            row[i] = plain ? load_block(r.first[i]) : load_present(r.first[i], channels);
            row[i] = plain && !FLIPS_ALL ? row[i] : exclusive_or(row[i], flip);
            r.first[i] += r.step[i];
        }
        interleave_rows(row, column);
        UNROLLED
        for (int v = 0; v < 4; v++) {
            store_aligned(target + v * BLOCK, column[v]);
        }
    }
}

/* Columns [x, x + columns) of the four rows from y, those outside the image as zero points. */
INLINE void interleave_columns(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x, int32_t columns,
        int32_t channel, bytes flip, present channels, const uint8_t *zeros, uint8_t *target) {
    struct rows outside, inside;
    int32_t from = x < 0 ? -x : 0;
    int32_t to = d->in_w - x;
    from = from < columns ? from : columns;
    to = to < from ? from : to < columns ? to : columns;
    const uint8_t *end = in + (int64_t) d->ring * d->in_w * d->channels + d->slack;
    int plain = FLIPS_ALL || !d->signed_input;
    for (int32_t i = 0; i < 4; i++) {
        /* Of four rows some may lie beyond the kernel's last, and so beyond what 32 bits hold. */
        int64_t row = y + (int64_t) i * d->dilation_h;
        int32_t there = row >= 0 && row < d->in_h;
        outside.first[i] = zeros;
        outside.step[i] = 0;
        inside.first[i] = there ? input_at(d, in, (int32_t) row, x + from) + channel : zeros;
        inside.step[i] = there ? d->channels : 0;
        /* Beyond the last channel lies the next column's first, which no result takes; beyond the last column nothing.
         */
        plain &= !there || inside.first[i] + (int64_t) (to - from - 1) * d->channels + BLOCK <= end;
    }
    interleave(&outside, from, flip, channels, 0, target);
    if (plain) {
        interleave(&inside, to - from, flip, channels, 1, target + COLUMN * from);
    } else {
        interleave(&inside, to - from, flip, channels, 0, target + COLUMN * from);
    }
    interleave(&outside, columns - to, flip, channels, 0, target + COLUMN * to);
}

/* Four vectors of sums, in the order of the interleaving, to a block. */
INLINE void store_group(const struct requantization *r, const struct limits *limits, enum rescaling rounding,
        int32_t channel, const sums *sum, uint8_t *out, present channels) {
    sums s[4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        s[v] = rescaled(r, rounding, channel + LANES * v, sum[v]);
    }
    bytes packed = pack_within(limits, rounding, s[0], s[1], s[2], s[3]);
    if (channels == ALL_PRESENT) {
        store_block(out, packed);
    } else {
        store_present(out, packed, channels);
    }
}

/* Some columns of a row of the output: where their inputs were interleaved to, and where they go. */
struct strip {
    const uint8_t *bytes;
    uint8_t *out;
    int32_t count;
    int32_t channel;
    int32_t columns; /* interleaved of each row group */
    present channels;
};

/* One output or two, as the compiler knows, which share the loads of weights. */
INLINE void any_outputs(const struct depthwise *d, const struct strip *s, const uint8_t *bytes, uint8_t *out,
        const int count, const enum rescaling rounding) {
    const int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    const int32_t groups = (d->kernel_h + 3) / 4;
    const int64_t step = (int64_t) COLUMN * d->stride_w;
    sums sum[OUTPUTS][4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        UNROLLED
        for (int i = 0; i < count; i++) {
            sum[i][v] = load_sums(d->bias + s->channel + LANES * v);
        }
    }
    for (int32_t g = 0; g < groups; g++) {
        const uint8_t *b = bytes + (int64_t) g * s->columns * COLUMN;
        const int8_t *w = d->weights + ((int64_t) g * d->kernel_w * padded + s->channel) * 4;
        for (int32_t k = 0; k < d->kernel_w; k++, b += (int64_t) d->dilation_w * COLUMN, w += (int64_t) padded * 4) {
            UNROLLED
            for (int v = 0; v < 4; v++) {
                const sums weights = weights_of(w + BLOCK * v);
                UNROLLED
                for (int i = 0; i < count; i++) {
                    sum[i][v] = dot_quads(sum[i][v], aligned_sums(b + i * step + BLOCK * v), weights);
                }
            }
        }
    }
    const struct limits *limits = &d->rule.limits[rounding];
    store_group(&d->rule, limits, rounding, s->channel, sum[0], out, s->channels);
    if (count == 2) {
        store_group(&d->rule, limits, rounding, s->channel, sum[OUTPUTS - 1], out + d->channels, s->channels);
    }
}

INLINE void any_columns(const struct depthwise *d, const struct strip *s, const enum rescaling rounding) {
    const uint8_t *bytes = s->bytes;
    uint8_t *out = s->out;
    int32_t left = s->count;
    for (; left >= OUTPUTS; left -= OUTPUTS) {
        any_outputs(d, s, bytes, out, OUTPUTS, rounding);
        bytes += (int64_t) OUTPUTS * COLUMN * d->stride_w;
        out += OUTPUTS * d->channels;
    }
    for (; OUTPUTS > 1 && left > 0; left--) {
        any_outputs(d, s, bytes, out, 1, rounding);
        bytes += (int64_t) COLUMN * d->stride_w;
        out += d->channels;
    }
}

SEPARATE void any_fused(const struct depthwise *d, const struct strip *s) {
    any_columns(d, s, RESCALING_FUSED);
}
SEPARATE void any_nearest(const struct depthwise *d, const struct strip *s) {
    any_columns(d, s, RESCALING_NEAREST);
}
SEPARATE void any_bounded(const struct depthwise *d, const struct strip *s) {
    any_columns(d, s, RESCALING_BOUNDED);
}

/* Three rows under a 3x3 kernel without dilation, of one group of channels: where column 0 begins and how far apart
 * columns are. */
struct three_rows {
    const uint8_t *first[3];
    int64_t step[3];
    const uint8_t *zeros;
    int32_t width;
};

/* Interleaves a column into registers; the fourth bytes meet weights of 0. */
INLINE void column_at(const struct three_rows *r, int32_t x, sums *column) {
    bytes row[4];
#if defined(ISA_AVX512VNNI)
    if ((uint32_t) x < (uint32_t) r->width) {
        UNROLLED
        for (int i = 0; i < 3; i++) {
            row[i] = load_block(r->first[i] + x * r->step[i]);
        }
    } else {
        row[0] = row[1] = row[2] = load_block(r->zeros);
    }
#else
    /* Without a branch, which would keep columns from following each other closely. */
    const uintptr_t zeros = (uintptr_t) r->zeros, inside = -(uintptr_t) ((uint32_t) x < (uint32_t) r->width);
    UNROLLED
    for (int i = 0; i < 3; i++) {
        const uintptr_t at = (uintptr_t) r->first[i] + (uintptr_t) (x * r->step[i]);
        row[i] = load_block((const uint8_t *) (zeros + ((at - zeros) & inside)));
        row[i] = FLIPS_ALL ? exclusive_or(row[i], all_bytes(128)) : row[i];
    }
#endif
    row[3] = row[2];
    interleave_rows(row, column);
}

#if defined(ISA_AVX512VNNI)

/* The first `count` outputs of a row by a 3x3 kernel: weights and the three columns under it stay in registers. */
INLINE void rolling(const struct depthwise *d, const struct three_rows *three, int32_t channel, int32_t count,
        uint8_t *out, present channels, const struct limits *limits, const int stride, const enum rescaling rounding) {
    /* Copies, which the stores of results cannot change. */
    const struct three_rows rows = *three, *r = &rows;
    const struct requantization rule = d->rule;
    const int32_t *bias = d->bias + channel;
    const int64_t out_step = d->channels;
    int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    sums w[3][4], column[3][4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        UNROLLED
        for (int k = 0; k < 3; k++) {
            w[k][v] = weights_of(d->weights + ((int64_t) k * padded + channel) * 4 + BLOCK * v);
        }
    }
    int32_t x = -d->pad_left;
    column_at(r, x, column[0]);
    if (stride == 1) {
        column_at(r, x + 1, column[1]);
    }
    for (int32_t left = count;;) {
        /* As many steps as bring the columns back to where they began. */
        UNROLLED
        for (int i = 0; i < 4 - stride; i++) {
            const int a = stride == 1 ? i : 2 * i, b = stride == 1 ? (i + 1) % 3 : 1,
                      c = stride == 1 ? (i + 2) % 3 : 2 - 2 * i;
            if (stride == 2) {
                column_at(r, x + 1, column[b]);
            }
            column_at(r, x + 2, column[c]);
            sums sum[4];
            UNROLLED
            for (int v = 0; v < 4; v++) {
                sum[v] = load_sums(bias + LANES * v);
                sum[v] = dot_quads(dot_quads(dot_quads(sum[v], column[a][v], w[0][v]), column[b][v], w[1][v]),
                        column[c][v], w[2][v]);
            }
            store_group(&rule, limits, rounding, channel, sum, out, channels);
            out += out_step;
            x += stride;
            if (--left == 0) {
                return;
            }
        }
    }
}

#else

/* What the outputs of a row of one block share; copies, which the stores of results cannot change. The rule's channels
 * begin with the block. */
struct rolling {
    struct three_rows rows;
    struct requantization rule;
    const struct limits *limits;
    const int32_t *bias;
    present channels;
};

/* An output from columns a, b and c, of which the last `stride` are interleaved first, from column x of the rows on. */
INLINE void roll(const struct rolling *r, int32_t x, const sums (*w)[4], const sums *a, sums *b, sums *c, uint8_t *out,
        const int stride, const enum rescaling rounding) {
    if (stride == 2) {
        column_at(&r->rows, x + 1, b);
    }
    column_at(&r->rows, x + 2, c);
    sums sum[4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        sum[v] = load_sums(r->bias + LANES * v);
        sum[v] = dot_quads(sum[v], a[v], w[0][v]);
        sum[v] = dot_quads(sum[v], b[v], w[1][v]);
        sum[v] = dot_quads(sum[v], c[v], w[2][v]);
    }
    store_group(&r->rule, r->limits, rounding, 0, sum, out, r->channels);
}

/* The first `count` outputs of a row by a 3x3 kernel: weights and the three columns under it stay in registers. */
INLINE void rolling(const struct depthwise *d, const struct three_rows *rows, int32_t channel, int32_t count,
        uint8_t *out, present channels, const struct limits *limits, const int stride, const enum rescaling rounding) {
    struct rolling shared = {*rows, d->rule, limits, d->bias + channel, channels};
    shared.rule.scale += channel;
    shared.rule.offset += channel;
    const struct rolling *r = &shared;
    const int64_t out_step = d->channels;
    int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    sums w[3][4], first[4], second[4], third[4];
    UNROLLED
    for (int v = 0; v < 4; v++) {
        UNROLLED
        for (int k = 0; k < 3; k++) {
            w[k][v] = weights_of(d->weights + ((int64_t) k * padded + channel) * 4 + BLOCK * v);
        }
    }
    int32_t x = -d->pad_left;
    column_at(&r->rows, x, first);
    if (stride == 1) {
        column_at(&r->rows, x + 1, second);
    }
    for (;;) {
        /* As many steps as bring the columns back to where they began. */
        roll(r, x, w, first, second, third, out, stride, rounding);
        out += out_step;
        x += stride;
        if (--count == 0) {
            return;
        }
        if (stride == 2) {
            roll(r, x, w, third, second, first, out, stride, rounding);
        } else {
            roll(r, x, w, second, third, first, out, stride, rounding);
            out += out_step;
            x += stride;
            if (--count == 0) {
                return;
            }
            roll(r, x, w, third, first, second, out, stride, rounding);
        }
        out += out_step;
        x += stride;
        if (--count == 0) {
            return;
        }
    }
}

#endif

/* Of results that need none, known to the compiler. */
static const struct limits no_limits;

#define ROLLING(suffix, stride, rounding, limits) \
    SEPARATE void rolling_##suffix(const struct depthwise *d, const struct three_rows *rows, int32_t channel, \
            int32_t count, uint8_t *out, present channels) { \
        rolling(d, rows, channel, count, out, STORES_PARTS ? channels : ALL_PRESENT, limits, stride, rounding); \
    }

ROLLING(1_fused, 1, RESCALING_FUSED, &no_limits)
ROLLING(2_fused, 2, RESCALING_FUSED, &no_limits)
ROLLING(1_limited, 1, RESCALING_FUSED, &d->rule.limits[RESCALING_FUSED])
ROLLING(2_limited, 2, RESCALING_FUSED, &d->rule.limits[RESCALING_FUSED])
ROLLING(1_nearest, 1, RESCALING_NEAREST, &d->rule.limits[RESCALING_NEAREST])
ROLLING(2_nearest, 2, RESCALING_NEAREST, &d->rule.limits[RESCALING_NEAREST])

/* Outputs of a row whose blocks from `channel` on may be stored whole: what lies behind the last channel is the next
 * output's first, which its own block, taken later, replaces. */
static int32_t whole_outputs(const struct depthwise *d, int32_t channel) {
    const int64_t last = (int64_t) d->out_w * d->channels - channel - BLOCK;
    return STORES_PARTS ? d->out_w : last < 0 ? 0 : (int32_t) (last / d->channels) + 1;
}

/* The first outputs of a block of a row, with the columns under the kernel in registers; how many that can be done for.
 */
static int32_t row_of_three(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t channel, present channels,
        const uint8_t *zeros, uint8_t *out) {
    enum rescaling rounding = d->rule.rounding[channel / GROUP];
    const int32_t count = whole_outputs(d, channel);
    if (d->kernel_h != 3 || d->kernel_w != 3 || d->dilation_h != 1 || d->dilation_w != 1 || d->stride_w > 2
            || d->signed_input || rounding == RESCALING_BOUNDED || count == 0) {
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
        /* Beyond the last channel lies the next column's first, which no result takes; beyond the last column nothing.
         */
        if (there && r.first[i] + (d->in_w - 1) * r.step[i] + BLOCK > end) {
            return 0;
        }
    }
    const int limited = d->rule.limits[RESCALING_FUSED].needed;
    if (rounding == RESCALING_NEAREST) {
        d->stride_w == 1 ? rolling_1_nearest(d, &r, channel, count, out, channels)
                         : rolling_2_nearest(d, &r, channel, count, out, channels);
    } else if (limited) {
        d->stride_w == 1 ? rolling_1_limited(d, &r, channel, count, out, channels)
                         : rolling_2_limited(d, &r, channel, count, out, channels);
    } else {
        d->stride_w == 1 ? rolling_1_fused(d, &r, channel, count, out, channels)
                         : rolling_2_fused(d, &r, channel, count, out, channels);
    }
    return count;
}

/*
 * Row y of the output. Scratch, from a multiple of 64 bytes: a vector of zero points, then COLUMN bytes for every
 * input column under COLUMNS and every four kernel rows.
 */
INLINE void depthwise_row(const struct depthwise *d, const uint8_t *in, uint8_t *out, int32_t y, uint8_t *scratch) {
    int32_t reach = (d->kernel_w - 1) * d->dilation_w + 1;
    int32_t step = COLUMNS <= reach ? 1 : (COLUMNS - reach) / d->stride_w + 1;
    int32_t groups = (d->kernel_h + 3) / 4;
    const bytes flip = flip_of(d);
    uint8_t *interleaved = scratch + 64;
    store_block(scratch, all_bytes(d->zero_point));
    const int32_t blocks = (d->channels + BLOCK - 1) / BLOCK;
    for (int32_t i = 0; i < blocks; i++) {
        /* A part that is stored whole comes before what it touches. */
        const int32_t channel = (STORES_PARTS ? i : blocks - 1 - i) * BLOCK;
        const present channels = present_of(d->channels - channel);
        enum rescaling rounding = d->rule.rounding[channel / GROUP];
        const int32_t done = row_of_three(d, in, y, channel, channels, scratch, out + channel);
        for (int32_t x = done; x < d->out_w; x += step) {
            int32_t count = x + step < d->out_w ? step : d->out_w - x;
            int32_t columns = (count - 1) * d->stride_w + reach;
            for (int32_t g = 0; g < groups; g++) {
                interleave_columns(d, in, y * d->stride_h - d->pad_top + 4 * g * d->dilation_h,
                        x * d->stride_w - d->pad_left, columns, channel, flip, channels, scratch,
                        interleaved + (int64_t) g * columns * COLUMN);
            }
            struct strip s = {
                    interleaved, out + (int64_t) x * d->channels + channel, count, channel, columns, channels};
            rounding == RESCALING_FUSED             ? any_fused(d, &s)
                    : rounding == RESCALING_NEAREST ? any_nearest(d, &s)
                                                    : any_bounded(d, &s);
        }
    }
}

/* Bytes of scratch that a row needs. */
INLINE int64_t depthwise_scratch_size(const struct depthwise *d) {
    int64_t reach = (int64_t) (d->kernel_w - 1) * d->dilation_w + 1;
    return 64 + (d->kernel_h + 3) / 4 * COLUMN * (reach > COLUMNS ? reach : COLUMNS);
}

/* The 128-bit lanes of a vector, by which a block's channels are ordered; 0 where dot products are not taken. */
EXPORT int32_t NAME(depthwise_dots)(void) {
    return LANES / 4;
}
