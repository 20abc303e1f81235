#ifndef TORCHNNAPI_FLOAT_WIDENING_H
#define TORCHNNAPI_FLOAT_WIDENING_H

#include "float_conv.h"
#include "float_depthwise.h"

/*
 * A pointwise convolution that widens and the depthwise one behind it, a panel of channels at a time: the depthwise stage finds what the
 * first one wrote in the first cache, and panels share nothing but the input. Both write blocked images; depthwise has one band, or is
 * missing (null).
 */
struct float_widening {
    const struct float_conv *expand;
    const struct float_depthwise *depthwise;
    int64_t half;              /* floats of the input where it is the sum of two images that lie one behind the other; 0 where it is one */
    int32_t resumed;           /* whether the scratch has that sum */
};

#endif
