#include "float_widening.h"

static void add_halves(const float *halves, int64_t count, float *sum) {
    const float *other = halves + count;
    int64_t i = 0;
    for (; i + FLOAT_LANES <= count; i += FLOAT_LANES) {
        vec_store(sum + i, vec_add(vec_load(halves + i), vec_load(other + i)));
    }
    for (; i < count; i++) {
        sum[i] = halves[i] + other[i];
    }
}

/* Units [begin, end), panels of channels. scratch has room for the sum of two halves and, behind it, for a panel of the wide image. */
EXPORT void NAME(float_widening)(const struct float_widening *w, const float *in, int64_t in_offset, const float *residual,
                                 int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    (void) residual, (void) residual_offset;
    const struct float_depthwise *d = w->depthwise;
    int32_t blocks = (w->expand->outs + FLOAT_LANES - 1) / FLOAT_LANES;
    in += in_offset;
    if (w->half) {
        if (!w->resumed) {
            add_halves(in, w->half, scratch);
        }
        in = scratch;
    }
    for (int32_t panel = begin; panel < end; panel++) {
        int32_t block = panel * FLOAT_VECTORS;
        int32_t block_end = block + FLOAT_VECTORS < blocks ? block + FLOAT_VECTORS : blocks;
        struct float_part part = {0, w->expand->rows, 0, w->expand->cols, panel, panel + 1};
        /* The depthwise stage counts from the first block, too, which is not there. */
        float *wide = d ? scratch + w->half - block * w->expand->out_plane : out + out_offset;
        NAME(float_part)(w->expand, in, 0, wide, &part);
        if (d) {
            NAME(float_depthwise)(d, wide, 0, 0, 0, out, out_offset, 0, block, block_end);
        }
    }
}
