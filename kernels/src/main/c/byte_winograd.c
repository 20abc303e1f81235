/*
 * Convolutions of bytes by 3x3 taps, stride 1 and one group, with fewer products and the same sums: of tiles of 2x2
 * pixels by Winograd's F(2x2, 3x3), 16 products where the plain sum has 36 (Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2015, section 4.1). Everything is whole numbers: inputs become differences and sums
 * of 11 bits and a sign, weights, four times as large as they are so that no half is lost, ones of 11 bits and a sign,
 * and what comes of their products is four times the sum, modulo 2^32, which holds it.
 */
#include "call.h"
#include "integers.h"
#include "isa.h"
#include "requantize.h"
#include "runs.h"

EXPORT int32_t NAME(has_byte_winograd)(void) {
#if defined(MULTIPLIES_WORDS)
    return 1;
#else
    return 0;
#endif
}

#if defined(MULTIPLIES_WORDS)

#define POINTS 16
/* Input pixels that a tile reads, from the first on in steps of 2: 4 a side. */
#define SIDE 4
/* Channels that are transformed at once. */
#define TRANSFORMED WORDS

typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef int16_t words __attribute__((vector_size(4 * LANES)));
/* Modulo 2^32. */
typedef uint32_t numbers __attribute__((vector_size(4 * LANES)));

/* Tiles that a product takes at once read those of a band that are not there: it has memory for them. */
static int64_t band_tiles(const struct byte_winograd *p) {
    return p->band < PIXELS ? PIXELS : p->band;
}

struct points {
    uint8_t *zeros; /* a pixel of zero points */
    int16_t *inputs; /* [point][tile][channel] */
    int32_t *products; /* [point][tile][PANEL] */
};

static struct points points_in(const struct byte_winograd *p, uint8_t *scratch) {
    struct points at;
    at.products = (int32_t *) scratch;
    at.inputs = (int16_t *) (at.products + POINTS * PANEL * band_tiles(p));
    at.zeros = (uint8_t *) (at.inputs + POINTS * band_tiles(p) * p->in_channels);
    return at;
}

KERNEL(byte_winograd_scratch) {
    const struct byte_winograd *p = call->plan;
    *call->result = POINTS * band_tiles(p) * (4 * PANEL + 2 * (int64_t) p->in_channels) + p->in_channels;
}

/* The same difference and sums of four rows, or columns: B of the paper, transposed. */
INLINE void transform_four(const words *d, int step, words *t) {
    t[0] = d[0] - d[2 * step];
    t[1] = d[step] + d[2 * step];
    t[2] = d[2 * step] - d[step];
    t[3] = d[step] - d[3 * step];
}

/* The points of tile `index` of a band, in row `row` and column `col` of the image's tiles. */
INLINE void transform_tile(const struct byte_winograd *p, const uint8_t *in, int32_t row, int32_t col,
        const struct points *at, int64_t index) {
    const int64_t c = p->in_channels, point = band_tiles(p) * c;
    const words flip = (words) all_words(p->signed_input ? 128 : 0);
    const uint8_t *pixel[SIDE * SIDE];
    UNROLLED
    for (int i = 0; i < SIDE * SIDE; i++) {
        int32_t y = 2 * row - p->pad_top + i / SIDE, x = 2 * col - p->pad_left + i % SIDE;
        pixel[i] = y >= 0 && y < p->in_h && x >= 0 && x < p->in_w ? in + ((int64_t) y * p->in_w + x) * c : at->zeros;
    }
    int16_t *out = at->inputs + index * c;
    for (int64_t channel = 0; channel < c; channel += TRANSFORMED) {
        words columns[SIDE * SIDE];
        UNROLLED
        for (int x = 0; x < SIDE; x++) {
            words d[SIDE];
            UNROLLED
            for (int y = 0; y < SIDE; y++) {
                d[y] = (words) words_of_bytes(pixel[y * SIDE + x] + channel) ^ flip;
            }
            transform_four(d, 1, columns + x * SIDE);
        }
        UNROLLED
        for (int y = 0; y < SIDE; y++) {
            words t[SIDE];
            transform_four(columns + y, SIDE, t);
            UNROLLED
            for (int x = 0; x < SIDE; x++) {
                store_words(out + (y * SIDE + x) * point + channel, (sums) t[x]);
            }
        }
    }
}

/* PIXELS tiles from x on, one point of each, by a panel's weights for it. */
SEPARATE void multiply_point(const int16_t *x, int64_t channels, const int16_t *w, int32_t *out) {
    sums sum[PIXELS][VECTORS];
    UNROLLED
    for (int i = 0; i < PIXELS; i++) {
        UNROLLED
        for (int v = 0; v < VECTORS; v++) {
            sum[i][v] = all_words(0);
        }
    }
    const int64_t stride = 2 * channels;
    const uint8_t *from[(PIXELS + 2) / 3];
    UNROLLED
    for (int i = 0; i < PIXELS; i += 3) {
        from[i / 3] = (const uint8_t *) x + i * stride;
    }
    for (int64_t k = 0; k < channels; k += 4, w += 4 * PANEL) {
        UNROLLED
        for (int pair = 0; pair < 2; pair++) {
            sums wv[VECTORS];
            UNROLLED
            for (int v = 0; v < VECTORS; v++) {
                wv[v] = load_words(w + pair * 2 * PANEL + v * WORDS);
            }
            UNROLLED
            for (int i = 0; i < PIXELS; i++) {
                sums broadcast = quad_at(from[i / 3], stride, i % 3, 4 * pair);
                UNROLLED
                for (int v = 0; v < VECTORS; v++) {
                    sum[i][v] = dot_wide(sum[i][v], broadcast, wv[v]);
                }
            }
        }
        UNROLLED
        for (int i = 0; i < PIXELS; i += 3) {
            from[i / 3] += 8;
        }
    }
    UNROLLED
    for (int i = 0; i < PIXELS; i++) {
        UNROLLED
        for (int v = 0; v < VECTORS; v++) {
            store_words(out + i * PANEL + v * LANES, sum[i][v]);
        }
    }
}

