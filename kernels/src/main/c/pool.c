/*
 * Maximum and mean over windows of images in channel blocks. A unit of floats is one output row of one block of
 * channels, see place_of; of bytes one of a group of their channels.
 */
#include "call.h"
#include "lanes.h"
#include "integers.h"

/* Columns of an image that are worked on at a time where its channels lie apart. */
#define STRIP 512

/* Of bytes: what means count from, what padding counts as, how means round, limits. */
struct byte_rule {
    int32_t is_signed, origin, padding;
    enum rounding rounding;
    int32_t min, max;
    float factor; /* of sums; 0 where they are divided */
};

/* The part of one window along one axis that lies inside the image, and how many elements the padding adds to. */
struct span {
    int32_t first, count, padded;
};

static inline struct span inside(int32_t start, int32_t kernel, int32_t dilation, int32_t extent, int32_t behind) {
    int32_t skipped = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
    int32_t reached = extent <= start ? 0 : (extent - start + dilation - 1) / dilation;
    int32_t end = reached < kernel ? reached : kernel;
    struct span span = {start + skipped * dilation, end > skipped ? end - skipped : 0,
            least(start + kernel, extent + behind) - start};
    return span;
}

/* One of so many windows that part an axis as evenly as whole numbers can; neighbours may share an element. */
SEPARATE struct span part(int32_t index, int32_t parts, int32_t extent) {
    int32_t first = (int32_t) ((int64_t) index * extent / parts);
    int32_t end = (int32_t) (((int64_t) (index + 1) * extent + parts - 1) / parts);
    struct span span = {first, end - first, end - first};
    return span;
}

static inline struct span rows_of(const struct pool *p, int32_t y) {
    return p->adaptive ? part(y, p->out_h, p->in_h)
                       : inside(y * p->stride_h - p->pad_top, p->kernel_h, p->dilation_h, p->in_h, p->pad_bottom);
}

static inline struct span columns_of(const struct pool *p, int32_t x) {
    return p->adaptive ? part(x, p->out_w, p->in_w)
                       : inside(x * p->stride_w - p->pad_left, p->kernel_w, p->dilation_w, p->in_w, p->pad_right);
}

/* What the sum of a window is divided by. */
static inline int32_t area_of(const struct pool *p, struct span rows, struct span cols) {
    return p->kind == POOLING_AVERAGE ? rows.count * cols.count : rows.padded * cols.padded;
}

/*
 * Windows of SIDE_BY_SIDE outputs, whose inputs begin `step` apart: as many sums or maxima under way at once, since one
 * alone would wait for itself. NaNs are noted beside the maximum, whose instruction drops them.
 */
#define SIDE_BY_SIDE 4

INLINE void window_floats(int maximum, int outs, const float *in, int64_t step, int64_t row_step, int64_t col_step,
        int32_t rows, int32_t cols, int32_t count, floats *result) {
    ints nans[SIDE_BY_SIDE];
    for (int k = 0; k < outs; k++) {
        result[k] = all_floats(maximum ? -__builtin_inff() : 0);
        nans[k] = all_ints(0);
    }
    for (int32_t y = 0; y < rows; y++) {
        const float *row = in + y * row_step;
        for (int32_t x = 0; x < cols; x++, row += col_step) {
            for (int k = 0; k < outs; k++) {
                floats next = load_floats(row + k * step, count);
                result[k] = maximum ? at_least(next, result[k]) : result[k] + next;
                nans[k] |= next != next;
            }
        }
    }
    for (int k = 0; maximum && k < outs; k++) {
        result[k] = choose(nans[k], all_floats(__builtin_nanf("")), result[k]);
    }
}

INLINE floats window_of(
        int maximum, const float *in, int64_t row_step, int64_t col_step, int32_t rows, int32_t cols, int32_t count) {
    floats result[SIDE_BY_SIDE];
    window_floats(maximum, 1, in, 0, row_step, col_step, rows, cols, count, result);
    return result[0];
}

INLINE void pool_pixel(int maximum, const struct pool *p, const float *in, int64_t row_step, int64_t col_step,
        int32_t rows, int32_t cols, float area, float *out, floats low, floats high) {
    int32_t c = 0;
    for (; c <= p->block - SIDE_BY_SIDE * LANES; c += SIDE_BY_SIDE * LANES) {
        floats v[SIDE_BY_SIDE];
        window_floats(maximum, SIDE_BY_SIDE, in + c, LANES, row_step, col_step, rows, cols, LANES, v);
        for (int k = 0; k < SIDE_BY_SIDE; k++) {
            store_floats(out + c + k * LANES, limit_floats(maximum ? v[k] : v[k] / area, low, high), LANES);
        }
    }
    for (; c < p->block; c += LANES) {
        int32_t count = p->block - c;
        floats v = count >= LANES ? window_of(maximum, in + c, row_step, col_step, rows, cols, LANES)
                                  : window_of(maximum, in + c, row_step, col_step, rows, cols, count);
        store_floats(out + c, limit_floats(maximum ? v : v / area, low, high), count);
    }
}

