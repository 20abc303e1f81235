/*
 * An inverted residual block up to its depthwise convolution: 3x3 kernels over rows that are kept in pairs. A pair of
 * rows holds, for every group of 32 channels and every column, 16-bit words of a byte from each of its two rows; two
 * pairs, unpacked into each other, are four rows ready for dot products, which serve two rows of the output. The
 * widening convolution writes pairs at no cost above that of rows.
 *
 * Results leave as words of a group's two vectors of sums: byte j is lane j / 2 of vector j % 2. Lane i of vector h is
 * channel 2 i + h where images were read, so results are in the image's order, and 16 h + i where a convolution wrote
 * the pairs.
 */
#include "call.h"
#include "isa.h"
#include "requantize.h"

#if defined(ISA_AVX512VNNI)

/* Channels of a group, and bytes of one column of it. */
#define GROUP 32
#define COLUMN 64
/* Columns that a tile of a pair takes: as many sums as fit registers. */
#define COLUMNS 7

static int32_t groups_of(const struct pairs *p) {
    return (p->channels + GROUP - 1) / GROUP;
}

/* Bytes of a group's line, one pair of rows with a column at either end for what lies outside. */
static int64_t line_of(const struct pairs *p) {
    return (int64_t) (p->in_w + 2) * COLUMN;
}

/* Words of the low halves of a and b. */
INLINE sums words(sums a, sums b) {
    /* low ? a : b */
    return _mm512_ternarylogic_epi32(_mm512_set1_epi32(0xffff), a, _mm512_slli_epi32(b, 16), 0xca);
}

/* The floats of a group's two vectors, in registers. */
struct group_floats {
    __m512 scale[2];
    __m512 offset[2];
};

INLINE struct group_floats floats_of(const struct requantization *r, int32_t channel) {
    struct group_floats f;
    UNROLLED
    for (int v = 0; v < 2; v++) {
        f.scale[v] = _mm512_loadu_ps(r->scale + channel + v * LANES);
        f.offset[v] = _mm512_loadu_ps(r->offset + channel + v * LANES);
    }
    return f;
}

/* Vector v of a group's sums as results in the low half of each lane: limited, unless packing them does it. */
INLINE sums result(const struct requantization *r, enum rescaling rounding, const struct group_floats *f, int32_t group,
        const int v, sums sum) {
    if (rounding == RESCALING_FUSED) {
        return _mm512_castps_si512(_mm512_fmadd_ps(_mm512_castsi512_ps(sum), f->scale[v], f->offset[v]));
    }
    const int32_t channel = group * GROUP + v * LANES;
    const struct limits *l = &r->limits[rounding];
    const int32_t addend = l->addend[0];
    sums x = _mm512_max_epi32(rescaled(r, rounding, channel, sum), _mm512_set1_epi32(l->least[0] - addend));
    return _mm512_add_epi32(_mm512_min_epi32(x, _mm512_set1_epi32(l->most[0] - addend)), _mm512_set1_epi32(addend));
}

INLINE bytes bytes_of(const struct limits *l, sums low, sums high) {
    bytes packed = _mm512_packus_epi16(low, high);
    if (!l->needed) {
        return packed;
    }
    packed = _mm512_min_epu8(_mm512_max_epu8(packed, _mm512_loadu_si512(l->least)), _mm512_loadu_si512(l->most));
    return _mm512_xor_si512(packed, _mm512_loadu_si512(l->flip));
}

/* Adds a quad of COLUMNS pixels of a row; three share a pointer. */
INLINE void add_row(const uint8_t **x, int64_t stride, const int at, const sums *w, sums sum[COLUMNS][2]) {
    UNROLLED
    for (int i = 0; i < COLUMNS; i++) {
        sums broadcast = quad_at(x[i / 3], stride, i % 3, at);
        sum[i][0] = dot(sum[i][0], broadcast, w[0]);
        sum[i][1] = dot(sum[i][1], broadcast, w[1]);
    }
}

