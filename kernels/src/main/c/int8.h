/*
 * Convolutions over bytes: what the Java side and every instruction set share.
 *
 * Freestanding: no library, no allocation, no state, no stack frame beyond a page. Each instruction set compiles every
 * source once with its own ISA_*; the functions are named after it.
 */
#ifndef TORCHNNAPI_INT8_H
#define TORCHNNAPI_INT8_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* Which arithmetic gives exactly the bytes that the rule demands; see requantize.h. */
enum rescaling {
    NEAREST, /* nearest((float) sum * scale) */
    BOUNDED, /* the same where the product may be too large for an integer */
    FUSED /* a multiply-add: sums start so high that they are floats as they stand, and so does the result */
};

/* A single multiply-add that gives the rule's results: of a sum that begins at `start`. */
struct multiply_add {
    float scale;
    float offset;
    int32_t start;
    int32_t found; /* 0 where there is none */
};

/* What bytes are limited to, as vectors read it: of the 16-bit results before they are packed, then of the bytes. */
struct limits {
    int16_t addend[32];
    uint8_t least[64];
    uint8_t most[64];
    uint8_t flip[64]; /* 128 where the bytes are signed: they are limited as unsigned ones */
    int32_t needed; /* 0 where saturation to an unsigned byte is all */
    int32_t unused[15];
};

/* How 32-bit sums become bytes: see Requantization in Java. Arrays have one value a channel, padded to whole panels. */
struct requantization {
    const float *scale;
    const float *offset; /* with FUSED */
    const struct limits *limits; /* one a kind of rounding */
    const uint8_t *rounding; /* one a panel: enum rescaling */
};

/*
 * A convolution without groups over NHWC bytes. Pixel q of the output is row q / cols, column q % cols. It sums
 * `segments` runs of `taps` neighbouring input pixels, 4 * quads bytes with those that fill the last quad, whose
 * weights are 0; run s starts at input row row * step_y + dy[s], column column * step_x + dx[s]. Weights are
 * [panel][segment][bytes / DEPTH][PANEL][DEPTH], the last two as WEIGHT_AT says, bias includes the zero points and is
 * padded to whole panels.
 */
struct dense {
    const int8_t *weights;
    const int32_t *bias;
    const int32_t *dy;
    const int32_t *dx;
    struct requantization rule;
    int32_t segments;
    int32_t taps;
    int32_t quads;
    int32_t in_channels;
    int32_t in_h;
    int32_t in_w;
    int32_t step_y;
    int32_t step_x;
    int32_t cols;
    int32_t channels;
    int32_t out_pixel;
    int32_t out_row;
    int32_t zero_point; /* of the input, as the unsigned byte that stands for it */
    int32_t inner_begin; /* columns all of whose runs lie inside the image */
    int32_t inner_end;
    int32_t gathered; /* tiles take all runs of an output after each other, and so the weights lie */
};

/*
 * A depthwise convolution over NHWC bytes, one filter a channel. Weights less their zero points are [group of 4
 * rows][column][channels padded to 64][4] for dot products, [pair of taps][channels padded to 64][2] otherwise; bias
 * includes the zero points, less 128 where dot products are SIGNED_INPUTS.
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
    int32_t zero_point; /* of the input, as its byte */
    int32_t signed_input;
    int32_t ring; /* input row y lies at row y % ring of the buffer */
    int32_t slack; /* bytes behind it that may be read */
};

/*
 * A convolution of NHWC bytes by 3x3 taps, stride 1 and one group, with fewer products, see byte_winograd.c. Weights
 * are [panel][point][pair of input channels][PANEL][2], bias includes the zero points and is padded to whole panels.
 */
struct byte_winograd {
    const int16_t *weights;
    const int32_t *bias;
    struct requantization rule;
    int32_t in_channels; /* a multiple of 16 */
    int32_t in_h;
    int32_t in_w;
    int32_t out_h;
    int32_t out_w;
    int32_t channels;
    int32_t pad_top;
    int32_t pad_left;
    int32_t zero_point; /* of the input, as its byte */
    int32_t signed_input;
    int32_t band; /* tiles whose points stay in the caches while panel after panel meets them */
};

#endif
