/*
 * The float kernels of one instruction set against plain loops, as a program: for processors that can only be emulated
 * here. Prints nothing and returns 0 when every value agrees.
 */
#include <stdio.h>
#include <stdlib.h>
#include "float_conv.h"
#include "float_depthwise.h"

static int failures;

static float *random_floats(size_t n) {
    float *values = malloc(4 * n + 4);
    for (size_t i = 0; i < n; i++) {
        values[i] = (float) (rand() % 201 - 100) / 100;
    }
    return values;
}

static int32_t up(int32_t value, int32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/* The place of an element of an image of channel blocks. */
static size_t at(int32_t channel, int32_t y, int32_t x, int32_t h, int32_t w, int32_t block) {
    return (size_t) (channel / block * h + y) * w * block + (size_t) x * block + channel % block;
}

static double limit(double value, double min, double max) {
    return value < min ? min : value > max ? max : value;
}

/* None, one in registers and one where sums are stored. */
static const int32_t functions[] = {0, 1 + UNARY_HARD_SWISH, 1 + UNARY_ABS};

static double activated(double value, const struct float_activation *a) {
    value = a->function == 1 + UNARY_HARD_SWISH ? value * limit(value + 3, 0, 6) / 6
            : a->function == 1 + UNARY_ABS      ? value < 0 ? -value : value
                                                : value;
    return limit(value, a->min, a->max);
}

static void expect(const char *what, size_t index, double expected, float actual) {
    double difference = expected - actual;
    if (!(difference < 1e-3 && difference > -1e-3) && failures++ < 5) {
        printf("%s: value %zu is %f (expected: %f)\n", what, index, actual, expected);
    }
}

/* Sums of a group of channels under a square kernel; depthwise is as many groups as channels. */
static double plain(const float *in, const float *w, int32_t c0, int32_t channels, int32_t out, int32_t y, int32_t x,
        int32_t h, int32_t width, int32_t kernel, int32_t stride, int32_t pad, int32_t block) {
    double sum = 0;
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t k = 0; k < kernel * kernel; k++) {
            int32_t iy = y * stride + k / kernel - pad, ix = x * stride + k % kernel - pad;
            if (iy >= 0 && iy < h && ix >= 0 && ix < width) {
                sum += (double) in[at(c0 + c, iy, ix, h, width, block)]
                        * w[((size_t) out * channels + c) * kernel * kernel + k];
            }
        }
    }
    return sum;
}

static void check_conv(int32_t channels, int32_t outs, int32_t groups, int32_t h, int32_t w, int32_t kernel,
        int32_t stride, int32_t layout) {
    int32_t in_c = channels * groups, out_c = outs * groups, pad = kernel / 2;
    int32_t out_h = (h + 2 * pad - kernel) / stride + 1, out_w = (w + 2 * pad - kernel) / stride + 1;
    int32_t in_block = layout == 0 ? FLOAT_LANES : layout == 1 ? in_c : 1;
    int32_t out_block = layout == 0 ? FLOAT_LANES : layout == 1 ? out_c : 1;
    int32_t panels = up(outs, FLOAT_PANEL) / FLOAT_PANEL * groups;
    float *in = random_floats((size_t) up(in_c, in_block) * h * w),
          *out = random_floats((size_t) up(out_c, out_block) * out_h * out_w);
    float *residual = random_floats((size_t) up(out_c, out_block) * out_h * out_w);
    float *weights = random_floats((size_t) out_c * channels * kernel * kernel), *bias = random_floats(out_c);
    float *packed = calloc((size_t) up(outs, FLOAT_LANES) * groups * channels * kernel * kernel + 1, 4);
    float *padded = calloc((size_t) panels * FLOAT_PANEL, 4);
    int32_t taps[64];
    for (int32_t i = 0; i < kernel * kernel; i++) {
        taps[i] = i;
    }
    struct float_conv d = {packed, padded, (int64_t) h * w * in_block, (int64_t) out_h * out_w * out_block,
            (int64_t) w * in_block, (int64_t) out_w * out_block, out_block, 0, h, w, in_block, out_block, groups,
            channels, outs, kernel, kernel, -pad, -pad, 1, 1, stride, stride, out_h, out_w, 2, out_w, 1, rand() % 2,
            rand() % 2, {-2, 2, functions[rand() % 3]}};
    NAME(float_pack)(&d, weights, (int64_t) channels * kernel * kernel, kernel * kernel, taps, bias, packed, padded);
    NAME(float_conv)(&d, in, 0, residual, 0, out, 0, 0, 0, (out_h + 1) / 2 * panels);
    for (int32_t o = 0; o < out_c; o++) {
        for (int32_t i = 0; i < out_h * out_w; i++) {
            size_t place = at(o, i / out_w, i % out_w, out_h, out_w, out_block);
            double sum = plain(in, weights, o / outs * channels, channels, o, i / out_w, i % out_w, h, w, kernel,
                    stride, pad, in_block);
            expect("conv", place, activated(sum + bias[o] + residual[place], &d.activation), out[place]);
        }
    }
    free(in), free(out), free(residual), free(weights), free(bias), free(packed), free(padded);
}

