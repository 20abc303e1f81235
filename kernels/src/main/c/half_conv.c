#include "half_conv.h"

#if defined(ISA_FP16)

/* Pixels of a tile, and vectors of its sums for each. */
#define PIXELS_OF_TILE 8
#define VECTORS_OF_PANEL (HALF_PANEL / HALF_LANES)
/* Sums of few pixels are several each, so that adds do not wait for each other. */
#define MOST_CHAINS 4

typedef float16_t half;
typedef float16x8_t halves;

/* What a tile sums: of each row of taps runs of inputs that are adjacent. Steps count halves. */
struct half_sum {
    int32_t rows;
    int32_t runs;
    int32_t vectors; /* of a run */
    int64_t row; /* from a row of taps to the next */
    int64_t tap; /* from a run to the next */
    int64_t pixel; /* from a pixel to the next */
};

/* Adds to the sums of every pixel what count vectors of inputs, HALF_SUM products at most, make with their weights. */
INLINE void block(const int pixels, const int vectors, const int chains, float sums[PIXELS_OF_TILE][HALF_PANEL],
        const half *const x[PIXELS_OF_TILE], int64_t at, const half *w, int32_t count) {
    halves sum[MOST_CHAINS][VECTORS_OF_PANEL][PIXELS_OF_TILE];
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            UNROLLED
            for (int c = 0; c < chains; c++) {
                sum[c][v][p] = vdupq_n_f16(0);
            }
        }
    }
    const half *end = w + (int64_t) count * HALF_LANES * HALF_LANES * vectors;
    do {
        halves value[PIXELS_OF_TILE];
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            value[p] = vld1q_f16(x[p] + at);
        }
/* Which lane is part of the instruction. */
#define LANE(l) \
    do { \
        halves first = vld1q_f16(w + (l) * vectors * HALF_LANES); \
        halves second = vectors == 2 ? vld1q_f16(w + ((l) * vectors + 1) * HALF_LANES) : first; \
        UNROLLED \
        for (int p = 0; p < pixels; p++) { \
            sum[(l) % chains][0][p] = vfmaq_laneq_f16(sum[(l) % chains][0][p], first, value[p], l); \
            if (vectors == 2) { \
                sum[(l) % chains][1][p] = vfmaq_laneq_f16(sum[(l) % chains][1][p], second, value[p], l); \
            } \
        } \
    } while (0)
        LANE(0);
        LANE(1);
        LANE(2);
        LANE(3);
        LANE(4);
        LANE(5);
        LANE(6);
        LANE(7);
#undef LANE
        at += HALF_LANES;
        w += HALF_LANES * HALF_LANES * vectors;
    } while (w != end);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            float *to = sums[p] + v * HALF_LANES;
            vec total = vec_load(to);
            UNROLLED
            for (int c = 0; c < chains; c++) {
                vec part = {vcvt_f32_f16(vget_low_f16(sum[c][v][p])), vcvt_high_f32_f16(sum[c][v][p])};
                total = vec_add(total, part);
            }
            vec_store(to, total);
        }
    }
}

/* x and w are those of the first tap under the first pixel. */
INLINE void tile(const int pixels, const int vectors, const struct half_sum *s, const half *x, const half *w,
        float sums[PIXELS_OF_TILE][HALF_PANEL]) {
    const int chains = pixels * vectors >= 8 ? 1 : pixels * vectors >= 4 ? 2 : MOST_CHAINS;
    /* Blocks are equally long, or the last one would be short. */
    int32_t blocks = quotient_up(s->vectors * HALF_LANES, HALF_SUM);
    int32_t most = quotient_up(s->vectors, blocks);
    for (int32_t ky = 0; ky < s->rows; ky++) {
        for (int32_t i = 0; i < s->runs; i++) {
            const half *from[PIXELS_OF_TILE];
            UNROLLED
            for (int p = 0; p < pixels; p++) {
                from[p] = x + ky * s->row + i * s->tap + p * s->pixel;
            }
            for (int32_t at = 0; at < s->vectors; at += most) {
                int32_t count = least(most, s->vectors - at);
                block(pixels, vectors, chains, sums, from, (int64_t) at * HALF_LANES, w, count);
                w += (int64_t) count * HALF_LANES * HALF_LANES * vectors;
            }
        }
    }
}

typedef void half_tile(const struct half_sum *s, const half *x, const half *w, float sums[PIXELS_OF_TILE][HALF_PANEL]);

#define TILE(p, v) \
    static void tile_##p##x##v( \
            const struct half_sum *s, const half *x, const half *w, float sums[PIXELS_OF_TILE][HALF_PANEL]) { \
        tile(p, v, s, x, w, sums); \
    }
#define EACH_PIXELS(each, v) each(1, v) each(2, v) each(3, v) each(4, v) each(5, v) each(6, v) each(7, v) each(8, v)
#define NAME_OF(p, v) tile_##p##x##v,
EACH_PIXELS(TILE, 1)
EACH_PIXELS(TILE, 2)

