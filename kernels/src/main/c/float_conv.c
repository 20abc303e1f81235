#include "float_conv.h"
#include "float_tile.h"

/* Floats of a panel from which bringing in the next one pays. */
#define LARGE_PANEL (4 * 1024)

/* Panels that tiles meet one after the other. */
#define TOGETHER 8
/* Floats of the input that then stay in the first cache. */
#define TOGETHER_FLOATS (4 * 1024)

/* One panel of one group: where its weights are and its results go. */
struct panel {
    const float *weights;
    const float *bias;
    int64_t in; /* to the group's first channel */
    int64_t out; /* to its first output */
    int32_t first_lane; /* of the group's first channel in its block */
    int32_t channel; /* the first of its outputs */
    int32_t lanes; /* of its outputs */
    int32_t vectors;
    int32_t whole; /* whether every vector of it may be stored as it is */
    float_tile *const *tiles; /* by pixels - 1 */
    struct float_sum all; /* of all tap columns; of the rows that its user says */
    int64_t vector; /* from its first vector of outputs to the second */
};

static inline int64_t out_channel(const struct float_conv *d, int32_t channel) {
    /* Where possible by a number that the compiler knows: divisions cost more than the rest of a small tile's
     * preparation. */
    return d->out_block == FLOAT_LANES ? channel / FLOAT_LANES * d->out_plane + channel % FLOAT_LANES
                                       : channel / d->out_block * d->out_plane + channel % d->out_block;
}

static void find_panel(const struct float_conv *d, int32_t index, struct panel *p) {
    int32_t of_group = quotient_up(d->outs, FLOAT_PANEL);
    int32_t group = d->groups == 1 ? 0 : index / of_group;
    int32_t n = index - group * of_group;
    int32_t channel = group * d->channels;
    int64_t depth = (int64_t) d->taps_y * d->taps_x * d->channels;
    int64_t of_group_lanes = quotient_up(d->outs, FLOAT_LANES) * FLOAT_LANES;
    p->weights = d->weights + depth * (group * of_group_lanes + n * FLOAT_PANEL);
    p->bias = d->bias + (int64_t) index * FLOAT_PANEL;
    p->first_lane = channel ? channel % d->in_block : 0;
    p->in = channel ? channel / d->in_block * d->in_plane + p->first_lane : 0;
    p->channel = group * d->outs + n * FLOAT_PANEL;
    p->lanes = least(FLOAT_PANEL, d->outs - n * FLOAT_PANEL);
    p->vectors = quotient_up(p->lanes, FLOAT_LANES);
    p->out = out_channel(d, p->channel);
    p->vector = out_channel(d, p->channel + (p->vectors - 1) * FLOAT_LANES) - p->out;
    p->tiles = NAME(float_tiles)[p->vectors - 1];
    /* The lanes past the last channel of a blocked image may get anything; those of the next group or pixel may not. */
    int32_t last = p->channel + p->lanes == d->groups * d->outs;
    int32_t full = p->lanes % FLOAT_LANES == 0;
    p->whole = d->out_block == FLOAT_LANES ? p->channel % FLOAT_LANES == 0 && (full || last)
                                           : d->out_block >= FLOAT_LANES && full;
}

/* Where scratch tiles go whose outputs lie as vectors, but pixel from pixel; sums are activated. */
static void store(const struct float_conv *d, const struct panel *p, const float *sums, int32_t pixels, float *out) {
    for (int32_t i = 0; i < pixels; i++) {
        for (int32_t v = 0; v < p->vectors; v++, sums += FLOAT_LANES) {
            vec_store(out + p->out + i * d->out_col + v * p->vector, vec_load(sums));
        }
    }
}

/* Activates a scratch tile, of as many lanes a pixel as the panel's vectors have, and stores its lanes one by one, for
 * outputs in which they do not lie together. Not inlined, so that no function's frame needs more than a page. */
static __attribute__((noinline)) void scatter(const struct float_conv *d, const struct panel *p, float *sums,
        int32_t pixels, const float *residual, float *out) {
    const int later = float_is_later(&d->activation);
    int32_t step = p->vectors * FLOAT_LANES;
    for (int32_t lane = 0; residual && lane < p->lanes; lane++) {
        int64_t at = out_channel(d, p->channel + lane);
        for (int32_t i = 0; i < pixels; i++) {
            sums[i * step + lane] += residual[at + i * d->out_col];
        }
    }
    if (later) {
        float_activate_later(&d->activation, sums, pixels * step);
        if (p->whole) {
            store(d, p, sums, pixels, out);
            return;
        }
    }
    for (int32_t lane = 0; lane < p->lanes; lane++) {
        int64_t at = out_channel(d, p->channel + lane);
        for (int32_t i = 0; i < pixels; i++, at += d->out_col) {
            float value = sums[i * step + lane];
            out[at] = later ? value : float_activate(&d->activation, value);
        }
    }
}

