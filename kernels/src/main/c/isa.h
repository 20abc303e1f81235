/*
 * What the kernels over bytes need to know of an instruction set: names, tile, and a few operations on vectors of
 * 32-bit lanes.
 *
 * Kernels are freestanding: no library, no allocation, no state, no stack frame beyond a page. Each instruction set
 * compiles its sources once with its own ISA_*; the functions are named after it.
 */
#ifndef TORCHNNAPI_ISA_H
#define TORCHNNAPI_ISA_H

#if defined(ISA_AVX512VNNI)
#include <immintrin.h>
#define NAME(function) tnn_avx512vnni_##function
#define LANES 16
#define VECTORS 2
#define PIXELS 14
typedef __m512i sums;
static inline sums load_sums(const int32_t *p) {
    return _mm512_loadu_si512(p);
}
static inline sums quad(const uint8_t *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return _mm512_set1_epi32(x);
}
static inline sums weights_of(const int8_t *p) {
    return _mm512_loadu_si512(p);
}
/* In assembly, since compilers that see the intrinsic reload and spill the sums. */
static inline sums dot(sums sum, sums x, sums w) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w));
    return sum;
}

#elif defined(ISA_AVX2) || defined(ISA_AVXVNNI)
#include <immintrin.h>
#define HAS_AVX2 1
#define LANES 8
#define VECTORS 2
#define PIXELS 6
typedef __m256i sums;
static inline sums load_sums(const int32_t *p) {
    return _mm256_loadu_si256((const __m256i *) p);
}
static inline sums quad(const uint8_t *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return _mm256_set1_epi32(x);
}
static inline sums weights_of(const int8_t *p) {
    return _mm256_loadu_si256((const __m256i *) p);
}
/* Of 16-bit integers, two a lane. The addition is in assembly, since compilers add products first and have no registers
 * for them. */
static inline sums dot_wide(sums sum, sums x, sums w) {
    sums product = _mm256_madd_epi16(x, w);
    __asm__("vpaddd %1, %0, %0" : "+x"(sum) : "x"(product));
    return sum;
}
static inline sums words_of_bytes(const uint8_t *p) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *) p));
}
static inline sums words_of_weights(const int8_t *p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *) p));
}
static inline sums load_words(const void *p) {
    return _mm256_loadu_si256((const __m256i *) p);
}
static inline void store_words(void *p, sums words) {
    _mm256_storeu_si256((__m256i *) p, words);
}
static inline sums all_words(int32_t x) {
    return _mm256_set1_epi16((int16_t) x);
}
#if defined(ISA_AVXVNNI)
#define NAME(function) tnn_avxvnni_##function
/* In assembly, as above, and so that compilers need not know the instruction. */
static inline sums dot(sums sum, sums x, sums w) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(w));
    return sum;
}
#else
#define NAME(function) tnn_avx2_##function
#define MULTIPLIES_WORDS 1
static inline sums dot(sums sum, sums x, sums w) {
    const __m256i first = _mm256_set1_epi32((int32_t) 0x80018000), second = _mm256_set1_epi32((int32_t) 0x80038002);
    sum = dot_wide(sum, _mm256_shuffle_epi8(x, first), _mm256_cvtepi8_epi16(_mm256_castsi256_si128(w)));
    return dot_wide(sum, _mm256_shuffle_epi8(x, second), _mm256_cvtepi8_epi16(_mm256_extracti128_si256(w, 1)));
}
#endif

#elif defined(ISA_SSE41)
#include <smmintrin.h>
#define NAME(function) tnn_sse41_##function
#define LANES 4
#define VECTORS 2
#define PIXELS 6
#define MULTIPLIES_WORDS 1
/* No instruction multiplies and adds with one rounding. */
#define ROUNDS_TWICE 1
typedef __m128i sums;
static inline sums load_sums(const int32_t *p) {
    return _mm_loadu_si128((const __m128i *) p);
}
static inline sums quad(const uint8_t *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return _mm_set1_epi32(x);
}
static inline sums weights_of(const int8_t *p) {
    return _mm_loadu_si128((const __m128i *) p);
}
static inline sums dot_wide(sums sum, sums x, sums w) {
    return _mm_add_epi32(sum, _mm_madd_epi16(x, w));
}
static inline sums words_of_bytes(const uint8_t *p) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *) p));
}
static inline sums words_of_weights(const int8_t *p) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *) p));
}
static inline sums load_words(const void *p) {
    return _mm_loadu_si128((const __m128i *) p);
}
static inline void store_words(void *p, sums words) {
    _mm_storeu_si128((__m128i *) p, words);
}
static inline sums all_words(int32_t x) {
    return _mm_set1_epi16((int16_t) x);
}
static inline sums dot(sums sum, sums x, sums w) {
    const __m128i first = _mm_set1_epi32((int32_t) 0x80018000), second = _mm_set1_epi32((int32_t) 0x80038002);
    sum = dot_wide(sum, _mm_shuffle_epi8(x, first), _mm_cvtepi8_epi16(w));
    return dot_wide(sum, _mm_shuffle_epi8(x, second), _mm_cvtepi8_epi16(_mm_srli_si128(w, 8)));
}

