#ifndef TORCHNNAPI_FLOAT_CHAIN_H
#define TORCHNNAPI_FLOAT_CHAIN_H

#include "float_conv.h"
#include "float_depthwise.h"

/*
 * A dense convolution that widens, a depthwise one, and a pointwise one that narrows, row by row: the wide rows that
 * the depthwise one still needs lie in a ring, and what it makes of them in one wide row. The first or the last stage
 * may be missing (null); then the depthwise one reads or writes the image itself, which is blocked.
 *
 * The structures of the dense stages say where the rows of the scratch are: expand writes [block][in_w][FLOAT_LANES],
 * project reads [block][out_w][FLOAT_LANES] as an image of one row.
 */
struct float_chain {
    const struct float_conv *expand;
    const struct float_depthwise *depthwise;
    const struct float_conv *project;
    int32_t resumed; /* whether the ring has the rows under the output rows before the first unit */
};

#endif
