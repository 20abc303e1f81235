/*
 * The convolutions of dense.c by the processor's tile registers: two tiles of up to 16 positions by two of 16 channels,
 * 64 bytes of depth an instruction. Plans are those of dense.c whose runs are 16 quads or fewer, or a multiple of 16.
 * Images that a kernel does not read pixel by pixel are staged, see staging.h.
 */
#include "call.h"
#include "isa.h"
#include "requantize.h"
#include "tiles.h"

#if defined(ISA_AVX512VNNI) && defined(HAVE_TILES)

#include "staging.h"

/* A cache line for struct kept. */
#define KEPT_BYTES 64
#define SUMS_BYTES (2 * TILE_ROWS * PANEL * 4)
#define BOUNCE_BYTES (TILE_ROWS * PANEL)
/* A tile of fewer positions takes as long as one of these. */
#define LEAST_ROWS 9

/* Weights that stay in the nearest cache while a tile of pixels meets all of them; of more, the panels pass one after
 * the other. */
#define NEAR_WEIGHTS (24 * 1024)

/* Pixels of fewer bytes seldom lie in two cache lines. */
#define LEAST_ALIGNED 33

/* Positions that are multiplied: lines of them, each cut into tiles of equal height, the last of which may overlap the
 * one before. */
struct grid {
    const uint8_t *in;
    int64_t pixel; /* bytes from a position to the next */
    int64_t line; /* from a line to the next */
    const uint8_t *end; /* of what may be read */
    int32_t lines;
    int32_t length;
    int32_t tiles;
    int32_t height;
    int32_t wrap; /* positions of an output row and what lies between it and the next; 0 where a line is one output row
                   */
};

/* The output rows whose input was staged last. */
struct kept {
    int32_t row, rows;
};

struct work {
    struct kept *kept;
    int32_t *sums;
    uint8_t *bounce;
    int64_t *offset; /* of each run from a position */
    uint8_t *copies; /* of tiles whose runs would be read beyond the image's end */
    uint8_t *rest; /* for staging */
};

static int in_place(const struct dense *d) {
    return d->segments == 1 && d->taps == 1 && d->step_y == 1 && d->step_x == 1 && d->dy[0] == 0 && d->dx[0] == 0
            && d->cols == d->in_w;
}

/* Of one tile. */
static int64_t copies_bytes(const struct dense *d) {
    return cache_lines((int64_t) TILE_ROWS * d->in_channels + 4 * (int64_t) d->quads);
}

static struct work work_in(const struct dense *d, uint8_t *scratch) {
    struct work w;
    w.kept = (struct kept *) scratch;
    w.sums = (int32_t *) (scratch + KEPT_BYTES);
    w.bounce = (uint8_t *) w.sums + SUMS_BYTES;
    w.offset = (int64_t *) (w.bounce + BOUNCE_BYTES);
    w.copies = (uint8_t *) w.offset + cache_lines(8 * (int64_t) d->segments);
    w.rest = w.copies + 2 * copies_bytes(d);
    return w;
}

KERNEL(dense_tiles_scratch) {
    const struct dense *d = call->plan;
    int64_t bytes =
            KEPT_BYTES + SUMS_BYTES + BOUNCE_BYTES + cache_lines(8 * (int64_t) d->segments) + 2 * copies_bytes(d);
    if (in_place(d)) {
        bytes += aligned_at_once(d) * position_bytes(d);
    } else {
        struct staging g = staging_of(d);
        bytes += g.staged + g.gathered;
    }
    *call->result = bytes;
}

/* Time of a line's tiles, in rows. */
static int32_t line_cost(int32_t length) {
    int32_t tiles = quotient_up(length, TILE_ROWS), height = quotient_up(length, tiles);
    return tiles * (height > LEAST_ROWS ? height : LEAST_ROWS);
}

/* `lines` lines of `length` positions, or one of all where that takes no longer, over what lies between them. */
static void cut(const struct dense *d, struct grid *g, int32_t lines, int32_t length, int32_t pitch) {
    int32_t joined = (lines - 1) * pitch + length;
    int join = lines > 1 && line_cost(joined) <= lines * line_cost(length);
    g->wrap = join && (pitch > d->cols || d->out_row > d->cols * d->out_pixel) ? pitch : 0;
    g->lines = join ? 1 : lines;
    g->length = join ? joined : length;
    g->line = pitch * g->pixel;
    g->tiles = quotient_up(g->length, TILE_ROWS);
    g->height = quotient_up(g->length, g->tiles);
}

