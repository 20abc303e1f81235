/* Convolutions without groups over bytes: tiles of output pixels by panels of channels, all sums in registers. */
#include "call.h"
#include "isa.h"
#include "products.h"
#include "requantize.h"
#include "runs.h"

/* Panels that a single pixel, a matrix-vector product, takes at once: enough sums to hide a dot product's latency. */
#define TOGETHER (8 / VECTORS)

/* Pixels of one tile: where the runs of the first begin, one a segment, how far on those of the next do, and where the
 * outputs lie. */
struct tile {
    const uint8_t **start;
    int64_t *stride;
    uint8_t *out;
    int64_t out_pixel;
    int64_t out_panel;
};

/*
 * Working memory: starts and strides of a tile's runs, the outputs of a tile that is not full, a run of zero points,
 * and copies of the runs of tiles whose pixels are not equally far apart, that leave the image, or that would be read
 * beyond its end.
 */
struct work {
    const uint8_t **start;
    int64_t *stride;
    uint8_t *bounce;
    uint8_t *outside;
    uint8_t *copies;
};

static struct work work_in(const struct dense *d, uint8_t *scratch) {
    struct work w;
    w.bounce = scratch;
    w.start = (const uint8_t **) (w.bounce + PIXELS * PANEL);
    w.stride = (int64_t *) (w.start + d->segments);
    w.outside = (uint8_t *) (w.stride + d->segments);
    w.copies = w.outside + TILE_BYTES * 4 * (int64_t) d->quads;
    return w;
}

KERNEL(dense_scratch) {
    const struct dense *d = call->plan;
    *call->result = PIXELS * PANEL + 16 * (int64_t) d->segments
            + TILE_BYTES * 4 * (int64_t) d->quads * (d->segments * PIXELS + 1);
}

#if !COPIES_INPUTS
#define fill_inputs fill
#define copy_inputs copy
#elif TILE_BYTES == 1

/* Inputs of a tile: `count` times the same, as a signed byte. */
static void fill_inputs(uint8_t *target, int64_t count, int32_t value) {
    fill(target, count, value ^ 128);
}

/* Inputs of a tile, of unsigned bytes. */
static void copy_inputs(uint8_t *target, const uint8_t *source, int64_t count) {
    const uint8x16_t flip = vdupq_n_u8(128);
    for (int64_t i = 0; i < count; i += 16) {
        if (count - i < 16) {
            if (count < 16) {
                uint8_t some[16];
                store_some(source, some, (int32_t) count);
                vst1q_u8(some, veorq_u8(vld1q_u8(some), flip));
                store_some(some, target, (int32_t) count);
                return;
            }
            /* Some are copied once more. */
            i = count - 16;
        }
        vst1q_u8(target + i, veorq_u8(vld1q_u8(source + i), flip));
    }
}

#else

/* Inputs of a tile: `count` times the same. */
static void fill_inputs(uint8_t *target, int64_t count, int32_t value) {
    const sums all = all_words(value);
    int64_t i = 0;
    for (; i + WORDS <= count; i += WORDS) {
        store_words(target + 2 * i, all);
    }
    for (; i < count; i++) {
        _mm_storeu_si16(target + 2 * i, _mm_cvtsi32_si128(value));
    }
}

/* Inputs of a tile, of bytes. */
static void copy_inputs(uint8_t *target, const uint8_t *source, int64_t count) {
    int64_t i = 0;
    for (; i + WORDS <= count; i += WORDS) {
        store_words(target + 2 * i, words_of_bytes(source + i));
    }
    for (; WORDS > 8 && i + 8 <= count; i += 8) {
        _mm_storeu_si128(
                (__m128i *) (target + 2 * i), _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *) (source + i))));
    }
    for (; i < count; i++) {
        _mm_storeu_si16(target + 2 * i, _mm_cvtsi32_si128(source[i]));
    }
}

#endif

/* Copies `pixels` pixels from column x of row y, with zero points for those outside the image, and fills up to `count`
 * inputs. */
static void copy_pixels(const struct dense *d, const uint8_t *in, int32_t y, int32_t x, int32_t pixels, int64_t count,
        uint8_t *target) {
    int64_t c = d->in_channels;
    int32_t from = x < 0 ? -x : 0;
    int32_t to = d->in_w - x < pixels ? d->in_w - x : pixels;
    if (y < 0 || y >= d->in_h || from >= to) {
        fill_inputs(target, count, d->zero_point);
        return;
    }
    fill_inputs(target, from * c, d->zero_point);
    copy_inputs(target + TILE_BYTES * from * c, in + ((int64_t) y * d->in_w + x + from) * c, (to - from) * c);
    fill_inputs(target + TILE_BYTES * to * c, count - to * c, d->zero_point);
}

