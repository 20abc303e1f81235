/* Functions of one float. */
#ifndef TORCHNNAPI_UNARY_H
#define TORCHNNAPI_UNARY_H

#include <stdint.h>
#include "isa.h"
#include "structures.h"

/* out = op(in) for n floats; both may be the same run. */
void NAME(unary_run)(enum unary op, const float *in, float *out, int32_t n);

/* out = in, but at least low and at most high, likewise. */
void NAME(clamp_run)(const float *in, float *out, int32_t n, float low, float high);

#endif
