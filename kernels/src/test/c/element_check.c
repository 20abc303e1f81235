/*
 * The element-wise, pooling, reduction, layout, resize, byte and half kernels of one instruction set against plain
 * loops, as a program: for processors that can only be emulated here. Prints nothing and returns 0 when all agree.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "given.h"

#define MOST 4096

static float a[MOST], b[MOST], out[MOST];
static uint8_t x[MOST], y[MOST], z[MOST];
static int failures;

static void expect(const char *what, int op, int index, double expected, double actual, double tolerance) {
    int same = expected == actual || (isnan(expected) && isnan(actual)) || fabs(expected - actual) <= tolerance;
    if (!same && failures++ < 10) {
        printf("%s %d: element %d is %.9g (expected: %.9g)\n", what, op, index, actual, expected);
    }
}

static void fill(void) {
    for (int i = 0; i < MOST; i++) {
        a[i] = (float) (rand() % 20001 - 10000) / 1000;
        b[i] = (float) (rand() % 20001 - 10000) / 1000;
        x[i] = (uint8_t) (rand() % 3 ? rand() : 0);
        y[i] = (uint8_t) rand();
    }
}

static double unary_twin(int op, double v) {
    switch (op) {
        case 0: return fabs(v);
        case 1: return -v;
        case 2: return exp(v);
        case 3: return log(v);
        case 4: return sqrt(v);
        case 5: return 1 / sqrt(v);
        case 6: return 1 / (1 + exp(-v));
        case 7: return tanh(v);
        case 8: return v / (1 + exp(-v));
        case 9: return v * fmin(fmax(v + 3, 0), 6) / 6;
        case 10: return fmin(fmax(v + 3, 0), 6) / 6;
        case 11: return v * 0.5 * erfc(-v * sqrt(0.5));
        case 12: return v / (1 + exp(-2 * sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
        case 13: return log1p(exp(v));
        case 14: return -log1p(exp(-v));
        case 15: return v * tanh(log1p(exp(v)));
        default: return fmin(fmax(v, -1), 2);
    }
}

static double binary_twin(int op, float v, float w) {
    switch (op) {
        case 0: return v + w;
        case 1: return v - w;
        case 2: return v * w;
        case 3: return v / w;
        case 4: return fmax(v, w);
        case 5: return fmin(v, w);
        default: return v < 0 ? v * w : v;
    }
}

static void check_elements(int n) {
    for (int op = 0; op < 17; op++) {
        if (op < 16) {
            GIVEN(unary, .in = a + 1, .out = out + 2, .op = (enum unary) op, .count = n);
        } else {
            GIVEN(clamp, .in = a + 1, .out = out + 2, .count = n, .low = -1, .high = 2);
        }
        for (int i = 0; i < n; i++) {
            double expected = unary_twin(op, a[1 + i]);
            expect("unary", op, i, expected, out[2 + i],
                    5e-7 * fabs(expected) + (op == 12 ? 1e-8 * fabs(a[1 + i]) : 0));
        }
    }
    for (int where = 0; where < 2; where++) {
        GIVEN(masked_fill, .in = a + 1, .mask = x + 3, .out = out + 2, .marked = where, .count = n, .value = 7);
        for (int i = 0; i < n; i++) {
            expect("masked fill", where, i, (x[3 + i] != 0) == where ? 7 : a[1 + i], out[2 + i], 0);
        }
    }
    for (int adding = 0; adding < 2; adding++) {
        int32_t rows[] = {5, 0, 2 * n, n + 1};
        for (int i = 0; i < n; i++) {
            out[2 + i] = 3;
        }
        GIVEN(weighted_rows, .offsets = rows, .in = a, .weights = b + 1, .out = out + 2, .adding = adding, .size = n,
                .rows = 4);
        for (int i = 0; i < n; i++) {
            double expected = adding ? 3 : 0;
            for (int row = 0; row < 4; row++) {
                expected += (double) b[1 + row] * a[rows[row] + i];
            }
            expect("weighted rows", adding, i, expected, out[2 + i], 1e-4);
        }
    }
    for (int op = 0; op < 7; op++) {
        for (int operand = 0; operand < 4; operand++) {
            /* Rows of a group lie apart by one more element, which stays as it is. */
            int groups = operand == 1 ? 2 : 1, step = operand == 1 ? n + 1 : n;
            GIVEN(binary, .a = a + 3, .b = b + 1, .out = out, .op = (enum binary) op, .lies = (enum operand) operand,
                    .count = n, .rows = 3, .groups = groups, .step = step, .low = -INFINITY, .high = INFINITY,
                    .given = 7);
            for (int i = 0; i < groups * 3 * n; i++) {
                int row = i / n, column = i % n, at = row * step + column;
                float right = operand == 3 ? 7 : b[1 + (operand == 0 ? i : operand == 1 ? row / 3 * n + column : row)];
                expect("binary", op, i, binary_twin(op, a[3 + at], right), out[at], 1e-6 * fabs(out[at]));
            }
        }
    }
}