/* Whether pixels' runs, one each, follow each other as the pixels do, in the image, which is one row to its tiles, and
 * in the output. */
static int is_flat(const struct dense *d) {
    return d->in_h == 1 && d->segments == 1 && d->taps == 1 && d->step_x == 1 && d->step_y == 1 && d->in_w == d->cols
            && d->dy[0] == 0 && d->dx[0] == 0 && d->out_row == d->cols * d->out_pixel;
}

/* A full tile of such pixels. */
INLINE void flat_tile_at(
        const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, const struct work *w, struct tile *t) {
    const uint8_t *start = in + (int64_t) q * d->in_channels;
    if (COPIES_INPUTS) {
        copy_inputs(w->copies, start, (PIXELS - 1) * (int64_t) d->in_channels + 4 * d->quads);
        start = w->copies;
    }
    t->start[0] = start;
    t->out = out + (int64_t) q * d->out_pixel;
}

/* The tile of `count` pixels from q, of which kernels take `taken`. Within a row full tiles are read where they lie, if
 * inputs are bytes there too. */
static void tile_at(const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, int32_t count, int32_t taken,
        const struct work *w, struct tile *t) {
    int32_t row = q / d->cols, col = q - row * d->cols;
    int64_t c = d->in_channels, depth = 4 * (int64_t) d->quads, step = d->step_x * c;
    const uint8_t *last = in + (int64_t) d->in_h * d->in_w * c - depth;
    int one_row = col + count <= d->cols,
        in_place = count == taken && (one_row || d->out_row == d->cols * d->out_pixel);
    int inner = !COPIES_INPUTS && count == taken && col >= d->inner_begin && col + count <= d->inner_end;
    t->start = w->start;
    t->stride = w->stride;
    t->out = in_place ? out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel : w->bounce;
    t->out_pixel = in_place ? d->out_pixel : PANEL;
    t->out_panel = in_place ? PANEL : 0;
    for (int32_t s = 0; s < d->segments; s++) {
        int32_t y = row * d->step_y + d->dy[s];
        const uint8_t *start = in + ((int64_t) y * d->in_w + col * d->step_x + d->dx[s]) * c;
        uint8_t *copies = w->copies + TILE_BYTES * depth * s * PIXELS;
        w->stride[s] = TILE_BYTES * step;
        if (inner && y >= 0 && y < d->in_h && start + (count - 1) * step <= last) {
            w->start[s] = start;
        } else if (one_row && (y < 0 || y >= d->in_h)) {
            w->start[s] = w->outside;
            w->stride[s] = 0;
        } else if (one_row && d->step_x <= d->taps) {
            /* Runs overlap: all that the tile reads of the row is copied once. */
            copy_pixels(d, in, y, col * d->step_x + d->dx[s], (count - 1) * d->step_x + d->taps,
                    (count - 1) * step + depth, copies);
            w->start[s] = copies;
        } else {
            int32_t copied_row = row, copied_col = col;
            for (int32_t p = 0; p < count; p++) {
                copy_pixels(d, in, copied_row * d->step_y + d->dy[s], copied_col * d->step_x + d->dx[s], d->taps, depth,
                        copies + TILE_BYTES * depth * p);
                if (++copied_col == d->cols) {
                    copied_col = 0;
                    copied_row++;
                }
            }
            w->start[s] = copies;
            w->stride[s] = TILE_BYTES * depth;
        }
    }
}

/* The outputs of a tile that was not full, to pixels [q, q + count). */
static void move_out(
        const struct dense *d, const struct tile *t, uint8_t *out, int32_t q, int32_t count, int32_t panel) {
    int32_t left = d->channels - panel * PANEL;
    for (int32_t p = 0; p < count; p++) {
        uint8_t *target =
                out + (int64_t) ((q + p) / d->cols) * d->out_row + (int64_t) ((q + p) % d->cols) * d->out_pixel;
        copy(target + panel * PANEL, t->out + p * PANEL, left < PANEL ? left : PANEL);
    }
}

/* Whether all sums of a tile are rescaled before any result is stored, behind which scales would be read anew. */
#define RESCALES_FIRST (STEP_QUADS == 4)

static inline int64_t panel_bytes(const struct dense *d) {
    return d->segments * RUN_BYTES(d->quads);
}

/* The first `pixels` pixels of a tile by the first `vectors` vectors of a panel; the last three arguments are known to
 * the compiler. */