/* As many adjacent outputs of a block of LANES channels, whose windows are alike. */
INLINE void pool_pixels(int maximum, const struct pool *p, const float *in, int64_t row_step, int64_t col_step,
        int32_t rows, float area, float *out, floats low, floats high) {
    floats v[SIDE_BY_SIDE];
    window_floats(maximum, SIDE_BY_SIDE, in, p->stride_w * LANES, row_step, col_step, rows, p->kernel_w, LANES, v);
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        store_floats(out + k * LANES, limit_floats(maximum ? v[k] : v[k] / area, low, high), LANES);
    }
}

/* A row whose channels lie together. */
static void pool_row(const struct pool *p, const float *in, int32_t y, float *out, floats low, floats high) {
    struct span rows = rows_of(p, y);
    int64_t col_step = (int64_t) p->dilation_w * p->block, row_step = (int64_t) p->dilation_h * p->in_w * p->block;
    int64_t reach = (int64_t) (SIDE_BY_SIDE - 1) * p->stride_w + (p->kernel_w - 1) * p->dilation_w;
    for (int32_t x = 0; x < p->out_w; x++, out += p->block) {
        struct span cols = columns_of(p, x);
        const float *window = in + ((int64_t) rows.first * p->in_w + cols.first) * p->block;
        if (p->block == LANES && !p->adaptive && x + SIDE_BY_SIDE <= p->out_w && x * p->stride_w >= p->pad_left
                && cols.first + reach < p->in_w) {
            if (p->kind == POOLING_MAX) {
                pool_pixels(1, p, window, row_step, col_step, rows.count, 1, out, low, high);
            } else {
                float area = (float) area_of(p, rows, cols);
                pool_pixels(0, p, window, row_step, col_step, rows.count, area, out, low, high);
            }
            x += SIDE_BY_SIDE - 1;
            out += (SIDE_BY_SIDE - 1) * LANES;
            continue;
        }
        if (p->kind == POOLING_MAX) {
            pool_pixel(1, p, window, row_step, col_step, rows.count, cols.count, 1, out, low, high);
        } else {
            float area = (float) area_of(p, rows, cols);
            pool_pixel(0, p, window, row_step, col_step, rows.count, cols.count, area, out, low, high);
        }
    }
}

/* Columns [from, from + count) of the rows under a window, reduced to one; what is outside the image counts as nothing.
 */
INLINE void reduce_rows(
        int maximum, const struct pool *p, const float *in, struct span rows, int32_t from, int32_t count, float *out) {
    const floats nothing = all_floats(maximum ? -__builtin_inff() : 0);
    int32_t begin = from < 0 ? -from : 0;
    int32_t end = p->in_w - from < count ? p->in_w - from : count;
    for (int32_t i = 0; i < begin && i < count; i++) {
        out[i] = nothing[0];
    }
    const float *first = in + (int64_t) rows.first * p->in_w + from;
    for (int32_t i = begin; i < end; i += LANES) {
        floats v = window_of(maximum, first + i, (int64_t) p->dilation_h * p->in_w, 0, rows.count, 1, end - i);
        store_floats(out + i, v, end - i);
    }
    for (int32_t i = end < 0 ? 0 : end; i < count; i++) {
        out[i] = nothing[0];
    }
}

INLINE floats every(const float *p, int32_t step, int32_t count) {
    if (step == 1) {
        return load_floats(p, count);
    }
    if (step == 2 && count >= LANES) {
        return EVEN_LANES(load_floats(p, LANES), load_floats(p + LANES, LANES));
    }
    floats v = {0};
    for (int32_t i = 0; i < LANES; i++) {
        v[i] = i < count ? p[i * step] : 0;
    }
    return v;
}

/* A row of one channel: first down the rows, then along the columns, whose kernel positions are one vector of outputs
 * each. */
