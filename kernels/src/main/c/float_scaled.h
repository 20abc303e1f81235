#ifndef TORCHNNAPI_FLOAT_SCALED_H
#define TORCHNNAPI_FLOAT_SCALED_H

#include "float_conv.h"

/*
 * A pointwise convolution of a blocked image whose channels are first multiplied by a number each, as in
 * squeeze-and-excitation blocks. Either the weights are multiplied or the image, whichever is less; the product stays
 * in scratch for all units of an image.
 */
struct float_scaled {
    const struct float_conv *conv;
    int32_t of_weights; /* whether it is the weights that are multiplied */
};

#endif
