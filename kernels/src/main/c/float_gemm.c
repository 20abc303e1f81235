#include "float_tile.h"

static const float zeros[FLOAT_PANEL];

/* Columns [col, col + width) of B as [k][padded], the rest zero. */
static void pack_b(
        const struct float_gemm *g, const float *b, int32_t col, int32_t width, int32_t padded, float *packed) {
    for (int32_t l = 0; l < g->k; l++) {
        const float *from = b + l * g->b_row + col * g->b_col;
        float *to = packed + (int64_t) l * padded;
        if (g->b_col == 1 && width == padded) {
            for (int32_t j = 0; j < padded; j += FLOAT_LANES) {
                vec_store(to + j, vec_load(from + j));
            }
            continue;
        }
        for (int32_t j = 0; j < padded; j++) {
            to[j] = j < width ? from[j * g->b_col] : 0;
        }
    }
}

/* Moves a scratch tile to C. */
static void finish(const struct float_gemm *g, const float *sums, int32_t rows, int32_t width, float *c) {
    for (int32_t i = 0; i < rows; i++, c += g->c_row) {
        for (int32_t j = 0; j < width; j++) {
            float value = g->alpha * sums[i * FLOAT_PANEL + j];
            value = g->beta == 0 ? value : value + g->beta * c[j];
            value = value < g->min ? g->min : value;
            c[j] = value > g->max ? g->max : value;
        }
    }
}

static void unit(const struct float_gemm *g, const float *a, const float *b, float *c, float *scratch, int32_t row,
        int32_t row_end, int32_t col) {
    int32_t width = g->n - col < FLOAT_PANEL ? g->n - col : FLOAT_PANEL;
    int32_t vectors = (width + FLOAT_LANES - 1) / FLOAT_LANES;
    int32_t padded = vectors * FLOAT_LANES;
    struct float_sum s = {
            .ky_end = 1, .kx_end = 1, .channels = g->k, .run = g->k, .pixel = g->a_row, .weight_step = g->b_row};
    const float *x = a + row * g->a_row;
    const float *w = b + col;
    /* B is met once by a few rows: then it is read where it is. */
    if (g->b_col != 1 || width != padded || row_end - row > 2 * FLOAT_PIXELS) {
        pack_b(g, b, col, width, padded, scratch);
        w = scratch;
        s.weight_step = padded;
    }
    if (g->a_col != 1) {
        s.run = 1;
        s.plane = g->a_col;
    }
    int direct = g->alpha == 1 && g->beta == 0 && width == padded;
    for (int32_t rows; row < row_end; row += rows, x += rows * s.pixel) {
        int32_t tiles = (row_end - row + FLOAT_PIXELS - 1) / FLOAT_PIXELS;
        rows = (row_end - row + tiles - 1) / tiles;
        float sums[FLOAT_PIXELS * FLOAT_PANEL];
        float *to = c + row * g->c_row + col;
        struct float_target t = {to, 0, g->c_row, FLOAT_LANES, {g->min, g->max, 0}};
        if (!direct) {
            t = (struct float_target) {sums, 0, FLOAT_PANEL, FLOAT_LANES, FLOAT_NO_ACTIVATION};
        }
        NAME(float_tiles)[vectors - 1][rows - 1](&s, x, w, zeros, 0, &t, 1);
        if (!direct) {
            finish(g, sums, rows, width, to);
        }
    }
}

EXPORT void NAME(float_gemm)(const struct float_gemm *g, const float *a, int64_t a_offset, const float *b,
        int64_t b_offset, float *c, int64_t c_offset, float *scratch, int32_t begin, int32_t end) {
    int32_t panels = (g->n + FLOAT_PANEL - 1) / FLOAT_PANEL;
    for (int32_t index = begin; index < end; index++) {
        int32_t row = index / panels * g->unit_rows;
        int32_t row_end = row + g->unit_rows < g->m ? row + g->unit_rows : g->m;
        unit(g, a + a_offset, b + b_offset, c + c_offset, scratch, row, row_end, index % panels * FLOAT_PANEL);
    }
}
