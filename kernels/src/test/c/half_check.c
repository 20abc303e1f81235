/*
 * Convolutions in 16-bit floats against plain loops in double precision over the same numbers as floats, as a program.
 * The error of each sum must be within what half_conv.h states. Prints nothing and returns 0 when every value is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "half_conv.h"

#define LANES_OF_BLOCK FLOAT_LANES
/* The largest relative error of a rounded half, and the absolute one of those near zero. */
#define UNIT 0x1p-11
#define TINY 0x1p-25

static int failures;

static int32_t up(int32_t value, int32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

static int64_t at(int32_t channel, int32_t pixel, int32_t pixels, int32_t block) {
    return (int64_t) (channel / block) * pixels * block + (int64_t) pixel * block + channel % block;
}

/* Of both signs, in magnitudes from 2^-12 on, that few halves are. */
static float *numbers(int64_t n) {
    float *values = malloc(4 * n + 4);
    for (int64_t i = 0; i < n; i++) {
        values[i] = ldexpf((float) (rand() % 200001 - 100000) / 100000, -(rand() % 12));
    }
    return values;
}

/* None, one in registers and one where sums are stored. */
static const int32_t functions[] = {0, 1 + UNARY_HARD_SWISH, 1 + UNARY_ABS};

static double activated(double value, const struct float_activation *a) {
    value = a->function == 1 + UNARY_HARD_SWISH ? value * fmin(fmax(value + 3, 0), 6) / 6
            : a->function == 1 + UNARY_ABS      ? fabs(value)
                                                : value;
    return fmin(fmax(value, a->min), a->max);
}

struct geometry {
    int32_t channels, outs, h, w, kernel_h, kernel_w, stride, tap, pad;
};

enum order { BLOCKED, CHANNELS_LAST, CHANNELS_FIRST };

static int32_t block_of(enum order order, int32_t channels) {
    return order == BLOCKED ? LANES_OF_BLOCK : order == CHANNELS_LAST ? channels : 1;
}

static void check(struct geometry g, enum order in_order, enum order out_order, int with_residual) {
    int32_t pad_x = g.kernel_w == 1 ? 0 : g.pad, pad_y = g.kernel_h == 1 ? 0 : g.pad;
    int32_t out_h = (g.h + 2 * pad_y - (g.kernel_h - 1) * g.tap - 1) / g.stride + 1;
    int32_t out_w = (g.w + 2 * pad_x - (g.kernel_w - 1) * g.tap - 1) / g.stride + 1;
    int32_t in_block = block_of(in_order, g.channels), out_block = block_of(out_order, g.outs);
    int32_t taps = g.kernel_h * g.kernel_w, pixels = out_h * out_w;
    int64_t in_size = (int64_t) up(g.channels, in_block) * g.h * g.w;
    int64_t out_size = (int64_t) up(g.outs, out_block) * pixels;
    float *in = numbers(in_size), *weights = numbers((int64_t) g.outs * g.channels * taps), *bias = numbers(g.outs);
    float *residual = numbers(out_size), *out = numbers(out_size);
    for (int32_t i = 0; in_order == BLOCKED && i < g.h * g.w; i++) {
        for (int32_t c = g.channels; c < up(g.channels, in_block); c++) {
            /* What fills up blocks may be anything. */
            in[at(c, i, g.h * g.w, in_block)] = NAN;
        }
    }
    int32_t panels = up(g.outs, HALF_PANEL) / HALF_PANEL, channels = up(g.channels, HALF_LANES);
    uint16_t *packed = calloc((int64_t) up(g.outs, HALF_LANES) * channels * taps, 2);
    float *padded = calloc((int64_t) panels * HALF_PANEL, 4);
    int32_t band_rows = 1 + rand() % out_h, band_cols = 1 + rand() % out_w, chunk = 1 + rand() % panels;
    int64_t rows = (band_rows - 1) * g.stride + (g.kernel_h - 1) * g.tap + 1;
    int64_t cols = (band_cols - 1) * g.stride + (g.kernel_w - 1) * g.tap + 1;
    float *scratch = malloc(2 * rows * cols * channels);
    int32_t order[64];
    for (int32_t i = 0; i < taps; i++) {
        order[i] = i;
    }
    struct float_conv d = {(const float *) packed, padded, (int64_t) g.h * g.w * in_block, (int64_t) pixels * out_block,
            (int64_t) g.w * in_block, (int64_t) out_w * out_block, out_block, 0, g.h, g.w, in_block, out_block, 1,
            g.channels, g.outs, g.kernel_h, g.kernel_w, -pad_y, -pad_x, g.tap, g.tap, g.stride, g.stride, out_h, out_w,
            band_rows, band_cols, chunk, 0, rand() % 2, {-4, 4, functions[rand() % 3]}};
    NAME(half_pack)(&d, weights, (int64_t) g.channels * taps, taps, order, bias, (float *) packed, padded);
    int32_t bands = up(out_h, band_rows) / band_rows * (up(out_w, band_cols) / band_cols);
    NAME(half_conv)(
            &d, in, 0, with_residual ? residual : 0, 0, out, 0, scratch, 0, bands * (up(panels, chunk) / chunk));
    for (int32_t o = 0; o < g.outs; o++) {
        for (int32_t i = 0; i < pixels; i++) {
            double sum = bias[o], magnitude = 0, lost = 0;
            for (int32_t t = 0; t < taps; t++) {
                int32_t y = i / out_w * g.stride + t / g.kernel_w * g.tap - pad_y;
                int32_t x = i % out_w * g.stride + t % g.kernel_w * g.tap - pad_x;
                for (int32_t c = 0; y >= 0 && y < g.h && x >= 0 && x < g.w && c < g.channels; c++) {
                    double value = in[at(c, y * g.w + x, g.h * g.w, in_block)];
                    double weight = weights[((int64_t) o * g.channels + c) * taps + t];
                    sum += value * weight;
                    magnitude += fabs(value * weight);
                    /* What the rounding of small factors, and of a small sum, loses. */
                    lost += TINY * (1 + fabs(value) + fabs(weight));
                }
            }
            int64_t place = at(o, i, pixels, out_block);
            double added = with_residual ? residual[place] : 0;
            double bound = ((HALF_SUM + 2) * UNIT * magnitude + lost) * 1.01 + 1e-5;
            double expected = activated(sum + added, &d.activation);
            /* hard_swish is nowhere steeper than 1.5. */
            if (!(fabs(expected - out[place]) <= bound * (d.activation.function == 1 + UNARY_HARD_SWISH ? 1.5 : 1))
                    && failures++ < 5) {
                printf("%dx%d %dx%d/%d of %d to %d, orders %d and %d: output %d of pixel %d is %g (expected: %g, error "
                       "up to "
                       "%g)\n",
                        g.h, g.w, g.kernel_h, g.kernel_w, g.stride, g.channels, g.outs, in_order, out_order, o, i,
                        out[place], expected, bound);
            }
        }
    }
    free(in), free(weights), free(bias), free(residual), free(out), free(packed), free(padded), free(scratch);
}

/* n products of 1: whole numbers above 2048 are no halves, so they can only be added up in blocks. */
static void check_long_sum(int32_t n) {
    float *in = malloc(4 * n), *weights = malloc(4 * n), *padded = calloc(HALF_PANEL, 4), bias = 0, out = 0;
    uint16_t *packed = calloc((int64_t) n * HALF_LANES, 2), *scratch = malloc(2 * n);
    for (int32_t i = 0; i < n; i++) {
        in[i] = weights[i] = 1;
    }
    int32_t tap = 0;
    struct float_conv d = {(const float *) packed, padded, n, 1, n, 1, 1, 0, 1, 1, n, 1, 1, n, 1, 1, 1, 0, 0, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 0, 0, FLOAT_NO_ACTIVATION};
    NAME(half_pack)(&d, weights, n, 1, &tap, &bias, (float *) packed, padded);
    NAME(half_conv)(&d, in, 0, 0, 0, &out, 0, (float *) scratch, 0, 1);
    if (out != n) {
        printf("sum of %d ones: %g\n", n, out);
        failures++;
    }
    free(in), free(weights), free(padded), free(packed), free(scratch);
}

/* Far apart from the bound, which is of the worst case: the error of sums of random products, as a part of the root of
 * their squares' sum. Of HALF_SUM products added up in halves it is about UNIT * sqrt(HALF_SUM / 6). */
static void check_usual_error(void) {
    enum { CHANNELS = 1024, OUTS = 64, COUNT = 24 };
    float *in = numbers(CHANNELS * COUNT), *weights = numbers(CHANNELS * OUTS), *out = numbers(OUTS * COUNT);
    float bias[OUTS] = {0}, padded[OUTS];
    uint16_t *packed = calloc(CHANNELS * OUTS, 2), *scratch = malloc(2 * CHANNELS * COUNT);
    int32_t tap = 0;
    struct float_conv d = {(const float *) packed, padded, CHANNELS * COUNT, OUTS * COUNT, CHANNELS * COUNT,
            OUTS * COUNT, OUTS, 0, 1, COUNT, CHANNELS, OUTS, 1, CHANNELS, OUTS, 1, 1, 0, 0, 1, 1, 1, 1, 1, COUNT, 1,
            COUNT, 1, 0, 0, FLOAT_NO_ACTIVATION};
    NAME(half_pack)(&d, weights, CHANNELS, 1, &tap, bias, (float *) packed, padded);
    NAME(half_conv)(&d, in, 0, 0, 0, out, 0, (float *) scratch, 0, OUTS / HALF_PANEL);
    double errors = 0, squares = 0;
    for (int32_t i = 0; i < COUNT * OUTS; i++) {
        double sum = 0;
        for (int32_t c = 0; c < CHANNELS; c++) {
            double product = (double) in[i / OUTS * CHANNELS + c] * weights[i % OUTS * CHANNELS + c];
            sum += product;
            squares += product * product;
        }
        errors += (sum - out[i]) * (sum - out[i]);
    }
    double error = sqrt(errors / squares), usual = UNIT * sqrt(HALF_SUM / 6.0);
    if (!(error < 1.5 * usual) || error < usual / 10) {
        printf("usual error: %g (expected: about %g)\n", error, usual);
        failures++;
    }
    free(in), free(weights), free(out), free(packed), free(scratch);
}

int main(void) {
    const struct geometry geometries[] = {
            {8, 8, 1, 1, 1, 1, 1, 1, 0},
            {16, 24, 7, 9, 1, 1, 1, 1, 0},
            {100, 40, 5, 5, 1, 1, 1, 1, 0},
            {960, 160, 3, 7, 1, 1, 1, 1, 0},
            {24, 33, 9, 8, 1, 1, 2, 1, 0},
            {32, 48, 10, 11, 3, 3, 1, 1, 1},
            {20, 17, 11, 9, 3, 3, 2, 1, 1},
            {16, 16, 12, 13, 3, 3, 1, 2, 2},
            {12, 21, 9, 9, 5, 5, 1, 1, 2},
            {64, 16, 6, 6, 1, 3, 1, 1, 1},
            {64, 16, 6, 6, 3, 1, 2, 1, 1},
            {1500, 100, 1, 1, 1, 1, 1, 1, 0},
            {1500, 100, 2, 1, 1, 1, 1, 1, 0},
            {1500, 8, 3, 1, 1, 1, 1, 1, 0},
    };
    for (uint32_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        for (int32_t orders = 0; orders < 9; orders++) {
            check(geometries[i], orders / 3, orders % 3, orders % 2);
        }
    }
    check_long_sum(32768);
    check_usual_error();
    return failures != 0;
}