static void check_depthwise(int32_t channels, int32_t h, int32_t w, int32_t kernel, int32_t stride, int32_t layout) {
    int32_t pad = kernel / 2, out_h = (h + 2 * pad - kernel) / stride + 1, out_w = (w + 2 * pad - kernel) / stride + 1;
    int32_t block = layout == 0 ? FLOAT_LANES
            : layout == 1       ? channels
                                : 1,
            blocks = up(channels, FLOAT_LANES) / FLOAT_LANES;
    float *in = random_floats((size_t) up(channels, block) * h * w),
          *out = random_floats((size_t) up(channels, block) * out_h * out_w);
    float *weights = random_floats((size_t) channels * kernel * kernel), *bias = random_floats(channels);
    float *packed = calloc((size_t) blocks * FLOAT_LANES * kernel * kernel, 4),
          *padded = calloc((size_t) blocks * FLOAT_LANES, 4);
    float *scratch = malloc(4 * (size_t) (h * w + out_w) * FLOAT_LANES);
    struct float_depthwise d = {packed, padded, channels, 1, h, w, block, out_h, out_w, block, kernel, kernel, stride,
            stride, 1, 1, pad, pad, 2, {0, 6, rand() % 2}};
    NAME(float_depthwise_pack)(&d, weights, kernel * kernel, 0, 0, bias, packed, padded);
    NAME(float_depthwise)(&d, in, 0, 0, 0, out, 0, scratch, 0, blocks * ((out_h + 1) / 2));
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t i = 0; i < out_h * out_w; i++) {
            size_t place = at(c, i / out_w, i % out_w, out_h, out_w, block);
            double sum = plain(in, weights, c, 1, c, i / out_w, i % out_w, h, w, kernel, stride, pad, block);
            expect("depthwise", place, activated(sum + bias[c], &d.activation), out[place]);
        }
    }
    /* The chain of nothing but this stage does the same. */
    if (layout == 0) {
        struct float_chain chain = {0, &d, 0, 0};
        float *again = random_floats((size_t) blocks * FLOAT_LANES * out_h * out_w);
        NAME(float_chain)(&chain, in, 0, 0, 0, again, 0, scratch, 0, out_h / 2);
        chain.resumed = out_h > 1;
        NAME(float_chain)(&chain, in, 0, 0, 0, again, 0, scratch, out_h / 2, out_h);
        for (size_t i = 0; i < (size_t) blocks * FLOAT_LANES * out_h * out_w; i++) {
            expect("chain", i, out[i], again[i]);
        }
        free(again);
    }
    free(in), free(out), free(weights), free(bias), free(packed), free(padded), free(scratch);
}

static void check_winograd(int32_t tile, int32_t channels, int32_t outs, int32_t h, int32_t w, int32_t pad) {
    int32_t out_h = h + 2 * pad - 2, out_w = w + 2 * pad - 2, points = (tile + 2) * (tile + 2);
    int32_t tiles = up(out_h, tile) / tile * (up(out_w, tile) / tile), bands = (tiles + 4) / 5,
            panels = up(outs, FLOAT_PANEL) / FLOAT_PANEL;
    float *in = random_floats((size_t) up(channels, FLOAT_LANES) * h * w),
          *weights = random_floats((size_t) outs * channels * 9);
    size_t out_size = (size_t) up(outs, FLOAT_LANES) * out_h * out_w;
    float *out = random_floats(out_size), *residual = random_floats(out_size), *bias = random_floats(outs);
    float *packed = malloc(4 * (size_t) up(outs, FLOAT_LANES) * channels * points),
          *padded = calloc((size_t) panels * FLOAT_PANEL, 4);
    float *scratch = malloc(4 * (size_t) points * ((up(channels, FLOAT_LANES) + FLOAT_PANEL) * 5 + 2 * FLOAT_LANES));
    struct float_winograd d = {packed, padded, tile, channels, outs, h, w, out_h, out_w, pad, pad, bands, 1, 0,
            {-2, 2, functions[rand() % 3]}};
    NAME(float_winograd_pack)(&d, weights, channels * 9, 9, 0, bias, packed, padded);
    NAME(float_winograd)(&d, in, 0, residual, 0, out, 0, scratch, 0, bands * panels);
    for (int32_t o = 0; o < outs; o++) {
        for (int32_t i = 0; i < out_h * out_w; i++) {
            size_t place = at(o, i / out_w, i % out_w, out_h, out_w, FLOAT_LANES);
            double sum = plain(in, weights, 0, channels, o, i / out_w, i % out_w, h, w, 3, 1, pad, FLOAT_LANES);
            expect("winograd", place, activated(sum + bias[o] + residual[place], &d.activation), out[place]);
        }
    }
    free(in), free(out), free(residual), free(weights), free(bias), free(packed), free(padded), free(scratch);
}

