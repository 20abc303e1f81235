/* What this processor can do, with the system's leave: bit 0 AVX2 with FMA, bit 1 AVX-512 with its byte, word,
 * double-word and short-vector operations, bit 2 its dot products (VNNI) too, bit 3 AVX2 with dot products of 256 bits
 * (AVX-VNNI), bit 4 SSE4.1, bit 5 AVX-512's shuffles of bytes of whole vectors (VBMI). */
#include "export.h"
#include "tiles.h"

EXPORT int32_t tnn_features(void) {
#if defined(__x86_64__)
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    uint32_t leaves = a;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
    int fma = c >> 12 & 1, sse41 = (c >> 19 & 1) << 4;
    if (leaves < 7 || !(c >> 27 & 1)) {
        return sse41;
    }
    uint32_t state, high;
    __asm__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    int avx2 = (state & 6) == 6 && (b >> 5 & 1) && fma;
    int avx512 = (state & 0xe6) == 0xe6 && (b >> 16 & 1) && (b >> 17 & 1) && (b >> 30 & 1) && (b >> 31 & 1) && fma;
    int vnni = avx512 && (c >> 11 & 1), vbmi = avx512 && (c >> 1 & 1);
    /* Where the leaf has no second part all its bits are 0. */
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(1));
    int avxvnni = avx2 && (a >> 4 & 1);
    return avx2 | avx512 << 1 | vnni << 2 | avxvnni << 3 | sse41 | vbmi << 5;
#else
    return 0;
#endif
}

/* Whether this process may use tile registers that multiply bytes (Intel AMX). Linux gives leave to whoever asks, for
 * all its threads. */
EXPORT int32_t tnn_tiles(void) {
#if defined(HAVE_TILES)
    const uint32_t tiles_of_bytes = 1u << 24 | 1u << 25, tile_state = 3u << 17;
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    if (a < 7) {
        return 0;
    }
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
    if (!(c >> 27 & 1)) {
        return 0;
    }
    uint32_t state, high;
    __asm__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    if ((d & tiles_of_bytes) != tiles_of_bytes || (state & tile_state) != tile_state) {
        return 0;
    }
    /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) */
    int64_t result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(158), "D"(0x1023), "S"(18) : "rcx", "r11", "memory");
    return result == 0;
#else
    return 0;
#endif
}

#if defined(_WIN32)
/* Microsoft's linker wants this of whoever uses floating point. */
int _fltused = 0;
#endif
