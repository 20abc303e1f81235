#include "float_tile.h"
#include "integers.h"
#include "runs.h"

/*
 * Winograd's minimal filtering as Lavin and Gray describe it (Fast Algorithms for Convolutional Neural Networks, 2015,
 * section 4): tiles of the input and the filters are taken to points, where a convolution is a product of each point by
 * itself, that is a matrix product over channels for each point, and what comes of it is taken back. A tile of 2x2
 * pixels needs 16 products for 36, one of 4x4 needs 36 for 144.
 */

/* Taps along one dimension. */
#define WINOGRAD_TAPS 3

/*
 * The points of the larger tile are 0, +-NEAR, +-FAR and infinity. Of pairs of points these, whose product is 1, had
 * the least error: half of that of the usual 1 and 2, twice that of sums of products one by one (root mean square over
 * random images and filters).
 */
#define NEAR 0.70710678118654752f
#define FAR 1.41421356237309505f
/* Of the larger tile. */
#define MOST_POINTS 6

/* One column or row of input pixels to points. */
INLINE void to_points(const int tile, const vec *d, vec *t) {
    if (tile == 2) {
        t[0] = vec_sub(d[0], d[2]);
        t[1] = vec_add(d[1], d[2]);
        t[2] = vec_sub(d[2], d[1]);
        t[3] = vec_sub(d[1], d[3]);
    } else {
        vec less_half = vec_all(-0.5f), less_two = vec_all(-2), less_more = vec_all(-2.5f), near = vec_all(NEAR),
            far = vec_all(FAR);
        vec odd = vec_fma(d[3], d[1], less_two), far_odd = vec_fma(d[3], d[1], less_half);
        vec even = vec_fma(d[4], d[2], less_two), far_even = vec_fma(d[4], d[2], less_half);
        t[0] = vec_fma(vec_add(d[0], d[4]), d[2], less_more);
        t[1] = vec_fma(even, odd, near);
        t[2] = vec_fnma(even, odd, near);
        t[3] = vec_fma(far_even, far_odd, far);
        t[4] = vec_fnma(far_even, far_odd, far);
        t[5] = vec_fma(vec_add(d[1], d[5]), d[3], less_more);
    }
}

/* One column or row of a filter to points. */
INLINE void filter_to_points(const int tile, const vec *g, vec *t) {
    vec zero = vec_all(0);
    t[0] = g[0];
    t[tile + 1] = g[2];
    if (tile == 2) {
        vec half = vec_all(0.5f), outer = vec_add(g[0], g[2]);
        t[1] = vec_fma(zero, vec_add(outer, g[1]), half);
        t[2] = vec_fma(zero, vec_sub(outer, g[1]), half);
    } else {
        vec third = vec_all(1.0f / 3), less_third = vec_all(-1.0f / 3), sixth = vec_all(1.0f / 6),
            two_thirds = vec_all(-2.0f / 3);
        vec even = vec_fma(vec_fma(zero, g[2], less_third), g[0], two_thirds);
        vec far_even = vec_fma(vec_fma(zero, g[2], third), g[0], sixth);
        t[1] = vec_fma(even, g[1], vec_all(-2 * NEAR / 3));
        t[2] = vec_fma(even, g[1], vec_all(2 * NEAR / 3));
        t[3] = vec_fma(far_even, g[1], vec_all(FAR / 6));
        t[4] = vec_fma(far_even, g[1], vec_all(-FAR / 6));
    }
}

/* One column or row of points to output pixels. */
INLINE void from_points(const int tile, const vec *t, vec *y) {
    vec sum = vec_add(t[1], t[2]), difference = vec_sub(t[1], t[2]);
    if (tile == 2) {
        y[0] = vec_add(t[0], sum);
        y[1] = vec_sub(difference, t[3]);
    } else {
        vec far = vec_add(t[3], t[4]), far_difference = vec_sub(t[3], t[4]);
        y[0] = vec_add(vec_add(t[0], sum), far);
        vec scaled = vec_fma(t[5], far_difference, vec_all(2 * FAR)), near = vec_all(NEAR), zero = vec_all(0);
        y[1] = vec_fma(vec_fma(zero, difference, near), far_difference, vec_all(FAR));
        y[2] = vec_fma(vec_fma(zero, sum, vec_all(0.5f)), far, vec_all(2));
        y[3] = vec_fma(scaled, difference, vec_all(NEAR / 2));
    }
}

