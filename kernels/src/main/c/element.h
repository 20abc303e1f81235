/*
 * Kernels over runs of elements and images, neither convolutions nor products, with the signature of call.h. Runs begin
 * at an offset, in elements, from an array's first. In and out may be the same run.
 */
#ifndef TORCHNNAPI_ELEMENT_H
#define TORCHNNAPI_ELEMENT_H

#include "call.h"
#include "lanes.h"

#define FLOATS_OF(pointer, offset) ((const float *) (pointer) + (offset))

#endif