static void configure(int32_t height, int32_t quads) {
    struct tile_shapes shapes;
    _mm512_store_si512(&shapes, _mm512_setzero_si512());
    shapes.palette = 1;
    for (int t = 0; t < 8; t++) {
        shapes.row_bytes[t] = t == 4 || t == 5 ? (uint16_t) (4 * quads) : 64;
        shapes.rows[t] = (uint8_t) (t < 6 ? height : quads);
    }
    TILE_CONFIGURE(shapes);
}

static inline int64_t panel_bytes(const struct dense *d) {
    return (int64_t) (d->gathered ? 1 : d->segments) * d->quads * PANEL * 4;
}

/* Sums of `across` tiles, at x and y, by `vectors` vectors of a panel; the last two arguments are known to the
 * compiler. */
INLINE void multiply(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x, const uint8_t *y,
        int64_t pixel, int32_t panel, int32_t *sums, const int across, const int vectors) {
    const int32_t steps = quotient_up(d->quads, TILE_QUADS), segments = d->gathered ? 1 : d->segments;
    const int64_t deep = d->quads / steps * 4;
    const int8_t *w = d->weights + panel * panel_bytes(d);
    const int32_t *bias = d->bias + panel * PANEL;
    /* A stride of 0 gives every row the same. */
    TILE_LOAD(0, bias, 0);
    if (vectors > 1) {
        TILE_LOAD(1, bias + LANES, 0);
    }
    if (across > 1) {
        TILE_LOAD(2, bias, 0);
        if (vectors > 1) {
            TILE_LOAD(3, bias + LANES, 0);
        }
    }
    for (int32_t s = 0; s < segments; s++) {
        const uint8_t *a = x + offset[s], *b = y + offset[s];
        for (int32_t k = 0; k < steps; k++, a += deep, b += deep, w += deep * PANEL) {
            TILE_LOAD(6, w, PANEL * 4);
            TILE_LOAD(4, a, pixel);
            TILE_DOT(0, 4, 6);
            if (vectors > 1) {
                TILE_LOAD(7, w + LANES * 4, PANEL * 4);
                TILE_DOT(1, 4, 7);
            }
            if (across > 1) {
                TILE_LOAD(5, b, pixel);
                TILE_DOT(2, 5, 6);
                if (vectors > 1) {
                    TILE_DOT(3, 5, 7);
                }
            }
        }
    }
    TILE_STORE(0, sums, PANEL * 4);
    if (vectors > 1) {
        TILE_STORE(1, sums + LANES, PANEL * 4);
    }
    if (across > 1) {
        TILE_STORE(2, sums + height * PANEL, PANEL * 4);
        if (vectors > 1) {
            TILE_STORE(3, sums + height * PANEL + LANES, PANEL * 4);
        }
    }
}

SEPARATE void multiply_pair(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x,
        const uint8_t *y, int64_t pixel, int32_t panel, int32_t vectors, int32_t *sums) {
    if (vectors > 1) {
        multiply(d, offset, height, x, y, pixel, panel, sums, 2, 2);
    } else {
        multiply(d, offset, height, x, y, pixel, panel, sums, 2, 1);
    }
}

SEPARATE void multiply_one(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x,
        int64_t pixel, int32_t panel, int32_t vectors, int32_t *sums) {
    if (vectors > 1) {
        multiply(d, offset, height, x, x, pixel, panel, sums, 1, 2);
    } else {
        multiply(d, offset, height, x, x, pixel, panel, sums, 1, 1);
    }
}

/* The bytes of a tile's sums, to pixels out_pixel apart. */
INLINE void finish(const struct dense *d, int32_t panel, const int32_t *sum, int32_t count, uint8_t *out,
        int64_t out_pixel, const int vectors, const enum rescaling rounding) {
    const int32_t channel = panel * PANEL, left = d->channels - channel;
    const int each = 4 / vectors;
    for (int32_t p = 0; p < count; p += each) {
        sums four[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            four[i] = rescaled(&d->rule, rounding, channel + i % vectors * LANES,
                    load_sums(sum + (p + i / vectors) * PANEL + i % vectors * LANES));
        }
        bytes packed = pack(&d->rule.limits[rounding], rounding, four[0], four[1], four[2], four[3]);
        UNROLLED
        for (int i = 0; i < each; i++) {
            if (p + i < count) {
                store_part(packed, i, vectors, out + (p + i) * out_pixel, left);
            }
        }
    }
}