/* The tap columns under which pixels [*from, *to) of a tile, and no others, are inside the image. */
static void inside(const struct float_conv *d, int32_t col, int32_t pixels, int32_t kx, int32_t *from, int32_t *to) {
    int32_t x = col * d->stride_x + d->first_x + kx * d->tap_x;
    int32_t first = x >= 0 ? 0 : quotient_up(-x, d->stride_x);
    int32_t end = x >= d->in_w ? 0 : quotient_up(d->in_w - x, d->stride_x);
    *from = least(first, pixels);
    *to = least(end, pixels);
}

/*
 * A sum of tap columns [kx, kx_end). Where columns are adjacent in memory they make one long run: of all channels, or
 * of one, and the channels then take the place of the columns. Returns how many columns the inputs and the weights must
 * be moved on.
 */
static int32_t take_columns(
        const struct float_conv *d, const struct panel *p, int32_t kx, int32_t kx_end, struct float_sum *s) {
    int64_t step = p->vectors * FLOAT_LANES;
    *s = (struct float_sum) {.kx = kx,
            .kx_end = kx_end,
            .tap_row = d->tap_y * d->in_row,
            .tap_col = (int64_t) d->tap_x * d->in_block,
            .weight_row = step * d->channels * d->taps_x,
            .weight_col = step * d->channels,
            .channels = d->channels,
            .first_lane = p->first_lane,
            .run = d->in_block,
            .plane = d->in_plane,
            .pixel = (int64_t) d->stride_x * d->in_block,
            .weight_step = step};
    if (float_planar(d)) {
        s->kx = 0;
        s->kx_end = d->channels;
        s->tap_col = d->in_plane;
        s->weight_col = step * d->taps_x;
        s->channels = s->run = kx_end - kx;
        return kx;
    }
    if (d->groups == 1 && d->in_block == d->channels && d->tap_x == 1 && kx_end > kx) {
        s->channels = s->run = (kx_end - kx) * d->channels;
        s->kx_end = kx + 1;
    }
    return 0;
}

/* Sums tap columns [kx, kx_end) of a tile. */
static void sum(const struct float_conv *d, const struct panel *p, int32_t kx, int32_t kx_end, int32_t pixels,
        const float *x, const float *init, const struct float_target *t) {
    struct float_sum s;
    int32_t moved = take_columns(d, p, kx, kx_end, &s);
    s.ky = p->all.ky;
    s.ky_end = p->all.ky_end;
    s.ahead = p->all.ahead;
    s.share = p->all.share;
    p->tiles[pixels - 1](&s, x + moved, p->weights + moved * s.weight_step, init, FLOAT_PANEL, t, 1);
}

/*
 * A tile at an edge of the image: first the tap columns that some pixels lack, then those that all have. Not inlined,
 * so that no function's frame needs more than a page.
 */
static __attribute__((noinline)) void edge_tile(const struct float_conv *d, const struct panel *p, int32_t col,
        int32_t pixels, const float *x, const struct float_target *t) {
    float sums[FLOAT_PIXELS * FLOAT_PANEL];
    for (int32_t i = 0; i < pixels * FLOAT_PANEL; i += FLOAT_LANES) {
        vec_store(sums + i, vec_load(p->bias + i % FLOAT_PANEL));
    }
    int32_t all = 0, all_end = 0;
    for (int32_t kx = 0, end; kx < d->taps_x; kx = end) {
        int32_t from, to, next_from, next_to;
        inside(d, col, pixels, kx, &from, &to);
        for (end = kx + 1; end < d->taps_x; end++) {
            inside(d, col, pixels, end, &next_from, &next_to);
            if (next_from != from || next_to != to) {
                break;
            }
        }
        if (from == 0 && to == pixels) {
            all = kx;
            all_end = end;
        } else if (from < to) {
            struct float_target partial = {sums + from * FLOAT_PANEL, 0, FLOAT_PANEL, FLOAT_LANES, FLOAT_NO_ACTIVATION};
            sum(d, p, kx, end, to - from, x + from * p->all.pixel, partial.y, &partial);
        }
    }
    sum(d, p, all, all_end, pixels, x, sums, t);
}

/* A row of output pixels: what its tiles have in common. */
struct row {
    const float *in; /* pixel (0, 0) under the row's first output pixel, for the first tap */
    const float *residual;
    float *out;
    int32_t ky, ky_end; /* the tap rows that are inside the image */
};