static half_tile *const tiles[VECTORS_OF_PANEL][PIXELS_OF_TILE] = {
        {EACH_PIXELS(NAME_OF, 1)},
        {EACH_PIXELS(NAME_OF, 2)},
};

/* The input of a unit as it lies in scratch. */
struct staged {
    int32_t channels; /* of a pixel, whole vectors */
    int32_t rows, cols;
    int32_t row_step, col_step; /* input rows and columns from one to the next */
};

static int32_t up(int32_t channels) {
    return quotient_up(channels, HALF_LANES) * HALF_LANES;
}

static int64_t place(int32_t channel, int32_t block, int64_t plane) {
    return channel / block * plane + channel % block;
}

static halves rounded(vec v) {
    return vcvt_high_f16_f32(vcvt_f16_f32(v.low), v.high);
}

/* Brings a vector of channels of the columns [from, to) of an input row to halves. */
static void stage_channels(const struct float_conv *d, const struct staged *s, const float *row, int32_t left,
        int32_t from, int32_t to, int32_t channel, half *staged) {
    int32_t lanes = least(HALF_LANES, d->channels - channel);
    const float *x = row + place(channel, d->in_block, d->in_plane);
    for (int32_t i = from; i < to; i++) {
        const float *pixel = x + (int64_t) (left + i * s->col_step) * d->in_block;
        half *y = staged + (int64_t) i * s->channels + channel;
        if (lanes == HALF_LANES && channel % d->in_block + HALF_LANES <= d->in_block) {
            vst1q_f16(y, rounded(vec_load(pixel)));
            continue;
        }
        for (int32_t lane = 0; lane < HALF_LANES; lane++) {
            y[lane] = lane < lanes ? (half) pixel[place(channel + lane, d->in_block, d->in_plane)
                                             - place(channel, d->in_block, d->in_plane)]
                                   : 0;
        }
    }
}

static void clear(half *to, int64_t count) {
    for (int64_t i = 0; i < count; i += HALF_LANES) {
        vst1q_f16(to + i, vdupq_n_f16(0));
    }
}

/* Brings the input from row and column on to scratch, where what is outside the image is zero. */
static void stage(
        const struct float_conv *d, const struct staged *s, const float *in, int32_t top, int32_t left, half *scratch) {
    int64_t width = (int64_t) s->cols * s->channels;
    int32_t from = left >= 0 ? 0 : least(s->cols, quotient_up(-left, s->col_step));
    int32_t to = left >= d->in_w ? from : least(s->cols, quotient_up(d->in_w - left, s->col_step));
    to = to < from ? from : to;
    for (int32_t r = 0; r < s->rows; r++, scratch += width) {
        int32_t y = top + r * s->row_step;
        if (y < 0 || y >= d->in_h || from == to) {
            clear(scratch, width);
            continue;
        }
        clear(scratch, (int64_t) from * s->channels);
        clear(scratch + (int64_t) to * s->channels, (int64_t) (s->cols - to) * s->channels);
        for (int32_t channel = 0; channel < d->channels; channel += HALF_LANES) {
            stage_channels(d, s, in + y * d->in_row, left, from, to, channel, scratch);
        }
    }
}

/* Activates the sums of pixels and brings them to where they belong; out and residual are those of the first pixel. */
static void finish(const struct float_conv *d, float sums[PIXELS_OF_TILE][HALF_PANEL], int32_t pixels, int32_t channel,
        const float *residual, float *out) {
    const int later = float_is_later(&d->activation);
    vec min = vec_all(d->activation.min), max = vec_all(d->activation.max);
    for (int32_t v = 0; v < HALF_PANEL && channel + v < d->outs; v += HALF_LANES) {
        int32_t first = channel + v;
        int32_t lanes = least(HALF_LANES, d->outs - first);
        int64_t at = place(first, d->out_block, d->out_plane);
        /* The lanes past the last channel of a blocked image may get anything. */
        int whole = d->out_block == HALF_LANES || (lanes == HALF_LANES && d->out_block == d->outs);
        for (int32_t p = 0; p < pixels; p++, at += d->out_col) {
            if (whole && !later) {
                vec sum = vec_load(sums[p] + v);
                sum = residual ? vec_add(sum, vec_load(residual + at)) : sum;
                sum = float_is_hard_swish(&d->activation) ? vec_hard_swish(sum) : sum;
                vec_store(out + at, vec_limit(sum, min, max));
                continue;
            }
            int64_t to[HALF_LANES];
            for (int32_t lane = 0; lane < lanes; lane++) {
                to[lane] =
                        at + place(first + lane, d->out_block, d->out_plane) - place(first, d->out_block, d->out_plane);
                sums[p][v + lane] = residual ? sums[p][v + lane] + residual[to[lane]] : sums[p][v + lane];
            }
            if (later) {
                float_activate_later(&d->activation, sums[p] + v, lanes);
            }
            for (int32_t lane = 0; lane < lanes; lane++) {
                out[to[lane]] = later ? sums[p][v + lane] : float_activate(&d->activation, sums[p][v + lane]);
            }
        }
    }
}