/* Halves of an image widened, against their sum widened by the two stages on their own. */
static void check_widening(int32_t channels, int32_t middle, int32_t h, int32_t w, int32_t stride) {
    int32_t pixels = h * w, out_h = (h - 1) / stride + 1, out_w = (w - 1) / stride + 1,
            panels = up(middle, FLOAT_PANEL) / FLOAT_PANEL;
    size_t image = (size_t) up(channels, FLOAT_LANES) * pixels,
           out_size = (size_t) up(middle, FLOAT_LANES) * out_h * out_w;
    float *halves = random_floats(2 * image), *sum = random_floats(image), *out = random_floats(out_size),
          *expected = random_floats(out_size);
    float *wide = random_floats((size_t) up(middle, FLOAT_LANES) * pixels),
          *scratch = random_floats(image + (size_t) FLOAT_PANEL * pixels);
    for (size_t i = 0; i < image; i++) {
        sum[i] = halves[i] + halves[image + i];
    }
    float *weights = random_floats((size_t) up(middle, FLOAT_LANES) * channels),
          *bias = random_floats((size_t) panels * FLOAT_PANEL);
    float *taps = random_floats((size_t) up(middle, FLOAT_LANES) * 9);
    int64_t plane = (int64_t) pixels * FLOAT_LANES;
    struct float_conv expand = {weights, bias, plane, plane, plane, 0, FLOAT_LANES, 0, 1, pixels, FLOAT_LANES,
            FLOAT_LANES, 1, channels, middle, 1, 1, 0, 0, 1, 1, 1, 1, 1, pixels, 1, pixels, 1, 1, 0, {0, 6, 0}};
    struct float_depthwise depthwise = {taps, bias, middle, 1, h, w, FLOAT_LANES, out_h, out_w, FLOAT_LANES, 3, 3,
            stride, stride, 1, 1, 1, 1, out_h, {0, 6, 0}};
    NAME(float_conv)(&expand, sum, 0, 0, 0, wide, 0, 0, 0, panels);
    NAME(float_depthwise)(&depthwise, wide, 0, 0, 0, expected, 0, 0, 0, up(middle, FLOAT_LANES) / FLOAT_LANES);
    struct float_widening widening = {&expand, &depthwise, image, 0, 0, 0, 0, 0};
    NAME(float_widening)(&widening, halves, 0, 0, 0, out, 0, scratch, panels / 2, panels);
    widening.resumed = panels > 1;
    NAME(float_widening)(&widening, halves, 0, 0, 0, out, 0, scratch, 0, panels / 2);
    for (size_t i = 0; i < out_size; i++) {
        expect("widening", i, expected[i], out[i]);
    }
    widening = (struct float_widening) {&expand, 0, image, 0, 0, 0, 0, 0};
    float *single = random_floats((size_t) up(middle, FLOAT_LANES) * pixels);
    NAME(float_widening)(&widening, halves, 0, 0, 0, single, 0, scratch, 0, panels);
    for (size_t i = 0; i < (size_t) up(middle, FLOAT_LANES) * pixels; i++) {
        expect("widening by one stage", i, wide[i], single[i]);
    }
    float *means = random_floats(middle + 1), past = means[middle];
    widening = (struct float_widening) {.expand = &expand, .half = image, .means = 1};
    NAME(float_widening)(&widening, halves, 0, 0, 0, means, 0, scratch, 0, panels);
    for (int32_t c = 0; c < middle; c++) {
        double mean = 0;
        for (int32_t i = 0; i < pixels; i++) {
            mean += wide[at(c, i / w, i % w, h, w, FLOAT_LANES)] / (double) pixels;
        }
        expect("mean of a widened channel", c, mean, means[c]);
    }
    expect("what lies behind the means", middle, past, means[middle]);
    free(means);
    int32_t squeezed = 5 * FLOAT_LANES;
    float *matrix = random_floats((size_t) squeezed * middle),
          *both = random_floats(out_size + (size_t) panels * squeezed);
    widening = (struct float_widening) {&expand, &depthwise, image, 0, squeezed, matrix, out_size, 0};
    NAME(float_widening)(&widening, halves, 0, 0, 0, both, 0, scratch, 0, panels);
    for (int32_t column = 0; column < squeezed; column++) {
        double sum_of_parts = 0, product = 0;
        for (int32_t panel = 0; panel < panels; panel++) {
            sum_of_parts += both[out_size + (size_t) panel * squeezed + column];
        }
        for (int32_t c = 0; c < middle; c++) {
            double mean = 0;
            for (int32_t i = 0; i < out_h * out_w; i++) {
                mean += expected[at(c, i / out_w, i % out_w, out_h, out_w, FLOAT_LANES)] / (double) (out_h * out_w);
            }
            product += mean * matrix[(size_t) c * squeezed + column];
        }
        expect("product of means", column, product, (float) sum_of_parts);
    }
    free(matrix), free(both);
    free(single), free(halves), free(sum), free(out), free(expected), free(wide), free(scratch), free(weights),
            free(bias), free(taps);
}

