/* Layers of GRU and LSTM cells, forward over the steps of a sequence, for one instruction set. */
#include "calls.h"
#include "functions.h"

/* Rows that the projection of the inputs takes at once; with a vector of sums for each gate they fill the registers. */
#if LANES == 8 || defined(__arm__)
#define ROWS 3
#define MOST_SEQUENCES 2
#else
#define ROWS 6
#define MOST_SEQUENCES 4
#endif
/* Vectors of sums at most: four gates of so many rows. */
#define SUMS (4 * ROWS)

/*
 * sum[s][g] += x[s][k] * w[k][g] for k in [0, depth). Neighbouring k are summed apart, splits of them, since one sum
 * after the other would wait for its own latency.
 */
INLINE void product(const int sequences, const int gates, const int splits, const float *const *x, const float *w,
        int32_t depth, floats sum[][4]) {
    floats part[SUMS];
#define PART(i, s, g) part[((i) * sequences + (s)) * gates + (g)]
    UNROLLED
    for (int i = 0; i < splits; i++) {
        UNROLLED
        for (int s = 0; s < sequences; s++) {
            UNROLLED
            for (int g = 0; g < gates; g++) {
                PART(i, s, g) = i == 0 ? sum[s][g] : all_floats(0);
            }
        }
    }
    int32_t k = 0;
    for (; k + splits <= depth; k += splits, w += splits * gates * LANES) {
        UNROLLED
        for (int i = 0; i < splits; i++) {
            UNROLLED
            for (int s = 0; s < sequences; s++) {
                floats value = all_floats(x[s][k + i]);
                UNROLLED
                for (int g = 0; g < gates; g++) {
                    PART(i, s, g) = multiply_add(value, load_floats(w + (i * gates + g) * LANES, LANES), PART(i, s, g));
                }
            }
        }
    }
    for (; k < depth; k++, w += gates * LANES) {
        UNROLLED
        for (int s = 0; s < sequences; s++) {
            floats value = all_floats(x[s][k]);
            UNROLLED
            for (int g = 0; g < gates; g++) {
                PART(0, s, g) = multiply_add(value, load_floats(w + g * LANES, LANES), PART(0, s, g));
            }
        }
    }
    UNROLLED
    for (int s = 0; s < sequences; s++) {
        UNROLLED
        for (int g = 0; g < gates; g++) {
            floats total = PART(0, s, g);
            UNROLLED
            for (int i = 1; i < splits; i++) {
                total += PART(i, s, g);
            }
            sum[s][g] = total;
        }
    }
#undef PART
}

/* The gates' sums of the inputs, of the walk's steps and blocks: [step][sequence][block][gate][LANES]. */
INLINE void project(const int gates, const struct recurrent *r, const struct walk *w, const float *in, float *sums) {
    int32_t end = w->end_step * w->sequences;
    int64_t row_size = (int64_t) r->blocks * gates * LANES;
    for (int32_t block = w->first_block; block < w->end_block; block++) {
        const float *weights = r->input_weights + (int64_t) block * r->inputs * gates * LANES;
        const float *bias = r->bias + (int64_t) block * gates * LANES;
        for (int32_t first = w->first_step * w->sequences; first < end; first += ROWS) {
            const float *x[ROWS];
            floats sum[ROWS][4];
            UNROLLED
            for (int i = 0; i < ROWS; i++) {
                /* Rows past the end repeat the last one; they are not stored. */
                int32_t row = first + i < end ? first + i : end - 1;
                x[i] = in + row / w->sequences * w->step + row % w->sequences * w->sequence;
                UNROLLED
                for (int g = 0; g < gates; g++) {
                    sum[i][g] = load_floats(bias + g * LANES, LANES);
                }
            }
            product(ROWS, gates, 1, x, weights, r->inputs, sum);
            UNROLLED
            for (int i = 0; i < ROWS; i++) {
                if (first + i < end) {
                    UNROLLED
                    for (int g = 0; g < gates; g++) {
                        store_floats(sums + (first + i) * row_size + (int64_t) (block * gates + g) * LANES, sum[i][g],
                                LANES);
                    }
                }
            }
        }
    }
}

/* Gates reset, update, new; the reset gate acts on the summed previous output, its bias included. */
INLINE floats gru_cell(const floats *x, const floats *h, floats hidden_bias, floats previous) {
    floats reset = sigmoid(x[0] + h[0]);
    floats update = sigmoid(x[1] + h[1]);
    floats fresh = hyperbolic_tangent(multiply_add(reset, h[2] + hidden_bias, x[2]));
    return multiply_add(update, previous - fresh, fresh);
}