/* A tile of a pointwise convolution: COLUMNS columns of two rows by one panel, to a line. */
INLINE void widen_tile(const struct dense *d, const uint8_t *upper, const uint8_t *lower, int32_t panel,
        const enum rescaling rounding, uint8_t *out) {
    sums a[COLUMNS][2], b[COLUMNS][2];
    const int64_t stride = d->in_channels;
    const int32_t *bias = d->bias + panel * PANEL;
    const int8_t *w = d->weights + (int64_t) panel * d->quads * PANEL * 4;
    const uint8_t *x[3], *y[3];
    UNROLLED
    for (int i = 0; i < COLUMNS; i++) {
        UNROLLED
        for (int v = 0; v < 2; v++) {
            a[i][v] = b[i][v] = load_sums(bias + v * LANES);
        }
    }
    UNROLLED
    for (int i = 0; i < 3; i++) {
        x[i] = upper + 3 * i * stride;
        y[i] = lower + 3 * i * stride;
    }
    /* Not d->quads, in which some of the weights' may be counted that only fill up. */
    for (int32_t k = 0; k < d->in_channels / 4; k++) {
        sums wv[2] = {weights_at(w, 0), weights_at(w, LANES * 4)};
        add_row(x, stride, 0, wv, a);
        add_row(y, stride, 0, wv, b);
        w += PANEL * 4;
        UNROLLED
        for (int i = 0; i < 3; i++) {
            x[i] += 4;
            y[i] += 4;
        }
    }
    const struct requantization *r = &d->rule;
    const struct group_floats f = floats_of(r, panel * PANEL);
    UNROLLED
    for (int i = 0; i < COLUMNS; i++) {
        sums low = words(result(r, rounding, &f, panel, 0, a[i][0]), result(r, rounding, &f, panel, 0, b[i][0]));
        sums high = words(result(r, rounding, &f, panel, 1, a[i][1]), result(r, rounding, &f, panel, 1, b[i][1]));
        _mm512_storeu_si512(out + i * COLUMN, bytes_of(&r->limits[rounding], low, high));
    }
}

SEPARATE void widen_fused(
        const struct dense *d, const uint8_t *upper, const uint8_t *lower, int32_t panel, uint8_t *out) {
    widen_tile(d, upper, lower, panel, RESCALING_FUSED, out);
}

SEPARATE void widen_otherwise(
        const struct dense *d, const uint8_t *upper, const uint8_t *lower, int32_t panel, uint8_t *out) {
    widen_tile(d, upper, lower, panel, d->rule.rounding[panel], out);
}

/* A group of the channels of two rows of an image, to a line. */
INLINE void read_rows(const struct pairs *p, const uint8_t *upper, const uint8_t *lower, int32_t group, uint8_t *out) {
    const int32_t left = p->channels - group * GROUP;
    const __mmask32 mask = left >= GROUP ? ~0u : (1u << left) - 1;
    /* Even channels of each eight, then odd ones. */
    const __m512i order = _mm512_set4_epi32(0x0f0e0b0a, 0x07060302, 0x0d0c0908, 0x05040100);
    upper += group * GROUP;
    lower += group * GROUP;
    for (int32_t i = 0; i < p->in_w; i++, upper += p->in_pixel, lower += p->in_pixel, out += COLUMN) {
        __m512i a = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, upper));
        __m512i b = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, lower));
        _mm512_storeu_si512(out, _mm512_shuffle_epi8(_mm512_or_si512(a, _mm512_slli_epi16(b, 8)), order));
    }
}

/* Tiles of the widening convolution over columns of two rows. */
static void widen(const struct dense *d, const uint8_t *upper, const uint8_t *lower, int32_t columns, int32_t group,
        uint8_t *line) {
    for (int32_t i = 0; i < columns; i += COLUMNS) {
        /* The last tile takes some columns once more. */
        int32_t column = i + COLUMNS <= columns ? i : columns - COLUMNS;
        int64_t at = (int64_t) column * d->in_channels;
        if (d->rule.rounding[group] == RESCALING_FUSED) {
            widen_fused(d, upper + at, lower + at, group, line + column * COLUMN);
        } else {
            widen_otherwise(d, upper + at, lower + at, group, line + column * COLUMN);
        }
    }
}

/* As widen, of one row: a tile's second row are the columns behind its first. Each word's bytes are both of this row.
 */
