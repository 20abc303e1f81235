/* Depthwise convolutions of float images, one filter an output channel: what sources share. */
#ifndef TORCHNNAPI_FLOAT_DEPTHWISE_H
#define TORCHNNAPI_FLOAT_DEPTHWISE_H

#include "float.h"

/* Rows of the kernel, at most. */
#define FLOAT_DEPTHWISE_ROWS 32

/* One output row of one block. The input rows are [in_w][FLOAT_LANES]; y and the residual (null for none) are
 * [out_w][FLOAT_LANES]. */
struct float_depthwise_row {
    const float *rows[FLOAT_DEPTHWISE_ROWS]; /* those under the kernel that are inside the image */
    int32_t height; /* how many they are */
    const float *weights; /* of the first of them */
    const float *bias;
    float *y;
    const float *residual;
};

/* Finds weights and bias for output row y of a block. Returns the first input row, which is not above the image; the
 * next is tap_y below. */
static inline int32_t float_depthwise_begin(
        const struct float_depthwise *d, int32_t block, int32_t y, struct float_depthwise_row *r) {
    int32_t row = y * d->stride_y - d->pad_top;
    int32_t tap = block * d->kernel_h;
    int32_t end = row + d->kernel_h * d->tap_y;
    for (; row < 0; row += d->tap_y) {
        tap++;
    }
    r->weights = d->weights + (int64_t) tap * d->kernel_w * FLOAT_LANES;
    r->bias = d->bias + block * FLOAT_LANES;
    end = end < d->in_h ? end : d->in_h;
    r->height = end > row ? (end - row + d->tap_y - 1) / d->tap_y : 0;
    return row;
}

typedef void float_depthwise_row(const struct float_depthwise *d, const struct float_depthwise_row *r);

/* The fastest function that computes rows of such a convolution, for float_depthwise_do. */
float_depthwise_row *NAME(float_depthwise_row)(const struct float_depthwise *d);

/* A row with its activation. */
INLINE void float_depthwise_do(
        float_depthwise_row *row_of, const struct float_depthwise *d, const struct float_depthwise_row *r) {
    row_of(d, r);
    if (float_is_later(&d->activation)) {
        float_activate_later(&d->activation, r->y, d->out_w * FLOAT_LANES);
    }
}

#endif
