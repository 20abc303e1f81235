/* What the processor can do at best with bytes. */
#include "calls.h"

/* As many dot products as a tile's inner loop, rounds times, from registers alone: what the processor can do at best.
 */
EXPORT int32_t NAME(peak)(int32_t rounds) {
    static const uint8_t ones[64] = {1};
    sums x = quad(ones), w = tile_weights((const int8_t *) ones, 0), sum[PIXELS][VECTORS];
    UNROLLED
    for (int32_t p = 0; p < PIXELS; p++) {
        UNROLLED
        for (int32_t v = 0; v < VECTORS; v++) {
            sum[p][v] = x;
        }
    }
    for (int32_t i = 0; i < rounds; i++) {
        UNROLLED
        for (int32_t p = 0; p < PIXELS; p++) {
            UNROLLED
            for (int32_t v = 0; v < VECTORS; v++) {
                UNROLLED
                for (int32_t step = 0; step < TILE_STEPS; step++) {
                    /* Or the compiler would see that all products are the same. */
                    __asm__ volatile("" : VECTOR_REGISTER(x));
                    sum[p][v] = tile_dot(sum[p][v], x, w);
                }
            }
        }
        /* Each round needs the one before, or the compiler would do them once. */
        __asm__ volatile("" ::: "memory");
    }
    int32_t total = 0;
    UNROLLED
    for (int32_t p = 0; p < PIXELS; p++) {
        UNROLLED
        for (int32_t v = 0; v < VECTORS; v++) {
            int32_t first;
            __builtin_memcpy(&first, &sum[p][v], 4);
            total += first;
        }
    }
    return total;
}

/* Multiply-adds of one round of the above. */
EXPORT int32_t NAME(peak_round)(void) {
    return PIXELS * PANEL * DEPTH;
}
