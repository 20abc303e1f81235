/* Convolutions without groups over bytes: tiles of output pixels by panels of channels, all sums in registers. */
#include "int8.h"
#include "isa.h"
#include "requantize.h"

/* Panels that a single pixel, a matrix-vector product, takes at once: enough sums to hide a dot product's latency. */
#define TOGETHER (8 / VECTORS)

/* Pixels of one tile: where the runs of each begin, [segment][PIXELS], and where its output does. Those past the end repeat the last. */
struct tile {
    const uint8_t **x;
    uint8_t *y[PIXELS];
};

/*
 * Working memory: the starts of a tile's runs, then a run of zero points, then copies of the runs that leave the image, or that would be
 * read beyond its end.
 */
struct work {
    const uint8_t **x;
    uint8_t *outside;
    uint8_t *copies;
};

static struct work work_in(const struct dense *d, uint8_t *scratch) {
    struct work w;
    w.x = (const uint8_t **) scratch;
    w.outside = scratch + (int64_t) d->segments * PIXELS * (int64_t) sizeof(uint8_t *);
    w.copies = w.outside + 4 * (int64_t) d->quads;
    return w;
}

/* Bytes of working memory. */
EXPORT int64_t NAME(dense_scratch)(const struct dense *d) {
    return (int64_t) d->segments * PIXELS * ((int64_t) sizeof(uint8_t *) + 4 * (int64_t) d->quads) + 4 * (int64_t) d->quads;
}

/* Without the library's memset and memcpy, which compilers would make of plain loops. */
static void fill(uint8_t *target, int64_t count, int32_t value) {
    for (int64_t i = 0; i < count; i++) {
        target[i] = (uint8_t) value;
        __asm__ volatile("" ::: "memory");
    }
}

static void copy(uint8_t *target, const uint8_t *source, int64_t count) {
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

/* The run of `taps` pixels from column x of row y, copied where it leaves the image. */
static const uint8_t *edge_run(const struct dense *d, const uint8_t *in, int32_t y, int32_t x, const struct work *w, uint8_t *target) {
    int32_t from = x < 0 ? -x : 0;
    int32_t to = d->in_w - x < d->taps ? d->in_w - x : d->taps;
    if (y < 0 || y >= d->in_h || from >= to) {
        return w->outside;
    }
    int64_t bytes = 4 * (int64_t) d->quads;
    int64_t row = (int64_t) y * d->in_w, c = d->in_channels;
    const uint8_t *end = in + (int64_t) d->in_h * d->in_w * c;
    if (from == 0 && to == d->taps && in + (row + x) * c + bytes <= end) {
        return in + (row + x) * c;
    }
    fill(target, from * c, d->zero_point);
    copy(target + from * c, in + (row + x + from) * c, (to - from) * c);
    fill(target + to * c, bytes - to * c, d->zero_point);
    return target;
}

/* The tile of up to PIXELS pixels from q. */
INLINE void tile_at(const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, int32_t end, const struct work *w, struct tile *t) {
    int32_t row = q / d->cols;
    int32_t col = q % d->cols;
    int32_t count = end - q < PIXELS ? end - q : PIXELS;
    int64_t c = d->in_channels, in_row = d->in_w * c;
    int64_t furthest = d->last_y * in_row + d->last_x * c + 4 * (int64_t) d->quads;
    const uint8_t *image_end = in + d->in_h * in_row;
    t->x = w->x;
    for (int32_t p = 0; p < PIXELS; p++) {
        if (p >= count) {
            t->y[p] = t->y[p - 1];
            for (int32_t s = 0; s < d->segments; s++) {
                w->x[s * PIXELS + p] = w->x[s * PIXELS + p - 1];
            }
            continue;
        }
        int32_t y = row * d->step_y, x = col * d->step_x;
        t->y[p] = out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel;
        const uint8_t *base = in + y * in_row + x * c;
        if (y + d->first_y >= 0 && y + d->last_y < d->in_h && x + d->first_x >= 0 && x + d->last_x + d->taps <= d->in_w
            && base + furthest <= image_end) {
            for (int32_t s = 0; s < d->segments; s++) {
                w->x[s * PIXELS + p] = base + d->dy[s] * in_row + d->dx[s] * c;
            }
        } else {
            for (int32_t s = 0; s < d->segments; s++) {
                w->x[s * PIXELS + p] = edge_run(d, in, y + d->dy[s], x + d->dx[s], w,
                    w->copies + ((int64_t) p * d->segments + s) * 4 * d->quads);
            }
        }
        if (++col == d->cols) {
            col = 0;
            row++;
        }
    }
}

/* The first `pixels` pixels of a tile by the first `vectors` vectors of a panel; the last three arguments are known to the compiler. */
INLINE void product(const struct dense *d, const struct tile *t, int32_t panel, const int pixels, const int vectors,
                    const enum rounding rounding) {
    /* Every loop over these is unrolled, so that they stay in registers. */
    sums sum[PIXELS][VECTORS];
    const int32_t *bias = d->bias + panel * PANEL;
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[p][v] = load_sums(bias + v * LANES);
        }
    }
    const int8_t *w = d->weights + (int64_t) panel * d->segments * d->quads * PANEL * 4;
    for (int32_t s = 0; s < d->segments; s++) {
        const uint8_t **x = t->x + s * PIXELS;
        int64_t depth = 4 * (int64_t) d->quads;
        for (int64_t at = 0; at < depth; at += 4, w += PANEL * 4) {
            sums wv[VECTORS];
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                wv[v] = weights_of(w + v * LANES * 4);
            }
            UNROLLED
            for (int p = 0; p < pixels; p++) {
                sums broadcast = quad(x[p] + at);
                UNROLLED
                for (int v = 0; v < vectors; v++) {
                    sum[p][v] = dot(sum[p][v], broadcast, wv[v]);
                }
            }
        }
    }
    const int32_t channel = panel * PANEL, left = d->channels - channel;
    const int each = 4 / vectors;
    UNROLLED
    for (int first = 0; first < pixels; first += each) {
        sums four[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            /* What is packed beyond the tile's last pixel is not stored. */
            int p = first + i / vectors < pixels ? first + i / vectors : pixels - 1;
            four[i] = rescaled(&d->rule, rounding, channel + i % vectors * LANES, sum[p][i % vectors]);
        }
        bytes packed = pack(&d->rule.limits[rounding], four[0], four[1], four[2], four[3]);
        UNROLLED
        for (int i = 0; i < each; i++) {
            if (first + i < pixels) {
                store_part(packed, i, vectors, t->y[first + i] + channel, left);
            }
        }
    }
}

