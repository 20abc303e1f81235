/*
 * Recurrent layers of one instruction set against their definitions, as a program: for processors that can only be
 * emulated here. Prints nothing and returns 0 when all outputs agree.
 */
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calls.h"

#define MOST_HIDDEN 40
#define MOST_INPUTS 9
#define STEPS 7
#define MOST_SEQUENCES 4
#define PADDED 48
#define TOLERANCE 2e-6

static int failures;

static float some(void) {
    return (float) rand() / (float) RAND_MAX - 0.5f;
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

/* One gate's sum: weights as the kernel has them. */
static double sum_of(
        const struct recurrent *r, const float *weights, int32_t columns, int32_t unit, int32_t gate, const float *x) {
    int32_t lanes = NAME(recurrent_lanes)();
    double sum = 0;
    for (int32_t i = 0; i < columns; i++) {
        sum += (double) weights[((unit / lanes * columns + i) * r->gates + gate) * lanes + unit % lanes] * x[i];
    }
    return sum;
}

static void check(int32_t gates, int32_t inputs, int32_t hidden, int32_t sequences) {
    static float input_weights[4 * PADDED * MOST_INPUTS], hidden_weights[4 * PADDED * MOST_HIDDEN], bias[4 * PADDED],
            hidden_bias[PADDED];
    static float in[STEPS * MOST_SEQUENCES * MOST_INPUTS], out[STEPS * MOST_SEQUENCES * MOST_HIDDEN];
    static float sums[STEPS * MOST_SEQUENCES * 4 * PADDED], state[3 * MOST_SEQUENCES * PADDED];
    static float before[MOST_SEQUENCES][MOST_HIDDEN], cells[MOST_SEQUENCES][MOST_HIDDEN];
    float *const arrays[] = {input_weights, hidden_weights, bias, hidden_bias, in};
    const size_t sizes[] = {sizeof input_weights, sizeof hidden_weights, sizeof bias, sizeof hidden_bias, sizeof in};
    for (int a = 0; a < 5; a++) {
        for (size_t i = 0; i < sizes[a] / sizeof(float); i++) {
            arrays[a][i] = some();
        }
    }
    int32_t lanes = NAME(recurrent_lanes)();
    int32_t blocks = (hidden + lanes - 1) / lanes;
    memset(state, 0, sizeof state);
    for (int32_t s = 0; s < sequences; s++) {
        for (int32_t u = 0; u < hidden; u++) {
            before[s][u] = state[s * blocks * lanes + u] = some();
            cells[s][u] = state[(2 * sequences + s) * blocks * lanes + u] = some();
        }
    }
    struct recurrent r = {input_weights, hidden_weights, bias, hidden_bias, gates, inputs, hidden, blocks};
    struct walk all = {sequences * inputs, inputs, sequences, 0, 5, 0, blocks};
    NAME(recurrent_project)(&r, &all, in, 0, sums, 0, 0);
    all.first_step = 5, all.end_step = STEPS;
    NAME(recurrent_project)(&r, &all, in, 0, sums, 0, 0);
    struct walk w = {sequences * hidden, hidden, sequences, 0, 3, 0, blocks};
    NAME(recurrent_steps)(&r, &w, sums, 0, out, 0, state);
    /* The rest a step at a time, the blocks from one on apart from those before. */
    for (w.first_step = 3, w.end_step = 4; w.end_step <= STEPS; w.first_step++, w.end_step++) {
        w.first_block = blocks / 2;
        w.end_block = blocks;
        NAME(recurrent_steps)(&r, &w, sums, 0, out, 0, state);
        w.first_block = 0;
        w.end_block = blocks / 2;
        NAME(recurrent_steps)(&r, &w, sums, 0, out, 0, state);
    }
    for (int32_t t = 0; t < STEPS; t++) {
        for (int32_t s = 0; s < sequences; s++) {
            float after[MOST_HIDDEN];
            for (int32_t u = 0; u < hidden; u++) {
                double x[4], h[4];
                for (int32_t g = 0; g < gates; g++) {
                    x[g] = sum_of(&r, input_weights, inputs, u, g, in + (t * sequences + s) * inputs)
                            + bias[(u / lanes * gates + g) * lanes + u % lanes];
                    h[g] = sum_of(&r, hidden_weights, hidden, u, g, before[s]);
                }
                double expected;
                if (gates == 3) {
                    double fresh = tanh(x[2] + sigmoid(x[0] + h[0]) * (h[2] + hidden_bias[u]));
                    expected = fresh + sigmoid(x[1] + h[1]) * (before[s][u] - fresh);
                } else {
                    double cell = sigmoid(x[1] + h[1]) * cells[s][u] + sigmoid(x[0] + h[0]) * tanh(x[2] + h[2]);
                    cells[s][u] = (float) cell;
                    expected = sigmoid(x[3] + h[3]) * tanh(cell);
                }
                float actual = out[(t * sequences + s) * hidden + u];
                if (!(fabs(actual - expected) <= TOLERANCE) && failures++ < 10) {
                    printf("gates %d inputs %d hidden %d sequences %d, step %d sequence %d unit %d: %g (expected: "
                           "%g)\n",
                            gates, inputs, hidden, sequences, t, s, u, actual, expected);
                }
                after[u] = actual;
            }
            memcpy(before[s], after, sizeof after);
        }
    }
}

int main(void) {
    static const int32_t hidden[] = {1, 4, 7, 16, 33, 40};
    for (int32_t gates = 3; gates <= 4; gates++) {
        for (int32_t i = 0; i < 6; i++) {
            for (int32_t sequences = 1; sequences <= MOST_SEQUENCES; sequences++) {
                check(gates, 1 + (i + sequences) % MOST_INPUTS, hidden[i], sequences);
            }
        }
    }
    return failures != 0;
}