static void check_reductions(int axis, int inner) {
    for (int op = 0; op < 4; op++) {
        GIVEN(reduce_floats, .in = a, .out = out, .op = (enum reduction) op, .end = 2, .axis = axis, .inner = inner,
                .step = inner);
        for (int i = 0; i < 2 * inner; i++) {
            double sum = 0, max = -INFINITY, min = INFINITY;
            for (int k = 0; k < axis; k++) {
                float v = a[(i / inner * axis + k) * inner + i % inner];
                sum += v;
                max = fmax(max, v);
                min = fmin(min, v);
            }
            expect("reduce", op, i, op == 0 ? sum : op == 1 ? sum / axis : op == 2 ? max : min, out[i], 1e-4);
        }
    }
    for (int log_of = 0; log_of < 2; log_of++) {
        GIVEN(softmax, .in = a, .out = out, .logarithmic = log_of, .end = 2, .axis = axis, .inner = inner,
                .beta = 0.5f);
        for (int i = 0; i < 2 * axis * inner; i++) {
            int first = i / inner / axis * axis * inner + i % inner;
            double sum = 0;
            for (int k = 0; k < axis; k++) {
                sum += exp(0.5 * a[first + k * inner]);
            }
            expect("softmax", log_of, i, log_of ? 0.5 * a[i] - log(sum) : exp(0.5 * a[i]) / sum, out[i], 1e-5);
        }
    }
}

/* Of group `group` of channels in blocks, by their definition. */
static double normalized(int group, int size, int block, int pixels, int at) {
    double sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = group * size; c < (group + 1) * size; c++) {
            for (int p = 0; p < pixels; p++) {
                double v = a[(c / block * pixels + p) * block + c % block];
                sum += pass == 0 ? v / size / pixels : 0;
                squares += pass == 1 ? (v - sum) * (v - sum) / size / pixels : 0;
            }
        }
    }
    return (a[at] - sum) / sqrt(squares + 0.125);
}

static void check_normalization(int runs, int run) {
    int count = runs * run;
    for (int each = 0; each < 2; each++) {
        for (int row = 0; row < 3; row++) {
            GIVEN(normalize_rows, .in = a, .factors = b, .out = out, .each = each, .begin = row, .end = row + 1,
                    .runs = each ? 1 : runs, .run = each ? count : run, .groups = 2 - each, .epsilon = 0.125f);
        }
        for (int i = 0; i < 3 * count; i++) {
            int factor = each ? i % count : i / run % (2 * runs), factors = each ? count : 2 * runs;
            double x = normalized(i / count, runs, 1, run, i);
            expect("normalize rows", each, i, x * b[factor] + b[factors + factor], out[i], 1e-4);
        }
    }
}

static void check_group_normalization(int size, int block, int pixels) {
    int channels = size > block ? 2 * size : 2 * block;
    for (int unit = 0; unit < 2; unit++) {
        GIVEN(normalize_blocks, .in = a, .factors = b, .out = out, .blocks = channels / block, .begin = unit,
                .end = unit + 1, .size = size, .pixels = pixels, .block = block, .epsilon = 0.125f);
    }
    for (int c = 0; c < channels; c++) {
        for (int p = 0; p < pixels; p++) {
            int at = (c / block * pixels + p) * block + c % block;
            expect("normalize blocks", size, at, normalized(c / size, size, block, pixels, at) * b[c] + b[channels + c],
                    out[at], 1e-4);
        }
    }
}

