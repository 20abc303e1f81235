#ifndef TORCHNNAPI_FLOAT_WIDENING_H
#define TORCHNNAPI_FLOAT_WIDENING_H

#include "float_conv.h"
#include "float_depthwise.h"

/*
 * A pointwise convolution that widens and the depthwise one behind it, a panel of channels at a time: the depthwise
 * stage finds what the first one wrote in the first cache, and panels share nothing but the input. Both write blocked
 * images; depthwise has one band, or is missing (null).
 *
 * Where the means of the channels are wanted multiplied by a matrix, as a squeeze-and-excitation block does it, each
 * panel leaves the product of its own means and rows behind the image: all that is left then is to add these products
 * up. Where nothing but the means is wanted, they are the output, one float a channel; there is no depthwise stage
 * then.
 */
struct float_widening {
    const struct float_conv *expand;
    const struct float_depthwise *depthwise;
    int64_t half; /* floats of the input where it is the sum of two images that lie one behind the other; 0 where it is
                     one */
    int32_t resumed; /* whether the scratch has that sum */
    int32_t squeezed; /* columns of that matrix, whole vectors */
    const float *squeeze; /* the matrix, a row for each channel; null for none */
    int64_t squeezed_at; /* where the first panel's product goes, from the output's first channel; others follow */
    int32_t means; /* whether the output is the means alone */
};

#endif
