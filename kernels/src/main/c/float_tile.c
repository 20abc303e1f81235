#include "float_tile.h"

/* Pixels are reached from a third as many pointers, since an address can add one or two steps to each. */
#define POINTERS ((FLOAT_PIXELS + 2) / 3)
/* Floats of a cache line. */
#define LINE 16
/* Channels of a sum that takes long enough to get the lines it will be stored to. */
#define LONG_SUM 160
/* Hides how pointers are related: compilers would keep one for each pixel, on the stack, or reach all by a chain of
 * additions. */
#define HIDE(pointer) __asm__("" : "+r"(pointer))

/* Pointers to every third pixel from the first. */
INLINE void reach(const float *first, int64_t pixel, const float *x[POINTERS]) {
    UNROLLED
    for (int i = 0; i < POINTERS; i++) {
        x[i] = first + 3 * i * pixel;
        HIDE(x[i]);
    }
}

INLINE void advance(const float *x[POINTERS], int64_t by) {
    UNROLLED
    for (int i = 0; i < POINTERS; i++) {
        x[i] += by;
        HIDE(x[i]);
    }
}

/* Where ahead is not 0, weights that far on go to the second cache while four channels are computed. */
INLINE void fetch(const float *w, int64_t ahead) {
    if (ahead) {
        __builtin_prefetch(w + ahead, 0, 2);
        __builtin_prefetch(w + ahead + LINE, 0, 2);
    }
}

INLINE void channel(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const float *const x[POINTERS], int64_t pixel, int32_t c, const float *w) {
    vec weights[FLOAT_VECTORS];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        weights[v] = vec_load(w + v * FLOAT_LANES);
    }
#if defined(__arm__)
    /* Registers are left for the next pixel's value, and compilers that order this themselves have none. */
    half_vec next = HALF_ALL(x[0][c]);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        half_vec value = next;
        if (p + 1 < pixels) {
            next = HALF_ALL(x[(p + 1) / 3][(p + 1) % 3 * pixel + c]);
            __asm__ volatile("" : "+w"(next));
        }
        sum[p][0] = vec_fma(sum[p][0], (vec) {value, value}, weights[0]);
    }
#else
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        vec value = vec_all(x[p / 3][p % 3 * pixel + c]);
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[p][v] = vec_fma(sum[p][v], value, weights[v]);
        }
    }
#endif
}

/* Some channels, and the pointers to the next ones. */
INLINE void channels(const int count, const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const float *x[POINTERS], int64_t pixel, const float *w, int64_t step) {
    UNROLLED
    for (int c = 0; c < count; c++) {
        channel(pixels, vectors, sum, x, pixel, c, w + c * step);
    }
    advance(x, count);
}

INLINE void four_channels(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const float *x[POINTERS], int64_t pixel, const float *w, int64_t step, int64_t ahead) {
    fetch(w, ahead);
    channels(4, pixels, vectors, sum, x, pixel, w, step);
}

/* The first channel: sums begin with start, which is less work than to lay them ready. */
INLINE void first_channel(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const float *const x[POINTERS], int64_t pixel, const float *w, const float *start) {
    vec weights[FLOAT_VECTORS], begin[FLOAT_VECTORS];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        weights[v] = vec_load(w + v * FLOAT_LANES);
        begin[v] = vec_load(start + v * FLOAT_LANES);
    }
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        vec value = vec_all(x[p / 3][p % 3 * pixel]);
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[p][v] = vec_fma(begin[v], value, weights[v]);
        }
    }
}

/*
 * One tap of blocks that are whole fours, as pointwise convolutions have: no more than that is prepared, which counts
 * where channels are few. The sums of every pixel begin with start.
 */
INLINE void one_tap(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const struct float_sum *s, const float *tap, const float *w, const float *start, int64_t ahead) {
    const float *x[POINTERS];
    reach(tap, s->pixel, x);
    int64_t pixel = s->pixel;
    int64_t step = s->weight_step;
    int64_t next = s->plane - s->run;
    int32_t left = s->channels;
    int32_t run = (s->run < left ? s->run : left) - 4;
    first_channel(pixels, vectors, sum, x, pixel, w, start);
    fetch(w, ahead);
    UNROLLED
    for (int c = 1; c < 4; c++) {
        channel(pixels, vectors, sum, x, pixel, c, w + c * step);
    }
    advance(x, 4);
    w += 4 * step;
    for (;;) {
        for (; run > 0; run -= 4, w += 4 * step) {
            four_channels(pixels, vectors, sum, x, pixel, w, step, ahead);
        }
        left -= s->run;
        if (left <= 0) {
            break;
        }
        run = s->run < left ? s->run : left;
        advance(x, next);
    }
}

/* Any taps and blocks. */
INLINE void all_taps(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const struct float_sum *s, const float *first, const float *w, int64_t ahead) {
    int64_t pixel = s->pixel;
    int64_t step = s->weight_step;
    for (int32_t ky = s->ky; ky < s->ky_end; ky++) {
        for (int32_t kx = s->kx; kx < s->kx_end; kx++) {
            const float *tap = first + ky * s->tap_row + kx * s->tap_col;
            const float *row = w + ky * s->weight_row + kx * s->weight_col;
            int32_t left = s->channels;
            for (int32_t lane = s->first_lane; left > 0; lane = 0) {
                int32_t run = s->run - lane < left ? s->run - lane : left;
                left -= run;
                const float *x[POINTERS];
                reach(tap, pixel, x);
                for (; run >= 4; run -= 4) {
                    four_channels(pixels, vectors, sum, x, pixel, row, step, ahead);
                    row += 4 * step;
                }
                if (run & 2) {
                    channels(2, pixels, vectors, sum, x, pixel, row, step);
                    row += 2 * step;
                }
                if (run & 1) {
                    channel(pixels, vectors, sum, x, pixel, 0, row);
                    row += step;
                }
                tap += s->plane - lane;
            }
        }
    }
}

