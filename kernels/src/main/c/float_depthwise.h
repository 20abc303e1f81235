/* Depthwise convolutions of float images, one filter an output channel: what the Java side hands over. */
#ifndef TORCHNNAPI_FLOAT_DEPTHWISE_H
#define TORCHNNAPI_FLOAT_DEPTHWISE_H

#include "float.h"

/* Rows of the kernel, at most. */
#define FLOAT_DEPTHWISE_ROWS 32

/* Weights are [block of FLOAT_LANES outputs][ky][kx][lane], bias [block][lane]. Output channel c reads input channel c / multiplier. */
struct float_depthwise {
    const float *weights;
    const float *bias;
    int32_t channels;          /* outputs */
    int32_t multiplier;
    int32_t in_h;
    int32_t in_w;
    int32_t in_block;
    int32_t out_h;
    int32_t out_w;
    int32_t out_block;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_y;
    int32_t stride_x;
    int32_t tap_y;             /* dilation */
    int32_t tap_x;
    int32_t pad_top;
    int32_t pad_left;
    int32_t band;              /* output rows of a unit */
    struct float_activation activation;
};

/*
 * One output row of one block. rows[ky] is the input row under that row of the kernel, [in_w][FLOAT_LANES]; null outside the image.
 * y and the residual (null for none) are [out_w][FLOAT_LANES].
 */
void NAME(float_depthwise_row)(const struct float_depthwise *d, int32_t block, const float *const *rows, float *y, const float *residual);

#endif
