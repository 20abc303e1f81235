/*
 * Convolutions of bytes by 3x3 taps, stride 1 and one group, with fewer products and the same sums: of tiles of 2x2
 * pixels by Winograd's F(2x2, 3x3), 16 products where the plain sum has 36, or of 4x4 by F(4x4, 3x3), 36 for 144 (Lavin
 * and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, section 4). Everything is whole numbers.
 *
 * Of a tile of 2x2 inputs become differences and sums of 11 bits and a sign, weights, four times as large as they are
 * so that no half is lost, ones of 11 bits and a sign, and what comes of their products is four times the sum, modulo
 * 2^32, which holds it.
 *
 * Of a tile of 4x4 no point's weights are divided: inputs are at most 50 times 255, weights at most 49 times 128, and
 * how much larger a point's weights are, which differs, is made good behind the products by multiples that have one
 * denominator, 24 a side. That gives 576 times the sum, modulo 2^32: 9 has an inverse, and of a sum below 2^25, which
 * the plan says it is, 64 loses nothing.
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

/* Input pixels a side that tiles read, and points. */
#define SIDE_OF(tile) ((tile) + 2)
#define POINTS_OF(tile) (SIDE_OF(tile) * SIDE_OF(tile))
#define LARGEST_TILE 4
#define MOST_SIDE SIDE_OF(LARGEST_TILE)
#define MOST_POINTS POINTS_OF(LARGEST_TILE)
/* What multiplied by 9 is 1 modulo 2^32. */
#define INVERSE_OF_9 0x38e38e39u
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
    at.inputs = (int16_t *) (at.products + POINTS_OF(p->tile) * PANEL * band_tiles(p));
    at.zeros = (uint8_t *) (at.inputs + POINTS_OF(p->tile) * band_tiles(p) * p->in_channels);
    return at;
}

KERNEL(byte_winograd_scratch) {
    const struct byte_winograd *p = call->plan;
    *call->result = POINTS_OF(p->tile) * band_tiles(p) * (4 * PANEL + 2 * (int64_t) p->in_channels) + p->in_channels;
}

/* The same differences and sums of a tile's rows, or columns: B of the paper, transposed. */
INLINE void transform_inputs(const int tile, const words *d, int step, words *t) {
    if (tile == 2) {
        t[0] = d[0] - d[2 * step];
        t[1] = d[step] + d[2 * step];
        t[2] = d[2 * step] - d[step];
        t[3] = d[step] - d[3 * step];
        return;
    }
    const words even = d[4 * step] - 4 * d[2 * step], odd = d[3 * step] - 4 * d[step];
    const words near = d[4 * step] - d[2 * step], far = 2 * (d[3 * step] - d[step]);
    t[0] = 4 * (d[0] - d[2 * step]) + near;
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = near + far;
    t[4] = near - far;
    t[5] = 4 * (d[step] - d[3 * step]) + d[5 * step] - d[3 * step];
}

