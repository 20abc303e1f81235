/*
 * The kernels of one instruction set against plain loops, as a program: for processors that can only be emulated here.
 * Prints nothing and returns 0 when every byte agrees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "given.h"

#if defined(SIGNED_INPUTS)
#define INPUT_SHIFT 128
#else
#define INPUT_SHIFT 0
#endif
#define MOST 1024

static float scale[MOST], offset[MOST], exact_scale[MOST];
static int32_t start[MOST];
static struct limits limits[3];
static uint8_t rounding[MOST];
static int32_t zero_point, least, most;
static int failures, kinds[3];

static int32_t random_below(int32_t n) {
    return rand() % n;
}

/* A byte, an eighth of them 0: the least of what is multiplied with signs too, whose products are too large for some
 * arithmetic. */
static uint8_t random_byte(void) {
    return (uint8_t) (random_below(8) ? random_below(256) : 0);
}

/* The definition, in wider arithmetic. */
static uint8_t rescale(int32_t sum, int32_t c) {
    double product = (double) ((float) sum * exact_scale[c]);
    double floor = (double) (long long) product - (product < (double) (long long) product);
    double rest = product - floor;
    long long scaled = (long long) floor + (rest > 0.5 || (rest == 0.5 && (long long) floor % 2 != 0)) + zero_point;
    return (uint8_t) (scaled < least ? least : scaled > most ? most : scaled);
}

/* A rule whose results spread over the bytes when sums are of that size; panels of `group` channels, sums of `terms`
 * products. */
static void choose_rule(struct requantization *r, double size, int32_t group, int32_t terms) {
    float bound = terms * 256.0f * 128 + 4000;
    int fuses = bound < 1 << 22 && random_below(3) > 0;
    memset(r, 0, sizeof *r);
    zero_point = random_below(256);
    least = random_below(2) ? zero_point : 0;
    most = 255;
    double typical = 100 / size * (random_below(4) ? 1 : 0.05);
    int alike = random_below(2);
    for (int i = 0; i < MOST; i++) {
        exact_scale[i] = alike && i > 0 ? exact_scale[0] : (float) (typical * (0.5 + random_below(1000) * 1e-3));
        scale[i] = exact_scale[i];
        offset[i] = 0;
        start[i] = 0;
    }
    for (int panel = 0; panel * group < MOST; panel++) {
        rounding[panel] = random_below(5) == 0 ? RESCALING_BOUNDED : RESCALING_NEAREST;
        struct multiply_add f[MOST];
        int all = fuses;
        if (fuses) {
            GIVEN(fuse, .scales = exact_scale + panel * group, .found = f, .count = group, .least = least - zero_point,
                    .most = most - zero_point, .panel = group, .sum_least = -(int32_t) bound,
                    .sum_most = (int32_t) bound);
        }
        for (int i = 0; i < group && all; i++) {
            all = f[i].found;
        }
        for (int i = 0; i < group && all; i++) {
            int c = panel * group + i;
            rounding[panel] = RESCALING_FUSED;
            scale[c] = f[i].scale, offset[c] = f[i].offset + zero_point, start[c] = f[i].start;
        }
        kinds[rounding[panel]]++;
    }
    for (int k = 0; k < 3; k++) {
        memset(limits[k].least, least, 64);
        memset(limits[k].most, most, 64);
        for (int i = 0; i < 32; i++) {
            limits[k].addend[i] = (int16_t) (k == RESCALING_FUSED ? 0 : zero_point);
        }
        limits[k].needed = k != RESCALING_FUSED || least > 0;
    }
    r->scale = scale, r->offset = offset, r->limits = limits, r->rounding = rounding;
}

static void expect(const char *what, int32_t index, uint8_t expected, uint8_t actual) {
    if (expected != actual && failures++ < 5) {
        printf("%s: byte %d is %d (expected: %d)\n", what, index, actual, expected);
    }
}

