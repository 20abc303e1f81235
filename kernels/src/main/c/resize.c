/* Nearest and bilinear resizing of images in channel blocks. A unit is one output row of one block of channels. */
#include "call.h"
#include "lanes.h"

/* Channels that PyTorch mixes in float where it weights four neighbours at once: whole vectors of its own; those behind
 * them in double. */
INLINE int32_t fused_channels(const struct resize *r) {
    return r->channels & ~7;
}

INLINE floats mix_rows(floats a, floats b, floats c, floats d, float wy, float wx) {
    floats low = all_floats(1 - wx);
    return fused_multiply_add(
            fused_multiply_add(a, low, b * wx), all_floats(1 - wy), fused_multiply_add(c, low, d * wx) * wy);
}

INLINE float mix_row(float a, float b, float c, float d, float wy, float wx) {
    return fused_scalar(fused_scalar(a, 1 - wx, b * wx), 1 - wy, fused_scalar(c, 1 - wx, d * wx) * wy);
}

INLINE floats mix_corners(floats a, floats b, floats c, floats d, float wy, float wx) {
    floats far = fused_multiply_add(d, all_floats(wy * wx), c * (wy * (1 - wx)));
    floats inner = fused_multiply_add(b, all_floats((1 - wy) * wx), far);
    return fused_multiply_add(a, all_floats((1 - wy) * (1 - wx)), inner);
}

INLINE float mix_corner(float a, float b, float c, float d, float wy, float wx) {
    float inner = fused_scalar(d, wy * wx, c * (wy * (1 - wx)));
    return fused_scalar(a, (1 - wy) * (1 - wx), fused_scalar(b, (1 - wy) * wx, inner));
}

INLINE float sum_corners(float a, float b, float c, float d, float wy, float wx) {
    float wa = (1 - wy) * (1 - wx), wb = (1 - wy) * wx, wc = wy * (1 - wx), wd = wy * wx;
    return (float) ((double) a * wa + (double) b * wb + (double) c * wc + (double) d * wd);
}

/* Of bytes, in the reference's order of operations, so that what is rounded afterwards rounds alike. */
INLINE floats mix(floats a, floats b, floats c, floats d, float wy, float wx) {
    return ((1 - wx) * a + wx * b) * (1 - wy) + ((1 - wx) * c + wx * d) * wy;
}

INLINE bytes rounded(floats mixed, enum rounding rounding) {
    if (rounding == ROUNDING_HALF_EVEN) {
        return narrow(nearest_ints(mixed));
    }
    ints whole = __builtin_convertvector(mixed, ints);
    floats rest = mixed - __builtin_convertvector(whole, floats);
    return narrow(whole - (rest >= 0.5f) + (rest <= -0.5f));
}

/* fused: how many channels of this block are mixed in float. */
INLINE void row_of_floats(const struct resize *r, int by_corners, int32_t fused, const float *top, const float *bottom,
        float wy, float *out) {
    for (int32_t x = 0; x < r->out_w; x++, out += r->block) {
        int64_t low = (int64_t) r->col_low[x] * r->block, high = (int64_t) r->col_high[x] * r->block;
        float wx = r->col_weight[x];
        if (r->block == 1) {
            float a = top[low], b = top[high], c = bottom[low], d = bottom[high];
            *out = !r->bilinear   ? a
                    : !by_corners ? mix_row(a, b, c, d, wy, wx)
                    : fused > 0   ? mix_corner(a, b, c, d, wy, wx)
                                  : sum_corners(a, b, c, d, wy, wx);
            continue;
        }
        for (int32_t c = 0; c < r->block; c += LANES) {
            int32_t count = r->block - c;
            floats v = load_floats(top + low + c, count);
            if (r->bilinear) {
                floats b = load_floats(top + high + c, count);
                floats below = load_floats(bottom + low + c, count), beyond = load_floats(bottom + high + c, count);
                v = by_corners ? mix_corners(v, b, below, beyond, wy, wx) : mix_rows(v, b, below, beyond, wy, wx);
            }
            store_floats(out + c, v, count);
        }
        for (int32_t c = by_corners ? fused : r->block; c < r->block; c++) {
            out[c] = sum_corners(top[low + c], top[high + c], bottom[low + c], bottom[high + c], wy, wx);
        }
    }
}

INLINE floats values(const uint8_t *p, int32_t count, int is_signed) {
    return __builtin_convertvector(widen(load_bytes(p, count), is_signed), floats);
}

INLINE void row_of_bytes(const struct resize *r, int is_signed, enum rounding rounding, const uint8_t *top,
        const uint8_t *bottom, float wy, uint8_t *out) {
    for (int32_t x = 0; x < r->out_w; x++, out += r->block) {
        int64_t low = (int64_t) r->col_low[x] * r->block, high = (int64_t) r->col_high[x] * r->block;
        float wx = r->col_weight[x];
        for (int32_t c = 0; c < r->block; c += LANES) {
            int32_t count = r->block - c;
            bytes v = load_bytes(top + low + c, count);
            if (r->bilinear) {
                v = rounded(mix(values(top + low + c, count, is_signed), values(top + high + c, count, is_signed),
                                    values(bottom + low + c, count, is_signed),
                                    values(bottom + high + c, count, is_signed), wy, wx),
                        rounding);
            }
            store_some_bytes(out + c, v, count);
        }
    }
}

KERNEL(resize_floats) {
    const struct resize *r = call->plan;
    for (int32_t unit = call->begin; unit < call->end; unit++) {
        int32_t y = unit % r->out_h;
        const float *in = call->in + (int64_t) (unit / r->out_h) * r->in_h * r->in_w * r->block;
        int64_t row = (int64_t) r->in_w * r->block;
        float *out = call->out + (int64_t) unit * r->out_w * r->block;
        const float *top = in + r->row_low[y] * row, *bottom = in + r->row_high[y] * row;
        if (r->by_corners) {
            int32_t fused = fused_channels(r) - unit / r->out_h * r->block;
            row_of_floats(r, 1,
                    fused < 0                  ? 0
                            : fused < r->block ? fused
                                               : r->block,
                    top, bottom, r->row_weight[y], out);
        } else {
            row_of_floats(r, 0, r->block, top, bottom, r->row_weight[y], out);
        }
    }
}

KERNEL(resize_bytes) {
    const struct resize *r = call->plan;
    for (int32_t unit = call->begin; unit < call->end; unit++) {
        int32_t y = unit % r->out_h;
        const uint8_t *in = call->in + (int64_t) (unit / r->out_h) * r->in_h * r->in_w * r->block;
        int64_t row = (int64_t) r->in_w * r->block;
        uint8_t *out = call->out + (int64_t) unit * r->out_w * r->block;
        if (call->is_signed) {
            row_of_bytes(
                    r, 1, call->rounding, in + r->row_low[y] * row, in + r->row_high[y] * row, r->row_weight[y], out);
        } else {
            row_of_bytes(
                    r, 0, call->rounding, in + r->row_low[y] * row, in + r->row_high[y] * row, r->row_weight[y], out);
        }
    }
}
