/* Filling and copying of bytes without the library's memset and memcpy, which compilers would make of plain loops. */
#ifndef TORCHNNAPI_RUNS_H
#define TORCHNNAPI_RUNS_H

#include <stdint.h>
#include "isa.h"

#if defined(ISA_AVX512VNNI)

INLINE void fill(uint8_t *target, int64_t count, int32_t value) {
    const __m512i all = _mm512_set1_epi8((char) value);
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        _mm512_storeu_si512(target + i, all);
    }
    if (i < count) {
        _mm512_mask_storeu_epi8(target + i, (1ull << (count - i)) - 1, all);
    }
}

INLINE void copy(uint8_t *target, const uint8_t *source, int64_t count) {
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        _mm512_storeu_si512(target + i, _mm512_loadu_si512(source + i));
    }
    if (i < count) {
        __mmask64 rest = (1ull << (count - i)) - 1;
        _mm512_mask_storeu_epi8(target + i, rest, _mm512_maskz_loadu_epi8(rest, source + i));
    }
}

#else

static inline void fill(uint8_t *target, int64_t count, int32_t value) {
    const uint64_t eight = 0x0101010101010101u * (uint8_t) value;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __builtin_memcpy(target + i, &eight, 8);
        __asm__ volatile("" ::: "memory");
    }
    for (; i < count; i++) {
        target[i] = (uint8_t) value;
        __asm__ volatile("" ::: "memory");
    }
}

static inline void copy(uint8_t *target, const uint8_t *source, int64_t count) {
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __builtin_memcpy(target + i, source + i, 16);
        __asm__ volatile("" ::: "memory");
    }
    for (; i < count; i++) {
        target[i] = source[i];
        __asm__ volatile("" ::: "memory");
    }
}

#endif

#endif
