/* Depthwise convolutions over bytes, one output row at a time. */
#include "int8.h"
#include "isa.h"
#include "requantize.h"

/* Channels are padded to whole groups, each of which has its own kind of rounding. */
#define GROUP 64

/* Where column x of input row y begins. */
INLINE const uint8_t *input_at(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x) {
    return in + ((int64_t) (y % d->ring) * d->in_w + x) * d->channels;
}

#if defined(ISA_AVX512VNNI)
#include "depthwise_dot.h"
#else
#include "depthwise_plain.h"
#endif
