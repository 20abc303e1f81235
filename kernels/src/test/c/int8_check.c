/*
 * The kernels of one instruction set against plain loops, as a program: for processors that can only be emulated here. Prints nothing
 * and returns 0 when every byte agrees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "int8.h"
#include "isa.h"

void NAME(dense)(const struct dense *, const uint8_t *, int64_t, uint8_t *, int64_t, int32_t, int32_t, int32_t, int32_t, int32_t);
void NAME(depthwise)(const struct depthwise *, const uint8_t *, int64_t, uint8_t *, int64_t, int32_t, uint8_t *);

#if defined(SIGNED_INPUTS)
#define INPUT_SHIFT 128
#else
#define INPUT_SHIFT 0
#endif
#define MOST 1024

static float scale[MOST];
static int32_t multiplier[MOST], left[MOST], right[MOST];
static int failures;

static int32_t random_below(int32_t n) {
    return rand() % n;
}

/* The definitions, in wider arithmetic. */
static uint8_t rescale(const struct requantization *r, int32_t sum, int32_t c) {
    long long scaled;
    if (r->scale) {
        double product = (double) ((float) sum * r->scale[c]);
        double floor = (double) (long long) product - (product < (double) (long long) product);
        double rest = product - floor;
        scaled = (long long) floor + (rest > 0.5 || (rest == 0.5 && (long long) floor % 2 != 0));
    } else {
        long long product = (long long) sum * r->multiplier[c];
        long long high = (product + (product >= 0 ? 1LL << 30 : 1 - (1LL << 30))) / (1LL << 31);
        long long divisor = 1LL << r->right[c];
        long long magnitude = ((high < 0 ? -high : high) + divisor / 2) / divisor;
        scaled = high < 0 ? -magnitude : magnitude;
    }
    scaled += r->zero_point;
    return (uint8_t) (scaled < r->min ? r->min : scaled > r->max ? r->max : scaled);
}

static void choose_rule(struct requantization *r) {
    memset(r, 0, sizeof *r);
    for (int i = 0; i < MOST; i++) {
        scale[i] = (1 + random_below(1000)) * 1e-6f;
        multiplier[i] = (1 << 30) + random_below(1 << 30);
        right[i] = 5 + random_below(8);
    }
    if (random_below(2)) {
        r->scale = scale;
    } else {
        r->multiplier = multiplier;
        r->left = left;
        r->right = right;
    }
    r->zero_point = random_below(256);
    r->min = random_below(2) ? r->zero_point : 0;
    r->max = 255;
}

static void expect(const char *what, int32_t index, uint8_t expected, uint8_t actual) {
    if (expected != actual && failures++ < 5) {
        printf("%s: byte %d is %d (expected: %d)\n", what, index, actual, expected);
    }
}

static void check_dense(int32_t pixels, int32_t channels, int32_t segments, int32_t quads) {
    int32_t depth = quads * 4, panels = (channels + PANEL - 1) / PANEL;
    uint8_t *in = malloc((size_t) pixels * segments * depth), *out = malloc((size_t) pixels * channels);
    int8_t *plain = malloc((size_t) channels * segments * depth), *packed = calloc((size_t) panels * PANEL * segments, depth);
    int32_t *bias = calloc((size_t) panels * PANEL, 4), *offsets = malloc(4 * (size_t) segments);
    for (int32_t i = 0; i < pixels * segments * depth; i++) {
        in[i] = (uint8_t) random_below(256);
    }
    for (int32_t c = 0; c < channels; c++) {
        bias[c] = random_below(2000) - 1000;
        for (int32_t s = 0; s < segments; s++) {
            offsets[s] = s * depth;
            for (int32_t k = 0; k < depth; k++) {
                int8_t w = (int8_t) (random_below(256) - 128);
                plain[(c * segments + s) * depth + k] = w;
                packed[(((c / PANEL * segments + s) * quads + k / 4) * PANEL + c % PANEL) * 4 + k % 4] = w;
            }
        }
    }
    struct dense d = {packed, offsets, bias, {0}, segments, quads, channels, 3, segments * depth, 3 * segments * depth, channels,
        3 * channels};
    choose_rule(&d.rule);
    NAME(dense)(&d, in, 0, out, 0, 0, pixels, 0, panels, random_below(2));
    for (int32_t p = 0; p < pixels; p++) {
        for (int32_t c = 0; c < channels; c++) {
            int32_t sum = bias[c];
            for (int32_t k = 0; k < segments * depth; k++) {
                sum += ((int32_t) in[p * segments * depth + k] - INPUT_SHIFT) * plain[c * segments * depth + k];
            }
            expect("dense", p * channels + c, rescale(&d.rule, sum, c), out[p * channels + c]);
        }
    }
    free(in), free(out), free(plain), free(packed), free(bias), free(offsets);
}

static void check_depthwise(int32_t channels, int32_t size, int32_t kernel, int32_t stride, int32_t signed_input) {
    int32_t padded = (channels + 63) / 64 * 64, pad = kernel / 2, out_size = (size + 2 * pad - kernel) / stride + 1;
    uint8_t *in = malloc((size_t) size * size * channels), *out = malloc((size_t) out_size * out_size * channels);
    int8_t *w = calloc((size_t) kernel * kernel, padded);
    int32_t *bias = calloc((size_t) padded, 4);
    for (int32_t i = 0; i < size * size * channels; i++) {
        in[i] = (uint8_t) random_below(256);
    }
    for (int32_t i = 0; i < kernel * kernel * padded; i++) {
        w[i] = (int8_t) (random_below(256) - 128);
    }
    for (int32_t c = 0; c < channels; c++) {
        bias[c] = random_below(2000) - 1000;
    }
    struct depthwise d = {w, bias, {0}, channels, size, size, out_size, kernel, kernel, stride, stride, 1, 1, pad, pad,
        random_below(256), signed_input};
    choose_rule(&d.rule);
    for (int32_t y = 0; y < out_size; y++) {
        NAME(depthwise)(&d, in, 0, out, 0, y, 0);
        for (int32_t i = 0; i < out_size * channels; i++) {
            int32_t x = i / channels, c = i % channels, sum = bias[c];
            for (int32_t k = 0; k < kernel * kernel; k++) {
                int32_t iy = y * stride + k / kernel - pad, ix = x * stride + k % kernel - pad;
                if (iy >= 0 && iy < size && ix >= 0 && ix < size) {
                    uint8_t value = in[(iy * size + ix) * channels + c];
                    int32_t difference = signed_input ? (int8_t) value - (int8_t) d.zero_point : value - d.zero_point;
                    sum += difference * w[k * padded + c];
                }
            }
            expect("depthwise", y * out_size * channels + i, rescale(&d.rule, sum, c), out[y * out_size * channels + i]);
        }
    }
    free(in), free(out), free(w), free(bias);
}

int main(void) {
    static const int32_t sizes[] = {1, 2, 3, 5, 13, 14, 15, 31};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            check_dense(sizes[i], sizes[j] * (1 + j % 3), 1 + i % 3, sizes[(i + j) % 8]);
        }
        check_depthwise(sizes[i] * 3, 7, 3, 1 + i % 2, i % 3 == 0);
        check_depthwise(sizes[i], 6, 5, 1, i % 2);
    }
    return failures != 0;
}