/* A kernel of 0: as many windows as the stride says part the image. */
static void check_pool(int block, int size, int kernel, int stride) {
    int adaptive = kernel == 0, pad = !adaptive;
    int extent = adaptive ? stride : (size + 2 - kernel) / stride + 1;
    int plane = size * size * block, out_plane = extent * extent * block;
    int planes = MOST / plane < 3 ? MOST / plane : 3;
    for (int kind = 0; kind < 2; kind++) {
        int32_t group = (block + 1) / 2;
        struct pool plan = {(enum pooling) kind, block, size, size, extent, extent, kernel, kernel, stride, stride, 1,
                1, pad, pad, pad, pad, adaptive, group, planes, (extent + 1) / 2};
        GIVEN(pool_floats, .plan = &plan, .in = a, .out = out, .end = planes * extent, .low = -INFINITY,
                .high = INFINITY);
        if (block > 1) {
            GIVEN(pool_bytes, .plan = &plan, .in = x, .out = z, .rounding = ROUNDING_HALF_EVEN,
                    .end = planes * extent * ((block + group - 1) / group), .origin = 7, .max = 255);
        }
        for (int i = 0; i < planes * out_plane; i++) {
            int first = i / out_plane * plane;
            int oy = i % out_plane / block / extent, ox = i / block % extent, c = i % block, count = 0, byte_sum = 0,
                byte_max = 0;
            double sum = 0, max = -INFINITY;
            int reach = adaptive ? size : kernel;
            for (int k = 0; k < reach * reach; k++) {
                int iy = adaptive ? k / reach : oy * stride - 1 + k / reach;
                int ix = adaptive ? k % reach : ox * stride - 1 + k % reach;
                int within = !adaptive
                        || ((iy + 1) * extent > oy * size && iy * extent < (oy + 1) * size
                                && (ix + 1) * extent > ox * size && ix * extent < (ox + 1) * size);
                if (within && iy >= 0 && iy < size && ix >= 0 && ix < size) {
                    int at = first + (iy * size + ix) * block + c;
                    sum += a[at];
                    max = fmax(max, a[at]);
                    byte_sum += x[at] - 7;
                    byte_max = x[at] > byte_max ? x[at] : byte_max;
                    count++;
                }
            }
            expect("pool", kind, i, kind == 0 ? max : sum / count, out[i], kind == 0 ? 0 : 1e-5);
            if (block > 1) {
                expect("pool of bytes", kind, i, kind == 0 ? byte_max : nearbyint((double) byte_sum / count) + 7, z[i],
                        0);
            }
        }
    }
}

static void check_layout(int channels, int pixels, int from, int to) {
    int padded = (channels + to - 1) / to * to, half = pixels / 2;
    GIVEN(convert_floats, .in = a, .out = out, .channels = channels, .pixels = pixels, .in_block = from,
            .out_block = to, .end = half);
    GIVEN(convert_floats, .in = a, .out = out, .channels = channels, .pixels = pixels, .in_block = from,
            .out_block = to, .begin = half, .end = pixels);
    GIVEN(convert_bytes, .in = x, .out = z, .channels = channels, .pixels = pixels, .in_block = from, .out_block = to,
            .end = pixels);
    for (int c = 0; c < padded; c++) {
        for (int p = 0; p < pixels; p++) {
            int source = (c / from * pixels + p) * from + c % from, target = (c / to * pixels + p) * to + c % to;
            expect("layout", to, target, c < channels ? a[source] : 0, out[target], 0);
            expect("layout of bytes", to, target, c < channels ? x[source] : 0, z[target], 0);
        }
    }
    GIVEN(transpose_floats, .in = a + 1, .out = out, .rows = channels, .cols = pixels, .in_step = pixels + 1,
            .out_step = channels + 2);
    GIVEN(transpose_bytes, .in = x + 1, .out = z, .rows = channels, .cols = pixels, .in_step = pixels + 1,
            .out_step = channels + 2);
    for (int i = 0; i < channels * pixels; i++) {
        int r = i / pixels, c = i % pixels;
        expect("transpose", 4, i, a[1 + r * (pixels + 1) + c], out[c * (channels + 2) + r], 0);
        expect("transpose", 1, i, x[1 + r * (pixels + 1) + c], z[c * (channels + 2) + r], 0);
    }
}

static void check_resize(int block) {
    static const int32_t low[] = {0, 0, 1, 1}, high[] = {1, 1, 2, 2};
    static const float weight[] = {0, 0.5f, 0.125f, 0.75f};
    struct resize plan = {low, high, weight, low, high, weight, 1, 0, block, block, 3, 3, 4, 4};
    GIVEN(resize_bytes, .plan = &plan, .in = x, .out = z, .rounding = ROUNDING_HALF_EVEN, .end = 4);
    for (int i = 0; i < 16 * block; i++) {
        int r = i / block / 4, q = i / block % 4, c = i % block;
        float wy = weight[r], wx = weight[q];
        float top = (1 - wx) * x[(low[r] * 3 + low[q]) * block + c] + wx * x[(low[r] * 3 + high[q]) * block + c];
        float bottom = (1 - wx) * x[(high[r] * 3 + low[q]) * block + c] + wx * x[(high[r] * 3 + high[q]) * block + c];
        expect("resize", block, i, nearbyintf((1 - wy) * top + wy * bottom), z[i], 0);
    }
}