/* A of the paper, transposed: of four to two. */
INLINE void gather_two(const numbers *m, int step, numbers *a) {
    a[0] = m[0] + m[step] + m[2 * step];
    a[1] = m[step] - m[2 * step] - m[3 * step];
}

/* The outputs of a tile, of one panel's channels, of which `left` are there. */
INLINE void finish_tile(const struct byte_winograd *p, const int32_t *products, int64_t point, int32_t row, int32_t col,
        int32_t channel, const enum rescaling rounding, uint8_t *out) {
    const int32_t left = p->channels - channel;
    sums result[4][VECTORS];
    UNROLLED
    for (int v = 0; v < VECTORS; v++) {
        numbers rows[2 * SIDE];
        UNROLLED
        for (int x = 0; x < SIDE; x++) {
            numbers m[SIDE], a[2];
            UNROLLED
            for (int y = 0; y < SIDE; y++) {
                m[y] = (numbers) load_sums(products + (y * SIDE + x) * point + v * LANES);
            }
            gather_two(m, 1, a);
            rows[x] = a[0];
            rows[SIDE + x] = a[1];
        }
        const numbers bias = (numbers) load_sums(p->bias + channel + v * LANES);
        UNROLLED
        for (int y = 0; y < 2; y++) {
            numbers a[2];
            gather_two(rows + y * SIDE, 1, a);
            UNROLLED
            for (int x = 0; x < 2; x++) {
                sums sum = (sums) ((numbers) ((ints) a[x] >> 2) + bias);
                result[y * 2 + x][v] = rescaled(&p->rule, rounding, channel + v * LANES, sum);
            }
        }
    }
    UNROLLED
    for (int y = 0; y < 2; y++) {
        bytes packed = pack(&p->rule.limits[rounding], rounding, result[2 * y][0], result[2 * y][1],
                result[2 * y + 1][0], result[2 * y + 1][1]);
        for (int x = 0; x < 2; x++) {
            if (2 * row + y < p->out_h && 2 * col + x < p->out_w) {
                int64_t pixel = (int64_t) (2 * row + y) * p->out_w + 2 * col + x;
                store_part(packed, x, VECTORS, out + pixel * p->channels + channel, left);
            }
        }
    }
}

KERNEL(byte_winograd) {
    const struct byte_winograd copy_of_plan = *call->plan, *p = &copy_of_plan;
    const struct points at = points_in(p, call->scratch);
    const int32_t across = (p->out_w + 1) / 2;
    const int64_t c = p->in_channels, tiles = band_tiles(p);
    fill(at.zeros, c, p->zero_point);
    for (int32_t first = call->tile; first < call->tile_end; first += p->band) {
        const int32_t count = least(call->tile_end - first, p->band);
        for (int32_t i = 0; i < count; i++) {
            transform_tile(p, call->in, (first + i) / across, (first + i) % across, &at, i);
        }
        for (int32_t panel = call->panel; panel < call->panel_end; panel++) {
            for (int32_t point = 0; point < POINTS; point++) {
                const int16_t *w = p->weights + (panel * (int64_t) POINTS + point) * c * PANEL;
                for (int32_t i = 0; i < count; i += PIXELS) {
                    /* The last ones are taken with some of those before, where there are as many. */
                    int32_t tile = i + PIXELS <= count || count < PIXELS ? i : count - PIXELS;
                    multiply_point(
                            at.inputs + (point * tiles + tile) * c, c, w, at.products + (point * tiles + tile) * PANEL);
                }
            }
            const enum rescaling rounding = p->rule.rounding[panel];
            for (int32_t i = 0; i < count; i++) {
                const int32_t *products = at.products + i * PANEL;
                int32_t row = (first + i) / across, col = (first + i) % across;
                if (rounding == RESCALING_FUSED) {
                    finish_tile(p, products, tiles * PANEL, row, col, panel * PANEL, RESCALING_FUSED, call->out);
                } else {
                    finish_tile(p, products, tiles * PANEL, row, col, panel * PANEL, rounding, call->out);
                }
            }
        }
    }
}

/* Twice G of the paper: of three to four. */
static void spread_three(const int32_t *g, int step, int32_t *u) {
    u[0] = 2 * g[0];
    u[1] = g[0] + g[step] + g[2 * step];
    u[2] = g[0] - g[step] + g[2 * step];
    u[3] = 2 * g[2 * step];
}

KERNEL(byte_winograd_pack) {
    const int32_t inputs = call->inputs;
    for (int32_t o = 0; o < call->channels; o++) {
        for (int32_t c = 0; c < inputs; c++) {
            const uint8_t *from = call->weights + ((int64_t) o * inputs + c) * 9;
            int32_t taps[9], rows[3 * SIDE];
            for (int t = 0; t < 9; t++) {
                taps[t] = (int8_t) (from[t] - call->zeros[o]);
            }
            for (int x = 0; x < 3; x++) {
                spread_three(taps + x, 3, rows + x * SIDE);
            }
            for (int y = 0; y < SIDE; y++) {
                int32_t u[SIDE];
                spread_three(rows + y, SIDE, u);
                for (int x = 0; x < SIDE; x++) {
                    int64_t pair = ((o / PANEL * (int64_t) POINTS + y * SIDE + x) * inputs + c / 2 * 2) / 2;
                    call->packed[(pair * PANEL + o % PANEL) * 2 + c % 2] = (int16_t) u[x];
                }
            }
        }
    }
}

#endif
