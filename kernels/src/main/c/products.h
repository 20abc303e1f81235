/*
 * The innermost step of products of bytes: some quads of the inputs of a few pixels, or rows, by as many of a panel's
 * weights.
 */
#ifndef TORCHNNAPI_PRODUCTS_H
#define TORCHNNAPI_PRODUCTS_H

#include "isa.h"

/* Quads of a step, behind the last of which fewer may follow: half as many, and then one. */
#if defined(MULTIPLIES_BY_LANE) || defined(MULTIPLIES_MATRICES)
#define STEP_QUADS 4
#else
#define STEP_QUADS 2
#endif
/* Hides how pointers are related: compilers would reach one pixel from another by a chain of additions. */
#if defined(MULTIPLIES_WORDS)
#define HIDE_POINTER(pointer) __asm__("" : "+r"(pointer))
#else
#define HIDE_POINTER(pointer) (void) 0
#endif
/* Rows of sums that a pixel by itself needs. */
#if defined(MULTIPLIES_MATRICES)
#define LEAST_ROWS 2
#else
#define LEAST_ROWS 1
#endif

#if STEP_QUADS == 4

/* The inputs of 1, 2 or 4 quads, unsigned ones with `flip` 128, and zeros behind them. */
INLINE sums inputs_of(const uint8_t *p, const int quads, const int flip) {
    uint8x16_t inputs;
    if (quads == 4) {
        inputs = vld1q_u8(p);
    } else if (quads == 2) {
        inputs = vcombine_u8(vld1_u8(p), vdup_n_u8(0));
    } else {
        uint32_t one;
        __builtin_memcpy(&one, p, 4);
        inputs = vreinterpretq_u8_u32(vsetq_lane_u32(one, vdupq_n_u32(0), 0));
    }
    return vreinterpretq_s32_u8(flip ? veorq_u8(inputs, vdupq_n_u8((uint8_t) flip)) : inputs);
}

#endif

#if defined(MULTIPLIES_MATRICES)

INLINE sums first_halves(sums a, sums b) {
    return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

INLINE sums second_halves(sums a, sums b) {
    return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

/* Until they are in their places, rows 2 i and 2 i + 1 have sums of both of these pixels, each of other channels. */
INLINE void add_quads(const uint8_t *const *x, int64_t stride, const int8_t *w, const int quads, const int flip,
        const int pixels, const int vectors, const int parts, sums (*sum)[VECTORS]) {
    (void) parts;
    sums inputs[2][(PIXELS + 1) / 2];
    UNROLLED
    for (int p = 0; p < pixels; p += 2) {
        const int next = p + 1 < pixels ? p + 1 : p;
        sums a = inputs_of(x[p / 3] + p % 3 * stride, quads, flip),
             b = inputs_of(x[next / 3] + next % 3 * stride, quads, flip);
        inputs[0][p / 2] = first_halves(a, b);
        inputs[1][p / 2] = second_halves(a, b);
    }
    UNROLLED
    for (int half = 0; half < (quads + 1) / 2; half++) {
        UNROLLED
        for (int v = 0; v < 2 * vectors; v++) {
            const sums weights = weights_of(w + (half * 2 * VECTORS + v) * 2 * DEPTH);
            UNROLLED
            for (int p = 0; p < pixels; p += 2) {
                sum[p + v % 2][v / 2] = dot(sum[p + v % 2][v / 2], inputs[half][p / 2], weights);
            }
        }
    }
}

/* The sums of all pixels begin so. */
INLINE void start_sums(const sums *start, const int pixels, const int vectors, sums (*sum)[VECTORS]) {
    UNROLLED
    for (int p = 0; p < pixels; p += 2) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[p][v] = first_halves(start[v], start[v]);
            sum[p + 1][v] = second_halves(start[v], start[v]);
        }
    }
}

INLINE void sums_in_place(const int pixels, const int vectors, sums (*sum)[VECTORS]) {
    UNROLLED
    for (int p = 0; p < pixels; p += 2) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sums a = sum[p][v], b = sum[p + 1][v];
            sum[p][v] = first_halves(a, b);
            sum[p + 1][v] = second_halves(a, b);
        }
    }
}

#else

#if defined(MULTIPLIES_BY_LANE)

