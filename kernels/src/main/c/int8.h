/*
 * Dot products over bytes: what the Java side and every instruction set share.
 *
 * Freestanding: no library, no allocation, no state, no stack frame beyond a page. Each instruction set compiles int8.c once
 * with its own ISA_*; the functions are named after it.
 */
#ifndef TORCHNNAPI_INT8_H
#define TORCHNNAPI_INT8_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/*
 * How 32-bit sums become bytes: see Requantization in Java. Arrays have one value a channel, padded to whole panels.
 * Fixed point: sum * 2^left * multiplier / 2^(31 + right), both divisions rounded as gemmlowp rounds. pair_* are the same for
 * kernels that treat the even and the odd channels of 16 apart, 8 and 8: pair_shift = 31 + right, and pair_round =
 * 2^30 + (right > 0 ? 2^(30 + right) : 0), which rounds twice at once.
 */
struct requantization {
    const float *scale;        /* half even; null when fixed point */
    const int32_t *multiplier;
    const int32_t *left;
    const int32_t *right;
    const int64_t *pair_shift;
    const int64_t *pair_round;
    int32_t any_left;          /* whether a left shift is not 0 */
    int32_t zero_point;
    int32_t min;
    int32_t max;
};

/*
 * A convolution without groups over NHWC bytes. Pixel q of the output is row q / cols, column q % cols. Its inputs are `segments` runs of
 * 4 * quads unsigned bytes; run s starts at row * in_row + column * in_pixel + offsets[s]. Weights are
 * [panel][segment][quad][PANEL][4], bias includes the zero points and is padded to whole panels.
 */
struct dense {
    const int8_t *weights;
    const int32_t *offsets;
    const int32_t *bias;
    struct requantization rule;
    int32_t segments;
    int32_t quads;
    int32_t channels;
    int32_t cols;
    int32_t in_pixel;
    int32_t in_row;
    int32_t out_pixel;
    int32_t out_row;
};

/*
 * A depthwise convolution over NHWC bytes, one filter a channel. Weights are [tap][channels padded to 64] as centred integers
 * (plain) or [group of 4 rows][column][channels padded to 64][4] (with dot products); bias is as the kernel wants it: with the
 * zero points (dot products) or without (plain).
 */
struct depthwise {
    const int8_t *weights;
    const int32_t *bias;
    struct requantization rule;
    int32_t channels;
    int32_t in_h;
    int32_t in_w;
    int32_t out_w;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t zero_point;        /* of the input, as its byte */
    int32_t signed_input;
};

#endif