/* A convolution of a square image, padded, `kernel` rows of `kernel` taps. */
static void check_dense(int32_t size, int32_t in_channels, int32_t channels, int32_t kernel, int32_t stride) {
    int32_t pad = kernel / 2, out_size = (size + 2 * pad - kernel) / stride + 1, pixels = out_size * out_size;
    int32_t depth = kernel * in_channels, quads = (depth + 3) / 4, panels = (channels + PANEL - 1) / PANEL;
    size_t in_size = (size_t) size * size * in_channels;
    uint8_t *in = malloc(in_size), *out = malloc((size_t) pixels * channels);
    int8_t *plain = malloc((size_t) channels * kernel * depth),
           *packed = calloc((size_t) panels * kernel, RUN_BYTES(quads));
    int32_t *bias = calloc((size_t) panels * PANEL, 4), dy[16], dx[16];
    for (size_t i = 0; i < in_size; i++) {
        in[i] = random_byte();
    }
    struct dense d = {packed, bias, dy, dx, {0}, kernel, kernel, quads, in_channels, size, size, stride, stride,
            out_size, channels, channels, out_size * channels, random_below(256), (pad + stride - 1) / stride,
            (size + pad - kernel) / stride + 1};
    choose_rule(&d.rule, 9000 * (1 + kernel * in_channels / 50.0), PANEL, kernel * depth);
    int32_t *wide_bias = malloc(4 * (size_t) channels);
    for (int32_t c = 0; c < channels; c++) {
        wide_bias[c] = random_below(2000) - 1000;
        bias[c] = wide_bias[c] + start[c];
        for (int32_t s = 0; s < kernel; s++) {
            dy[s] = s - pad;
            dx[s] = -pad;
            for (int32_t k = 0; k < depth; k++) {
                int8_t w = (int8_t) (random_byte() - 128);
                plain[(c * kernel + s) * depth + k] = w;
                packed[(c / PANEL * kernel + s) * RUN_BYTES(quads) + WEIGHT_IN_RUN(c % PANEL, k)] = w;
            }
        }
    }
    int64_t bytes;
    GIVEN(dense_scratch, .plan = &d, .result = &bytes);
    uint8_t *scratch = malloc((size_t) bytes);
    GIVEN(dense, .plan = &d, .in = in, .scratch = scratch, .out = out, .pixel_end = pixels, .panel_end = panels,
            .together = 1 + random_below(panels));
    for (int32_t i = 0; i < pixels * channels; i++) {
        int32_t c = i % channels, y = i / channels / out_size * stride - pad,
                x = i / channels % out_size * stride - pad, sum = wide_bias[c];
        for (int32_t k = 0; k < kernel * depth; k++) {
            int32_t iy = y + k / depth, ix = x + k % depth / in_channels;
            int32_t value = iy >= 0 && iy < size && ix >= 0 && ix < size
                    ? in[(iy * size + ix) * in_channels + k % in_channels]
                    : d.zero_point;
            sum += (value - INPUT_SHIFT) * plain[c * kernel * depth + k];
        }
        expect("dense", i, rescale(sum, c), out[i]);
    }
    free(in), free(out), free(plain), free(packed), free(bias), free(wide_bias), free(scratch);
}

/* Channel of a place, see depthwise_dot.h. */
static int32_t channel_at(int32_t place) {
    int32_t lanes = NAME(depthwise_dots)(), i = lanes ? place % (16 * lanes) : 0;
    return lanes ? place - i + i / 4 % lanes * 16 + i / (4 * lanes) * 4 + i % 4 : place;
}

