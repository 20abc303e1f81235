/* (x - mean) / sqrt(variance + epsilon) * scale + shift, with the mean and variance of the floats themselves. */
#include "call.h"
#include "lanes.h"

/* Vectors that are added up in floats before their sum is added to one in double. */
#define STRETCH 64

/* d or its square, with zero in the lanes from `count` on. */
INLINE floats term(floats x, floats center, int squares, int32_t count) {
    floats d = count < LANES ? keep_first(x - center, count, all_floats(0)) : x - center;
    return squares ? d * d : d;
}

/* The sum over a run of what term() gives. */
INLINE double sum_of_run(const float *in, int32_t count, float center, int squares) {
    floats c = all_floats(center);
    double total = 0;
    for (int32_t i = 0; i < count;) {
        int32_t end = count - i > STRETCH * LANES ? i + STRETCH * LANES : count;
        floats v0 = all_floats(0), v1 = v0, v2 = v0, v3 = v0;
        for (; i <= end - 4 * LANES; i += 4 * LANES) {
            v0 += term(load_floats(in + i, LANES), c, squares, LANES);
            v1 += term(load_floats(in + i + LANES, LANES), c, squares, LANES);
            v2 += term(load_floats(in + i + 2 * LANES, LANES), c, squares, LANES);
            v3 += term(load_floats(in + i + 3 * LANES, LANES), c, squares, LANES);
        }
        for (; i < end; i += LANES) {
            v0 += term(load_floats(in + i, end - i), c, squares, end - i);
        }
        total += sum_of_lanes((v0 + v1) + (v2 + v3));
    }
    return total;
}

/* 1 / sqrt(variance + epsilon). */
INLINE float inverse_deviation(double variance, float epsilon) {
    return 1 / square_root(all_floats((float) (variance + epsilon)))[0];
}

static void normalize_each(
        const float *in, float *out, int32_t count, float mean, float factor, const float *scale, const float *shift) {
    floats m = all_floats(mean), f = all_floats(factor);
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t some = count - i;
        floats x = (load_floats(in + i, some) - m) * f;
        store_floats(out + i, multiply_add(x, load_floats(scale + i, some), load_floats(shift + i, some)), some);
    }
}

static void normalize_run(const float *in, float *out, int32_t count, float mean, float factor, float shift) {
    floats m = all_floats(mean), f = all_floats(factor), s = all_floats(shift);
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t some = count - i;
        store_floats(out + i, multiply_add(load_floats(in + i, some) - m, f, s), some);
    }
}

/* Counting from a row's first element keeps what is added up small. */
KERNEL(normalize_rows) {
    int32_t runs = call->runs, run = call->run, count = runs * run;
    int32_t factors = call->each ? count : runs;
    for (int32_t row = call->begin; row < call->end; row++) {
        const float *in = call->in + (int64_t) row * count;
        float *out = call->out + (int64_t) row * count;
        const float *scale = call->factors + row % call->groups * factors, *shift = scale + call->groups * factors;
        float mean = (float) (in[0] + sum_of_run(in, count, in[0], 0) / count);
        float factor = inverse_deviation(sum_of_run(in, count, mean, 1) / count, call->epsilon);
        if (call->each) {
            normalize_each(in, out, count, mean, factor, scale, shift);
            continue;
        }
        for (int32_t r = 0; r < runs; r++) {
            normalize_run(in + r * run, out + r * run, run, mean, factor * scale[r], shift[r]);
        }
    }
}

/* Lane by lane, the sum over pixels `step` apart of what term() gives. */
INLINE void sum_of_pixels(const float *in, int32_t pixels, int32_t step, floats center, int squares, double *sums) {
    for (int32_t lane = 0; lane < LANES; lane++) {
        sums[lane] = 0;
    }
    for (int32_t i = 0; i < pixels;) {
        int32_t end = pixels - i > STRETCH ? i + STRETCH : pixels;
        floats v0 = all_floats(0), v1 = v0;
        for (; i <= end - 2; i += 2) {
            v0 += term(load_floats(in + (int64_t) i * step, LANES), center, squares, LANES);
            v1 += term(load_floats(in + (int64_t) (i + 1) * step, LANES), center, squares, LANES);
        }
        if (i < end) {
            v0 += term(load_floats(in + (int64_t) i++ * step, LANES), center, squares, LANES);
        }
        v0 += v1;
        for (int32_t lane = 0; lane < LANES; lane++) {
            sums[lane] += v0[lane];
        }
    }
}

