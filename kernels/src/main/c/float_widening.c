#include "float_conv.h"
#include "float_depthwise.h"

static void add_halves(const float *halves, int64_t count, float *sum) {
    const float *other = halves + count;
    int64_t i = 0;
    for (; i + FLOAT_LANES <= count; i += FLOAT_LANES) {
        vec_store(sum + i, vec_add(vec_load(halves + i), vec_load(other + i)));
    }
    for (; i < count; i++) {
        sum[i] = halves[i] + other[i];
    }
}

/* The means of some blocks of channels. */
static void find_means(const float *image, int64_t pixels, int32_t blocks, float *means) {
    for (int32_t block = 0; block < blocks; block++, image += pixels * FLOAT_LANES) {
        vec even = vec_all(0), odd = vec_all(0);
        int64_t i = 0;
        for (; i + 2 <= pixels; i += 2) {
            even = vec_add(even, vec_load(image + i * FLOAT_LANES));
            odd = vec_add(odd, vec_load(image + (i + 1) * FLOAT_LANES));
        }
        if (i < pixels) {
            even = vec_add(even, vec_load(image + i * FLOAT_LANES));
        }
        vec_store(means + block * FLOAT_LANES, vec_mul(vec_add(even, odd), vec_all(1.0f / (float) pixels)));
    }
}

/* Vectors of columns that are multiplied together: rows are read in long runs. */
#define COLUMNS 4

INLINE void some_columns(
        const int vectors, const float *factors, int32_t count, const float *rows, int32_t columns, float *product) {
    vec sum[COLUMNS];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        sum[v] = vec_all(0);
    }
    for (int32_t i = 0; i < count; i++, rows += columns) {
        vec factor = vec_all(factors[i]);
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sum[v] = vec_fma(sum[v], factor, vec_load(rows + v * FLOAT_LANES));
        }
    }
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        vec_store(product + v * FLOAT_LANES, sum[v]);
    }
}

/* The product of as many factors and rows. */
static void multiply(const float *factors, int32_t count, const float *rows, int32_t columns, float *product) {
    int32_t at = 0;
    for (; at + COLUMNS * FLOAT_LANES <= columns; at += COLUMNS * FLOAT_LANES) {
        some_columns(COLUMNS, factors, count, rows + at, columns, product + at);
    }
    for (; at < columns; at += FLOAT_LANES) {
        some_columns(1, factors, count, rows + at, columns, product + at);
    }
}

/* Leaves the means of a panel of an image, or its part of their product with the matrix; block is its first. */
static void reduce(const struct float_widening *w, int32_t block, int32_t blocks, const float *image, float *out) {
    const struct float_conv *e = w->expand;
    int64_t pixels = w->depthwise ? (int64_t) w->depthwise->out_h * w->depthwise->out_w : e->cols;
    int32_t channel = block * FLOAT_LANES;
    int32_t count = e->outs - channel < FLOAT_PANEL ? e->outs - channel : FLOAT_PANEL;
    float means[FLOAT_PANEL];
    find_means(image + channel * pixels, pixels, blocks, means);
    if (w->squeeze) {
        multiply(means, count, w->squeeze + (int64_t) channel * w->squeezed, w->squeezed,
                out + w->squeezed_at + (int64_t) block / FLOAT_VECTORS * w->squeezed);
    }
    for (int32_t i = 0; w->means && i < count; i++) {
        out[channel + i] = means[i];
    }
}

EXPORT void NAME(float_widening)(const struct float_widening *w, const float *in, int64_t in_offset,
        const float *residual, int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin,
        int32_t end) {
    (void) residual, (void) residual_offset;
    const struct float_depthwise *d = w->depthwise;
    int32_t blocks = (w->expand->outs + FLOAT_LANES - 1) / FLOAT_LANES;
    in += in_offset;
    if (w->half) {
        if (!w->resumed) {
            add_halves(in, w->half, scratch);
        }
        in = scratch;
    }
    for (int32_t panel = begin; panel < end; panel++) {
        int32_t block = panel * FLOAT_VECTORS;
        int32_t block_end = block + FLOAT_VECTORS < blocks ? block + FLOAT_VECTORS : blocks;
        struct float_part part = {0, w->expand->rows, 0, w->expand->cols, panel, panel + 1};
        /* What reads it counts from the first block, too, which is not there. */
        float *wide = d || w->means ? scratch + w->half - block * w->expand->out_plane : out + out_offset;
        NAME(float_part)(w->expand, in, 0, wide, &part);
        if (d) {
            NAME(float_depthwise)(d, wide, 0, 0, 0, out, out_offset, 0, block, block_end);
        }
        if (w->squeeze || w->means) {
            reduce(w, block, block_end - block, w->means ? wide : out + out_offset, out + out_offset);
        }
    }
}
