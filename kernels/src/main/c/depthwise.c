/* Depthwise convolutions over bytes, one output row at a time. */
#include "call.h"
#include "int8.h"
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

/* The plan's output row op, of a to out; scratch is b. */
KERNEL(depthwise) {
    depthwise_row(call->plan, call->a, call->a_at, call->out, call->out_at, call->op, (uint8_t *) call->b + call->b_at);
}

/* Writes the bytes of scratch that a row of the plan needs. */
KERNEL(depthwise_scratch) {
    *(int64_t *) call->out = depthwise_scratch_size(call->plan);
}
