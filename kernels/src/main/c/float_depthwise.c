#include "float_depthwise.h"

/* Pixels of the largest tile, for which there must be registers: 7 divides the widths of most networks. */
#if FLOAT_LANES == 16
#define MOST_PIXELS 14
#elif defined(__arm__)
#define MOST_PIXELS 4
#else
#define MOST_PIXELS 7
#endif
/* Columns of the largest kernel that has tiles of its own. */
#define MOST_WIDTH 5

static const float zeros[FLOAT_LANES];

/* The products of one row under the kernel, for a kernel whose width and stride are known: each input pixel is met by
   all the taps that reach it, and only the outer half of the kernel may reach outside. */
INLINE void known_row(const int pixels, const int width, const int stride, const int edge, vec sum[MOST_PIXELS],
        const float *row, int64_t left, int64_t in_w, const float *w) {
    const int columns = (pixels - 1) * stride + width;
    vec weights[MOST_WIDTH];
    UNROLLED
    for (int kx = 0; kx < width; kx++) {
        weights[kx] = vec_load(w + kx * FLOAT_LANES);
    }
    UNROLLED
    for (int j = 0; j < columns; j++) {
        const int outside = edge && (j < width / 2 || j >= columns - width / 2);
        vec value =
                vec_load(outside && (uint64_t) (left + j) >= (uint64_t) in_w ? zeros : row + (left + j) * FLOAT_LANES);
        UNROLLED
        for (int kx = 0; kx < width; kx++) {
            if (j >= kx && (j - kx) % stride == 0 && (j - kx) / stride < pixels) {
                sum[(j - kx) / stride] = vec_fma(sum[(j - kx) / stride], value, weights[kx]);
            }
        }
    }
}

/* The same for any kernel. */
INLINE void any_row(const int pixels, const struct float_depthwise *d, vec sum[MOST_PIXELS], const float *row,
        int64_t left, const float *w) {
    for (int32_t kx = 0; kx < d->kernel_w; kx++) {
        vec weight = vec_load(w + kx * FLOAT_LANES);
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            int64_t col = left + kx * d->tap_x + p * d->stride_x;
            vec value = vec_load((uint64_t) col < (uint64_t) d->in_w ? row + col * FLOAT_LANES : zeros);
            sum[p] = vec_fma(sum[p], value, weight);
        }
    }
}

/* Output pixels [col, col + pixels); width 0 is any. */
INLINE void tile(const int pixels, const int width, const int stride, const int edge, const struct float_depthwise *d,
        const struct float_depthwise_row *r, int32_t col) {
    vec sum[MOST_PIXELS];
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        sum[p] = vec_load(r->bias);
    }
    const float *w = r->weights;
    int64_t left = (int64_t) col * (width ? stride : d->stride_x) - d->pad_left;
    for (int32_t i = 0; i < r->height; i++) {
        if (width) {
            known_row(pixels, width, stride, edge, sum, r->rows[i], left, d->in_w, w);
            w += width * FLOAT_LANES;
        } else {
            any_row(pixels, d, sum, r->rows[i], left, w);
            w += d->kernel_w * FLOAT_LANES;
        }
    }
    float *y = r->y + (int64_t) col * FLOAT_LANES;
    if (r->residual) {
        const float *residual = r->residual + (int64_t) col * FLOAT_LANES;
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            sum[p] = vec_add(sum[p], vec_load(residual + p * FLOAT_LANES));
        }
    }
    if (float_is_hard_swish(&d->activation)) {
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            sum[p] = vec_hard_swish(sum[p]);
        }
    }
    const int later = float_is_later(&d->activation);
    vec min = vec_all(later ? -__builtin_inff() : d->activation.min),
        max = vec_all(later ? __builtin_inff() : d->activation.max);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        vec_store(y + p * FLOAT_LANES, vec_limit(sum[p], min, max));
    }
}

/* As many whole tiles as fit; most tiles of a wide row meet only pixels of the image. Returns the column behind them.
 */
INLINE int32_t tiles(const int pixels, const int width, const int stride, const struct float_depthwise *d,
        const struct float_depthwise_row *r, int32_t col) {
    for (; d->out_w - col >= pixels; col += pixels) {
        int32_t left = col * stride - d->pad_left;
        if (!width || left < 0 || left + (pixels - 1) * stride + width > d->in_w) {
            tile(pixels, width, stride, 1, d, r, col);
        } else {
            tile(pixels, width, stride, 0, d, r, col);
        }
    }
    return col;
}

INLINE void row(
        const int width, const int stride, const struct float_depthwise *d, const struct float_depthwise_row *r) {
    /* Wider kernels need the registers for their columns. */
    int32_t col = width == 3 ? tiles(MOST_PIXELS, width, stride, d, r, 0) : 0;
    col = tiles(MOST_PIXELS < 7 ? MOST_PIXELS : 7, width, stride, d, r, col);
    if (d->out_w - col >= 4) {
        tile(4, width, stride, 1, d, r, col);
        col += 4;
    }
    for (; col < d->out_w; col++) {
        tile(1, width, stride, 1, d, r, col);
    }
}

