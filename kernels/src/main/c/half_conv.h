/* Dense convolutions of float images whose products are computed in 16-bit floats (IEEE 754 binary16). */
#ifndef TORCHNNAPI_HALF_CONV_H
#define TORCHNNAPI_HALF_CONV_H

#include "float_conv.h"

/* Halves of a vector, and input channels of a tap that lie together: of the last vector the rest are zeros. */
#define HALF_LANES 8
/* Outputs of a panel; the last panel has only as many vectors as it needs. */
#define HALF_PANEL 16
/* Products of a sum that are added up in halves; what they make is added up in floats. */
#define HALF_SUM 64

/*
 * With u = 2^-11 inputs and weights are rounded to halves, each with a relative error of u at most, or 2^-25 below
 * 2^-14; from 65520 on they are infinite. The error of a sum is then below (HALF_SUM + 2) u times the sum of its
 * products' magnitudes, beside what products below 2^-14 lose, 2^-25 each, and the rounding of floats.
 */

#endif
