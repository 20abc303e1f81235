/* Convolutions of 3x3 taps and stride 1 with fewer products: what the Java side hands over. */
#ifndef TORCHNNAPI_FLOAT_WINOGRAD_H
#define TORCHNNAPI_FLOAT_WINOGRAD_H

#include "float.h"

/* Taps along one dimension. */
#define WINOGRAD_TAPS 3

/*
 * Images are blocked. The output is cut into tiles of tile x tile pixels, each from points x points input pixels, where
 * points = tile + WINOGRAD_TAPS - 1. Weights are [panel][point][channel][lane]; a panel has FLOAT_PANEL lanes, the last
 * only as many vectors as it needs. Bias is [panel][FLOAT_PANEL].
 */
struct float_winograd {
    const float *weights;
    const float *bias;
    int32_t tile; /* 2 or 4 */
    int32_t channels;
    int32_t outs;
    int32_t in_h;
    int32_t in_w;
    int32_t out_h;
    int32_t out_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t bands; /* of tiles that follow each other row by row, as equal as can be; a unit is a band by panels */
    int32_t chunk;
    int32_t resumed; /* whether scratch has the points of the first unit's band, if the unit is not the band's first */
    struct float_activation activation;
};

#endif