/* Tiles [first, end), counted row by row, and where their points are. */
struct band {
    int32_t first, end;
    int32_t cols; /* tiles of a row of the output */
    int64_t in_plane; /* from a point of the inputs to the next: [point][block][tile][FLOAT_LANES] */
    int64_t out_plane; /* of the outputs: [point][tile][FLOAT_PANEL] */
};

/* The first tile of a band; the longer bands come first. */
static inline int32_t first_of(int64_t tiles, int32_t band, int32_t bands) {
    return (int32_t) ((tiles * band + bands - 1) / bands);
}

/* How many tiles of a band from one of them on are in the same row. */
static inline int32_t beside(const struct band *b, int32_t at) {
    return least(b->cols - at % b->cols, b->end - at);
}

static const float zeros[FLOAT_LANES];

/* The rows of input under a row of tiles; those outside the image are one vector of zeros. */
struct rows {
    const float *first[MOST_POINTS];
    int64_t pixel[MOST_POINTS];
    int32_t width;
};

INLINE void column_to_points(const int tile, const struct rows *r, int32_t x, vec *t) {
    if ((uint32_t) x >= (uint32_t) r->width) {
        UNROLLED
        for (int i = 0; i < tile + 2; i++) {
            t[i] = vec_all(0);
        }
        return;
    }
    vec d[MOST_POINTS];
    UNROLLED
    for (int i = 0; i < tile + 2; i++) {
        d[i] = vec_load(r->first[i] + x * r->pixel[i]);
    }
    to_points(tile, d, t);
}

INLINE void row_to_points(
        const int tile, const struct band *b, const struct rows *r, int32_t x, int32_t count, float *to) {
    const int points = tile + 2;
    /* Neighbouring tiles share two columns. */
    vec columns[MOST_POINTS][MOST_POINTS];
    column_to_points(tile, r, x, columns[tile]);
    column_to_points(tile, r, x + 1, columns[tile + 1]);
    for (int32_t n = 0; n < count; n++, x += tile, to += FLOAT_LANES) {
        UNROLLED
        for (int i = 0; i < points; i++) {
            columns[0][i] = columns[tile][i];
            columns[1][i] = columns[tile + 1][i];
        }
        UNROLLED
        for (int i = 2; i < points; i++) {
            column_to_points(tile, r, x + i, columns[i]);
        }
        UNROLLED
        for (int i = 0; i < points; i++) {
            vec d[MOST_POINTS], t[MOST_POINTS];
            UNROLLED
            for (int j = 0; j < points; j++) {
                d[j] = columns[j][i];
            }
            to_points(tile, d, t);
            UNROLLED
            for (int j = 0; j < points; j++) {
                vec_store(to + (i * points + j) * b->in_plane, t[j]);
            }
        }
    }
}

INLINE void band_to_points(
        const int tile, const struct float_winograd *d, const struct band *b, const float *in, float *to) {
    int64_t row = (int64_t) d->in_w * FLOAT_LANES;
    for (int32_t block = 0; block < quotient_up(d->channels, FLOAT_LANES); block++, in += d->in_h * row) {
        for (int32_t at = b->first, count; at < b->end; at += count, to += count * FLOAT_LANES) {
            count = beside(b, at);
            struct rows r = {.width = d->in_w};
            for (int i = 0; i < tile + 2; i++) {
                int32_t y = at / b->cols * tile - d->pad_top + i;
                int inside = (uint32_t) y < (uint32_t) d->in_h;
                r.first[i] = inside ? in + y * row : zeros;
                r.pixel[i] = inside ? FLOAT_LANES : 0;
            }
            row_to_points(tile, b, &r, at % b->cols * tile - d->pad_left, count, to);
        }
    }
}

/* The products of one panel: for each point, all tiles of the band by all channels. */
static void products(const struct float_winograd *d, const struct band *b, int32_t points, int32_t vectors,
        const float *in, const float *weights, float *out) {
    static const float none[FLOAT_PANEL];
    int64_t step = vectors * FLOAT_LANES;
    int32_t count = b->end - b->first;
    struct float_sum s = {.ky_end = 1,
            .kx_end = 1,
            .channels = d->channels,
            .run = FLOAT_LANES,
            .plane = (int64_t) count * FLOAT_LANES,
            .pixel = FLOAT_LANES,
            .weight_step = step,
            .ahead = d->channels * step};
    struct float_target t = {0, 0, FLOAT_PANEL, FLOAT_LANES, FLOAT_NO_ACTIVATION};
    float_tile *const *tiles = NAME(float_tiles)[vectors - 1];
    for (int32_t point = 0; point < points; point++) {
        int32_t at = 0;
        s.share = 0;
        for (int32_t left = quotient_up(count, FLOAT_PIXELS), alike; left > 0; left -= alike) {
            /* They differ by a pixel at most; the larger ones come first. */
            int32_t pixels = quotient_up(count - at, left);
            alike = count - at - (pixels - 1) * left;
            t.y = out + at * FLOAT_PANEL;
            tiles[pixels - 1](&s, in + at * FLOAT_LANES, weights, none, 0, &t, alike);
            s.share += alike;
            at += pixels * alike;
        }
        in += b->in_plane;
        weights += d->channels * step;
        out += b->out_plane;
    }
}