/* Activates the sums and brings them to y. */
INLINE void finish(const int pixels, const int vectors, vec sum[FLOAT_PIXELS][FLOAT_VECTORS],
        const struct float_target *t, int64_t at) {
    const float *place[POINTERS];
    int64_t pixel = t->pixel;
    int64_t vector = t->vector;
    if (t->residual) {
        reach(t->residual + at, pixel, place);
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                sum[p][v] = vec_add(sum[p][v], vec_load(place[p / 3] + p % 3 * pixel + v * vector));
            }
        }
    }
    if (float_is_hard_swish(&t->activation)) {
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                sum[p][v] = vec_hard_swish(sum[p][v]);
            }
        }
    }
    if (t->activation.min > -__builtin_inff() || t->activation.max < __builtin_inff()) {
        vec min = vec_all(t->activation.min), max = vec_all(t->activation.max);
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                sum[p][v] = vec_limit(sum[p][v], min, max);
            }
        }
    }
    reach(t->y + at, pixel, place);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            vec_store((float *) place[p / 3] + p % 3 * pixel + v * vector, sum[p][v]);
        }
    }
}

/*
 * Asks for the lines of a target that are not here, and to write them: where another core has read or written them
 * last, that takes longer than stores can wait for.
 */
INLINE void fetch_target(const int pixels, const int vectors, const struct float_target *t, int64_t at) {
    const float *place[POINTERS];
    int64_t pixel = t->pixel;
    int64_t vector = t->vector;
    reach(t->y + at, pixel, place);
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            __builtin_prefetch(place[p / 3] + p % 3 * pixel + v * vector, 1);
        }
    }
}

INLINE void tile(const int pixels, const int vectors, const struct float_sum *s, const float *first, const float *w,
        const float *init, int64_t init_pixel, const struct float_target *t, int32_t count) {
    int one = s->ky_end - s->ky == 1 && s->kx_end - s->kx == 1 && s->channels > 0 && s->first_lane == 0
            && (s->run | s->channels) % 4 == 0 && init_pixel == 0;
    if (one) {
        first += s->ky * s->tap_row + s->kx * s->tap_col;
        w += s->ky * s->weight_row + s->kx * s->weight_col;
    }
    int64_t at = 0;
    for (int32_t i = 0; i < count; i++, first += pixels * s->pixel, at += pixels * t->pixel) {
        /* Every loop over these is unrolled, so that they stay in registers. */
        vec sum[FLOAT_PIXELS][FLOAT_VECTORS];
        int64_t ahead = s->ahead && s->share + i < FLOAT_SHARES
                ? s->ahead + (s->share + i) * (4 * FLOAT_PANEL / FLOAT_SHARES)
                : 0;
        if (one) {
            if (s->channels >= LONG_SUM) {
                fetch_target(pixels, vectors, t, at);
            }
            one_tap(pixels, vectors, sum, s, first, w, init, ahead);
        } else {
            UNROLLED
            for (int p = 0; p < pixels; p++) {
                UNROLLED
                for (int v = 0; v < vectors; v++) {
                    sum[p][v] = vec_load(init + p * init_pixel + v * FLOAT_LANES);
                }
            }
            all_taps(pixels, vectors, sum, s, first, w, ahead);
        }
        finish(pixels, vectors, sum, t, at);
    }
}

#define TILE(p, v) \
    static void tile_##p##x##v(const struct float_sum *s, const float *x, const float *w, const float *init, \
            int64_t init_pixel, const struct float_target *t, int32_t count) { \
        tile(p, v, s, x, w, init, init_pixel, t, count); \
    }

/* One tile for each number of pixels, so that the ends of rows cost no more than they must. */
#if FLOAT_PIXELS == 14
#define EACH_PIXELS(each, v) \
    each(1, v) each(2, v) each(3, v) each(4, v) each(5, v) each(6, v) each(7, v) each(8, v) each(9, v) each(10, v) \
            each(11, v) each(12, v) each(13, v) each(14, v)
#elif FLOAT_PIXELS == 8
#define EACH_PIXELS(each, v) each(1, v) each(2, v) each(3, v) each(4, v) each(5, v) each(6, v) each(7, v) each(8, v)
#else
#define EACH_PIXELS(each, v) each(1, v) each(2, v) each(3, v) each(4, v) each(5, v) each(6, v)
#endif

#define NAME_OF(p, v) tile_##p##x##v,

EACH_PIXELS(TILE, 1)
#if FLOAT_VECTORS == 2
EACH_PIXELS(TILE, 2)
#endif

float_tile *const NAME(float_tiles)[FLOAT_VECTORS][FLOAT_PIXELS] = {
        {EACH_PIXELS(NAME_OF, 1)},
#if FLOAT_VECTORS == 2
        {EACH_PIXELS(NAME_OF, 2)},
#endif
};