static void row_any(const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row(0, 0, d, r);
}

static void row_3_1(const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row(3, 1, d, r);
}

static void row_3_2(const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row(3, 2, d, r);
}

static void row_5_1(const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row(5, 1, d, r);
}

static void row_5_2(const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row(5, 2, d, r);
}

float_depthwise_row *NAME(float_depthwise_row)(const struct float_depthwise *d) {
    int32_t half = d->kernel_w / 2;
    int32_t beyond = (d->out_w - 1) * d->stride_x - d->pad_left + d->kernel_w - d->in_w;
    if (d->tap_x != 1 || d->stride_x > 2 || d->pad_left > half || beyond > half) {
        return row_any;
    }
    return d->kernel_w == 3    ? d->stride_x == 1 ? row_3_1 : row_3_2
            : d->kernel_w == 5 ? d->stride_x == 1 ? row_5_1 : row_5_2
                               : row_any;
}

/* Copies input rows [row, end) of the channels that a block of outputs reads to [end - row][in_w][FLOAT_LANES]. */
static void stage(
        const struct float_depthwise *d, const float *in, int32_t block, int32_t row, int32_t end, float *staged) {
    int64_t plane = (int64_t) d->in_h * d->in_w * d->in_block;
    for (int32_t lane = 0; lane < FLOAT_LANES; lane++) {
        int32_t out = block * FLOAT_LANES + lane;
        int32_t channel = (out < d->channels ? out : d->channels - 1) / d->multiplier;
        const float *from =
                in + channel / d->in_block * plane + channel % d->in_block + (int64_t) row * d->in_w * d->in_block;
        for (int32_t i = 0; i < (end - row) * d->in_w; i++) {
            staged[(int64_t) i * FLOAT_LANES + lane] = from[(int64_t) i * d->in_block];
        }
    }
}

/* Brings one row of a block to where its channels belong; y may be changed. */
static void scatter(
        const struct float_depthwise *d, int32_t block, int32_t row, float *y, const float *residual, float *out) {
    const struct float_activation *a = &d->activation;
    const int later = float_is_later(a);
    int64_t plane = (int64_t) d->out_h * d->out_w * d->out_block;
    int64_t at[FLOAT_LANES];
    int32_t lanes = d->channels - block * FLOAT_LANES < FLOAT_LANES ? d->channels - block * FLOAT_LANES : FLOAT_LANES;
    for (int32_t lane = 0; lane < lanes; lane++) {
        int32_t channel = block * FLOAT_LANES + lane;
        at[lane] = channel / d->out_block * plane + channel % d->out_block + (int64_t) row * d->out_w * d->out_block;
        for (int32_t i = 0; residual && i < d->out_w; i++) {
            y[(int64_t) i * FLOAT_LANES + lane] += residual[at[lane] + (int64_t) i * d->out_block];
        }
    }
    if (later) {
        float_activate_later(a, y, d->out_w * FLOAT_LANES);
    }
    for (int32_t lane = 0; lane < lanes; lane++) {
        for (int32_t i = 0; i < d->out_w; i++) {
            float value = y[(int64_t) i * FLOAT_LANES + lane];
            out[at[lane] + (int64_t) i * d->out_block] = later ? value : float_activate(a, value);
        }
    }
}

EXPORT void NAME(float_depthwise)(const struct float_depthwise *d, const float *in, int64_t in_offset,
        const float *residual, int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin,
        int32_t end) {
    int32_t bands = (d->out_h + d->band - 1) / d->band;
    int staged = d->in_block != FLOAT_LANES || d->multiplier != 1;
    int direct = d->out_block == FLOAT_LANES;
    float_depthwise_row *row_of = NAME(float_depthwise_row)(d);
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
            struct float_depthwise_row r;
            int32_t row = float_depthwise_begin(d, block, y, &r);
            for (int32_t i = 0; i < r.height; i++, row += d->tap_y) {
                r.rows[i] = first + (int64_t) row * d->in_w * FLOAT_LANES;
            }
            int64_t at = ((int64_t) block * d->out_h + y) * d->out_w * FLOAT_LANES;
            r.y = direct ? out + at : row_scratch;
            r.residual = direct && residual ? residual + at : 0;
            float_depthwise_do(row_of, direct ? d : &linear, &r);
            if (!direct) {
                scatter(d, block, y, row_scratch, residual, out);
            }
        }
    }
}

EXPORT void NAME(float_depthwise_pack)(const struct float_depthwise *d, const float *weights, int64_t out_step,
        int64_t channel_step, const int32_t *order, const float *bias, float *packed, float *padded) {
    (void) channel_step, (void) order;
    int32_t taps = d->kernel_h * d->kernel_w;
    for (int32_t c = 0; c < d->channels; c++) {
        for (int32_t t = 0; t < taps; t++) {
            packed[((int64_t) (c / FLOAT_LANES) * taps + t) * FLOAT_LANES + c % FLOAT_LANES] =
                    weights[c * out_step + t];
        }
        padded[c] = bias[c];
    }
}