static void widen_row(const struct dense *d, const uint8_t *row, int32_t columns, int32_t group, uint8_t *line) {
    if (columns < 2 * COLUMNS) {
        widen(d, row, row, columns, group, line);
        return;
    }
    for (int32_t i = 0; i < columns; i += 2 * COLUMNS) {
        int32_t column = i + 2 * COLUMNS <= columns ? i : columns - 2 * COLUMNS;
        const uint8_t *first = row + (int64_t) column * d->in_channels;
        uint8_t *out = line + column * COLUMN;
        widen(d, first, first + COLUMNS * (int64_t) d->in_channels, COLUMNS, group, out);
        for (int32_t k = 0; k < COLUMNS; k++, out += COLUMN) {
            __m512i both = _mm512_loadu_si512(out), low = _mm512_set1_epi16(0xff);
            _mm512_storeu_si512(out, _mm512_ternarylogic_epi32(low, both, _mm512_slli_epi16(both, 8), 0xca));
            _mm512_storeu_si512(
                    out + COLUMNS * COLUMN, _mm512_ternarylogic_epi32(low, _mm512_srli_epi16(both, 8), both, 0xca));
        }
    }
}

/* The pair of rows from `row` on of a group, to a line, or with only_lower the second one; outside the image are zero
 * points. */
static void make_line(
        const struct pairs *p, const uint8_t *in, int32_t row, int only_lower, int32_t group, uint8_t *line) {
    const __m512i zero = _mm512_set1_epi8((char) p->zero_point);
    const int has_upper = row >= 0 && row < p->in_h && !only_lower, has_lower = row + 1 >= 0 && row + 1 < p->in_h;
    if (!has_upper && !has_lower) {
        for (int32_t i = 0; i < p->in_w + 2; i++) {
            _mm512_storeu_si512(line + i * COLUMN, zero);
        }
        return;
    }
    const struct dense *d = p->widening;
    const int64_t in_row = p->in_w * (int64_t) (d ? d->in_channels : p->in_pixel);
    const uint8_t *upper = in + (has_upper ? row : row + 1) * in_row,
                  *lower = has_lower ? in + (row + 1) * in_row : upper;
    _mm512_storeu_si512(line, zero);
    _mm512_storeu_si512(line + (p->in_w + 1) * (int64_t) COLUMN, zero);
    line += COLUMN;
    if (!d) {
        read_rows(p, upper, lower, group, line);
    } else if (upper != lower) {
        widen(d, upper, lower, p->in_w, group, line);
    } else {
        widen_row(d, upper, p->in_w, group, line);
    }
    if (upper == lower) {
        const __mmask64 outside = has_lower ? 0x5555555555555555 : 0xaaaaaaaaaaaaaaaa;
        for (int32_t i = 0; i < p->in_w; i++) {
            _mm512_mask_storeu_epi8(line + i * COLUMN, outside, zero);
        }
    }
}

/* A column of four rows: its channels' quads, of both vectors. */
INLINE void column_of(const uint8_t *above, const uint8_t *below, sums *column) {
    sums a = _mm512_loadu_si512(above), b = _mm512_loadu_si512(below);
    column[0] = _mm512_unpacklo_epi16(a, b);
    column[1] = _mm512_unpackhi_epi16(a, b);
}

/* A row of a group, or with stride 1 two. */
INLINE void filter(const struct pairs *p, const uint8_t *above, const uint8_t *below, int32_t group, const int stride,
        const enum rescaling rounding, int64_t out_pixel, uint8_t *out, uint8_t *second) {
    const int rows = stride == 1 ? 2 : 1;
    const struct requantization rule = p->rule, *r = &rule;
    const struct group_floats f = floats_of(r, group * GROUP);
    const int8_t *weights = p->weights + (int64_t) group * rows * 3 * 2 * 64;
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    sums w[2][3][2], column[3][2], bias[2];
    UNROLLED
    for (int v = 0; v < 2; v++) {
        bias[v] = load_sums(p->bias + group * GROUP + v * LANES);
        UNROLLED
        for (int k = 0; k < 3; k++) {
            UNROLLED
            for (int y = 0; y < rows; y++) {
                w[y][k][v] = weights_of(weights + ((y * 3 + k) * 2 + v) * 64);
            }
        }
    }
    int64_t at = (1 - p->pad_left) * COLUMN;
    column_of(above + at, below + at, column[0]);
    if (stride == 1) {
        column_of(above + at + COLUMN, below + at + COLUMN, column[1]);
    }
    for (int32_t left = p->out_w;;) {
        /* As many steps as bring the columns back to where they began. */
        UNROLLED
        for (int i = 0; i < 4 - stride; i++) {
            const int a = stride == 1 ? i : 2 * i, b = stride == 1 ? (i + 1) % 3 : 1,
                      c = stride == 1 ? (i + 2) % 3 : 2 - 2 * i;
            if (stride == 2) {
                column_of(above + at + COLUMN, below + at + COLUMN, column[b]);
            }
            column_of(above + at + 2 * COLUMN, below + at + 2 * COLUMN, column[c]);
            sums both[2];
            UNROLLED
            for (int y = 0; y < rows; y++) {
                sums s[2];
                UNROLLED
                for (int v = 0; v < 2; v++) {
                    s[v] = dot(dot(dot(bias[v], column[a][v], w[y][0][v]), column[b][v], w[y][1][v]), column[c][v],
                            w[y][2][v]);
                    s[v] = result(r, rounding, &f, group, v, s[v]);
                }
                both[y] = words(s[0], s[1]);
            }
            __m512i packed = _mm512_permutexvar_epi64(order, bytes_of(&r->limits[rounding], both[0], both[rows - 1]));
            _mm256_storeu_si256((__m256i *) out, _mm512_castsi512_si256(packed));
            if (rows == 2) {
                _mm256_storeu_si256((__m256i *) second, _mm512_extracti64x4_epi64(packed, 1));
                second += out_pixel;
            }
            out += out_pixel;
            at += stride * COLUMN;
            if (--left == 0) {
                return;
            }
        }
    }
}