INLINE void pool_plane_row(
        int maximum, const struct pool *p, const float *in, int32_t y, float *out, floats low, floats high) {
    float strip[STRIP + 2 * LANES];
    struct span rows = rows_of(p, y);
    int32_t reach = (p->kernel_w - 1) * p->dilation_w + 1;
    int32_t most = (STRIP - reach) / p->stride_w + 1;
    for (int32_t x = 0; x < p->out_w; x += most) {
        int32_t outs = least(most, p->out_w - x);
        int32_t start_x = x * p->stride_w - p->pad_left;
        reduce_rows(maximum, p, in, rows, start_x, (outs - 1) * p->stride_w + reach, strip);
        for (int32_t i = 0; i < outs; i += LANES) {
            int32_t count = outs - i;
            floats v = all_floats(maximum ? -__builtin_inff() : 0);
            for (int32_t k = 0; k < p->kernel_w; k++) {
                floats next = every(strip + i * p->stride_w + k * p->dilation_w, p->stride_w, count);
                v = maximum ? choose(v != v, v, at_least(next, v)) : v + next;
            }
            if (!maximum) {
                floats areas = all_floats((float) (rows.count * p->kernel_w));
                int32_t first = start_x + i * p->stride_w;
                int within = first >= 0 && first + (int64_t) (LANES - 1) * p->stride_w + p->kernel_w <= p->in_w
                        && rows.count == p->kernel_h;
                for (int32_t lane = 0; !within && lane < LANES && lane < count; lane++) {
                    areas[lane] = (float) area_of(p, rows, columns_of(p, x + i + lane));
                }
                v /= areas;
            }
            store_floats(out + x + i, limit_floats(v, low, high), count);
        }
    }
}

/* The same of windows that part the row: an element after the other, as their extents differ. */
SEPARATE void part_plane_row(const struct pool *p, const float *in, int32_t y, float *out, floats low, floats high) {
    const int maximum = p->kind == POOLING_MAX;
    const struct span rows = rows_of(p, y);
    for (int32_t x = 0; x < p->out_w; x++) {
        const struct span cols = columns_of(p, x);
        float v = maximum ? -__builtin_inff() : 0;
        for (int32_t row = rows.first; row < rows.first + rows.count; row++) {
            for (int32_t i = cols.first; i < cols.first + cols.count; i++) {
                float next = in[(int64_t) row * p->in_w + i];
                v = !maximum ? v + next : next > v || next != next ? next : v;
            }
        }
        v = maximum ? v : v / (float) (rows.count * cols.count);
        store_floats(out + x, limit_floats(all_floats(v), low, high), 1);
    }
}

struct place {
    int32_t plane, row;
};

/* Units are bands of rows, in each of them the planes, and of each plane the rows. */
static inline struct place place_of(const struct pool *p, int32_t unit) {
    int32_t first = unit / (p->planes * p->band) * p->band;
    int32_t rows = least(p->band, p->out_h - first), rest = unit - first * p->planes;
    struct place place = {rest / rows, first + rest % rows};
    return place;
}

KERNEL(pool_floats) {
    const struct pool *p = call->plan;
    floats low = all_floats(call->low), high = all_floats(call->high);
    for (int32_t unit = call->begin; unit < call->end; unit++) {
        const struct place at = place_of(p, unit);
        const float *in = call->in + (int64_t) at.plane * p->in_h * p->in_w * p->block;
        float *out = call->out + ((int64_t) at.plane * p->out_h + at.row) * p->out_w * p->block;
        if (p->block > 1) {
            pool_row(p, in, at.row, out, low, high);
        } else if (p->adaptive) {
            part_plane_row(p, in, at.row, out, low, high);
        } else if (p->kind == POOLING_MAX) {
            pool_plane_row(1, p, in, at.row, out, low, high);
        } else {
            pool_plane_row(0, p, in, at.row, out, low, high);
        }
    }
}

/* Mean of integers below 2^22 in size: the quotient as a float is nowhere nearer to a half than it should be. */
INLINE ints mean_of(ints sum, floats count, enum rounding rounding) {
    floats quotient = __builtin_convertvector(sum, floats) / count;
    if (rounding == ROUNDING_HALF_EVEN) {
        return nearest_ints(quotient);
    }
    ints whole = __builtin_convertvector(quotient, ints);
    floats rest = quotient - __builtin_convertvector(whole, floats);
    return whole - (rest >= 0.5f) + (rest <= -0.5f);
}