#define FINISHES(suffix, rounding) \
    SEPARATE void finish_##suffix(const struct dense *d, int32_t panel, int32_t vectors, const int32_t *sum, \
            int32_t count, uint8_t *out, int64_t out_pixel) { \
        if (vectors > 1) { \
            finish(d, panel, sum, count, out, out_pixel, 2, rounding); \
        } else { \
            finish(d, panel, sum, count, out, out_pixel, 1, rounding); \
        } \
    }

FINISHES(nearest, RESCALING_NEAREST)
FINISHES(bounded, RESCALING_BOUNDED)
FINISHES(fused, RESCALING_FUSED)

/* The outputs of the positions from `first` on, where some lie between the rows of the output. */
static void move_out(const struct dense *d, const uint8_t *bounce, int32_t panel, int32_t first, int32_t count,
        int32_t wrap, uint8_t *out) {
    int32_t row = first / wrap, col = first - row * wrap;
    const int32_t left = least(d->channels - panel * PANEL, PANEL);
    for (int32_t p = 0; p < count; p++) {
        if (col < d->cols) {
            copy(out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel + panel * PANEL, bounce + p * PANEL,
                    left);
        }
        if (++col == wrap) {
            col = 0;
            row++;
        }
    }
}

/* Tile t of the grid. */
static const uint8_t *tile_at(
        const struct dense *d, const struct grid *g, int32_t t, uint8_t *copies, int32_t *line, int32_t *first) {
    *line = t / g->tiles;
    *first = least((t - *line * g->tiles) * g->height, g->length - g->height);
    const uint8_t *x = g->in + *line * g->line + *first * g->pixel;
    int64_t needed = (g->height - 1) * g->pixel + 4 * (int64_t) d->quads;
    if (needed <= g->end - x) {
        return x;
    }
    copy(copies, x, g->end - x);
    fill(copies + (g->end - x), needed - (g->end - x), 0);
    return copies;
}

static void finish_tile(const struct dense *d, const struct grid *g, int32_t panel, int32_t vectors, const int32_t *sum,
        int32_t line, int32_t first, uint8_t *bounce, uint8_t *out) {
    uint8_t *target =
            g->wrap ? bounce : out + line * (int64_t) d->out_row + first * (int64_t) d->out_pixel + panel * PANEL;
    int64_t pixel = g->wrap ? PANEL : d->out_pixel;
    switch (d->rule.rounding[panel]) {
        case RESCALING_FUSED: finish_fused(d, panel, vectors, sum, g->height, target, pixel); break;
        case RESCALING_NEAREST: finish_nearest(d, panel, vectors, sum, g->height, target, pixel); break;
        default: finish_bounded(d, panel, vectors, sum, g->height, target, pixel);
    }
    if (g->wrap) {
        move_out(d, bounce, panel, first, g->height, g->wrap, out);
    }
}

/* Tiles t and t + 1 of the grid, as far as there are, by a panel. */
INLINE void multiply_tiles(const struct dense *d, const struct grid *g, const int64_t *offset, int32_t t, int32_t panel,
        const struct work *w, uint8_t *out) {
    const int32_t vectors = d->channels - panel * PANEL > LANES ? 2 : 1;
    int32_t line, first, next_line, next_first;
    const uint8_t *x = tile_at(d, g, t, w->copies, &line, &first);
    if (t + 1 < g->lines * g->tiles) {
        const uint8_t *y = tile_at(d, g, t + 1, w->copies + copies_bytes(d), &next_line, &next_first);
        multiply_pair(d, offset, g->height, x, y, g->pixel, panel, vectors, w->sums);
        finish_tile(d, g, panel, vectors, w->sums, line, first, w->bounce, out);
        finish_tile(d, g, panel, vectors, w->sums + g->height * PANEL, next_line, next_first, w->bounce, out);
    } else {
        multiply_one(d, offset, g->height, x, g->pixel, panel, vectors, w->sums);
        finish_tile(d, g, panel, vectors, w->sums, line, first, w->bounce, out);
    }
}

/* The grid by panels [panel, panel_end); out is where its first position's outputs go. */
static void multiply_grid(const struct dense *d, const struct grid *g, const int64_t *offset, int32_t panel,
        int32_t panel_end, const struct work *w, uint8_t *out) {
    const int32_t count = g->lines * g->tiles;
    configure(g->height, d->quads / quotient_up(d->quads, TILE_QUADS));
    if ((panel_end - panel) * panel_bytes(d) <= NEAR_WEIGHTS) {
        for (int32_t t = 0; t < count; t += 2) {
            for (int32_t n = panel; n < panel_end; n++) {
                multiply_tiles(d, g, offset, t, n, w, out);
            }
        }
    } else {
        for (; panel < panel_end; panel++) {
            for (int32_t t = 0; t < count; t += 2) {
                multiply_tiles(d, g, offset, t, panel, w, out);
            }
        }
    }
}

