/* Functions of one float. */
#ifndef TORCHNNAPI_UNARY_H
#define TORCHNNAPI_UNARY_H

#include <stdint.h>
#include "isa.h"

/* As the constants of UnaryOp in Java, and limits. */
enum unary {
    ABS,
    NEG,
    EXP,
    LOG,
    SQRT,
    RSQRT,
    SIGMOID,
    TANH,
    SILU,
    HARD_SWISH,
    HARD_SIGMOID,
    GELU,
    GELU_TANH,
    SOFTPLUS,
    LOG_SIGMOID,
    MISH,
    LIMIT
};

/* out = op(in) for n floats; both may be the same run. LIMIT has limits low and high. */
void NAME(unary_run)(enum unary op, const float *in, float *out, int32_t n, float low, float high);

#endif
