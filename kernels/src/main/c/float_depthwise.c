#include "float_depthwise.h"

/* Pixels of the largest tile, and its halves: 7 divides the widths of most networks. */
#define MOST_PIXELS 7

static const float zeros[FLOAT_LANES];

/* What a tile needs besides its variant. */
struct job {
    const struct float_depthwise *d;
    const float *const *rows;
    const float *weights;
    const float *bias;
    float *y;
    const float *residual;
};

/* The pixel at a column of a row; where that may lie outside the image, zero. */
INLINE vec pixel(const int edge, const float *row, int64_t col, int64_t in_w) {
    const float *p = row + col * FLOAT_LANES;
    return vec_load(edge && (uint64_t) col >= (uint64_t) in_w ? zeros : p);
}

/*
 * Output pixels [col, col + pixels). With a kernel width and a stride known here each input pixel is loaded once a row and met by all
 * the taps that reach it, and only the outer half of the kernel may reach outside; without (0) every tap loads its own.
 */
INLINE void tile(const int pixels, const int width, const int stride, const int edge, const struct job *job, int32_t col) {
    const struct float_depthwise *d = job->d;
    vec sum[MOST_PIXELS];
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        sum[p] = vec_load(job->bias);
    }
    const float *w = job->weights;
    const float *const *rows = job->rows;
    int64_t in_w = d->in_w;
    int64_t left = (int64_t) col * (width ? stride : d->stride_x) - d->pad_left;
    const int columns = (pixels - 1) * stride + width;
    for (int32_t ky = 0; ky < d->kernel_h; ky++, w += (width ? width : d->kernel_w) * FLOAT_LANES) {
        const float *row = rows[ky];
        if (!row) {
            continue;
        }
        if (width) {
            row += left * FLOAT_LANES;
            vec weights[5];
            UNROLLED
            for (int kx = 0; kx < width; kx++) {
                weights[kx] = vec_load(w + kx * FLOAT_LANES);
            }
            UNROLLED
            for (int j = 0; j < columns; j++) {
                const int outside = edge && (j < width / 2 || j >= columns - width / 2);
                vec value = vec_load(outside && (uint64_t) (left + j) >= (uint64_t) in_w ? zeros : row + j * FLOAT_LANES);
                UNROLLED
                for (int kx = 0; kx < width; kx++) {
                    if (j >= kx && (j - kx) % stride == 0 && (j - kx) / stride < pixels) {
                        sum[(j - kx) / stride] = vec_fma(sum[(j - kx) / stride], value, weights[kx]);
                    }
                }
            }
        } else {
            for (int32_t kx = 0; kx < d->kernel_w; kx++) {
                vec weight = vec_load(w + kx * FLOAT_LANES);
                UNROLLED
                for (int p = 0; p < pixels; p++) {
                    sum[p] = vec_fma(sum[p], pixel(edge, row, left + kx * d->tap_x + p * d->stride_x, in_w), weight);
                }
            }
        }
    }
    float *y = job->y + (int64_t) col * FLOAT_LANES;
    if (job->residual) {
        const float *residual = job->residual + (int64_t) col * FLOAT_LANES;
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            sum[p] = vec_add(sum[p], vec_load(residual + p * FLOAT_LANES));
        }
    }
    if (d->activation.hard_swish) {
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            sum[p] = vec_hard_swish(sum[p]);
        }
    }
    vec min = vec_all(d->activation.min), max = vec_all(d->activation.max);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        vec_store(y + p * FLOAT_LANES, vec_limit(sum[p], min, max));
    }
}

typedef void tile_function(const struct job *job, int32_t col);

#define TILE(width, stride, edge, pixels) \
    static void tile_##width##_##stride##_##edge##_##pixels(const struct job *job, int32_t col) { \
        tile(pixels, width, stride, edge, job, col); \
    }