#define PRODUCTS(suffix, rounding) \
    SEPARATE void whole_##suffix(const struct dense *d, const struct tile *t, int32_t n) { product(d, t, n, PIXELS, VECTORS, rounding); } \
    SEPARATE void half_##suffix(const struct dense *d, const struct tile *t, int32_t n) { product(d, t, n, PIXELS / 2, VECTORS, rounding); } \
    SEPARATE void narrow_##suffix(const struct dense *d, const struct tile *t, int32_t n) { product(d, t, n, PIXELS, NARROW, rounding); }

PRODUCTS(nearest, NEAREST)
PRODUCTS(mirrored, MIRRORED)
PRODUCTS(integer, INTEGER)

INLINE void tile_product(const struct dense *d, const struct tile *t, int32_t count, int32_t panel) {
    int narrow = d->channels - panel * PANEL <= NARROW * LANES && NARROW < VECTORS, half = count <= PIXELS / 2;
    switch (d->rule.rounding[panel]) {
    case NEAREST:
        narrow ? narrow_nearest(d, t, panel) : half ? half_nearest(d, t, panel) : whole_nearest(d, t, panel);
        break;
    case MIRRORED:
        narrow ? narrow_mirrored(d, t, panel) : half ? half_mirrored(d, t, panel) : whole_mirrored(d, t, panel);
        break;
    default:
        narrow ? narrow_integer(d, t, panel) : half ? half_integer(d, t, panel) : whole_integer(d, t, panel);
    }
}

/* One pixel by TOGETHER panels; the weights are read once, so that memory is the limit. Past the last panel the last one is repeated. */
static void vector_product(const struct dense *d, const struct tile *t, int32_t panel, int32_t panel_end) {
    const int64_t panel_bytes = (int64_t) d->segments * d->quads * PANEL * 4;
    sums sum[TOGETHER][VECTORS];
    const int8_t *w[TOGETHER];
    UNROLLED
    for (int n = 0; n < TOGETHER; n++) {
        int32_t at = panel + n < panel_end ? panel + n : panel_end - 1;
        w[n] = d->weights + at * panel_bytes;
        UNROLLED
        for (int v = 0; v < VECTORS; v++) {
            sum[n][v] = load_sums(d->bias + at * PANEL + v * LANES);
        }
    }
    int64_t offset = 0;
    for (int32_t s = 0; s < d->segments; s++) {
        const uint8_t *x = t->x[s * PIXELS];
        for (int32_t k = 0; k < d->quads; k++, x += 4, offset += PANEL * 4) {
            sums broadcast = quad(x);
            UNROLLED
            for (int n = 0; n < TOGETHER; n++) {
                UNROLLED
                for (int v = 0; v < VECTORS; v++) {
                    sum[n][v] = dot(sum[n][v], broadcast, weights_of(w[n] + offset + v * LANES * 4));
                }
            }
        }
    }
    for (int n = 0; n < TOGETHER && panel + n < panel_end; n++) {
        int32_t channel = (panel + n) * PANEL, left = d->channels - channel;
        enum rounding rounding = d->rule.rounding[panel + n];
        sums four[4];
        for (int v = 0; v < 4; v++) {
            four[v] = rescaled(&d->rule, rounding, channel + v % VECTORS * LANES, sum[n][v % VECTORS]);
        }
        store_part(pack(&d->rule.limits[rounding], four[0], four[1], four[2], four[3]), 0, VECTORS, t->y[0] + channel, left);
    }
}

/*
 * Pixels [q, end) by panels [panel, panel_end), `together` panels at a time over all pixels: those whose weights the caches hold. Image
 * and output start at the offsets; a start outside its memory is fine where no pixel that is asked for reaches there.
 */
EXPORT void NAME(dense)(const struct dense *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t q,
                        int32_t end, int32_t panel, int32_t panel_end, int32_t together, uint8_t *scratch) {
    struct work w = work_in(d, scratch);
    struct tile t;
    fill(w.outside, 4 * (int64_t) d->quads, d->zero_point);
    if (end - q == 1) {
        tile_at(d, in + in_offset, out + out_offset, q, end, &w, &t);
        for (; panel < panel_end; panel += TOGETHER) {
            vector_product(d, &t, panel, panel_end);
        }
        return;
    }
    for (; panel < panel_end; panel += together) {
        int32_t last = panel + together < panel_end ? panel + together : panel_end;
        for (int32_t first = q; first < end; first += PIXELS) {
            tile_at(d, in + in_offset, out + out_offset, first, end, &w, &t);
            for (int32_t n = panel; n < last; n++) {
                tile_product(d, &t, end - first, n);
            }
        }
    }
}

/* Signed bytes as the unsigned ones 128 higher. */
EXPORT void NAME(flip)(const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        out[i] = in[in_offset + i] ^ 128;
    }
}

EXPORT int32_t NAME(panel)(void) {
    return PANEL;
}