static void check_depthwise(int32_t channels, int32_t size, int32_t kernel, int32_t stride, int32_t signed_input) {
    int32_t padded = (channels + 63) / 64 * 64, pad = kernel / 2, out_size = (size + 2 * pad - kernel) / stride + 1;
    int32_t dots = NAME(depthwise_dots)(), zero_point_in = random_below(256);
    int32_t zero = signed_input ? (int8_t) zero_point_in : zero_point_in;
    uint8_t *in = malloc((size_t) size * size * channels), *out = malloc((size_t) out_size * out_size * channels);
    int8_t *plain = malloc((size_t) kernel * kernel * channels), *w = calloc((size_t) (kernel + 3) * kernel, padded);
    int32_t *bias = calloc((size_t) padded, 4);
    for (int32_t i = 0; i < size * size * channels; i++) {
        in[i] = random_byte();
    }
    struct depthwise d = {w, bias, {0}, channels, size, size, out_size, kernel, kernel, stride, stride, 1, 1, pad, pad,
            zero_point_in, signed_input, size, 0};
    choose_rule(&d.rule, 9000.0 * kernel, 64, kernel * kernel);
    for (int32_t place = 0; place < padded; place++) {
        int32_t c = channel_at(place);
        if (c >= channels) {
            continue;
        }
        bias[place] = 1000 - c + start[place];
        for (int32_t k = 0; k < kernel * kernel; k++) {
            int8_t value = (int8_t) (random_byte() - 128);
            plain[k * channels + c] = value;
            w[dots ? ((k / kernel / 4 * kernel + k % kernel) * padded + place) * 4 + k / kernel % 4
                   : (k / 2 * padded + place) * 2 + k % 2] = value;
            bias[place] -= (zero + (signed_input ? 128 : 0) - (dots ? INPUT_SHIFT : 0)) * value;
        }
    }
    int64_t bytes;
    GIVEN(depthwise_scratch, .plan = &d, .result = &bytes);
    uint8_t *scratch = aligned_alloc(64, (size_t) (bytes + 127) / 64 * 64);
    for (int32_t y = 0; y < out_size; y++) {
        GIVEN(depthwise, .plan = &d, .in = in, .scratch = scratch, .out = out + y * out_size * channels, .row = y);
    }
    for (int32_t place = 0; place < padded; place++) {
        int32_t c = channel_at(place);
        for (int32_t i = 0; i < out_size * out_size && c < channels; i++) {
            int32_t sum = 1000 - c;
            for (int32_t k = 0; k < kernel * kernel; k++) {
                int32_t iy = i / out_size * stride + k / kernel - pad, ix = i % out_size * stride + k % kernel - pad;
                if (iy >= 0 && iy < size && ix >= 0 && ix < size) {
                    uint8_t value = in[(iy * size + ix) * channels + c];
                    sum += ((signed_input ? (int8_t) value : value) - zero) * plain[k * channels + c];
                }
            }
            expect("depthwise", i * channels + c, rescale(sum, place), out[i * channels + c]);
        }
    }
    free(in), free(out), free(plain), free(w), free(bias), free(scratch);
}

#if defined(MULTIPLIES_WORDS)
/* A 3x3 convolution of stride 1 of an image of height x width, `pad` around it, by tiles of 2 or 4 pixels a side, all
 * inputs and weights as far as they go with `extreme`. */
