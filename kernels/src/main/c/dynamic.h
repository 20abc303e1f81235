/* Products of float rows and constant bytes: the rows become bytes by their own range when they come. */
#ifndef TORCHNNAPI_DYNAMIC_H
#define TORCHNNAPI_DYNAMIC_H

#include <stdint.h>

/*
 * A matrix of bytes less their zero points. Weights are as those of a run of struct dense, zeros past the last input
 * and the last output; the other arrays have a value each output, padded to whole panels.
 */
struct dynamic {
    const int8_t *weights;
    const int32_t *column_sums; /* of each output's weights */
    const float *scales; /* of each output's weights */
    const float *bias;
    int32_t outputs;
    int32_t quads;
    int32_t row; /* bytes from a row of inputs to the next, 4 * quads at least */
    int32_t relu;
};

#endif