#elif defined(ISA_NEON) || defined(ISA_DOTPROD) || defined(ISA_I8MM) || defined(ISA_FP16)
#include <arm_neon.h>
#define LANES 4
#define VECTORS 4
#if defined(__arm__)
/* Half as many registers. */
#include "arm32.h"
#define PIXELS 2
#else
#define PIXELS 4
#endif
typedef int32x4_t sums;
static inline sums load_sums(const int32_t *p) {
    return vld1q_s32(p);
}
static inline sums weights_of(const int8_t *p) {
    return vreinterpretq_s32_s8(vld1q_s8(p));
}
#if defined(ISA_I8MM)
#define NAME(function) tnn_i8mm_##function
/* A product of two rows and two channels, 8 bytes deep. */
#define MULTIPLIES_MATRICES 1
#define DEPTH 8
static inline sums quad(const uint8_t *p) {
    return vreinterpretq_s32_u8(vcombine_u8(vld1_u8(p), vld1_u8(p)));
}
static inline sums dot_quads(sums sum, sums x, sums w) {
    return vusdotq_s32(sum, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(w));
}
static inline sums dot(sums sum, sums x, sums w) {
    return vusmmlaq_s32(sum, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(w));
}
#else
/* Bytes are multiplied as signed ones: inputs less 128, which the bias makes good. Those of tiles are copied as such.
 */
#define SIGNED_INPUTS 1
static inline sums less_128(sums quads) {
    return veorq_s32(quads, vdupq_n_s32((int32_t) 0x80808080));
}
#if defined(ISA_DOTPROD)
#define NAME(function) tnn_dotprod_##function
/* A product of a vector of weights and a quad of 16 inputs. */
#define MULTIPLIES_BY_LANE 1
static inline sums signed_quad(const uint8_t *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return vdupq_n_s32(x);
}
static inline sums dot(sums sum, sums x, sums w) {
    return vdotq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(w));
}
#else
#if defined(ISA_FP16)
#define NAME(function) tnn_fp16_##function
#else
#define NAME(function) tnn_neon_##function
#endif
/* Products of bytes are added in neighbouring pairs only, so a vector has the first two bytes of all its lanes' quads,
 * then the others. */
#define WEIGHT_AT(channel, byte) \
    ((channel) / LANES * LANES * 4 + (byte) / 2 * LANES * 2 + (channel) % LANES * 2 + (byte) % 2)
static inline sums signed_quad(const uint8_t *p) {
    int16_t first, second;
    __builtin_memcpy(&first, p, 2);
    __builtin_memcpy(&second, p + 2, 2);
    return vreinterpretq_s32_s16(vcombine_s16(vdup_n_s16(first), vdup_n_s16(second)));
}
/* Two products of bytes may exceed 16 bits, so each is added for itself. */
static inline sums dot(sums sum, sums x, sums w) {
    int8x16_t a = vreinterpretq_s8_s32(x), b = vreinterpretq_s8_s32(w);
    sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
#if defined(__arm__)
    sum = vpadalq_s16(sum, vmull_high_s8(a, b));
    __asm__ volatile("" : "+w"(sum));
    return sum;
#else
    return vpadalq_s16(sum, vmull_high_s8(a, b));
#endif
}
#endif
static inline sums quad(const uint8_t *p) {
    return less_128(signed_quad(p));
}
#endif
#endif