/* A panel of outputs of staged input. */
static void panel(const struct float_conv *d, const struct half_sum *s, const struct staged *staged, const half *x,
        const float *residual, float *out, const struct float_part *part, int32_t index) {
    int32_t channel = index * HALF_PANEL;
    int32_t vectors = least(VECTORS_OF_PANEL, quotient_up(d->outs - channel, HALF_LANES));
    const half *w = (const half *) d->weights + (int64_t) d->taps_y * d->taps_x * staged->channels * channel;
    const float *bias = d->bias + channel;
    int64_t row_step = staged->row_step == 1 ? d->stride_y : 1;
    for (int32_t row = part->row; row < part->row_end; row++) {
        const half *line = x + (row - part->row) * row_step * staged->cols * staged->channels;
        int32_t count = quotient_up(part->col_end - part->col, PIXELS_OF_TILE);
        for (int32_t col = part->col, pixels; col < part->col_end; col += pixels, count--) {
            pixels = quotient_up(part->col_end - col, count);
            float sums[PIXELS_OF_TILE][HALF_PANEL];
            for (int32_t p = 0; p < pixels; p++) {
                for (int32_t v = 0; v < HALF_PANEL; v += HALF_LANES) {
                    vec_store(sums[p] + v, vec_load(bias + v));
                }
            }
            tiles[vectors - 1][pixels - 1](s, line + (col - part->col) * s->pixel, w, sums);
            int64_t at = d->out_origin + row * d->out_row + col * d->out_col;
            finish(d, sums, pixels, channel, residual ? residual + at : 0, out + at);
        }
    }
}

/* Panels of one band of pixels; is_staged says whether scratch has its input already. */
static void unit(const struct float_conv *d, const float *in, const float *residual, float *out, half *scratch,
        const struct float_part *part, int is_staged) {
    struct staged staged = {up(d->channels), 0, 0, d->taps_y == 1 ? d->stride_y : 1, d->taps_x == 1 ? d->stride_x : 1};
    int32_t row_step = d->taps_y == 1 ? 1 : d->stride_y, col_step = d->taps_x == 1 ? 1 : d->stride_x;
    staged.rows = (part->row_end - part->row - 1) * row_step + (d->taps_y - 1) * d->tap_y + 1;
    staged.cols = (part->col_end - part->col - 1) * col_step + (d->taps_x - 1) * d->tap_x + 1;
    if (!is_staged) {
        stage(d, &staged, in, part->row * d->stride_y + d->first_y, part->col * d->stride_x + d->first_x, scratch);
    }
    int64_t row = (int64_t) staged.cols * staged.channels;
    int adjacent = d->tap_x == 1 || d->taps_x == 1;
    struct half_sum s = {d->taps_y, adjacent ? 1 : d->taps_x, staged.channels / HALF_LANES * (adjacent ? d->taps_x : 1),
            d->tap_y * row, (int64_t) d->tap_x * staged.channels, (int64_t) col_step * staged.channels};
    for (int32_t index = part->panel; index < part->panel_end; index++) {
        panel(d, &s, &staged, scratch, residual, out, part, index);
    }
}

EXPORT void NAME(half_conv)(const struct float_conv *d, const float *in, int64_t in_offset, const float *residual,
        int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    int32_t panels = quotient_up(d->outs, HALF_PANEL);
    int32_t row = -1, col = -1;
    for (int32_t index = begin; index < end; index++) {
        struct float_part part = float_unit(d, panels, index);
        unit(d, in + in_offset, residual ? residual + residual_offset : 0, out + out_offset, (half *) scratch, &part,
                part.row == row && part.col == col);
        row = part.row;
        col = part.col;
    }
}

EXPORT void NAME(half_pack)(const struct float_conv *d, const float *weights, int64_t out_step, int64_t channel_step,
        const int32_t *taps, const float *bias, float *packed, float *padded) {
    half *to = (half *) packed;
    int32_t channels = up(d->channels);
    for (int32_t first = 0; first < d->outs; first += HALF_PANEL) {
        int32_t lanes = least(HALF_PANEL, d->outs - first);
        int32_t width = up(lanes);
        for (int32_t tap = 0; tap < d->taps_y * d->taps_x; tap++, to += channels * width) {
            for (int32_t c = 0; c < d->channels; c++) {
                const float *from = weights + first * out_step + c * channel_step + taps[tap];
                for (int32_t lane = 0; lane < lanes; lane++) {
                    to[c * width + lane] = (half) from[lane * out_step];
                }
            }
        }
        for (int32_t lane = 0; lane < lanes; lane++) {
            padded[first + lane] = bias[first + lane];
        }
    }
}

EXPORT int32_t NAME(half_panel)(void) {
    return HALF_PANEL;
}

#endif
