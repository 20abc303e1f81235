/* Between 16-bit floats (IEEE 754 binary16) and floats, in integers: not every processor here has instructions for it.
 */
#include "element.h"

#define HALF_INFINITY 0x7C00
/* 2^112: what a half's exponent and mantissa, moved to a float's, lack. */
#define UP 5192296858534827628530496329220096.0f

/* The a of n halves, exactly. */
KERNEL(widen_halves) {
    const uint16_t *in = (const uint16_t *) call->a + call->a_at;
    float *out = (float *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++) {
        uint32_t magnitude = in[i] & 0x7FFFu;
        union {
            uint32_t bits;
            float value;
        } scaled = {magnitude << 13}, result;
        scaled.value *= UP;
        scaled.bits |= magnitude >= HALF_INFINITY ? 0x7F800000u : 0;
        result.bits = scaled.bits | (uint32_t) (in[i] & 0x8000) << 16;
        out[i] = result.value;
    }
}

/* The a of n floats rounded to halves, halfway to even; what is too large becomes infinite, NaNs stay NaNs. */
KERNEL(narrow_floats) {
    const uint32_t *in = (const uint32_t *) call->a + call->a_at;
    uint16_t *out = (uint16_t *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++) {
        uint32_t magnitude = in[i] & 0x7FFFFFFFu;
        /* Below the least normal half, adding 0.5 rounds to multiples of 2^-24 and leaves their number in the low bits.
         */
        union {
            uint32_t bits;
            float value;
        } small = {magnitude};
        small.value += 0.5f;
        uint32_t normal = (magnitude + 0xFFF + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
        uint32_t half = magnitude < 0x38800000u ? small.bits - 0x3F000000u : normal;
        uint32_t nan = HALF_INFINITY | 0x200 | (magnitude >> 13 & 0x3FF);
        half = magnitude >= 0x477FF000u ? HALF_INFINITY : half;
        half = magnitude > 0x7F800000u ? nan : half;
        out[i] = (uint16_t) (half | (in[i] >> 16 & 0x8000u));
    }
}