INLINE sums dot_lane(sums sum, sums x, sums w, const int lane) {
    int8x16_t a = vreinterpretq_s8_s32(w), b = vreinterpretq_s8_s32(x);
    return lane == 0    ? vdotq_laneq_s32(sum, a, b, 0)
            : lane == 1 ? vdotq_laneq_s32(sum, a, b, 1)
            : lane == 2 ? vdotq_laneq_s32(sum, a, b, 2)
                        : vdotq_laneq_s32(sum, a, b, 3);
}

/* Neighbouring quads are summed apart, in `parts`, each of all pixels. */
INLINE void add_quads(const uint8_t *const *x, int64_t stride, const int8_t *w, const int quads, const int flip,
        const int pixels, const int vectors, const int parts, sums (*sum)[VECTORS]) {
    sums inputs[PIXELS];
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        inputs[p] = inputs_of(x[p / 3] + p % 3 * stride, quads, flip);
    }
    UNROLLED
    for (int q = 0; q < quads; q++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            const sums weights = weights_of(w + (q * VECTORS + v) * LANES * 4);
            UNROLLED
            for (int p = 0; p < pixels; p++) {
                const int row = q % parts * pixels + p;
                sum[row][v] = dot_lane(sum[row][v], inputs[p], weights, q);
            }
        }
    }
}

#else

/* Of a tile's inputs; three pixels share a pointer. */
INLINE void add_quads(const uint8_t *const *x, int64_t stride, const int8_t *w, const int quads, const int flip,
        const int pixels, const int vectors, const int parts, sums (*sum)[VECTORS]) {
    (void) flip, (void) parts;
    UNROLLED
    for (int step = 0; step < quads * TILE_STEPS; step++) {
        const int q = step / TILE_STEPS, within = step % TILE_STEPS;
        sums wv[VECTORS];
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            wv[v] = tile_weights(w, q * 4 * PANEL + (v * TILE_STEPS + within) * (LANES * 4 / TILE_STEPS));
        }
        UNROLLED
        for (int p = 0; p < pixels; p++) {
            sums broadcast = tile_quad_at(x[p / 3], stride, p % 3, q * 4 * TILE_BYTES + 4 * within);
            UNROLLED
            for (int v = 0; v < vectors; v++) {
                sum[p][v] = tile_dot(sum[p][v], broadcast, wv[v]);
            }
        }
    }
}

#endif

/* The sums of all pixels begin so. */
INLINE void start_sums(const sums *start, const int pixels, const int vectors, sums (*sum)[VECTORS]) {
    UNROLLED
    for (int p = 0; p < pixels; p++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[p][v] = start[v];
        }
    }
}

INLINE void sums_in_place(const int pixels, const int vectors, sums (*sum)[VECTORS]) {
    (void) pixels, (void) vectors, (void) sum;
}

#endif

/*
 * All quads of a run. `pixels` by `vectors` vectors of a panel, known to the compiler like `flip` and `parts`; every
 * third pixel has a pointer, which is as many as there are registers for. Returns the weights behind the run's.
 */
INLINE const int8_t *add_run(const uint8_t *first, int64_t stride, const int8_t *w, int32_t quads, const int flip,
        const int pixels, const int vectors, const int parts, sums (*sum)[VECTORS]) {
    const uint8_t *x[(PIXELS + 2) / 3];
    UNROLLED
    for (int p = 0; p < pixels; p += 3) {
        x[p / 3] = first + p * stride;
        HIDE_POINTER(x[p / 3]);
    }
    for (; quads >= STEP_QUADS; quads -= STEP_QUADS) {
        add_quads(x, stride, w, STEP_QUADS, flip, pixels, vectors, parts, sum);
        w += RUN_BYTES(STEP_QUADS);
        UNROLLED
        for (int p = 0; p < pixels; p += 3) {
            x[p / 3] += 4 * STEP_QUADS * TILE_BYTES;
            HIDE_POINTER(x[p / 3]);
        }
    }
    if (STEP_QUADS > 2 && quads >= 2) {
        add_quads(x, stride, w, 2, flip, pixels, vectors, parts, sum);
        w += RUN_BYTES(2);
        quads -= 2;
        UNROLLED
        for (int p = 0; p < pixels; p += 3) {
            x[p / 3] += 8;
        }
    }
    if (quads > 0) {
        add_quads(x, stride, w, 1, flip, pixels, vectors, parts, sum);
        w += RUN_BYTES(1);
    }
    return w;
}

#endif