static struct row find_row(
        const struct float_conv *d, int32_t index, const float *in, const float *residual, float *out) {
    int32_t top = index * d->stride_y + d->first_y;
    int64_t place = d->out_origin + index * d->out_row;
    struct row r = {in + top * d->in_row + (int64_t) d->first_x * d->in_block, residual ? residual + place : 0,
            out + place, 0, 0};
    while (r.ky < d->taps_y && (uint32_t) (top + r.ky * d->tap_y) >= (uint32_t) d->in_h) {
        r.ky++;
    }
    r.ky_end = r.ky;
    while (r.ky_end < d->taps_y && (uint32_t) (top + r.ky_end * d->tap_y) < (uint32_t) d->in_h) {
        r.ky_end++;
    }
    return r;
}

/* Tiles that are activated at once, in a page of the stack. */
#define ACTIVATED (896 / (FLOAT_PIXELS * FLOAT_PANEL))

/* Tiles whose outputs do not lie as vectors, or are activated and do not adjoin; at an edge of the image one. Not
 * inlined for the same reason. */
static __attribute__((noinline)) void scattered_tiles(const struct float_conv *d, const struct panel *p,
        const struct row *r, int32_t col, int32_t pixels, int32_t count, const float *x, int inside_image) {
    float sums[ACTIVATED * FLOAT_PIXELS * FLOAT_PANEL];
    struct float_target t = {sums, 0, p->vectors * FLOAT_LANES, FLOAT_LANES, FLOAT_NO_ACTIVATION};
    for (int32_t some; count > 0; count -= some, col += some * pixels, x += some * pixels * p->all.pixel) {
        some = least(count, ACTIVATED);
        if (inside_image) {
            p->tiles[pixels - 1](&p->all, x, p->weights, p->bias, 0, &t, some);
        } else {
            edge_tile(d, p, col, pixels, x, &t);
        }
        int64_t place = col * d->out_col;
        scatter(d, p, sums, some * pixels, r->residual ? r->residual + place : 0, r->out + place);
    }
}

/* Tiles of a row beside each other, of which there is one unless they meet no edge of the image and may be stored as
 * they are. */
INLINE void some_tiles(const struct float_conv *d, const struct panel *p, const struct row *r, int32_t col,
        int32_t pixels, int32_t count, int inside_image) {
    const float *x = r->in + p->in + col * p->all.pixel;
    const int later = float_is_later(&d->activation);
    if (!p->whole || (later && d->out_col != FLOAT_LANES)) {
        scattered_tiles(d, p, r, col, pixels, count, x, inside_image);
        return;
    }
    int64_t at = p->out + col * d->out_col;
    struct float_target t = {r->out + at, r->residual ? r->residual + at : 0, d->out_col, p->vector,
            later ? FLOAT_NO_ACTIVATION : d->activation};
    if (inside_image) {
        p->tiles[pixels - 1](&p->all, x, p->weights, p->bias, 0, &t, count);
    } else {
        edge_tile(d, p, col, pixels, x, &t);
    }
    for (int32_t v = 0; later && v < p->vectors; v++) {
        float_activate_later(&d->activation, t.y + v * p->vector, pixels * count * FLOAT_LANES);
    }
}

static int inside_image(const struct float_conv *d, int32_t col, int32_t pixels) {
    int32_t reach = (d->taps_x - 1) * d->tap_x;
    int32_t left = col * d->stride_x + d->first_x;
    int32_t right = left + (pixels - 1) * d->stride_x;
    return left >= 0 && left + reach >= 0 && right < d->in_w && right + reach < d->in_w;
}

/* One row by some panels, a few tiles at a time. */
static void one_row(const struct float_conv *d, struct panel *panels, int32_t count, const struct row *r, int32_t col,
        int32_t col_end) {
    for (int32_t n = 0; n < count; n++) {
        panels[n].all.ky = r->ky;
        panels[n].all.ky_end = r->ky_end;
    }
    int64_t depth = (int64_t) d->channels * d->taps_y * d->taps_x * FLOAT_PIXELS;
    int32_t most = count == 1 || depth == 0
            ? float_is_later(&d->activation) ? TOGETHER_FLOATS / (FLOAT_PIXELS * FLOAT_PANEL) : INT32_MAX
            : depth > TOGETHER_FLOATS ? 1
                                      : (int32_t) (TOGETHER_FLOATS / depth);
    for (int32_t tiles = quotient_up(col_end - col, FLOAT_PIXELS), alike; tiles > 0; tiles -= alike) {
        /* Tiles of a row differ by a pixel at most; the larger ones come first. */
        int32_t pixels = quotient_up(col_end - col, tiles);
        alike = least(col_end - col - (pixels - 1) * tiles, most);
        int inside = inside_image(d, col, pixels);
        if (!inside) {
            alike = 1;
        }
        while (alike > 1 && !inside_image(d, col, alike * pixels)) {
            alike--;
        }
        for (int32_t n = 0; n < count; n++) {
            some_tiles(d, panels + n, r, col, pixels, alike, inside);
            panels[n].all.share = (panels[n].all.share + alike) % FLOAT_SHARES;
        }
        col += pixels * alike;
    }
}

