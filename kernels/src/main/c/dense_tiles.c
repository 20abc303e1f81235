/*
 * The convolutions of dense.c by the processor's tile registers: two tiles of up to 16 positions by two of 16 channels, 64 bytes of depth an
 * instruction. Plans are those of dense.c whose quads divide into equal steps of 16 or fewer. A tile reads its positions equally
 * far apart, so images that a kernel does not read pixel by pixel are staged: a few rows, padded with zero points, and where columns
 * or rows are skipped, apart for each remainder by the step, so that neighbouring outputs read neighbouring pixels.
 */
#include "call.h"
#include "int8.h"
#include "isa.h"
#include "requantize.h"
#include "tiles.h"

#if defined(ISA_AVX512VNNI) && defined(HAVE_TILES)

#define SUMS_BYTES (2 * TILE_ROWS * PANEL * 4)
#define BOUNCE_BYTES (TILE_ROWS * PANEL)
/* Staged bytes that leave room in the nearer caches for weights. */
#define STAGED_BYTES (96 * 1024)
/* A tile of fewer positions takes as long as one of these. */
#define LEAST_ROWS 9

/* How far the runs of a plan reach, and how rows are staged for them. */
struct staging {
    int32_t first_y;      /* of the runs */
    int32_t first_x;
    int32_t reach_y;      /* from the first to the last pixel that an output reads */
    int32_t reach_x;
    int32_t planes_y;     /* remainders by the step that are read */
    int32_t planes_x;
    int32_t pitch;        /* pixels of a staged row */
    int32_t rows;         /* output rows that are staged at once */
    int64_t plane;        /* bytes */
};

/* Positions that are multiplied: lines of them, each cut into tiles of equal height, the last of which may overlap the one before. */
struct grid {
    const uint8_t *in;
    int64_t pixel;        /* bytes from a position to the next */
    int64_t line;         /* from a line to the next */
    const uint8_t *end;   /* of what may be read */
    int32_t lines;
    int32_t length;
    int32_t tiles;
    int32_t height;
    int32_t wrap;         /* positions of an output row and what lies between it and the next; 0 where a line is one output row */
};

struct work {
    int32_t *sums;
    uint8_t *bounce;
    int64_t *offset;      /* of each run from a position */
    uint8_t *copies;      /* of tiles whose runs would be read beyond the image's end */
    uint8_t *staged;
};

static int in_place(const struct dense *d) {
    return d->segments == 1 && d->taps == 1 && d->step_y == 1 && d->step_x == 1 && d->dy[0] == 0 && d->dx[0] == 0 && d->cols == d->in_w;
}

static int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t divided_up(int32_t a, int32_t b) {
    return (a + b - 1) / b;
}

static struct staging staging_of(const struct dense *d) {
    int32_t first_y = d->dy[0], last_y = first_y, first_x = d->dx[0], last_x = first_x;
    for (int32_t s = 1; s < d->segments; s++) {
        int32_t y = d->dy[s], x = d->dx[s];
        first_y = smaller(first_y, y);
        last_y = y > last_y ? y : last_y;
        first_x = smaller(first_x, x);
        last_x = x > last_x ? x : last_x;
    }
    int32_t reach_y = last_y - first_y, reach_x = last_x - first_x + d->taps - 1;
    int32_t planes_y = smaller(reach_y + 1, d->step_y), planes_x = smaller(reach_x + 1, d->step_x);
    int32_t pitch = d->cols + reach_x / d->step_x;
    int64_t row = (int64_t) planes_y * planes_x * pitch * d->in_channels;
    int64_t fitting = STAGED_BYTES / row - reach_y / d->step_y;
    int32_t rows = fitting > 1 ? (int32_t) fitting : 1;
    int64_t plane = (int64_t) (rows + reach_y / d->step_y) * pitch * d->in_channels;
    return (struct staging) {first_y, first_x, reach_y, reach_x, planes_y, planes_x, pitch, rows, plane};
}