#define FILTER(name, stride, rounding) \
    SEPARATE void name(const struct pairs *p, const uint8_t *above, const uint8_t *below, int32_t group, \
            int64_t out_pixel, uint8_t *out, uint8_t *second) { \
        filter(p, above, below, group, stride, rounding, out_pixel, out, second); \
    }

FILTER(filter_1_fused, 1, RESCALING_FUSED)
FILTER(filter_2_fused, 2, RESCALING_FUSED)
FILTER(filter_1_otherwise, 1, p->rule.rounding[group])
FILTER(filter_2_otherwise, 2, p->rule.rounding[group])

static int64_t row_of(const struct pairs *p) {
    return (int64_t) p->out_w * groups_of(p) * GROUP;
}

/* The memory that steps share: two pairs of rows, and a row of the output that nobody wants. */
static int64_t shared_size(const struct pairs *p) {
    return 2 * groups_of(p) * line_of(p) + row_of(p);
}

/* The pair of rows below those of a step, and the ones above if they are not there yet; then the rows of the output
 * under both. */
static void step(const struct pairs *p, const uint8_t *in, uint8_t *shared, int32_t index, int with_above,
        int32_t group, int32_t group_end, uint8_t *out) {
    const int32_t groups = groups_of(p), y = p->stride == 1 ? 2 * index - p->rise : index,
                  row = 2 * index - p->rise - p->pad_top;
    /* One row of the output begins as far down in the first pair as that one does above the image. */
    const int unread = p->stride == 2 && p->rise;
    const int64_t line = line_of(p), out_pixel = groups * GROUP;
    uint8_t *above = shared, *below = shared, *unwanted = shared + 2 * groups * line;
    uint8_t *first = y >= 0 ? out + y * row_of(p) : unwanted,
            *second = y + 1 < p->out_h ? out + (y + 1) * row_of(p) : unwanted;
    *(index & 1 ? &above : &below) += groups * line;
    first += group * GROUP;
    second += group * GROUP;
    for (int32_t g = group; g < group_end; g++, above += line, below += line, first += GROUP, second += GROUP) {
        if (with_above) {
            make_line(p, in, row, unread, g, above);
        }
        make_line(p, in, row + 2, 0, g, below);
        if (p->stride == 1) {
            (p->rule.rounding[g] == RESCALING_FUSED ? filter_1_fused : filter_1_otherwise)(
                    p, above, below, g, out_pixel, first, second);
        } else {
            (p->rule.rounding[g] == RESCALING_FUSED ? filter_2_fused : filter_2_otherwise)(
                    p, above, below, g, out_pixel, first, second);
        }
    }
}

KERNEL(pairs) {
    for (int32_t i = call->begin; i < call->end; i++) {
        step(call->plan, call->in, call->shared, i, call->is_first && i == call->begin, call->group, call->group_end,
                call->out);
    }
}

KERNEL(pairs_scratch) {
    *call->result = shared_size(call->plan);
}

#endif

EXPORT int32_t NAME(has_pairs)(void) {
#if defined(ISA_AVX512VNNI)
    return 1;
#else
    return 0;
#endif
}
