/*
 * Dynamically quantized products of one instruction set against their definition, as a program: for processors that can
 * only be emulated here. Prints nothing and returns 0 when all outputs agree.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "given.h"

#define MOST_ROWS 16
#define MOST_INPUTS 40
#define MOST_OUTPUTS 40
#define PADDED 64
#define TOLERANCE 1e-6

static int failures;

static void report(const char *what, int32_t a, int32_t b, int32_t c, double actual, double expected) {
    if (failures++ < 10) {
        printf("%s %d %d %d: %g (expected: %g)\n", what, a, b, c, actual, expected);
    }
}

static void check_range(int32_t count) {
    float in[100], out[2], low = 0, high = 0;
    for (int32_t i = 0; i < count; i++) {
        in[i] = (float) (rand() % 1000 - 500);
        low = in[i] < low ? in[i] : low;
        high = in[i] > high ? in[i] : high;
    }
    GIVEN(range, .in = in, .out = out, .count = count);
    if (out[0] != low || out[1] != high) {
        report("range", count, 0, 0, out[0], low);
    }
}

static void check_product(int32_t rows, int32_t inputs, int32_t outputs) {
    static int8_t weights[PADDED * (MOST_INPUTS + 4)];
    static uint8_t in[MOST_ROWS * (MOST_INPUTS + 4)];
    static float out[MOST_ROWS * MOST_OUTPUTS], bias[PADDED];
    static int32_t sums[PADDED];
    static float scales[PADDED];
    int32_t quads = (inputs + 3) / 4, panels = (outputs + PANEL - 1) / PANEL;
    memset(weights, 0, sizeof weights);
    memset(sums, 0, sizeof sums);
    for (int32_t o = 0; o < outputs; o++) {
        scales[o] = 0.001f * (float) (1 + o);
        bias[o] = (float) (rand() % 100);
        for (int32_t i = 0; i < inputs; i++) {
            int8_t w = (int8_t) rand();
            weights[o / PANEL * RUN_BYTES(quads) + WEIGHT_IN_RUN(o % PANEL, i)] = w;
            sums[o] += w;
        }
    }
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t) rand();
    }
    struct dynamic d = {weights, sums, scales, bias, outputs, quads, 4 * quads, rows & 1};
    float scale = 0.0123f;
    GIVEN(dynamic_product, .plan = &d, .in = in, .out = out, .end = panels, .rows = rows, .zero_point = 77,
            .scale = scale);
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t o = 0; o < outputs; o++) {
            int32_t sum = 0;
            for (int32_t i = 0; i < inputs; i++) {
                sum += (in[r * 4 * quads + i] - 77)
                        * weights[o / PANEL * RUN_BYTES(quads) + WEIGHT_IN_RUN(o % PANEL, i)];
            }
            float product = (float) sum * (scale * scales[o]);
            float expected = product + bias[o];
            expected = (rows & 1) && expected < 0 ? 0 : expected;
            if (out[r * outputs + o] != expected) {
                report("product", rows, inputs, outputs, out[r * outputs + o], expected);
            }
        }
    }
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static void check_gates(int32_t lstm, int32_t units) {
    float x[4 * MOST_OUTPUTS], h[4 * MOST_OUTPUTS], state[2 * MOST_OUTPUTS], before[2 * MOST_OUTPUTS];
    for (int32_t i = 0; i < 4 * MOST_OUTPUTS; i++) {
        x[i] = (float) rand() / (float) RAND_MAX - 0.5f;
        h[i] = (float) rand() / (float) RAND_MAX - 0.5f;
        state[i % (2 * MOST_OUTPUTS)] = before[i % (2 * MOST_OUTPUTS)] = x[i] * 2;
    }
    GIVEN(gates, .of_input = x, .of_hidden = h, .states = state, .cell = lstm ? CELL_LSTM : CELL_GRU, .units = units,
            .cell_at = units);
    for (int32_t u = 0; u < units; u++) {
        double first = sigmoid(x[u] + h[u]), second = sigmoid(x[units + u] + h[units + u]), expected;
        if (lstm) {
            double cell = second * before[units + u] + first * tanh(x[2 * units + u] + h[2 * units + u]);
            expected = sigmoid(x[3 * units + u] + h[3 * units + u]) * tanh(cell);
        } else {
            double fresh = tanh(x[2 * units + u] + first * h[2 * units + u]);
            expected = (before[u] - fresh) * second + fresh;
        }
        if (!(fabs(state[u] - expected) <= TOLERANCE)) {
            report("gates", lstm, units, u, state[u], expected);
        }
    }
}

int main(void) {
    for (int32_t count = 0; count < 100; count++) {
        check_range(count);
    }
    for (int32_t rows = 1; rows <= MOST_ROWS; rows++) {
        for (int32_t inputs = 1; inputs <= MOST_INPUTS; inputs += 3) {
            check_product(rows, inputs, 1 + (rows * 7 + inputs) % MOST_OUTPUTS);
        }
    }
    for (int32_t units = 1; units <= MOST_OUTPUTS; units++) {
        check_gates(units & 1, units);
        check_gates(~units & 1, units);
    }
    return failures != 0;
}
