/*
 * Intrinsics of 64-bit Arm that kernels use, made of what NEON with VFPv4 has on 32 bits. NEON there takes denormals
 * for zeros and makes zeros of them, whatever the processor is told, and every NaN that it computes is the default one;
 * divisions and square roots, one lane after the other, do neither.
 */
#ifndef TORCHNNAPI_ARM32_H
#define TORCHNNAPI_ARM32_H

#include <arm_neon.h>

#if !defined(__clang__)
/* Of loops by counts of 64 bits GCC believes that they go on past all memory. */
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#endif

static inline int16x8_t vmull_high_s8(int8x16_t a, int8x16_t b) {
    return vmull_s8(vget_high_s8(a), vget_high_s8(b));
}
static inline uint16x8_t vmovl_high_u8(uint8x16_t x) {
    return vmovl_u8(vget_high_u8(x));
}
static inline int16x8_t vmovl_high_s8(int8x16_t x) {
    return vmovl_s8(vget_high_s8(x));
}
static inline int32x4_t vmlal_high_s16(int32x4_t sum, int16x8_t a, int16x8_t b) {
    return vmlal_s16(sum, vget_high_s16(a), vget_high_s16(b));
}
static inline int16x8_t vuzp1q_s16(int16x8_t a, int16x8_t b) {
    return vcombine_s16(vmovn_s32(vreinterpretq_s32_s16(a)), vmovn_s32(vreinterpretq_s32_s16(b)));
}
static inline uint32_t vmaxvq_u32(uint32x4_t x) {
    uint32x2_t larger = vpmax_u32(vget_low_u32(x), vget_high_u32(x));
    return vget_lane_u32(vpmax_u32(larger, larger), 0);
}
/* To nearest, halves to even; saturating, and 0 of a NaN. Conversions cut off, so what has a fraction loses it by an
 * addition before. */
static inline int32x4_t vcvtnq_s32_f32(float32x4_t x) {
    const float32x4_t whole = vdupq_n_f32(8388608);
    float32x4_t shift = vbslq_f32(vdupq_n_u32(0x80000000), x, whole);
    float32x4_t rounded = vsubq_f32(vaddq_f32(x, shift), shift);
    return vcvtq_s32_f32(vbslq_f32(vcaltq_f32(x, whole), rounded, x));
}
static inline float32x4_t vsqrtq_f32(float32x4_t x) {
    float lane[4];
    vst1q_f32(lane, x);
    for (int i = 0; i < 4; i++) {
        __asm__("vsqrt.f32 %0, %0" : "+t"(lane[i]));
    }
    return vld1q_f32(lane);
}

#endif