#define NAME_OF(width, stride, edge, pixels) tile_##width##_##stride##_##edge##_##pixels,
#define EACH_PIXELS(each, width, stride, edge) \
    each(width, stride, edge, 1) each(width, stride, edge, 2) each(width, stride, edge, 4) each(width, stride, edge, 7)
#define ROW_OF(width, stride, edge) {EACH_PIXELS(NAME_OF, width, stride, edge)}

EACH_PIXELS(TILE, 3, 1, 0)
EACH_PIXELS(TILE, 3, 1, 1)
EACH_PIXELS(TILE, 3, 2, 0)
EACH_PIXELS(TILE, 3, 2, 1)
EACH_PIXELS(TILE, 5, 1, 0)
EACH_PIXELS(TILE, 5, 1, 1)
EACH_PIXELS(TILE, 5, 2, 0)
EACH_PIXELS(TILE, 5, 2, 1)
EACH_PIXELS(TILE, 0, 0, 0)
EACH_PIXELS(TILE, 0, 0, 1)

/* By kind, edge, and the number of pixels: 1, 2, 4, 7. */
static tile_function *const tiles[5][2][4] = {
    {ROW_OF(0, 0, 0), ROW_OF(0, 0, 1)}, {ROW_OF(3, 1, 0), ROW_OF(3, 1, 1)}, {ROW_OF(3, 2, 0), ROW_OF(3, 2, 1)},
    {ROW_OF(5, 1, 0), ROW_OF(5, 1, 1)}, {ROW_OF(5, 2, 0), ROW_OF(5, 2, 1)},
};

void NAME(float_depthwise_row)(const struct float_depthwise *d, int32_t block, const float *const *rows, float *y, const float *residual) {
    int32_t reach = (d->kernel_w - 1) * d->tap_x;
    int32_t beyond = (d->out_w - 1) * d->stride_x - d->pad_left + reach + 1 - d->in_w;
    int known = (d->kernel_w == 3 || d->kernel_w == 5) && d->tap_x == 1 && d->stride_x <= 2 && d->pad_left <= d->kernel_w / 2
        && beyond <= d->kernel_w / 2;
    int kind = known ? d->kernel_w - 3 + d->stride_x : 0;
    struct job job = {d, rows, d->weights + (int64_t) block * d->kernel_h * d->kernel_w * FLOAT_LANES, d->bias + block * FLOAT_LANES, y,
        residual};
    for (int32_t col = 0; col < d->out_w;) {
        int32_t left = d->out_w - col;
        int size = left >= 7 ? 3 : left >= 4 ? 2 : left >= 2;
        int32_t pixels = size == 3 ? 7 : 1 << size;
        int32_t first = col * d->stride_x - d->pad_left;
        int edge = first < 0 || first + (pixels - 1) * d->stride_x + reach >= d->in_w;
        tiles[kind][edge][size](&job, col);
        col += pixels;
    }
}

/* Copies input rows [row, end) of the channels that a block of outputs reads to [end - row][in_w][FLOAT_LANES]. */
static void stage(const struct float_depthwise *d, const float *in, int32_t block, int32_t row, int32_t end, float *staged) {
    int64_t plane = (int64_t) d->in_h * d->in_w * d->in_block;
    for (int32_t lane = 0; lane < FLOAT_LANES; lane++) {
        int32_t out = block * FLOAT_LANES + lane;
        int32_t channel = (out < d->channels ? out : d->channels - 1) / d->multiplier;
        const float *from = in + channel / d->in_block * plane + channel % d->in_block + (int64_t) row * d->in_w * d->in_block;
        for (int32_t i = 0; i < (end - row) * d->in_w; i++) {
            staged[(int64_t) i * FLOAT_LANES + lane] = from[(int64_t) i * d->in_block];
        }
    }
}

