/*
 * Staging of images for convolutions by tiles, which read positions equally far apart: a few rows, padded with zero
 * points, and where columns or rows are skipped, apart for each remainder by the step, so that neighbouring outputs
 * read neighbouring pixels. Runs that would leave tiles nearly empty are gathered besides: all of an output's, after
 * each other. What is gathered, and pixels that are not cache lines in memory, get cache lines of their own, since a
 * tile's row from two of them takes six times as long to load.
 */
#ifndef TORCHNNAPI_STAGING_H
#define TORCHNNAPI_STAGING_H

#include "structures.h"
#include "integers.h"
#include "isa.h"
#include "runs.h"

/* Staged bytes that leave room in the nearer caches for weights. */
#define STAGED_BYTES (128 * 1024)
/* What gathering copies at once, and the longest run that is gathered. */
#define GATHERED_BYTES 64

/* How far the runs of a plan reach, and how rows are staged for them. */
struct staging {
    int32_t first_y; /* of the runs */
    int32_t first_x;
    int32_t step_y; /* by which rows are staged apart */
    int32_t step_x;
    int32_t reach_y; /* from the first to the last pixel that an output reads */
    int32_t planes_y; /* remainders by the step that are read */
    int32_t planes_x;
    int32_t pitch; /* pixels of a staged row */
    int32_t rows; /* output rows that are staged at once */
    int64_t plane; /* bytes */
    int64_t staged; /* bytes of all planes, with those that may be read behind them */
    int64_t gathered; /* bytes of what is gathered from them */
};