INLINE void mean_bytes(const struct byte_rule *r, int is_signed, const uint8_t *in, int64_t row_step, int64_t col_step,
        int32_t rows, int32_t cols, int32_t area, uint8_t *out, int32_t count) {
    ints sum = all_ints((area - rows * cols) * r->padding - area * r->origin);
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < cols; x++) {
            sum += widen(load_bytes(in + y * row_step + x * col_step, count), is_signed);
        }
    }
    ints mean = r->factor != 0 ? nearest_ints(__builtin_convertvector(sum, floats) * r->factor)
                               : mean_of(sum, all_floats((float) area), r->rounding);
    mean += r->origin;
    store_some_bytes(out, narrow(smaller_ints(larger_ints(mean, all_ints(r->min)), all_ints(r->max))), count);
}

typedef uint8_t many_bytes __attribute__((vector_size(4 * LANES)));

INLINE many_bytes larger_bytes(many_bytes x, many_bytes y) {
    many_bytes above = (many_bytes) (x > y);
    return (above & x) | (~above & y);
}

/* Of a register of bytes, in the order of unsigned ones: flip is 128 for signed. */
INLINE void largest_of_many(const struct byte_rule *r, const uint8_t *in, int64_t row_step, int64_t col_step,
        int32_t rows, int32_t cols, uint8_t *out) {
    const many_bytes flip = (many_bytes) {0} + (uint8_t) (r->is_signed ? 128 : 0);
    many_bytes v = ((many_bytes) {0} + (uint8_t) r->min) ^ flip;
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < cols; x++) {
            many_bytes next;
            __builtin_memcpy(&next, in + y * row_step + x * col_step, sizeof next);
            v = larger_bytes(v, next ^ flip);
        }
    }
    many_bytes max = ((many_bytes) {0} + (uint8_t) r->max) ^ flip;
    many_bytes within = (many_bytes) (v < max);
    v = ((within & v) | (~within & max)) ^ flip;
    __builtin_memcpy(out, &v, sizeof v);
}

INLINE void largest_bytes(const struct byte_rule *r, int is_signed, const uint8_t *in, int64_t row_step,
        int64_t col_step, int32_t rows, int32_t cols, uint8_t *out, int32_t count) {
    ints v = all_ints(r->min);
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < cols; x++) {
            v = larger_ints(v, widen(load_bytes(in + y * row_step + x * col_step, count), is_signed));
        }
    }
    store_some_bytes(out, narrow(smaller_ints(v, all_ints(r->max))), count);
}

/* Channels [from, to) of a row. */
INLINE void pool_bytes_row(const struct pool *p, const struct byte_rule *r, int is_signed, const uint8_t *in, int32_t y,
        int32_t from, int32_t to, uint8_t *out) {
    struct span rows = rows_of(p, y);
    int64_t col_step = (int64_t) p->dilation_w * p->block, row_step = (int64_t) p->dilation_h * p->in_w * p->block;
    for (int32_t x = 0; x < p->out_w; x++, out += p->block) {
        struct span cols = columns_of(p, x);
        const uint8_t *window = in + ((int64_t) rows.first * p->in_w + cols.first) * p->block;
        int32_t c = from;
        if (p->kind == POOLING_MAX) {
            for (; c <= to - (int32_t) sizeof(many_bytes); c += sizeof(many_bytes)) {
                largest_of_many(r, window + c, row_step, col_step, rows.count, cols.count, out + c);
            }
            for (; c < to; c += LANES) {
                largest_bytes(r, is_signed, window + c, row_step, col_step, rows.count, cols.count, out + c, to - c);
            }
            continue;
        }
        int32_t area = area_of(p, rows, cols);
        for (; c <= to - LANES; c += LANES) {
            mean_bytes(r, is_signed, window + c, row_step, col_step, rows.count, cols.count, area, out + c, LANES);
        }
        if (c < to) {
            mean_bytes(r, is_signed, window + c, row_step, col_step, rows.count, cols.count, area, out + c, to - c);
        }
    }
}

KERNEL(pool_bytes) {
    const struct pool *p = call->plan;
    const struct byte_rule rule = {call->is_signed, call->origin, call->padding, call->rounding, (int32_t) call->min,
            (int32_t) call->max, call->factor};
    const int32_t groups = quotient_up(p->block, p->group);
    for (int32_t unit = call->begin; unit < call->end; unit++) {
        const int32_t row = unit / groups, from = unit % groups * p->group, to = least(from + p->group, p->block);
        const uint8_t *in = call->in + (int64_t) (row / p->out_h) * p->in_h * p->in_w * p->block;
        uint8_t *out = call->out + (int64_t) row * p->out_w * p->block;
        if (rule.is_signed) {
            pool_bytes_row(p, &rule, 1, in, row % p->out_h, from, to, out);
        } else {
            pool_bytes_row(p, &rule, 0, in, row % p->out_h, from, to, out);
        }
    }
}