/* pmaddubsw would saturate, so bytes are multiplied as 16-bit integers, of which neighbours are added: the first two of
 * a quad, then the others. Tiles have their inputs as such integers already, each widened once for all channels; a quad
 * takes two steps. */
#if defined(MULTIPLIES_WORDS)
#define WEIGHT_AT(channel, byte) \
    ((channel) / LANES * LANES * 4 + (byte) / 2 * LANES * 2 + (channel) % LANES * 2 + (byte) % 2)
#define WORDS (2 * LANES)
#define TILE_BYTES 2
#define TILE_STEPS 2
#define tile_weights(w, at) words_of_weights((w) + (at))
#define tile_dot dot_wide
#endif

/* Tiles read their inputs where they lie only if those are bytes as they are. */
#if defined(MULTIPLIES_WORDS) || defined(SIGNED_INPUTS)
#define COPIES_INPUTS 1
#else
#define COPIES_INPUTS 0
#endif

/* Bytes of a channel's weights that lie together. */
#if !defined(DEPTH)
#define DEPTH 4
#define dot_quads dot
#endif
/* Where a panel has the bytes of its channels that lie so. */
#if !defined(WEIGHT_AT)
#define WEIGHT_AT(channel, byte) ((channel) * DEPTH + (byte))
#endif
/* Where a run of a panel's weights has a byte of a channel. */
#define WEIGHT_IN_RUN(channel, byte) ((int64_t) (byte) / DEPTH * PANEL * DEPTH + WEIGHT_AT(channel, (byte) % DEPTH))
/* Bytes of a panel's weights in a run of so many quads. */
#define RUN_BYTES(quads) (((int64_t) (quads) + DEPTH / 4 - 1) / (DEPTH / 4) * DEPTH * PANEL)

#define PANEL (LANES * VECTORS)
/* Vectors of a panel whose other half has no channels. */
#define NARROW (LANES == 16 ? 1 : VECTORS)

/*
 * The loads of the innermost loop: the quad at x + stride * times + at, times 0, 1 or 2 and known to the compiler like
 * at, and weights. In assembly that stays in its order, since compilers keep every sum of pointers they see, load
 * ahead, and spill sums for it.
 */
#if defined(ISA_AVX512VNNI)
/* Says that memory from x on is read, as far as any run reaches, in the register that has x already. */
struct run {
    uint8_t bytes[1 << 20];
};
#define FROM(x) "m"(*(const struct run *) (x))
#define quad_at(x, stride, times, at) \
    ({ \
        sums q_; \
        if ((times) == 0) { \
            __asm__ volatile("vpbroadcastd %c2(%1), %0" : "=v"(q_) : "r"(x), "i"(at), FROM(x)); \
        } else if ((times) == 1) { \
            __asm__ volatile("vpbroadcastd %c3(%1,%2), %0" : "=v"(q_) : "r"(x), "r"(stride), "i"(at), FROM(x)); \
        } else { \
            __asm__ volatile("vpbroadcastd %c3(%1,%2,2), %0" : "=v"(q_) : "r"(x), "r"(stride), "i"(at), FROM(x)); \
        } \
        q_; \
    })
#define weights_at(w, at) \
    ({ \
        sums w_; \
        __asm__ volatile("vmovdqu64 %1, %0" : "=v"(w_) : "m"(*(const __m512i_u *) ((w) + (at)))); \
        w_; \
    })
#else
#define quad_at(x, stride, times, at) quad((x) + (times) * (stride) + (at))
#define weights_at(w, at) weights_of((w) + (at))
#endif

/* What products of tiles of pixels are made of: the bytes that an input takes in a tile, and the steps of a quad. */
#if !defined(TILE_BYTES)
#define TILE_BYTES 1
#define TILE_STEPS 1
#define tile_weights(w, at) weights_at(w, at)
#define tile_dot dot
#endif
#if defined(SIGNED_INPUTS)
#define tile_quad signed_quad
#define tile_quad_at(x, stride, times, at) signed_quad((x) + (times) * (stride) + (at))
#else
#define tile_quad quad
#define tile_quad_at quad_at
#endif

/* A vector that assembly reads and may change. */
#if defined(__x86_64__)
#define VECTOR_REGISTER(x) "+x"(x)
#else
#define VECTOR_REGISTER(x) "+w"(x)
#endif

#define INLINE static inline __attribute__((always_inline))
#define SEPARATE static __attribute__((noinline))
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

#endif