/* What becomes of a vector of output channels where it is stored. */
struct ending {
    vec bias, min, max;
    int hard_swish;
    int64_t row;
};

INLINE void tile_from_points(const int tile, const struct ending *e, const float *from, int64_t plane, int32_t rows,
        int32_t cols, const float *residual, float *out) {
    const int points = tile + 2;
    vec lines[MOST_POINTS][MOST_POINTS];
    UNROLLED
    for (int i = 0; i < points; i++) {
        vec t[MOST_POINTS];
        UNROLLED
        for (int j = 0; j < points; j++) {
            t[j] = vec_load(from + (i * points + j) * plane);
        }
        from_points(tile, t, lines[i]);
    }
    UNROLLED
    for (int j = 0; j < tile; j++) {
        vec t[MOST_POINTS], y[MOST_POINTS];
        UNROLLED
        for (int i = 0; i < points; i++) {
            t[i] = lines[i][j];
        }
        from_points(tile, t, y);
        UNROLLED
        for (int i = 0; i < tile; i++) {
            if (i < rows && j < cols) {
                int64_t at = i * e->row + j * FLOAT_LANES;
                vec sum = vec_add(y[i], e->bias);
                sum = residual ? vec_add(sum, vec_load(residual + at)) : sum;
                sum = e->hard_swish ? vec_hard_swish(sum) : sum;
                vec_store(out + at, vec_limit(sum, e->min, e->max));
            }
        }
    }
}

INLINE void panel_from_points(const int tile, const struct float_winograd *d, const struct band *b, int32_t panel,
        int32_t vectors, const float *from, const float *residual, float *out) {
    const struct float_activation *a = &d->activation;
    const int later = float_is_later(a);
    struct ending e = {.min = vec_all(later ? -__builtin_inff() : a->min),
            .max = vec_all(later ? __builtin_inff() : a->max),
            .hard_swish = float_is_hard_swish(a),
            .row = (int64_t) d->out_w * FLOAT_LANES};
    for (int32_t v = 0; v < vectors; v++) {
        e.bias = vec_load(d->bias + panel * FLOAT_PANEL + v * FLOAT_LANES);
        const float *points = from + v * FLOAT_LANES;
        int64_t plane = (int64_t) (panel * FLOAT_VECTORS + v) * d->out_h * e.row;
        for (int32_t index = b->first; index < b->end; index++, points += FLOAT_PANEL) {
            int32_t y = index / b->cols * tile, x = index % b->cols * tile;
            int64_t at = plane + y * e.row + x * FLOAT_LANES;
            tile_from_points(
                    tile, &e, points, b->out_plane, d->out_h - y, d->out_w - x, residual ? residual + at : 0, out + at);
            for (int32_t i = 0; later && i < least(tile, d->out_h - y); i++) {
                float_activate_later(a, out + at + i * e.row, least(tile, d->out_w - x) * FLOAT_LANES);
            }
        }
    }
}

INLINE void some_units(const int tile, const struct float_winograd *d, const float *in, const float *residual,
        float *out, float *scratch, int32_t begin, int32_t end) {
    const int32_t points = (tile + 2) * (tile + 2);
    int32_t blocks = quotient_up(d->channels, FLOAT_LANES);
    int32_t panels = quotient_up(d->outs, FLOAT_PANEL);
    int32_t chunks = quotient_up(panels, d->chunk);
    struct band b = {.cols = quotient_up(d->out_w, tile)};
    int64_t tiles = quotient_up(d->out_h, tile) * b.cols;
    float *outs = scratch;
    for (int32_t unit = begin; unit < end; unit++) {
        /* Units of one band share its inputs. */
        if (unit == begin || unit % chunks == 0) {
            b.first = first_of(tiles, unit / chunks, d->bands);
            b.end = first_of(tiles, unit / chunks + 1, d->bands);
            int64_t count = b.end - b.first;
            /* A vector more, or the points of a tile might all want the same place in the first cache. */
            b.in_plane = (blocks * count + 1) * FLOAT_LANES;
            b.out_plane = count * FLOAT_PANEL + FLOAT_LANES;
            outs = scratch + points * b.in_plane;
            if (unit % chunks == 0 || !d->resumed) {
                band_to_points(tile, d, &b, in, scratch);
            }
        }
        int32_t first = unit % chunks * d->chunk;
        for (int32_t panel = first; panel < least(first + d->chunk, panels); panel++) {
            int32_t vectors = least(FLOAT_VECTORS, quotient_up(d->outs - panel * FLOAT_PANEL, FLOAT_LANES));
            products(d, &b, points, vectors, scratch, d->weights + (int64_t) panel * points * d->channels * FLOAT_PANEL,
                    outs);
            panel_from_points(tile, d, &b, panel, vectors, outs, residual, out);
        }
    }
}

