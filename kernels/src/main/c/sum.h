/* The sum of two quantized values by QNNPACK's rule: see QuantizedSum in Java. */
#ifndef TORCHNNAPI_SUM_H
#define TORCHNNAPI_SUM_H

#include "lanes.h"
#include "structures.h"

/* Of bytes as the integers they stand for; the result is within [min, max]. */
INLINE ints sum_of(const struct sum *s, ints a, ints b) {
    ints sum = a * s->multiplier_a + b * s->multiplier_b + s->offset;
    int32_t fraction = (int32_t) ((1u << s->shift) - 1);
    /* Halves away from zero: one more where the remainder, less one for a negative sum, is above the half. */
    ints remainder = (sum & fraction) + (sum >> 31);
    ints steps = (sum >> s->shift) - (remainder > fraction >> 1);
    return smaller_ints(larger_ints(steps + s->zero_point, all_ints(s->min)), all_ints(s->max));
}

#endif