void NAME(float_part)(
        const struct float_conv *d, const float *in, const float *residual, float *out, const struct float_part *part) {
    struct panel panels[TOGETHER];
    int32_t together = d->panels_outside ? 1 : TOGETHER;
    for (int32_t first = part->panel; first < part->panel_end; first += together) {
        int32_t count = least(together, part->panel_end - first);
        for (int32_t n = 0; n < count; n++) {
            find_panel(d, first + n, panels + n);
            take_columns(d, panels + n, 0, d->taps_x, &panels[n].all);
            int64_t floats = panels[n].all.weight_row * d->taps_y;
            panels[n].all.ahead = floats > LARGE_PANEL ? floats : 0;
        }
        for (int32_t index = part->row; index < part->row_end; index++) {
            struct row r = find_row(d, index, in, residual, out);
            one_row(d, panels, count, &r, part->col, part->col_end);
        }
    }
}

EXPORT void NAME(float_conv)(const struct float_conv *d, const float *in, int64_t in_offset, const float *residual,
        int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    (void) scratch;
    int32_t panels = quotient_up(d->outs, FLOAT_PANEL) * d->groups;
    for (int32_t unit = begin; unit < end; unit++) {
        struct float_part part = float_unit(d, panels, unit);
        NAME(float_part)(d, in + in_offset, residual ? residual + residual_offset : 0, out + out_offset, &part);
    }
}

/* Sums in flight, twelve registers of them. */
#define PEAK_SUMS (FLOAT_LANES == LANES ? 12 : 6)

EXPORT int32_t NAME(float_peak)(int32_t rounds) {
    float begin[PEAK_SUMS * FLOAT_LANES];
    for (int32_t i = 0; i < PEAK_SUMS * FLOAT_LANES; i++) {
        begin[i] = (float) i;
        /* Unknown to the compiler, or it would do one for all that are the same. */
        __asm__("" : "+m"(begin[i]));
    }
    vec x = vec_all(0.999f), sum[PEAK_SUMS];
    UNROLLED
    for (int i = 0; i < PEAK_SUMS; i++) {
        sum[i] = vec_load(begin + i * FLOAT_LANES);
    }
    for (int32_t round = 0; round < rounds; round++) {
        UNROLLED
        for (int i = 0; i < PEAK_SUMS; i++) {
            sum[i] = vec_fma(x, sum[i], x);
        }
    }
    float lanes[FLOAT_LANES];
    UNROLLED
    for (int i = 1; i < PEAK_SUMS; i++) {
        sum[0] = vec_add(sum[0], sum[i]);
    }
    vec_store(lanes, sum[0]);
    /* Of all lanes, or only those that count would be computed. */
    float total = 0;
    UNROLLED
    for (int i = 0; i < FLOAT_LANES; i++) {
        total += lanes[i];
    }
    return (int32_t) total;
}

EXPORT int32_t NAME(float_peak_round)(void) {
    return PEAK_SUMS * FLOAT_LANES;
}

EXPORT int32_t NAME(float_lanes)(void) {
    return FLOAT_LANES;
}

EXPORT int32_t NAME(float_panel)(void) {
    return FLOAT_PANEL;
}

EXPORT void NAME(float_pack)(const struct float_conv *d, const float *weights, int64_t out_step, int64_t channel_step,
        const int32_t *taps, const float *bias, float *packed, float *padded) {
    int32_t panels = quotient_up(d->outs, FLOAT_PANEL);
    for (int32_t index = 0; index < panels * d->groups; index++) {
        int32_t group = index / panels;
        int32_t first = index % panels * FLOAT_PANEL;
        int32_t lanes = least(FLOAT_PANEL, d->outs - first);
        int32_t width = quotient_up(lanes, FLOAT_LANES) * FLOAT_LANES;
        int64_t group_step =
                d->outs * out_step > d->channels * channel_step ? d->outs * out_step : d->channels * channel_step;
        const float *from = weights + group * group_step + first * out_step;
        int32_t cols = float_planar(d) ? d->channels : d->taps_x;
        int32_t depth = float_planar(d) ? d->taps_x : d->channels;
        for (int32_t ky = 0; ky < d->taps_y; ky++) {
            for (int32_t i = 0; i < cols * depth; i++, packed += width) {
                int32_t kx = float_planar(d) ? i % depth : i / depth;
                int32_t c = float_planar(d) ? i / depth : i % depth;
                const float *first = from + c * channel_step + taps[ky * d->taps_x + kx];
                for (int32_t lane = 0; lane < lanes; lane++) {
                    packed[lane] = first[lane * out_step];
                }
            }
        }
        for (int32_t lane = 0; lane < lanes; lane++) {
            padded[(int64_t) index * FLOAT_PANEL + lane] = bias[group * d->outs + first + lane];
        }
    }
}
