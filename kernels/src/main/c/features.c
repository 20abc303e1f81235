/* What this processor can do, with the system's leave: bit 0 AVX2 with FMA, bit 1 AVX-512 with its byte, word, double-word and
 * short-vector operations, bit 2 its dot products (VNNI) too. */
#include "int8.h"

EXPORT int32_t tnn_features(void) {
#if defined(__x86_64__)
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    if (a < 7) {
        return 0;
    }
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
    int fma = c >> 12 & 1;
    if (!(c >> 27 & 1)) {
        return 0;
    }
    uint32_t state, high;
    __asm__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    int avx2 = (state & 6) == 6 && (b >> 5 & 1) && fma;
    int avx512 = (state & 0xe6) == 0xe6 && (b >> 16 & 1) && (b >> 17 & 1) && (b >> 30 & 1) && (b >> 31 & 1) && fma;
    int vnni = avx512 && (c >> 11 & 1);
    return avx2 | avx512 << 1 | vnni << 2;
#else
    return 0;
#endif
}

#if defined(_WIN32)
/* Microsoft's linker wants this of whoever uses floating point. */
int _fltused = 0;
#endif
