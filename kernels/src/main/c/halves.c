/* Between 16-bit floats (IEEE 754 binary16) and floats: by the instructions that every Arm processor here has, and
 * otherwise in integers. */
#include "call.h"
#include "lanes.h"

#if defined(__aarch64__) || defined(__arm__)

/* Halves of a turn. */
#define HALVES 8

INLINE float32x4_t widened(uint16x4_t halves) {
#if defined(__aarch64__)
    return vcvt_f32_f16(vreinterpret_f16_u16(halves));
#else
    /* In assembly, since GCC is to be told first which kind of halves there are. */
    float32x4_t wide;
    __asm__("vcvt.f32.f16 %q0, %P1" : "=w"(wide) : "w"(halves));
    return wide;
#endif
}

INLINE uint16x4_t narrowed(float32x4_t floats) {
#if defined(__aarch64__)
    return vreinterpret_u16_f16(vcvt_f16_f32(floats));
#else
    uint16x4_t halves;
    __asm__("vcvt.f16.f32 %P0, %q1" : "=w"(halves) : "w"(floats));
    /* Which of NaNs is one of them all. */
    uint32x4_t bits = vreinterpretq_u32_f32(floats);
    uint16x4_t nan = vorr_u16(vmovn_u32(vshrq_n_u32(bits, 13)), vdup_n_u16(0x7E00));
    nan = vbsl_u16(vdup_n_u16(0x8000), vshrn_n_u32(bits, 16), nan);
    return vbsl_u16(vmovn_u32(vceqq_f32(floats, floats)), halves, nan);
#endif
}

INLINE void widen_turn(const uint16_t *in, float *out) {
    uint16x8_t halves = vld1q_u16(in);
    vst1q_f32(out, widened(vget_low_u16(halves)));
    vst1q_f32(out + 4, widened(vget_high_u16(halves)));
}

INLINE void narrow_turn(const float *in, uint16_t *out) {
    vst1q_u16(out, vcombine_u16(narrowed(vld1q_f32(in)), narrowed(vld1q_f32(in + 4))));
}

/* Turns of HALVES, the last of them over copies where fewer are left. */
#define TURNS(turn, in, of_in, out, of_out) \
    do { \
        int32_t i = 0; \
        for (; i + HALVES <= call->count; i += HALVES) { \
            turn(in + i, out + i); \
        } \
        of_in last[HALVES] = {0}; \
        of_out made[HALVES]; \
        for (int32_t k = 0; k < HALVES - 1; k++) { \
            last[k] = i + k < call->count ? in[i + k] : 0; \
        } \
        turn(last, made); \
        for (int32_t k = 0; k < HALVES - 1; k++) { \
            if (i + k < call->count) { \
                out[i + k] = made[k]; \
            } \
        } \
    } while (0)

KERNEL(widen_halves) {
    TURNS(widen_turn, call->in, uint16_t, call->out, float);
}

KERNEL(narrow_floats) {
    TURNS(narrow_turn, call->in, float, call->out, uint16_t);
}

#else

#define HALF_INFINITY 0x7C00
/* 2^112: what a half's exponent and mantissa, moved to a float's, lack. */
#define UP 5192296858534827628530496329220096.0f

KERNEL(widen_halves) {
    const uint16_t *in = call->in;
    float *out = call->out;
    for (int32_t i = 0; i < call->count; i++) {
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

KERNEL(narrow_floats) {
    const uint32_t *in = (const uint32_t *) call->in;
    uint16_t *out = call->out;
    for (int32_t i = 0; i < call->count; i++) {
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

#endif