static inline int64_t cache_lines(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* Of a position that has cache lines of its own. */
static inline int64_t position_bytes(const struct dense *d) {
    return cache_lines(4 * (int64_t) d->quads);
}

/* Positions of the input that are given cache lines at once. */
static inline int32_t aligned_at_once(const struct dense *d) {
    int32_t fitting = (int32_t) (STAGED_BYTES / 2 / position_bytes(d));
    return fitting > 64 ? fitting / 32 * 32 : 64;
}

/* Input rows that so many output rows read. */
static inline int32_t rows_read(const struct dense *d, const struct staging *g, int32_t rows) {
    return (rows - 1) * d->step_y + g->reach_y + 1;
}

static struct staging staging_of(const struct dense *d) {
    struct staging g;
    int32_t last_y = d->dy[0], last_x = d->dx[0];
    g.first_y = last_y;
    g.first_x = last_x;
    for (int32_t s = 1; s < d->segments; s++) {
        int32_t y = d->dy[s], x = d->dx[s];
        g.first_y = least(g.first_y, y);
        last_y = y > last_y ? y : last_y;
        g.first_x = least(g.first_x, x);
        last_x = x > last_x ? x : last_x;
    }
    int32_t reach_x = last_x - g.first_x + d->taps - 1;
    g.reach_y = last_y - g.first_y;
    g.step_y = d->gathered ? 1 : d->step_y;
    g.step_x = d->gathered ? 1 : d->step_x;
    g.planes_y = least(g.reach_y + 1, g.step_y);
    g.planes_x = least(reach_x + 1, g.step_x);
    g.pitch = quotient_up((d->cols - 1) * d->step_x + reach_x + 1, g.step_x);
    int64_t planes = (int64_t) g.planes_y * g.planes_x, row = (int64_t) g.pitch * d->in_channels;
    int64_t gathered_row = d->gathered ? position_bytes(d) * d->cols : 0;
    int64_t reach = planes * (g.reach_y / g.step_y) * row, next = planes * (d->step_y / g.step_y) * row + gathered_row;
    int64_t fitting = (STAGED_BYTES - reach) / next;
    g.rows = fitting > 1 ? (int32_t) fitting : 1;
    g.plane = quotient_up(rows_read(d, &g, g.rows), g.step_y) * row;
    g.staged = cache_lines(planes * g.plane + (d->gathered ? GATHERED_BYTES : 4 * (int64_t) d->quads));
    g.gathered = d->gathered ? g.rows * gathered_row + GATHERED_BYTES : 0;
    return g;
}

/* Where each run starts, from an output's first pixel on. */
static void staged_offsets(const struct dense *d, const struct staging *g, int64_t *offset) {
    for (int32_t s = 0; s < d->segments; s++) {
        int32_t y = d->dy[s] - g->first_y, x = d->dx[s] - g->first_x;
        offset[s] = (y % g->step_y * g->planes_x + x % g->step_x) * g->plane
                + ((int64_t) (y / g->step_y) * g->pitch + x / g->step_x) * d->in_channels;
    }
}

/* Every step-th pixel of an input row from column x on, with zero points for those outside. */
INLINE void stage_row(const struct dense *d, const struct staging *g, const uint8_t *row, int32_t x, uint8_t *target) {
    int64_t c = d->in_channels, step = g->step_x;
    int32_t from = x < 0 ? least(quotient_up(-x, g->step_x), g->pitch) : 0;
    int32_t to = x >= d->in_w ? from : least(quotient_up(d->in_w - x, g->step_x), g->pitch);
    fill(target, from * c, d->zero_point);
    if (step == 1) {
        copy(target + from * c, row + (x + from) * c, (to - from) * c);
    } else {
        for (int32_t i = from; i < to; i++) {
            copy(target + i * c, row + (x + i * step) * c, c);
        }
    }
    fill(target + to * c, (g->pitch - to) * c, d->zero_point);
}

/* What `rows` output rows from `row` on read. */
static void stage(
        const struct dense *d, const struct staging *g, const uint8_t *in, int32_t row, int32_t rows, uint8_t *staged) {
    int64_t pitch = (int64_t) g->pitch * d->in_channels;
    for (int32_t py = 0; py < g->planes_y; py++) {
        int32_t count = quotient_up(rows_read(d, g, rows) - py, g->step_y);
        for (int32_t i = 0; i < count; i++) {
            int32_t y = row * d->step_y + g->first_y + py + i * g->step_y;
            for (int32_t px = 0; px < g->planes_x; px++) {
                uint8_t *target = staged + (py * g->planes_x + px) * g->plane + i * pitch;
                if (y < 0 || y >= d->in_h) {
                    fill(target, pitch, d->zero_point);
                } else {
                    stage_row(d, g, in + (int64_t) y * d->in_w * d->in_channels, g->first_x + px, target);
                }
            }
        }
    }
}

/* Copies `width` bytes, 16, 32 or 64. */
INLINE void copy_vector(uint8_t *target, const uint8_t *source, const int width) {
    if (width == 16) {
        _mm_storeu_si128((__m128i *) target, _mm_loadu_si128((const __m128i *) source));
    } else if (width == 32) {
        _mm256_storeu_si256((__m256i *) target, _mm256_loadu_si256((const __m256i *) source));
    } else {
        _mm512_storeu_si512(target, _mm512_loadu_si512(source));
    }
}

INLINE void gather_runs(const struct dense *d, const int64_t *offset, const uint8_t *source, int32_t length,
        uint8_t *target, const int width) {
    const int64_t run = (int64_t) d->taps * d->in_channels, step = (int64_t) d->step_x * d->in_channels,
                  pixel = position_bytes(d);
    for (int32_t i = 0; i < length; i++, source += step, target += pixel) {
        for (int32_t s = 0; s < d->segments; s++) {
            copy_vector(target + s * run, source + offset[s], width);
        }
    }
}

/*
 * The runs of `length` outputs of each of the staged rows from column `col` on; what follows an output's last run has
 * no meaning. The narrowest copies do, since those across cache lines are slow.
 */
static void gather(const struct dense *d, const struct staging *g, const int64_t *offset, const uint8_t *staged,
        int32_t rows, int32_t col, int32_t length, uint8_t *target) {
    const int64_t run = (int64_t) d->taps * d->in_channels;
    for (int32_t r = 0; r < rows; r++, target += length * position_bytes(d)) {
        const uint8_t *source =
                staged + ((int64_t) r * d->step_y * g->pitch + (int64_t) col * d->step_x) * d->in_channels;
        if (run <= 16) {
            gather_runs(d, offset, source, length, target, 16);
        } else if (run <= 32) {
            gather_runs(d, offset, source, length, target, 32);
        } else {
            gather_runs(d, offset, source, length, target, 64);
        }
    }
}

/* Gives `count` pixels cache lines of their own; `end` is that of what may be read. */
static void align_pixels(const struct dense *d, const uint8_t *in, const uint8_t *end, int32_t count, uint8_t *target) {
    const int64_t c = d->in_channels, pixel = position_bytes(d), lines = cache_lines(c);
    for (int32_t p = 0; p < count; p++, in += c, target += pixel) {
        if (end - in < lines) {
            copy(target, in, c);
        } else {
            for (int64_t i = 0; i < lines; i += 64) {
                copy_vector(target + i, in + i, 64);
            }
        }
    }
}

#endif