/* Gates input, forget, cell, output. */
INLINE floats lstm_cell(const floats *x, const floats *h, float *cell) {
    floats input = sigmoid(x[0] + h[0]);
    floats forget = sigmoid(x[1] + h[1]);
    floats fresh = hyperbolic_tangent(x[2] + h[2]);
    floats open = sigmoid(x[3] + h[3]);
    floats state = multiply_add(forget, load_floats(cell, LANES), input * fresh);
    store_floats(cell, state, LANES);
    return open * hyperbolic_tangent(state);
}

/* One step of a few sequences for one block of hidden units. */
INLINE void step(const int gates, const int sequences, const struct recurrent *r, int32_t block, const float *sums,
        int64_t sums_row, const float *before, float *after, float *cells, float *out, int64_t out_sequence) {
    int32_t padded = r->blocks * LANES;
    const float *h[4];
    floats product_of[4][4];
    UNROLLED
    for (int s = 0; s < sequences; s++) {
        h[s] = before + s * padded;
        UNROLLED
        for (int g = 0; g < gates; g++) {
            product_of[s][g] = all_floats(0);
        }
    }
    const int splits = gates * sequences <= 3 ? 4 : gates * sequences <= 6 ? 2 : 1;
    product(sequences, gates, splits, h, r->hidden_weights + (int64_t) block * r->hidden * gates * LANES, r->hidden,
            product_of);
    UNROLLED
    for (int s = 0; s < sequences; s++) {
        floats x[4];
        UNROLLED
        for (int g = 0; g < gates; g++) {
            x[g] = load_floats(sums + s * sums_row + g * LANES, LANES);
        }
        int32_t unit = block * LANES;
        floats result = gates == 3
                ? gru_cell(x, product_of[s], load_floats(r->hidden_bias + unit, LANES), load_floats(h[s] + unit, LANES))
                : lstm_cell(x, product_of[s], cells + s * padded + unit);
        store_floats(after + s * padded + unit, result, LANES);
        store_floats(out + s * out_sequence + unit, result, r->hidden - unit);
    }
}

INLINE void steps(const int gates, const int sequences, const struct recurrent *r, const struct walk *w, int32_t first,
        float *state, const float *sums, float *out) {
    int32_t padded = r->blocks * LANES;
    int64_t sums_row = (int64_t) padded * gates;
    float *now[2] = {state + first * padded, state + (w->sequences + first) * padded};
    float *cells = state + (2 * w->sequences + first) * padded;
    for (int32_t t = w->first_step; t < w->end_step; t++) {
        const float *of_step = sums + ((int64_t) t * w->sequences + first) * sums_row;
        float *to = out + t * w->step + first * w->sequence;
        for (int32_t i = w->first_block; i < w->end_block; i++) {
            /* To and fro, so that the weights that a step used last are still near for the next. */
            int32_t block = t & 1 ? w->end_block - 1 - (i - w->first_block) : i;
            step(gates, sequences, r, block, of_step + (int64_t) block * gates * LANES, sums_row, now[t & 1],
                    now[~t & 1], cells, to, w->sequence);
        }
    }
}

INLINE void layer(
        const int gates, const struct recurrent *r, const struct walk *w, const float *sums, float *out, float *state) {
    int32_t s = 0;
#if MOST_SEQUENCES == 4
    for (; s + 4 <= w->sequences; s += 4) {
        steps(gates, 4, r, w, s, state, sums, out);
    }
#endif
    for (; s + 2 <= w->sequences; s += 2) {
        steps(gates, 2, r, w, s, state, sums, out);
    }
    if (s < w->sequences) {
        steps(gates, 1, r, w, s, state, sums, out);
    }
}

EXPORT void NAME(recurrent_project)(const struct recurrent *r, const struct walk *w, const float *in, int64_t in_offset,
        float *sums, int64_t sums_offset, float *state) {
    (void) state;
    if (r->gates == 3) {
        project(3, r, w, in + in_offset, sums + sums_offset);
    } else {
        project(4, r, w, in + in_offset, sums + sums_offset);
    }
}

EXPORT void NAME(recurrent_steps)(const struct recurrent *r, const struct walk *w, const float *sums,
        int64_t sums_offset, float *out, int64_t out_offset, float *state) {
    if (r->gates == 3) {
        layer(3, r, w, sums + sums_offset, out + out_offset, state);
    } else {
        layer(4, r, w, sums + sums_offset, out + out_offset, state);
    }
}

EXPORT int32_t NAME(recurrent_lanes)(void) {
    return LANES;
}
