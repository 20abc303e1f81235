#include "float_widening.h"

/* Floats from which on a line of the other half is asked for ahead: it is often in another core's cache. */
#define AHEAD (16 * 16)

static void add_halves(const float *halves, int64_t count, float *sum) {
    const float *other = halves + count;
    int64_t i = 0;
    for (; i + FLOAT_LANES <= count; i += FLOAT_LANES) {
        __builtin_prefetch(halves + i + AHEAD);
        __builtin_prefetch(other + i + AHEAD);
        vec_store(sum + i, vec_add(vec_load(halves + i), vec_load(other + i)));
    }
    for (; i < count; i++) {
        sum[i] = halves[i] + other[i];
    }
}

/* Units [begin, end), panels of channels. scratch has room for a panel of the wide image and, behind it, for the sum of two halves. */
EXPORT void NAME(float_widening)(const struct float_widening *w, const float *in, int64_t in_offset, const float *residual,
                                 int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    (void) residual, (void) residual_offset;
    const struct float_depthwise *d = w->depthwise;
    int64_t plane = (int64_t) d->in_h * d->in_w * FLOAT_LANES;
    int32_t blocks = (d->channels + FLOAT_LANES - 1) / FLOAT_LANES;
    in += in_offset;
    if (w->half) {
        float *sum = scratch + FLOAT_VECTORS * plane;
        if (!w->resumed) {
            add_halves(in, w->half, sum);
        }
        in = sum;
    }
    for (int32_t panel = begin; panel < end; panel++) {
        int32_t block = panel * FLOAT_VECTORS;
        int32_t block_end = block + FLOAT_VECTORS < blocks ? block + FLOAT_VECTORS : blocks;
        struct float_part part = {0, w->expand->rows, 0, w->expand->cols, panel, panel + 1};
        /* Both stages count from the first block, which is not there. */
        float *first = scratch - block * plane;
        NAME(float_part)(w->expand, in, 0, first, &part);
        NAME(float_depthwise)(d, first, 0, 0, 0, out, out_offset, 0, block, block_end);
    }
}