static int64_t lines_of(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* Of one tile. */
static int64_t copies_bytes(const struct dense *d) {
    return lines_of((int64_t) TILE_ROWS * d->in_channels + 4 * (int64_t) d->quads);
}

static struct work work_in(const struct dense *d, uint8_t *scratch) {
    struct work w;
    w.sums = (int32_t *) scratch;
    w.bounce = scratch + SUMS_BYTES;
    w.offset = (int64_t *) (w.bounce + BOUNCE_BYTES);
    w.copies = (uint8_t *) w.offset + lines_of(8 * (int64_t) d->segments);
    w.staged = w.copies + 2 * copies_bytes(d);
    return w;
}

/* Writes the bytes of scratch that a convolution, the plan, needs. */
KERNEL(dense_tiles_scratch) {
    const struct dense *d = call->plan;
    int64_t bytes = SUMS_BYTES + BOUNCE_BYTES + lines_of(8 * (int64_t) d->segments) + 2 * copies_bytes(d);
    if (!in_place(d)) {
        struct staging g = staging_of(d);
        bytes += g.planes_y * g.planes_x * g.plane + 4 * (int64_t) d->quads;
    }
    *(int64_t *) call->out = bytes;
}

INLINE void fill(uint8_t *target, int64_t count, int32_t value) {
    const __m512i all = _mm512_set1_epi8((char) value);
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        _mm512_storeu_si512(target + i, all);
    }
    if (i < count) {
        _mm512_mask_storeu_epi8(target + i, (1ull << (count - i)) - 1, all);
    }
}

INLINE void copy(uint8_t *target, const uint8_t *source, int64_t count) {
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        _mm512_storeu_si512(target + i, _mm512_loadu_si512(source + i));
    }
    if (i < count) {
        __mmask64 rest = (1ull << (count - i)) - 1;
        _mm512_mask_storeu_epi8(target + i, rest, _mm512_maskz_loadu_epi8(rest, source + i));
    }
}

/* Every step-th pixel of an input row from column x on, `pitch` of them, with zero points for those outside. */
INLINE void stage_row(const struct dense *d, const uint8_t *row, int32_t x, int32_t pitch, uint8_t *target) {
    int64_t c = d->in_channels, step = d->step_x;
    int32_t from = x < 0 ? smaller(divided_up(-x, d->step_x), pitch) : 0;
    int32_t to = x >= d->in_w ? from : smaller(divided_up(d->in_w - x, d->step_x), pitch);
    fill(target, from * c, d->zero_point);
    if (step == 1) {
        copy(target + from * c, row + (x + from) * c, (to - from) * c);
    } else {
        for (int32_t i = from; i < to; i++) {
            copy(target + i * c, row + (x + i * step) * c, c);
        }
    }
    fill(target + to * c, (pitch - to) * c, d->zero_point);
}

/* What `rows` output rows from `row` on read. */
static void stage(const struct dense *d, const struct staging *g, const uint8_t *in, int32_t row, int32_t rows, uint8_t *staged) {
    int64_t pitch_bytes = (int64_t) g->pitch * d->in_channels;
    for (int32_t py = 0; py < g->planes_y; py++) {
        int32_t count = rows + (g->reach_y - py) / d->step_y;
        for (int32_t i = 0; i < count; i++) {
            int32_t y = (row + i) * d->step_y + g->first_y + py;
            for (int32_t px = 0; px < g->planes_x; px++) {
                uint8_t *target = staged + (py * g->planes_x + px) * g->plane + i * pitch_bytes;
                if (y < 0 || y >= d->in_h) {
                    fill(target, pitch_bytes, d->zero_point);
                } else {
                    stage_row(d, in + (int64_t) y * d->in_w * d->in_channels, g->first_x + px, g->pitch, target);
                }
            }
        }
    }
}

static void staged_offsets(const struct dense *d, const struct staging *g, int64_t *offset) {
    for (int32_t s = 0; s < d->segments; s++) {
        int32_t y = d->dy[s] - g->first_y, x = d->dx[s] - g->first_x;
        offset[s] = (y % d->step_y * g->planes_x + x % d->step_x) * g->plane
            + ((int64_t) (y / d->step_y) * g->pitch + x / d->step_x) * d->in_channels;
    }
}

/* Time of a line's tiles, in rows. */
static int32_t line_cost(int32_t length) {
    int32_t tiles = divided_up(length, TILE_ROWS), height = divided_up(length, tiles);
    return tiles * (height > LEAST_ROWS ? height : LEAST_ROWS);
}

