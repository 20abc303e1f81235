/* The kernels over bytes, for one instruction set. */
#include "int8.h"
#include "isa.h"
#include "requantize.h"

#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* Up to PIXELS pixels: where their inputs and outputs begin. */
struct tile {
    const uint8_t *x[PIXELS];
    uint8_t *y[PIXELS];
    int32_t count;
};

static inline void tile_at(const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, int32_t end, struct tile *t) {
    int32_t row = q / d->cols;
    int32_t col = q % d->cols;
    t->count = end - q < PIXELS ? end - q : PIXELS;
    for (int32_t p = 0; p < PIXELS; p++) {
        t->x[p] = in + (int64_t) row * d->in_row + (int64_t) col * d->in_pixel;
        t->y[p] = out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel;
        /* Pixels past the end repeat the last one; they are not stored. */
        if (p + 1 < t->count && ++col == d->cols) {
            col = 0;
            row++;
        }
    }
}

/* The pixels of a tile by the channels of one panel. */
static inline void product(const struct dense *d, const struct tile *t, int32_t panel) {
    /* Every loop over these is unrolled, so that they stay in registers. */
    sums sum[PIXELS][VECTORS];
    UNROLLED
    for (int32_t p = 0; p < PIXELS; p++) {
        UNROLLED
        for (int32_t v = 0; v < VECTORS; v++) {
            sum[p][v] = load_sums(d->bias + panel * PANEL + v * LANES);
        }
    }
    const int8_t *w = d->weights + (int64_t) panel * d->segments * d->quads * PANEL * 4;
    for (int32_t s = 0; s < d->segments; s++) {
        int64_t at = d->offsets[s];
        for (int32_t k = 0; k < d->quads; k++, at += 4, w += PANEL * 4) {
            sums wv[VECTORS];
            UNROLLED
            for (int32_t v = 0; v < VECTORS; v++) {
                wv[v] = weights_of(w + v * LANES * 4);
            }
            UNROLLED
            for (int32_t p = 0; p < PIXELS; p++) {
                sums broadcast = quad(t->x[p] + at);
                UNROLLED
                for (int32_t v = 0; v < VECTORS; v++) {
                    sum[p][v] = dot(sum[p][v], broadcast, wv[v]);
                }
            }
        }
    }
    sums result[VECTORS][PIXELS];
    UNROLLED
    for (int32_t p = 0; p < PIXELS; p++) {
        UNROLLED
        for (int32_t v = 0; v < VECTORS; v++) {
            result[v][p] = sum[p][v];
            /* Keeps the compiler from merging the two arrays again. */
            __asm__ volatile("" : "+m"(result[v][p]));
        }
    }
    for (int32_t v = 0; v < VECTORS; v++) {
        int32_t channel = panel * PANEL + v * LANES;
        struct channel_rule rule = rule_of(&d->rule, channel);
        for (int32_t p = 0; p < t->count; p++) {
            store_bytes(&rule, result[v][p], t->y[p] + channel, d->channels - channel);
        }
    }
}

/* Pixels [q, end) by panels [panel, panel_end), panels outside where their weights are too many for the caches. */
EXPORT void NAME(dense)(const struct dense *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t q,
                        int32_t end, int32_t panel, int32_t panel_end, int32_t panels_outside) {
    struct tile t;
    int32_t together = panels_outside ? 1 : panel_end - panel;
    for (; panel < panel_end; panel += together) {
        for (int32_t first = q; first < end; first += PIXELS) {
            tile_at(d, in + in_offset, out + out_offset, first, end, &t);
            for (int32_t n = panel; n < panel + together; n++) {
                product(d, &t, n);
            }
        }
    }
}

/* As many dot products as a tile's inner loop, rounds times, from registers alone: what the processor can do at best. */
EXPORT int32_t NAME(peak)(int32_t rounds) {
    static const uint8_t ones[64] = {1};
    sums x = quad(ones), w = weights_of((const int8_t *) ones), sum[PIXELS][VECTORS];
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
                sum[p][v] = dot(sum[p][v], x, w);
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
    return PIXELS * PANEL * 4;
}

EXPORT int32_t NAME(panel)(void) {
    return PANEL;
}

#if defined(ISA_AVX512VNNI)
#include "depthwise_dot.h"
#else
#include "depthwise_plain.h"
#endif
