/* The products that everything dense is made of: up to FLOAT_PIXELS pixels by one panel of output channels. */
#ifndef TORCHNNAPI_FLOAT_TILE_H
#define TORCHNNAPI_FLOAT_TILE_H

#include "float.h"

/* What a tile sums: taps [ky, ky_end) x [kx, kx_end) of the kernel, and of each all channels, in runs that are adjacent
 * in memory. */
struct float_sum {
    int32_t ky, ky_end, kx, kx_end;
    int64_t tap_row; /* from a tap to the one below it */
    int64_t tap_col; /* and to the one beside it */
    int64_t weight_row; /* the same among the weights */
    int64_t weight_col;
    int32_t channels; /* of a tap */
    int32_t first_lane; /* place of the first one in its block */
    int32_t run; /* channels of a whole block */
    int64_t plane; /* from a block to the next */
    int64_t pixel; /* from a pixel to the next */
    int64_t weight_step; /* from a channel's weights to the next one's */
    int64_t ahead; /* from weights to those that go to the second cache meanwhile; or 0 */
    int32_t share; /* which share of them the first tile brings in */
};

/* Tiles that bring in the weights of the next panel, each a share: two lines for every four channels. */
#define FLOAT_SHARES 4

/* Where the sums go: activated to their places, or as they are to a scratch tile. */
struct float_target {
    float *y;
    const float *residual; /* in y's layout; null for none */
    int64_t pixel;
    int64_t vector; /* from the first vector of the panel to the second */
    struct float_activation activation;
};

/*
 * Computes count tiles beside each other. Sums begin with init[vector] + pixel * init_pixel: the bias, or what an
 * earlier call left for a single tile. x and w are those of tap (0, 0) and the first channel under the first pixel.
 */
typedef void float_tile(const struct float_sum *s, const float *x, const float *w, const float *init,
        int64_t init_pixel, const struct float_target *t, int32_t count);

/* By vectors - 1 and pixels - 1. */
extern float_tile *const NAME(float_tiles)[FLOAT_VECTORS][FLOAT_PIXELS];

#endif