/* `lines` lines of `length` positions, or one of all where that takes no longer, over what lies between them. */
static void cut(struct grid *g, int32_t lines, int32_t length, int32_t pitch) {
    int32_t joined = (lines - 1) * pitch + length;
    int join = lines > 1 && line_cost(joined) <= lines * line_cost(length);
    g->wrap = join ? pitch : 0;
    g->lines = join ? 1 : lines;
    g->length = join ? joined : length;
    g->line = pitch * g->pixel;
    g->tiles = divided_up(g->length, TILE_ROWS);
    g->height = divided_up(g->length, g->tiles);
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

/* Sums of `across` tiles, at x and y, by `vectors` vectors of a panel; the last two arguments are known to the compiler. */
INLINE void multiply(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x, const uint8_t *y, int64_t pixel,
                     int32_t panel, int32_t *sums, const int across, const int vectors) {
    const int32_t steps = divided_up(d->quads, TILE_QUADS);
    const int64_t deep = d->quads / steps * 4;
    const int8_t *w = d->weights + (int64_t) panel * d->segments * d->quads * PANEL * 4;
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
    for (int32_t s = 0; s < d->segments; s++) {
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

SEPARATE void multiply_pair(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x, const uint8_t *y, int64_t pixel,
                            int32_t panel, int32_t vectors, int32_t *sums) {
    if (vectors > 1) {
        multiply(d, offset, height, x, y, pixel, panel, sums, 2, 2);
    } else {
        multiply(d, offset, height, x, y, pixel, panel, sums, 2, 1);
    }
}

SEPARATE void multiply_one(const struct dense *d, const int64_t *offset, int32_t height, const uint8_t *x, int64_t pixel, int32_t panel,
                           int32_t vectors, int32_t *sums) {
    if (vectors > 1) {
        multiply(d, offset, height, x, x, pixel, panel, sums, 1, 2);
    } else {
        multiply(d, offset, height, x, x, pixel, panel, sums, 1, 1);
    }
}

/* The bytes of a tile's sums, to pixels out_pixel apart. */
INLINE void finish(const struct dense *d, int32_t panel, const int32_t *sum, int32_t count, uint8_t *out, int64_t out_pixel,
                   const int vectors, const enum rescaling rounding) {
    const int32_t channel = panel * PANEL, left = d->channels - channel;
    const int each = 4 / vectors;
    for (int32_t p = 0; p < count; p += each) {
        sums four[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
            four[i] = rescaled(&d->rule, rounding, channel + i % vectors * LANES, load_sums(sum + (p + i / vectors) * PANEL + i % vectors * LANES));
        }
        bytes packed = pack(&d->rule.limits[rounding], four[0], four[1], four[2], four[3]);
        UNROLLED
        for (int i = 0; i < each; i++) {
            if (p + i < count) {
                store_part(packed, i, vectors, out + (p + i) * out_pixel, left);
            }
        }
    }
}

#define FINISHES(suffix, rounding) \
    SEPARATE void finish_##suffix(const struct dense *d, int32_t panel, int32_t vectors, const int32_t *sum, int32_t count, uint8_t *out, \
                                  int64_t out_pixel) { \
        if (vectors > 1) { \
            finish(d, panel, sum, count, out, out_pixel, 2, rounding); \
        } else { \
            finish(d, panel, sum, count, out, out_pixel, 1, rounding); \
        } \
    }

FINISHES(nearest, NEAREST)
FINISHES(mirrored, MIRRORED)
FINISHES(integer, INTEGER)
FINISHES(fused, FUSED)

/* The outputs of the positions from `first` on, where some lie between the rows of the output. */
static void move_out(const struct dense *d, const uint8_t *bounce, int32_t panel, int32_t first, int32_t count, int32_t wrap, uint8_t *out) {
    int32_t row = first / wrap, col = first - row * wrap;
    const int32_t left = smaller(d->channels - panel * PANEL, PANEL);
    for (int32_t p = 0; p < count; p++) {
        if (col < d->cols) {
            copy(out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel + panel * PANEL, bounce + p * PANEL, left);
        }
        if (++col == wrap) {
            col = 0;
            row++;
        }
    }
}

/* Tile t of the grid. */
static const uint8_t *tile_at(const struct dense *d, const struct grid *g, int32_t t, uint8_t *copies, int32_t *line, int32_t *first) {
    *line = t / g->tiles;
    *first = smaller((t - *line * g->tiles) * g->height, g->length - g->height);
    const uint8_t *x = g->in + *line * g->line + *first * g->pixel;
    int64_t needed = (g->height - 1) * g->pixel + 4 * (int64_t) d->quads;
    if (needed <= g->end - x) {
        return x;
    }
    copy(copies, x, g->end - x);
    fill(copies + (g->end - x), needed - (g->end - x), 0);
    return copies;
}

static void finish_tile(const struct dense *d, const struct grid *g, int32_t panel, int32_t vectors, const int32_t *sum, int32_t line,
                        int32_t first, uint8_t *bounce, uint8_t *out) {
    uint8_t *target = g->wrap ? bounce : out + line * (int64_t) d->out_row + first * (int64_t) d->out_pixel + panel * PANEL;
    int64_t pixel = g->wrap ? PANEL : d->out_pixel;
    switch (d->rule.rounding[panel]) {
    case FUSED:
        finish_fused(d, panel, vectors, sum, g->height, target, pixel);
        break;
    case NEAREST:
        finish_nearest(d, panel, vectors, sum, g->height, target, pixel);
        break;
    case MIRRORED:
        finish_mirrored(d, panel, vectors, sum, g->height, target, pixel);
        break;
    default:
        finish_integer(d, panel, vectors, sum, g->height, target, pixel);
    }
    if (g->wrap) {
        move_out(d, bounce, panel, first, g->height, g->wrap, out);
    }
}

/* The grid by panels [panel, panel_end); out is where its first position's outputs go. */
static void multiply_grid(const struct dense *d, const struct grid *g, int32_t panel, int32_t panel_end, const struct work *w, uint8_t *out) {
    const int32_t count = g->lines * g->tiles;
    configure(g->height, d->quads / divided_up(d->quads, TILE_QUADS));
    for (; panel < panel_end; panel++) {
        int32_t vectors = d->channels - panel * PANEL > LANES ? 2 : 1;
        for (int32_t t = 0; t < count; t += 2) {
            int32_t line, first, next_line, next_first;
            const uint8_t *x = tile_at(d, g, t, w->copies, &line, &first);
            if (t + 1 < count) {
                const uint8_t *y = tile_at(d, g, t + 1, w->copies + copies_bytes(d), &next_line, &next_first);
                multiply_pair(d, w->offset, g->height, x, y, g->pixel, panel, vectors, w->sums);
                finish_tile(d, g, panel, vectors, w->sums, line, first, w->bounce, out);
                finish_tile(d, g, panel, vectors, w->sums + g->height * PANEL, next_line, next_first, w->bounce, out);
            } else {
                multiply_one(d, w->offset, g->height, x, g->pixel, panel, vectors, w->sums);
                finish_tile(d, g, panel, vectors, w->sums, line, first, w->bounce, out);
            }
        }
    }
}

/*
 * The plan's pixels [op, n), of one row or of whole ones, and panels [m, k) of a to out; scratch is b. See dense.c.
 */
KERNEL(dense_tiles) {
    const struct dense *d = call->plan;
    const uint8_t *in = (const uint8_t *) call->a + call->a_at;
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    struct work w = work_in(d, (uint8_t *) call->b + call->b_at);
    int32_t row = call->op / d->cols, col = call->op - row * d->cols, rows = divided_up(call->n, d->cols) - row;
    int32_t length = rows == 1 ? call->n - call->op : d->cols;
    struct grid g;
    g.pixel = d->in_channels;
    if (in_place(d)) {
        g.in = in + (int64_t) call->op * g.pixel;
        g.end = in + (int64_t) d->in_h * d->in_w * g.pixel;
        w.offset[0] = 0;
        cut(&g, rows, length, d->cols);
        multiply_grid(d, &g, call->m, call->k, &w, out + (int64_t) row * d->out_row + (int64_t) col * d->out_pixel);
    } else {
        struct staging s = staging_of(d);
        staged_offsets(d, &s, w.offset);
        int32_t parts = divided_up(rows, s.rows);
        for (int32_t i = 0; i < parts; i++) {
            int32_t first = row + rows * i / parts, count = row + rows * (i + 1) / parts - first;
            stage(d, &s, in, first, count, w.staged);
            g.in = w.staged + col * g.pixel;
            g.end = w.staged + s.planes_y * s.planes_x * s.plane + 4 * (int64_t) d->quads;
            cut(&g, count, length, s.pitch);
            multiply_grid(d, &g, call->m, call->k, &w, out + (int64_t) first * d->out_row + (int64_t) col * d->out_pixel);
        }
    }
    TILE_RELEASE();
}

#endif