static void check_bytes(int n) {
    const int is_signed = n % 2, least = is_signed ? -120 : 5, most = is_signed ? 120 : 250;
    struct sum rule = {1500000, -900000, 4567, 20, 30, least, most, is_signed};
    GIVEN(sum_bytes, .plan = &rule, .a = x + 1, .b = y + 2, .out = z + 3, .count = n, .rows = 1);
    for (int i = 0; i < n; i++) {
        long long va = is_signed ? (int8_t) x[1 + i] : x[1 + i], vb = is_signed ? (int8_t) y[2 + i] : y[2 + i];
        long long sum = va * rule.multiplier_a + vb * rule.multiplier_b + rule.offset;
        long long steps = (llabs(sum) + (1 << 19)) >> 20;
        double expected = fmin(fmax((double) (sum < 0 ? -steps : steps) + 30, least), most);
        expect("sum", is_signed, i, expected, is_signed ? (int8_t) z[3 + i] : z[3 + i], 0);
    }
    for (int op = 0; op < 3; op++) {
        GIVEN(quantize, .in = a, .out = z, .rule = (enum quantizing) op, .count = n, .scale = 0.125f, .zero_point = 100,
                .max = 255);
        for (int i = 0; i < n; i++) {
            double real = (double) a[i] / 0.125;
            double steps = op == 2 ? copysign(floor(fabs(real) + 0.5), real) : nearbyint(real);
            expect("quantize", op, i, fmin(fmax(steps + 100, 0), 255), z[i], 0);
        }
    }
    GIVEN(dequantize, .in = x, .out = out, .is_signed = 1, .count = n, .scale = 0.5f, .zero_point = 3);
    for (int i = 0; i < n; i++) {
        expect("dequantize", 1, i, ((int8_t) x[i] - 3) * 0.5, out[i], 0);
    }
}

static double half_value(int half) {
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double magnitude = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) {
        magnitude = mantissa == 0 ? INFINITY : NAN;
    }
    return half & 0x8000 ? -magnitude : magnitude;
}

/* All halves, and floats of their values, halfway to the next and a little to either side of that, or NaNs. */
static void check_halves(void) {
    static uint16_t half[1 << 16], again[1 << 16];
    static float wide[1 << 16], near[1 << 16];
    for (int i = 0; i < 1 << 16; i++) {
        half[i] = (uint16_t) i;
    }
    GIVEN(widen_halves, .in = half + 1, .out = wide + 1, .count = (1 << 16) - 1);
    for (int i = 1; i < 1 << 16; i++) {
        expect("half", i, i, half_value(i), wide[i], 0);
        expect("sign of half", i, i, isnan(wide[i]) || !signbit(wide[i]) == i < 0x8000, 1, 0);
    }
    wide[0] = 0;
    for (int side = -2; side <= 1; side++) {
        for (int i = 0; i < 1 << 16; i++) {
            union {
                float value;
                uint32_t bits;
            } x = {wide[i]};
            if (isnan(wide[i])) {
                x.bits = (i & 0x8000u) << 16 | 0x7f800000 | (i & 0x3ffu) << 13 | (uint32_t) (side + 2);
            } else if (side > -2 && !isinf(wide[i])) {
                /* The step above the largest half is that below it. */
                int from = (i & 0x7fff) == 0x7bff ? i - 1 : i;
                x.value = wide[i] + (wide[from + 1] - wide[from]) / 2;
                x.bits += (uint32_t) side;
            }
            near[i] = x.value;
        }
        GIVEN(narrow_floats, .in = near, .out = again, .count = (1 << 16) - 1);
        for (int i = 0; i < (1 << 16) - 1; i++) {
            int up = side == 1 || (side == 0 && i % 2 == 1);
            int expected = isnan(wide[i]) ? i | 0x200 : isinf(wide[i]) || side == -2 ? i : i + up;
            expect("float to half", side, i, expected, again[i], 0);
        }
    }
}

int main(void) {
    check_halves();
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 13, 16, 17, 33};
    fill();
    for (int i = 0; i < 10; i++) {
        check_elements(sizes[i]);
        check_bytes(sizes[i]);
        check_resize(sizes[i]);
        for (int j = 0; j < 10; j++) {
            check_reductions(sizes[i], sizes[j]);
            check_normalization(sizes[i], sizes[j]);
            check_layout(sizes[i], sizes[j], 1, 4);
            check_layout(sizes[i], sizes[j], sizes[i], 1);
            check_layout(sizes[i], sizes[j], sizes[i], 8);
        }
        for (int size = 1; size <= 32; size *= 2) {
            check_group_normalization(size, LANES > 8 ? LANES : 8, sizes[i]);
        }
        check_pool(sizes[i], 9, 3, 1 + i % 2);
        check_pool(sizes[i], 10, 2, 2);
        check_pool(sizes[i], 9, 0, 4);
        check_pool(sizes[i], 3, 0, 5);
    }
    return failures != 0;
}
