/* The kernels over bytes, for one instruction set. */
#include "int8.h"
#include "isa.h"
#include "requantize.h"

/* One tile: up to PIXELS pixels from q by the channels of one panel. */
static inline void tile(const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, int32_t end, int32_t panel) {
    const uint8_t *x[PIXELS];
    uint8_t *y[PIXELS];
    int32_t count = end - q < PIXELS ? end - q : PIXELS;
    int32_t row = q / d->cols;
    int32_t col = q % d->cols;
    for (int32_t p = 0; p < PIXELS; p++) {
        x[p] = in + (int64_t) row * d->in_row + (int64_t) col * d->in_pixel;
        y[p] = out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel;
        /* Pixels past the end repeat the last one; they are not stored. */
        if (p + 1 < count && ++col == d->cols) {
            col = 0;
            row++;
        }
    }
    sums sum[PIXELS][VECTORS];
    for (int32_t p = 0; p < PIXELS; p++) {
        for (int32_t v = 0; v < VECTORS; v++) {
            sum[p][v] = load_sums(d->bias + panel * PANEL + v * LANES);
        }
    }
    const int8_t *w = d->weights + (int64_t) panel * d->segments * d->quads * PANEL * 4;
    for (int32_t s = 0; s < d->segments; s++) {
        int64_t at = d->offsets[s];
        for (int32_t k = 0; k < d->quads; k++, at += 4, w += PANEL * 4) {
            sums wv[VECTORS];
            for (int32_t v = 0; v < VECTORS; v++) {
                wv[v] = weights_of(w + v * LANES * 4);
            }
#pragma GCC unroll 14
            for (int32_t p = 0; p < PIXELS; p++) {
                sums broadcast = quad(x[p] + at);
                for (int32_t v = 0; v < VECTORS; v++) {
                    sum[p][v] = dot(sum[p][v], broadcast, wv[v]);
                }
            }
        }
    }
    int32_t channel = panel * PANEL;
    for (int32_t p = 0; p < PIXELS; p++) {
        if (p < count) {
            for (int32_t v = 0; v < VECTORS; v++) {
                store_bytes(&d->rule, sum[p][v], channel + v * LANES, y[p] + channel + v * LANES, d->channels - channel - v * LANES);
            }
        }
    }
}

/* Pixels [q, end) by panels [panel, panel_end), panels outside where their weights are too many for the caches. */
EXPORT void NAME(dense)(const struct dense *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t q,
                        int32_t end, int32_t panel, int32_t panel_end, int32_t panels_outside) {
    if (panels_outside) {
        for (; panel < panel_end; panel++) {
            for (int32_t first = q; first < end; first += PIXELS) {
                tile(d, in + in_offset, out + out_offset, first, end, panel);
            }
        }
        return;
    }
    for (int32_t first = q; first < end; first += PIXELS) {
        for (int32_t n = panel; n < panel_end; n++) {
            tile(d, in + in_offset, out + out_offset, first, end, n);
        }
    }
}

EXPORT int32_t NAME(panel)(void) {
    return PANEL;
}

#if defined(ISA_AVX512VNNI)
#include "depthwise_dot.h"
#else
#include "depthwise_plain.h"
#endif