static void check_winograd(int32_t height, int32_t width, int32_t in_channels, int32_t channels, int32_t pad,
        int32_t tile, int32_t band, int32_t signed_input, int32_t extreme) {
    int32_t out_h = height + 2 * pad - 2, out_w = width + 2 * pad - 2, panels = (channels + PANEL - 1) / PANEL,
            depth = 9 * in_channels, points = (tile + 2) * (tile + 2);
    int32_t zero_point_in = random_below(256), zero = (signed_input ? (int8_t) zero_point_in + 128 : zero_point_in);
    uint8_t *in = malloc((size_t) height * width * in_channels), *out = calloc((size_t) out_h * out_w, channels);
    int8_t *weights = malloc((size_t) channels * depth);
    int16_t *packed = calloc((size_t) panels * PANEL * points, 2 * in_channels);
    int32_t *bias = calloc((size_t) panels * PANEL, 4), *wide_bias = calloc((size_t) channels, 4),
            *zeros = calloc((size_t) channels, 4);
    for (int32_t i = 0; i < height * width * in_channels; i++) {
        in[i] = extreme ? (signed_input ? 127 : 255) : random_byte();
    }
    struct byte_winograd p = {packed, bias, {0}, in_channels, height, width, out_h, out_w, channels, pad, pad,
            zero_point_in, signed_input, tile, band};
    choose_rule(&p.rule, 9000 * (1 + depth / 50.0), PANEL, depth);
    for (int32_t c = 0; c < channels; c++) {
        zeros[c] = random_below(3) - 1;
        wide_bias[c] = random_below(2000) - 1000;
        bias[c] = wide_bias[c] + start[c];
        for (int32_t k = 0; k < depth; k++) {
            int32_t w = extreme ? -128 : random_byte() - 128;
            w = w + zeros[c] > 127 ? 127 - zeros[c] : w + zeros[c] < -128 ? -128 - zeros[c] : w;
            weights[c * depth + k] = (int8_t) (w + zeros[c]);
            bias[c] -= zero * w;
        }
    }
    GIVEN(byte_winograd_pack, .weights = (const uint8_t *) weights, .zeros = zeros, .packed = packed,
            .channels = channels, .inputs = in_channels, .tile = tile);
    int64_t bytes;
    GIVEN(byte_winograd_scratch, .plan = &p, .result = &bytes);
    uint8_t *scratch = malloc((size_t) bytes);
    int32_t tiles = (out_h + tile - 1) / tile * ((out_w + tile - 1) / tile), cut = random_below(tiles + 1),
            panel = random_below(panels + 1);
    const int32_t parts[][4] = {{cut, tiles, 0, panels}, {0, cut, 0, panel}, {0, cut, panel, panels}};
    for (int32_t i = 0; i < 3; i++) {
        GIVEN(byte_winograd, .plan = &p, .in = in, .scratch = scratch, .out = out, .tile = parts[i][0],
                .tile_end = parts[i][1], .panel = parts[i][2], .panel_end = parts[i][3]);
    }
    for (int32_t i = 0; i < out_h * out_w * channels; i++) {
        int32_t c = i % channels, y = i / channels / out_w - pad, x = i / channels % out_w - pad, sum = wide_bias[c];
        for (int32_t k = 0; k < depth; k++) {
            int32_t iy = y + k % 9 / 3, ix = x + k % 3, there = iy >= 0 && iy < height && ix >= 0 && ix < width;
            int32_t value = there ? in[(iy * width + ix) * in_channels + k / 9] ^ (signed_input ? 128 : 0) : zero;
            sum += (value - zero) * (weights[c * depth + k] - zeros[c]);
        }
        expect("Winograd", i, rescale(sum, c), out[i]);
    }
    free(in), free(out), free(weights), free(packed), free(bias), free(wide_bias), free(zeros), free(scratch);
}
#endif

int main(int argc, char **argv) {
    static const int32_t sizes[] = {1, 2, 3, 5, 13, 14, 15, 31};
    (void) argv;
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            check_dense(
                    1 + (i + j) % 9, sizes[j] * (1 + j % 3), sizes[i] * (1 + i % 4), 1 + (i + j) % 2 * 2, 1 + j % 2);
        }
        check_depthwise(sizes[i] * 3, 7, 3, 1 + i % 2, i % 3 == 0);
        check_depthwise(sizes[i], 6, 5, 1, i % 2);
        check_depthwise(sizes[i] * 2, 50, 3, 1 + i % 2, i % 2);
    }
#if defined(MULTIPLIES_WORDS)
    for (int i = 0; i < 48; i++) {
        check_winograd(1 + i % 9, 2 + i % 7, 16 * (1 + i % 3), sizes[i % 8] * (1 + i % 4), 1 + i % 2, i < 24 ? 2 : 4,
                1 + i * 5 % 13, i % 2, i % 5 == 4);
    }
    check_winograd(4, 4, 1824, 17, 1, 2, 4, 0, 1);
#endif
#if defined(ROUNDS_TWICE)
    const int fuses = 0;
#else
    const int fuses = 1;
#endif
    if (kinds[RESCALING_NEAREST] == 0 || kinds[RESCALING_BOUNDED] == 0 || (kinds[RESCALING_FUSED] > 0) != fuses
            || argc > 1) {
        printf("panels of each kind: %d, %d, %d (expected: some)\n", kinds[RESCALING_NEAREST], kinds[RESCALING_BOUNDED],
                kinds[RESCALING_FUSED]);
    }
    return failures != 0;
}