/* In each group of `size` lanes, all become the mean over the group of what they are, over `count`. */
INLINE void share(double *sums, int32_t size, double count) {
    for (int32_t lane = 0; lane < LANES; lane += size) {
        double sum = 0;
        for (int32_t i = lane; i < lane + size; i++) {
            sum += sums[i];
        }
        for (int32_t i = lane; i < lane + size; i++) {
            sums[i] = sum / (size * count);
        }
    }
}

INLINE void normalize_pixels(const float *in, float *out, int32_t pixels, int32_t step, floats mean, floats factor,
        const float *scale, const float *shift) {
    floats f = factor * load_floats(scale, LANES), s = load_floats(shift, LANES);
    for (int32_t i = 0; i < pixels; i++) {
        int64_t at = (int64_t) i * step;
        store_floats(out + at, multiply_add(load_floats(in + at, LANES) - mean, f, s), LANES);
    }
}

/* Groups of channels that share a vector. */
static void normalize_narrow(const float *in, float *out, int32_t pixels, int32_t step, int32_t size, float epsilon,
        const float *scale, const float *shift) {
    double sums[LANES];
    floats first = load_floats(in, LANES), mean, factor;
    sum_of_pixels(in, pixels, step, first, 0, sums);
    for (int32_t lane = 0; lane < LANES; lane++) {
        sums[lane] += (double) first[lane] * pixels;
    }
    share(sums, size, pixels);
    for (int32_t lane = 0; lane < LANES; lane++) {
        mean[lane] = (float) sums[lane];
    }
    sum_of_pixels(in, pixels, step, mean, 1, sums);
    share(sums, size, pixels);
    for (int32_t lane = 0; lane < LANES; lane++) {
        factor[lane] = inverse_deviation(sums[lane], epsilon);
    }
    normalize_pixels(in, out, pixels, step, mean, factor, scale, shift);
}

/* A group of `vectors` whole vectors of channels. */
static void normalize_wide(const float *in, float *out, int32_t pixels, int32_t step, int32_t vectors, float epsilon,
        const float *scale, const float *shift) {
    double sums[LANES], total = 0, count = (double) vectors * LANES * pixels;
    int32_t each = step / LANES;
    floats first = all_floats(in[0]);
    for (int32_t v = 0; v < vectors; v++) {
        sum_of_pixels(in + (int64_t) (v / each) * pixels * step + v % each * LANES, pixels, step, first, 0, sums);
        share(sums, LANES, 1);
        total += sums[0] * LANES;
    }
    floats mean = all_floats((float) (in[0] + total / count));
    total = 0;
    for (int32_t v = 0; v < vectors; v++) {
        sum_of_pixels(in + (int64_t) (v / each) * pixels * step + v % each * LANES, pixels, step, mean, 1, sums);
        share(sums, LANES, 1);
        total += sums[0] * LANES;
    }
    floats factor = all_floats(inverse_deviation(total / count, epsilon));
    for (int32_t v = 0; v < vectors; v++) {
        int64_t at = (int64_t) (v / each) * pixels * step + v % each * LANES;
        normalize_pixels(in + at, out + at, pixels, step, mean, factor, scale + v * LANES, shift + v * LANES);
    }
}

KERNEL(normalize_blocks) {
    int32_t size = call->size, block = call->block, pixels = call->pixels;
    int32_t channels = size > block ? size : block;
    for (int32_t unit = call->begin; unit < call->end; unit++) {
        const float *in = call->in + (int64_t) unit * channels * pixels;
        float *out = call->out + (int64_t) unit * channels * pixels;
        const float *scale = call->factors + unit * channels, *shift = scale + call->blocks * block;
        if (size >= LANES) {
            for (int32_t c = 0; c < channels; c += size) {
                normalize_wide(in + c, out + c, pixels, block, size / LANES, call->epsilon, scale + c, shift + c);
            }
            continue;
        }
        for (int32_t c = 0; c < block; c += LANES) {
            normalize_narrow(in + c, out + c, pixels, block, size, call->epsilon, scale + c, shift + c);
        }
    }
}