/* A pointwise convolution of scaled channels, by scaled weights and by a scaled image. */
static void check_scaled(int32_t channels, int32_t outs, int32_t h, int32_t w) {
    int32_t pixels = h * w, panels = up(outs, FLOAT_PANEL) / FLOAT_PANEL, lanes = up(outs, FLOAT_LANES);
    size_t image = (size_t) up(channels, FLOAT_LANES) * pixels, out_size = (size_t) lanes * pixels,
           count = (size_t) lanes * channels;
    float *in = random_floats(image), *scales = random_floats(up(channels, FLOAT_LANES)),
          *out = random_floats(out_size);
    float *weights = random_floats(count), *packed = calloc(count + 1, 4),
          *bias = random_floats((size_t) panels * FLOAT_PANEL);
    float *padded = calloc((size_t) panels * FLOAT_PANEL, 4), *scratch = random_floats(image > count ? image : count);
    int64_t plane = (int64_t) pixels * FLOAT_LANES;
    int32_t tap = 0;
    struct float_conv conv = {packed, padded, plane, plane, plane, 0, FLOAT_LANES, 0, 1, pixels, FLOAT_LANES,
            FLOAT_LANES, 1, channels, outs, 1, 1, 0, 0, 1, 1, 1, 1, 1, pixels, 1, pixels, 1, 1, 0, FLOAT_NO_ACTIVATION};
    NAME(float_pack)(&conv, weights, channels, 1, &tap, bias, packed, padded);
    for (int32_t of_weights = 0; of_weights < 2; of_weights++) {
        struct float_scaled scaled = {&conv, of_weights};
        NAME(float_scale)(&scaled, in, 0, scales, 0, out, 0, scratch, 0, 1);
        NAME(float_scaled)(&scaled, in, 0, 0, 0, out, 0, scratch, 0, panels);
        for (int32_t o = 0; o < outs; o++) {
            for (int32_t i = 0; i < pixels; i++) {
                double sum = bias[o];
                for (int32_t c = 0; c < channels; c++) {
                    sum += (double) in[at(c, i / w, i % w, h, w, FLOAT_LANES)] * scales[c]
                            * weights[(size_t) o * channels + c];
                }
                size_t place = at(o, i / w, i % w, h, w, FLOAT_LANES);
                expect(of_weights ? "scaled weights" : "scaled image", place, sum, out[place]);
            }
        }
    }
    free(in), free(scales), free(out), free(weights), free(packed), free(bias), free(padded), free(scratch);
}

int main(void) {
    static const int32_t sizes[] = {1, 2, 3, 5, 8, 14, 15, 31};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            check_conv(sizes[i], sizes[j], 1 + (i + j) % 3, 5, sizes[(i + j) % 8] + 2, 1 + i % 2 * 2, 1 + j % 2,
                    (i + j) % 3);
            check_depthwise(sizes[i], 6, sizes[j] + 3, 3 + i % 2 * 2, 1 + j % 3, (i + j) % 3);
            check_winograd(
                    2 + i % 2 * 2, sizes[i], sizes[j], sizes[(i + j) % 8] + 1, sizes[(i + 2 * j) % 8] + 1, 1 + j % 2);
            check_widening(sizes[i], 4 * sizes[j], sizes[(i + j) % 8], 7, 1 + j % 2);
            check_scaled(sizes[i], sizes[j], sizes[(i + j) % 8], 3);
        }
    }
    return failures != 0;
}
