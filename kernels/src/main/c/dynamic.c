/* Dynamically quantized products: the range of floats, products of bytes that end as floats, and the gates of recurrent
 * cells. */
#include "call.h"
#include "lanes.h"
#include "functions.h"
#include "products.h"

/* What unsigned bytes are multiplied as, see SIGNED_INPUTS. */
#if defined(SIGNED_INPUTS)
#define CENTRE 128
#else
#define CENTRE 0
#endif

/* Rows at most: with sums, a value and weights wider than bytes AVX2 has registers for fewer than a tile of inputs that
 * are wide already. */
#define MOST_ROWS (TILE_BYTES > 1 ? 4 : PIXELS)
/* Sums that a row or two have of each output, to be added up. */
#define SPLITS (LEAST_ROWS > 1 ? 1 : 2)
/* Vectors of sums at most. */
#define DYNAMIC_SUMS (MOST_ROWS * VECTORS > 8 ? MOST_ROWS * VECTORS : 8)

KERNEL(range) {
    const float *in = call->in;
    float *out = call->out;
    floats low[4], high[4];
    for (int v = 0; v < 4; v++) {
        low[v] = high[v] = all_floats(0);
    }
    int32_t i = 0;
    for (; i <= call->count - 4 * LANES; i += 4 * LANES) {
        UNROLLED
        for (int v = 0; v < 4; v++) {
            floats x = load_floats(in + i + v * LANES, LANES);
            low[v] = at_most(x, low[v]);
            high[v] = at_least(x, high[v]);
        }
    }
    for (; i < call->count; i += LANES) {
        /* Lanes past the end are zeros. */
        floats x = load_floats(in + i, call->count - i);
        low[0] = at_most(x, low[0]);
        high[0] = at_least(x, high[0]);
    }
    low[0] = at_most(at_most(low[1], low[0]), at_most(low[3], low[2]));
    high[0] = at_least(at_least(high[1], high[0]), at_least(high[3], high[2]));
    out[0] = -largest_lane(-low[0]);
    out[1] = largest_lane(high[0]);
}

/* What a product needs beside its plan. */
struct dynamic_input {
    float scale;
    int32_t zero_point;
};

/*
 * A few rows by a panel. Neighbouring quads are summed apart, splits of them, since one sum after the other would wait
 * for its own latency.
 */
INLINE void dynamic_tile(const int rows, const int splits, const struct dynamic *d, const struct dynamic_input *input,
        const uint8_t *x, int32_t panel, float *out) {
    sums part[DYNAMIC_SUMS / VECTORS][VECTORS], start[VECTORS];
    const int64_t stride = d->row;
    const int8_t *w = d->weights + panel * RUN_BYTES(d->quads);
    UNROLLED
    for (int v = 0; v < VECTORS; v++) {
        start[v] = (sums) ((ints) load_sums(d->column_sums + panel * PANEL + v * LANES) * (CENTRE - input->zero_point));
        UNROLLED
        for (int r = rows; r < splits * rows; r++) {
            part[r][v] = (sums) all_ints(0);
        }
    }
    start_sums(start, rows, VECTORS, part);
#if STEP_QUADS == 4
    add_run(x, stride, w, d->quads, CENTRE, rows, VECTORS, splits, part);
    sums_in_place(rows, VECTORS, part);
#else
    const uint8_t *base[(MOST_ROWS + 2) / 3];
    UNROLLED
    for (int g = 0; g < (rows + 2) / 3; g++) {
        base[g] = x + 3 * g * stride;
    }
    int32_t q = 0;
    for (; q + splits <= d->quads; q += splits) {
        UNROLLED
        for (int s = 0; s < splits; s++) {
            sums weights[VECTORS];
            UNROLLED
            for (int v = 0; v < VECTORS; v++) {
                weights[v] = weights_at(w, (s * VECTORS + v) * LANES * 4);
            }
            UNROLLED
            for (int r = 0; r < rows; r++) {
                sums value = quad_at(base[r / 3], stride, r % 3, 4 * s);
                UNROLLED
                for (int v = 0; v < VECTORS; v++) {
                    part[s * rows + r][v] = dot(part[s * rows + r][v], value, weights[v]);
                }
            }
        }
        w += splits * PANEL * 4;
        UNROLLED
        for (int g = 0; g < (rows + 2) / 3; g++) {
            base[g] += 4 * splits;
        }
    }
    for (; q < d->quads; q++, w += PANEL * 4) {
        UNROLLED
        for (int r = 0; r < rows; r++) {
            sums value = quad(x + r * stride + 4 * q);
            UNROLLED
            for (int v = 0; v < VECTORS; v++) {
                part[r][v] = dot(part[r][v], value, weights_of(w + v * LANES * 4));
            }
        }
    }
#endif
    UNROLLED
    for (int v = 0; v < VECTORS; v++) {
        int32_t first = panel * PANEL + v * LANES;
        int32_t left = d->outputs - first;
        if (left <= 0) {
            break;
        }
        floats scale = load_floats(d->scales + first, LANES) * all_floats(input->scale);
        floats bias = load_floats(d->bias + first, LANES);
        UNROLLED
        for (int r = 0; r < rows; r++) {
            ints sum = (ints) part[r][v];
            UNROLLED
            for (int s = 1; s < splits; s++) {
                sum += (ints) part[s * rows + r][v];
            }
            floats value = __builtin_convertvector(sum, floats) * scale + bias;
            store_floats(
                    out + (int64_t) r * d->outputs + first, d->relu ? at_least(value, all_floats(0)) : value, left);
        }
    }
}

#define DYNAMIC_ROWS(count, splits) \
    for (; r + (count) <= call->rows; r += (count)) { \
        dynamic_tile(count, splits, d, &input, x + r * d->row, panel, out + r * d->outputs); \
    }

KERNEL(dynamic_product) {
    const struct dynamic *d = call->plan;
    const uint8_t *x = call->in;
    float *out = call->out;
    const struct dynamic_input input = {call->scale, call->zero_point};
    for (int32_t panel = call->begin; panel < call->end; panel++) {
        int64_t r = 0;
        DYNAMIC_ROWS(MOST_ROWS, 1)
#if MOST_ROWS > 8
        DYNAMIC_ROWS(8, 1)
#endif
#if MOST_ROWS > 4
        DYNAMIC_ROWS(4, LANES == 16 ? 2 : 1)
#endif
        DYNAMIC_ROWS(2, SPLITS)
        DYNAMIC_ROWS(1, SPLITS)
    }
}

KERNEL(gates) {
    const float *x = call->of_input, *h = call->of_hidden;
    float *state = call->states + call->output_at;
    int32_t n = call->units;
    for (int32_t i = 0; i < n; i += LANES) {
        int32_t left = n - i;
#define GATE(p, g) load_floats((p) + (g) * n + i, left)
        floats first = sigmoid(GATE(x, 0) + GATE(h, 0));
        floats second = sigmoid(GATE(x, 1) + GATE(h, 1));
        if (call->cell == CELL_GRU) {
            floats fresh = hyperbolic_tangent(GATE(x, 2) + first * GATE(h, 2));
            store_floats(state + i, (load_floats(state + i, left) - fresh) * second + fresh, left);
        } else {
            float *cells = call->states + call->cell_at;
            floats fresh = hyperbolic_tangent(GATE(x, 2) + GATE(h, 2));
            floats open = sigmoid(GATE(x, 3) + GATE(h, 3));
            floats cell = second * load_floats(cells + i, left) + first * fresh;
            store_floats(cells + i, cell, left);
            store_floats(state + i, open * hyperbolic_tangent(cell), left);
        }
#undef GATE
    }
}