INLINE void product(const struct dense *d, const struct tile *t, int32_t panel, const int pixels, const int vectors,
        const enum rescaling rounding) {
    /* Every loop over these is unrolled, so that they stay in registers. */
    sums sum[PIXELS][VECTORS], start[VECTORS];
    const int32_t channel = panel * PANEL;
    const int32_t *bias = d->bias + panel * PANEL;
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        start[v] = load_sums(bias + v * LANES);
    }
    start_sums(start, pixels, vectors, sum);
    const int8_t *w = d->weights + panel * panel_bytes(d);
    for (int32_t s = 0; s < d->segments; s++) {
        w = add_run(t->start[s], t->stride[s], w, d->quads, 0, pixels, vectors, 1, sum);
    }
    sums_in_place(pixels, vectors, sum);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; RESCALES_FIRST && v < vectors; v++) {
            sum[p][v] = rescaled(&d->rule, rounding, channel + v * LANES, sum[p][v]);
        }
    }
    uint8_t *out = t->out + panel * t->out_panel;
    const int32_t left = d->channels - channel;
    const int each = 4 / vectors;
    UNROLLED
    for (int first = 0; first < pixels; first += each) {
        sums four[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            /* What is packed beyond the tile's last pixel is not stored. */
            int p = first + i / vectors < pixels ? first + i / vectors : pixels - 1;
            four[i] = RESCALES_FIRST ? sum[p][i % vectors]
                                     : rescaled(&d->rule, rounding, channel + i % vectors * LANES, sum[p][i % vectors]);
        }
        bytes packed = pack(&d->rule.limits[rounding], rounding, four[0], four[1], four[2], four[3]);
        UNROLLED
        for (int i = 0; i < each; i++) {
            if (first + i < pixels) {
                store_part(packed, i, vectors, out, left);
                out += t->out_pixel;
            }
        }
    }
}

#define PRODUCTS(suffix, rounding) \
    SEPARATE void whole_##suffix(const struct dense *d, const struct tile *t, int32_t n) { \
        product(d, t, n, PIXELS, VECTORS, rounding); \
    } \
    SEPARATE void half_##suffix(const struct dense *d, const struct tile *t, int32_t n) { \
        product(d, t, n, PIXELS / 2, VECTORS, rounding); \
    } \
    SEPARATE void narrow_##suffix(const struct dense *d, const struct tile *t, int32_t n) { \
        product(d, t, n, PIXELS, NARROW, rounding); \
    }

PRODUCTS(nearest, RESCALING_NEAREST)
PRODUCTS(bounded, RESCALING_BOUNDED)
#if defined(ROUNDS_TWICE)
/* There are none: see fuse.c. */
#define whole_fused whole_nearest
#define half_fused half_nearest
#define narrow_fused narrow_nearest
#else
PRODUCTS(fused, RESCALING_FUSED)
#endif

INLINE void tile_product(const struct dense *d, const struct tile *t, int32_t count, int32_t panel) {
    int half = count <= PIXELS / 2, narrow = !half && NARROW < VECTORS && d->channels - panel * PANEL <= NARROW * LANES;
    switch (d->rule.rounding[panel]) {
        case RESCALING_FUSED:
            narrow ? narrow_fused(d, t, panel) : half ? half_fused(d, t, panel) : whole_fused(d, t, panel);
            break;
        case RESCALING_NEAREST:
            narrow ? narrow_nearest(d, t, panel) : half ? half_nearest(d, t, panel) : whole_nearest(d, t, panel);
            break;
        default: narrow ? narrow_bounded(d, t, panel) : half ? half_bounded(d, t, panel) : whole_bounded(d, t, panel);
    }
}

/* Quads of a step of a single pixel. */
#define VECTOR_QUADS (STEP_QUADS == 4 ? 4 : 1)

/* Adds the products of the quads at x and those `offset` bytes into TOGETHER panels. */
INLINE void add_panels(
        const uint8_t *x, const int8_t *const *w, int64_t offset, const int quads, sums (*sum)[LEAST_ROWS][VECTORS]) {
#if STEP_QUADS == 4
    UNROLLED
    for (int n = 0; n < TOGETHER; n++) {
        add_quads(&x, 0, w[n] + offset, quads, 0, 1, VECTORS, 1, sum[n]);
    }
#else
    (void) quads;
    UNROLLED
    for (int step = 0; step < TILE_STEPS; step++) {
        sums broadcast = tile_quad(x + 4 * step);
        UNROLLED
        for (int n = 0; n < TOGETHER; n++) {
            UNROLLED
            for (int v = 0; v < VECTORS; v++) {
                sum[n][0][v] = tile_dot(sum[n][0][v], broadcast,
                        tile_weights(w[n] + offset, (v * TILE_STEPS + step) * (LANES * 4 / TILE_STEPS)));
            }
        }
    }
#endif
}

/* One pixel by TOGETHER panels; the weights are read once, so that memory is the limit. Past the last panel the last
 * one is repeated. */