/* Copies one row of a block to where its channels belong. */
static void scatter(const struct float_depthwise *d, int32_t block, int32_t row, const float *y, const float *residual, float *out) {
    int64_t plane = (int64_t) d->out_h * d->out_w * d->out_block;
    for (int32_t lane = 0; lane < FLOAT_LANES && block * FLOAT_LANES + lane < d->channels; lane++) {
        int32_t channel = block * FLOAT_LANES + lane;
        int64_t at = channel / d->out_block * plane + channel % d->out_block + (int64_t) row * d->out_w * d->out_block;
        for (int32_t i = 0; i < d->out_w; i++, at += d->out_block) {
            float value = y[(int64_t) i * FLOAT_LANES + lane];
            out[at] = float_activate(&d->activation, residual ? value + residual[at] : value);
        }
    }
}

/*
 * Units [begin, end): of each block its bands of output rows. scratch has room for the input rows of a band and one output row, each
 * as wide as a vector, where the input or the output is not blocked or the multiplier not 1.
 */
EXPORT void NAME(float_depthwise)(const struct float_depthwise *d, const float *in, int64_t in_offset, const float *residual,
                                  int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    int32_t bands = (d->out_h + d->band - 1) / d->band;
    int staged = d->in_block != FLOAT_LANES || d->multiplier != 1;
    int direct = d->out_block == FLOAT_LANES;
    struct float_depthwise linear = *d;
    linear.activation = FLOAT_NO_ACTIVATION;
    in += in_offset;
    out += out_offset;
    residual = residual ? residual + residual_offset : 0;
    float *row_scratch = scratch;
    float *band_scratch = scratch + (direct ? 0 : (int64_t) d->out_w * FLOAT_LANES);
    for (int32_t unit = begin; unit < end; unit++) {
        int32_t block = unit / bands;
        int32_t y = unit % bands * d->band;
        int32_t y_end = y + d->band < d->out_h ? y + d->band : d->out_h;
        int32_t top = y * d->stride_y - d->pad_top;
        int32_t bottom = (y_end - 1) * d->stride_y - d->pad_top + (d->kernel_h - 1) * d->tap_y + 1;
        top = top < 0 ? 0 : top;
        bottom = bottom > d->in_h ? d->in_h : bottom;
        const float *first = in + (int64_t) block * d->in_h * d->in_w * FLOAT_LANES;
        if (staged && top < bottom) {
            stage(d, in, block, top, bottom, band_scratch);
            first = band_scratch - (int64_t) top * d->in_w * FLOAT_LANES;
        }
        for (; y < y_end; y++) {
            const float *rows[FLOAT_DEPTHWISE_ROWS];
            for (int32_t ky = 0; ky < d->kernel_h; ky++) {
                int32_t row = y * d->stride_y - d->pad_top + ky * d->tap_y;
                rows[ky] = (uint32_t) row < (uint32_t) d->in_h ? first + (int64_t) row * d->in_w * FLOAT_LANES : 0;
            }
            if (direct) {
                int64_t at = ((int64_t) block * d->out_h + y) * d->out_w * FLOAT_LANES;
                NAME(float_depthwise_row)(d, block, rows, out + at, residual ? residual + at : 0);
            } else {
                NAME(float_depthwise_row)(&linear, block, rows, row_scratch, 0);
                scatter(d, block, y, row_scratch, residual, out);
            }
        }
    }
}

/*
 * Brings weights[channel * out_step + tap] into the order of float_depthwise and pads the bias; packed and padded are zero before. A filter
 * has one channel and all its taps.
 */
EXPORT void NAME(float_depthwise_pack)(const struct float_depthwise *d, const float *weights, int64_t out_step, int64_t channel_step,
                                       const int32_t *order, const float *bias, float *packed, float *padded) {
    (void) channel_step, (void) order;
    int32_t taps = d->kernel_h * d->kernel_w;
    for (int32_t c = 0; c < d->channels; c++) {
        for (int32_t t = 0; t < taps; t++) {
            packed[((int64_t) (c / FLOAT_LANES) * taps + t) * FLOAT_LANES + c % FLOAT_LANES] = weights[c * out_step + t];
        }
        padded[c] = bias[c];
    }
}