/* The points of tile `index` of a band, in row `row` and column `col` of the image's tiles. */
INLINE void transform_tile(const struct byte_winograd *p, const int tile, const uint8_t *in, int32_t row, int32_t col,
        const struct points *at, int64_t index) {
    const int side = SIDE_OF(tile);
    const int64_t c = p->in_channels, point = band_tiles(p) * c;
    const words flip = (words) all_words(p->signed_input ? 128 : 0);
    const uint8_t *pixel[MOST_POINTS];
    UNROLLED
    for (int i = 0; i < side * side; i++) {
        int32_t y = tile * row - p->pad_top + i / side, x = tile * col - p->pad_left + i % side;
        pixel[i] = y >= 0 && y < p->in_h && x >= 0 && x < p->in_w ? in + ((int64_t) y * p->in_w + x) * c : at->zeros;
    }
    int16_t *out = at->inputs + index * c;
    for (int64_t channel = 0; channel < c; channel += TRANSFORMED) {
        words columns[MOST_POINTS];
        UNROLLED
        for (int x = 0; x < side; x++) {
            words d[MOST_SIDE];
            UNROLLED
            for (int y = 0; y < side; y++) {
                d[y] = (words) words_of_bytes(pixel[y * side + x] + channel) ^ flip;
            }
            transform_inputs(tile, d, 1, columns + x * side);
        }
        UNROLLED
        for (int y = 0; y < side; y++) {
            words t[MOST_SIDE];
            transform_inputs(tile, columns + y, side, t);
            UNROLLED
            for (int x = 0; x < side; x++) {
                store_words(out + (y * side + x) * point + channel, (sums) t[x]);
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

/* A of the paper, transposed: of a tile's points to its pixels, 24 times as large for a tile of 4. */
INLINE void gather_outputs(const int tile, const numbers *m, int step, numbers *a) {
    if (tile == 2) {
        a[0] = m[0] + m[step] + m[2 * step];
        a[1] = m[step] - m[2 * step] - m[3 * step];
        return;
    }
    const numbers near = 4 * (m[step] + m[2 * step]), apart = 4 * (m[step] - m[2 * step]);
    const numbers far = m[3 * step] + m[4 * step], far_apart = 2 * (m[3 * step] - m[4 * step]);
    a[0] = 6 * m[0] - near + far;
    a[1] = far_apart - apart;
    a[2] = 4 * far - near;
    a[3] = 4 * far_apart - apart + 24 * m[5 * step];
}

/* The sum that has become 4 or 576 times as large, modulo 2^32. */
INLINE numbers sum_of_gathered(const int tile, numbers x) {
    return tile == 2 ? (numbers) ((ints) x >> 2) : (numbers) ((ints) (x * INVERSE_OF_9) >> 6);
}

/* The outputs of a tile, of one panel's channels, of which `left` are there. */
INLINE void finish_tile(const struct byte_winograd *p, const int tile, const int32_t *products, int64_t point,
        int32_t row, int32_t col, int32_t channel, const enum rescaling rounding, uint8_t *out) {
    const int side = SIDE_OF(tile);
    const int32_t left = p->channels - channel;
    sums result[LARGEST_TILE * LARGEST_TILE][VECTORS];
    UNROLLED
    for (int v = 0; v < VECTORS; v++) {
        numbers rows[LARGEST_TILE * MOST_SIDE];
        UNROLLED
        for (int x = 0; x < side; x++) {
            numbers m[MOST_SIDE], a[LARGEST_TILE];
            UNROLLED
            for (int y = 0; y < side; y++) {
                m[y] = (numbers) load_sums(products + (y * side + x) * point + v * LANES);
            }
            gather_outputs(tile, m, 1, a);
            UNROLLED
            for (int y = 0; y < tile; y++) {
                rows[y * side + x] = a[y];
            }
        }
        const numbers bias = (numbers) load_sums(p->bias + channel + v * LANES);
        UNROLLED
        for (int y = 0; y < tile; y++) {
            numbers a[LARGEST_TILE];
            gather_outputs(tile, rows + y * side, 1, a);
            UNROLLED
            for (int x = 0; x < tile; x++) {
                sums sum = (sums) (sum_of_gathered(tile, a[x]) + bias);
                result[y * tile + x][v] = rescaled(&p->rule, rounding, channel + v * LANES, sum);
            }
        }
    }
    UNROLLED
    for (int i = 0; i < tile * tile; i += 2) {
        bytes packed = pack(
                &p->rule.limits[rounding], rounding, result[i][0], result[i][1], result[i + 1][0], result[i + 1][1]);
        UNROLLED
        for (int next = 0; next < 2; next++) {
            const int32_t y = tile * row + i / tile, x = tile * col + i % tile + next;
            if (y < p->out_h && x < p->out_w) {
                int64_t pixel = (int64_t) y * p->out_w + x;
                store_part(packed, next, VECTORS, out + pixel * p->channels + channel, left);
            }
        }
    }
}

SEPARATE void transform_band(const struct byte_winograd *p, const uint8_t *in, int32_t first, int32_t count,
        int32_t across, const struct points *at) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = (first + i) / across, col = (first + i) % across;
        if (p->tile == 2) {
            transform_tile(p, 2, in, row, col, at, i);
        } else {
            transform_tile(p, LARGEST_TILE, in, row, col, at, i);
        }
    }
}

#define FINISH(suffix, rounding) \
    SEPARATE void finish_##suffix(const struct byte_winograd *p, const int32_t *products, int64_t point, int32_t row, \
            int32_t col, int32_t channel, uint8_t *out) { \
        if (p->tile == 2) { \
            finish_tile(p, 2, products, point, row, col, channel, rounding, out); \
        } else { \
            finish_tile(p, LARGEST_TILE, products, point, row, col, channel, rounding, out); \
        } \
    }

FINISH(fused, RESCALING_FUSED)
FINISH(otherwise, p->rule.rounding[channel / PANEL])

KERNEL(byte_winograd) {
    const struct byte_winograd copy_of_plan = *call->plan, *p = &copy_of_plan;
    const struct points at = points_in(p, call->scratch);
    const int32_t across = quotient_up(p->out_w, p->tile), points = POINTS_OF(p->tile);
    const int64_t c = p->in_channels, tiles = band_tiles(p);
    fill(at.zeros, c, p->zero_point);
    for (int32_t first = call->tile; first < call->tile_end; first += p->band) {
        const int32_t count = least(call->tile_end - first, p->band);
        transform_band(p, call->in, first, count, across, &at);
        for (int32_t panel = call->panel; panel < call->panel_end; panel++) {
            for (int32_t point = 0; point < points; point++) {
                const int16_t *w = p->weights + (panel * (int64_t) points + point) * c * PANEL;
                for (int32_t i = 0; i < count; i += PIXELS) {
                    /* The last ones are taken with some of those before, where there are as many. */
                    int32_t tile = i + PIXELS <= count || count < PIXELS ? i : count - PIXELS;
                    multiply_point(
                            at.inputs + (point * tiles + tile) * c, c, w, at.products + (point * tiles + tile) * PANEL);
                }
            }
            for (int32_t i = 0; i < count; i++) {
                (p->rule.rounding[panel] == RESCALING_FUSED ? finish_fused : finish_otherwise)(p,
                        at.products + i * PANEL, tiles * PANEL, (first + i) / across, (first + i) % across,
                        panel * PANEL, call->out);
            }
        }
    }
}

/* The points of three weights, or rows of them: G of the paper, twice as large for a tile of 2, and without its
 * denominators for one of 4. */
static void spread_weights(int32_t tile, const int32_t *g, int step, int32_t *u) {
    const int32_t a = g[0], b = g[step], c = g[2 * step];
    if (tile == 2) {
        u[0] = 2 * a;
        u[1] = a + b + c;
        u[2] = a - b + c;
        u[3] = 2 * c;
        return;
    }
    u[0] = a;
    u[1] = a + b + c;
    u[2] = a - b + c;
    u[3] = a + 2 * b + 4 * c;
    u[4] = a - 2 * b + 4 * c;
    u[5] = c;
}

KERNEL(byte_winograd_pack) {
    const int32_t inputs = call->inputs, tile = call->tile, side = SIDE_OF(tile);
    for (int32_t o = 0; o < call->channels; o++) {
        for (int32_t c = 0; c < inputs; c++) {
            const uint8_t *from = call->weights + ((int64_t) o * inputs + c) * 9;
            int32_t taps[9], rows[3 * MOST_SIDE];
            for (int t = 0; t < 9; t++) {
                taps[t] = (int8_t) (from[t] - call->zeros[o]);
            }
            for (int x = 0; x < 3; x++) {
                spread_weights(tile, taps + x, 3, rows + x * side);
            }
            for (int y = 0; y < side; y++) {
                int32_t u[MOST_SIDE];
                spread_weights(tile, rows + y, side, u);
                for (int x = 0; x < side; x++) {
                    int64_t pair = ((o / PANEL * (int64_t) POINTS_OF(tile) + y * side + x) * inputs + c / 2 * 2) / 2;
                    call->packed[(pair * PANEL + o % PANEL) * 2 + c % 2] = (int16_t) u[x];
                }
            }
        }
    }
}

#endif