static void vector_product(const struct dense *d, const struct tile *t, int32_t panel, int32_t panel_end) {
    sums sum[TOGETHER][LEAST_ROWS][VECTORS];
    const int8_t *w[TOGETHER];
    UNROLLED
    for (int n = 0; n < TOGETHER; n++) {
        int32_t at = panel + n < panel_end ? panel + n : panel_end - 1;
        w[n] = d->weights + at * panel_bytes(d);
        sums start[VECTORS];
        UNROLLED
        for (int v = 0; v < VECTORS; v++) {
            start[v] = load_sums(d->bias + at * PANEL + v * LANES);
        }
        start_sums(start, 1, VECTORS, sum[n]);
    }
    int64_t offset = 0;
    for (int32_t s = 0; s < d->segments; s++) {
        const uint8_t *x = t->start[s];
        int32_t k = d->quads;
        for (; k >= VECTOR_QUADS; k -= VECTOR_QUADS, x += 4 * VECTOR_QUADS * TILE_BYTES) {
            add_panels(x, w, offset, VECTOR_QUADS, sum);
            offset += RUN_BYTES(VECTOR_QUADS);
        }
        if (VECTOR_QUADS > 2 && k >= 2) {
            add_panels(x, w, offset, 2, sum);
            offset += RUN_BYTES(2);
            x += 8;
            k -= 2;
        }
        if (VECTOR_QUADS > 1 && k > 0) {
            add_panels(x, w, offset, 1, sum);
            offset += RUN_BYTES(1);
        }
    }
    UNROLLED
    for (int n = 0; n < TOGETHER; n++) {
        sums_in_place(1, VECTORS, sum[n]);
    }
    /* Or the sums would be in memory from the start. */
    UNROLLED
    for (int n = 0; n < TOGETHER; n++) {
        if (panel + n == panel_end) {
            return;
        }
        int32_t channel = (panel + n) * PANEL, left = d->channels - channel;
        enum rescaling rounding = d->rule.rounding[panel + n];
        sums four[4];
        for (int v = 0; v < 4; v++) {
            four[v] = rescaled(&d->rule, rounding, channel + v % VECTORS * LANES, sum[n][0][v % VECTORS]);
        }
        store_part(pack(&d->rule.limits[rounding], rounding, four[0], four[1], four[2], four[3]), 0, VECTORS,
                t->out + channel, left);
    }
}

/*
 * Pixels [q, end) by panels [panel, panel_end), `together` panels at a time over all pixels: those whose weights the
 * caches hold.
 */
INLINE void convolve(const struct dense *d, const uint8_t *in, uint8_t *out, int32_t q, int32_t end, int32_t panel,
        int32_t panel_end, int32_t together, uint8_t *scratch) {
    struct work w = work_in(d, scratch);
    struct tile t;
    fill_inputs(w.outside, 4 * (int64_t) d->quads, d->zero_point);
    if (end - q == 1) {
        tile_at(d, in, out, q, 1, 1, &w, &t);
        for (; panel < panel_end; panel += TOGETHER) {
            vector_product(d, &t, panel, panel_end);
        }
        return;
    }
    /* Before this pixel all tiles of a flat image are alike but for their place. */
    const int32_t flat_end = is_flat(d) ? d->in_h * d->in_w - (4 * d->quads + d->in_channels - 1) / d->in_channels : 0;
    for (; panel < panel_end; panel += together) {
        int32_t last = panel + together < panel_end ? panel + together : panel_end;
        int32_t prepared = 0;
        for (int32_t first = q; first < end; first += PIXELS) {
            int32_t count = end - first < PIXELS ? end - first : PIXELS;
            if (prepared && count == PIXELS && first + count <= flat_end) {
                flat_tile_at(d, in, out, first, &w, &t);
            } else {
                tile_at(d, in, out, first, count, count <= PIXELS / 2 ? PIXELS / 2 : PIXELS, &w, &t);
                prepared = count == PIXELS && first + count <= flat_end;
            }
            for (int32_t n = panel; n < last; n++) {
                tile_product(d, &t, count, n);
                if (t.out == w.bounce) {
                    move_out(d, &t, out, first, count, n);
                }
            }
        }
    }
}

KERNEL(dense) {
    convolve(call->plan, call->in, call->out, call->pixel, call->pixel_end, call->panel, call->panel_end,
            call->together, call->scratch);
}

KERNEL(flip) {
    const uint8_t *in = call->in;
    uint8_t *out = call->out;
    for (int32_t i = 0; i < call->count; i++) {
        out[i] = in[i] ^ 128;
    }
}

EXPORT int32_t NAME(tile)(void) {
    return PIXELS;
}

EXPORT int32_t NAME(panel)(void) {
    return PANEL;
}

EXPORT int32_t NAME(depth)(void) {
    return DEPTH;
}