/* Pixels of one row or of whole ones, from column `col` on. */
static void staged_grids(const struct dense *d, const uint8_t *in, int32_t row, int32_t rows, int32_t col,
        int32_t length, int32_t panel, int32_t panel_end, int32_t again, struct work *w, uint8_t *out) {
    const struct staging s = staging_of(d);
    const int32_t parts = quotient_up(rows, s.rows);
    uint8_t *staged = w->rest, *gathered = staged + s.staged;
    const int64_t at_once = 0, *offset = w->offset;
    struct grid g;
    staged_offsets(d, &s, w->offset);
    for (int32_t i = 0; i < parts; i++) {
        int32_t first = (int32_t) ((int64_t) rows * i / parts),
                count = (int32_t) ((int64_t) rows * (i + 1) / parts) - first;
        if (!again || w->kept->row != row + first || w->kept->rows != count) {
            stage(d, &s, in, row + first, count, staged);
            *w->kept = (struct kept) {row + first, count};
        }
        if (d->gathered) {
            gather(d, &s, offset, staged, count, col, length, gathered);
            g.in = gathered;
            g.pixel = position_bytes(d);
            g.end = gathered + s.gathered;
            cut(d, &g, count, length, length);
            multiply_grid(d, &g, &at_once, panel, panel_end, w, out + (int64_t) first * d->out_row);
        } else {
            g.in = staged + (int64_t) col * d->in_channels;
            g.pixel = d->in_channels;
            g.end = staged + s.staged;
            cut(d, &g, count, length, s.pitch);
            multiply_grid(d, &g, offset, panel, panel_end, w, out + (int64_t) first * d->out_row);
        }
    }
}

/* Positions of a row of the input, given cache lines of their own. */
static void aligned_grids(const struct dense *d, const uint8_t *in, const uint8_t *end, int32_t length, int32_t panel,
        int32_t panel_end, struct work *w, uint8_t *out) {
    const int32_t parts = quotient_up(length, aligned_at_once(d));
    const int64_t at_once = 0, pixel = position_bytes(d), c = d->in_channels;
    struct grid g;
    g.in = w->rest;
    g.pixel = pixel;
    g.end = w->rest + aligned_at_once(d) * pixel;
    for (int32_t i = 0; i < parts; i++) {
        int32_t first = (int32_t) ((int64_t) length * i / parts),
                count = (int32_t) ((int64_t) length * (i + 1) / parts) - first;
        align_pixels(d, in + first * c, end, count, w->rest);
        cut(d, &g, 1, count, count);
        multiply_grid(d, &g, &at_once, panel, panel_end, w, out + (int64_t) first * d->out_pixel);
    }
}

KERNEL(dense_tiles) {
    const struct dense *d = call->plan;
    const uint8_t *in = call->in;
    struct work w = work_in(d, call->scratch);
    const int32_t row = call->pixel / d->cols, col = call->pixel - row * d->cols,
                  rows = quotient_up(call->pixel_end, d->cols) - row;
    const int32_t length = rows == 1 ? call->pixel_end - call->pixel : d->cols;
    uint8_t *out = call->out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel;
    if (in_place(d)) {
        const int64_t at_once = 0, c = d->in_channels;
        const uint8_t *end = in + (int64_t) d->in_h * d->in_w * c;
        in += call->pixel * c;
        if (c >= LEAST_ALIGNED && call->panel_end - call->panel > 1 && ((c | (intptr_t) in) & 63)) {
            for (int32_t i = 0; i < rows; i++) {
                aligned_grids(d, in + i * d->cols * c, end, length, call->panel, call->panel_end, &w,
                        out + i * (int64_t) d->out_row);
            }
        } else {
            struct grid g;
            g.in = in;
            g.pixel = c;
            g.end = end;
            cut(d, &g, rows, length, d->cols);
            multiply_grid(d, &g, &at_once, call->panel, call->panel_end, &w, out);
        }
    } else {
        staged_grids(d, in, row, rows, col, length, call->panel, call->panel_end, call->kept, &w, out);
    }
    TILE_RELEASE();
}

#endif