static void units_2x2(const struct float_winograd *d, const float *in, const float *residual, float *out,
        float *scratch, int32_t begin, int32_t end) {
    some_units(2, d, in, residual, out, scratch, begin, end);
}

static void units_4x4(const struct float_winograd *d, const float *in, const float *residual, float *out,
        float *scratch, int32_t begin, int32_t end) {
    some_units(4, d, in, residual, out, scratch, begin, end);
}

EXPORT void NAME(float_winograd)(const struct float_winograd *d, const float *in, int64_t in_offset,
        const float *residual, int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin,
        int32_t end) {
    const float *addend = residual ? residual + residual_offset : 0;
    if (d->tile == 2) {
        units_2x2(d, in + in_offset, addend, out + out_offset, scratch, begin, end);
    } else {
        units_4x4(d, in + in_offset, addend, out + out_offset, scratch, begin, end);
    }
}

INLINE void filters_to_points(
        const int tile, const float taps[WINOGRAD_TAPS * WINOGRAD_TAPS][FLOAT_LANES], int64_t plane, float *to) {
    const int points = tile + 2;
    vec columns[WINOGRAD_TAPS][MOST_POINTS];
    UNROLLED
    for (int x = 0; x < WINOGRAD_TAPS; x++) {
        vec g[WINOGRAD_TAPS];
        UNROLLED
        for (int y = 0; y < WINOGRAD_TAPS; y++) {
            g[y] = vec_load(taps[y * WINOGRAD_TAPS + x]);
        }
        filter_to_points(tile, g, columns[x]);
    }
    UNROLLED
    for (int i = 0; i < points; i++) {
        vec g[WINOGRAD_TAPS], t[MOST_POINTS];
        UNROLLED
        for (int x = 0; x < WINOGRAD_TAPS; x++) {
            g[x] = columns[x][i];
        }
        filter_to_points(tile, g, t);
        UNROLLED
        for (int j = 0; j < points; j++) {
            vec_store(to + (i * points + j) * plane, t[j]);
        }
    }
}

EXPORT void NAME(float_winograd_pack)(const struct float_winograd *d, const float *weights, int64_t out_step,
        int64_t channel_step, const int32_t *taps, const float *bias, float *packed, float *padded) {
    (void) taps;
    int32_t points = (d->tile + 2) * (d->tile + 2);
    for (int32_t panel = 0; panel < quotient_up(d->outs, FLOAT_PANEL); panel++) {
        int32_t lanes = least(FLOAT_PANEL, d->outs - panel * FLOAT_PANEL);
        int64_t step = quotient_up(lanes, FLOAT_LANES) * FLOAT_LANES;
        float *to = packed + (int64_t) panel * points * d->channels * FLOAT_PANEL;
        for (int32_t first = 0; first < lanes; first += FLOAT_LANES) {
            int32_t some = least(FLOAT_LANES, lanes - first);
            float lines[WINOGRAD_TAPS * WINOGRAD_TAPS][FLOAT_LANES];
            fill((uint8_t *) lines, sizeof lines, 0);
            for (int32_t c = 0; c < d->channels; c++) {
                const float *from = weights + (panel * FLOAT_PANEL + first) * out_step + c * channel_step;
                for (int32_t lane = 0; lane < some; lane++, from += out_step) {
                    for (int tap = 0; tap < WINOGRAD_TAPS * WINOGRAD_TAPS; tap++) {
                        lines[tap][lane] = from[tap];
                    }
                }
                if (d->tile == 2) {
                    filters_to_points(2, lines, d->channels * step, to + c * step + first);
                } else {
                    filters_to_points(4, lines, d->channels * step, to + c * step + first);
                }
            }
        }
        for (int32_t lane = 0; lane < lanes; lane++) {
            padded[panel * FLOAT_PANEL + lane] = bias[panel * FLOAT_PANEL + lane];
        }
    }
}
