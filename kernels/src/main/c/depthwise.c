/* Depthwise convolutions over bytes, one output row at a time. */
#include "call.h"
#include "isa.h"
#include "requantize.h"

/* Channels are padded to whole groups, each of which has its own kind of rounding. */
#define GROUP 64

/* Where column x of input row y begins. */
INLINE const uint8_t *input_at(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x) {
    return in + ((int64_t) (y % d->ring) * d->in_w + x) * d->channels;
}

#if defined(ISA_AVX512VNNI) || defined(ISA_DOTPROD) || defined(ISA_I8MM)
#include "depthwise_dot.h"
#else
#include "runs.h"
#include "depthwise_taps.h"
#endif

KERNEL(depthwise) {
    depthwise_row(call->plan, call->in, call->out, call->row, call->scratch);
}

KERNEL(depthwise_scratch) {
    *call->result = depthwise_scratch_size(call->plan);
}
