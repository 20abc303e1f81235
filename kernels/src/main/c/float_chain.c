#include "float_conv.h"
#include "float_depthwise.h"

static int32_t panels_of(const struct float_conv *d) {
    return (d->outs + FLOAT_PANEL - 1) / FLOAT_PANEL;
}

EXPORT void NAME(float_chain)(const struct float_chain *c, const float *in, int64_t in_offset, const float *residual,
        int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    const struct float_depthwise *d = c->depthwise;
    int32_t blocks = (d->channels + FLOAT_LANES - 1) / FLOAT_LANES;
    int64_t in_block = (int64_t) d->in_w * FLOAT_LANES;
    int64_t out_block = (int64_t) d->out_w * FLOAT_LANES;
    int32_t slots = (d->kernel_h - 1) * d->tap_y + 1;
    float_depthwise_row *row_of = NAME(float_depthwise_row)(d);
    float *wide = scratch;
    float *ring = scratch + blocks * out_block;
    in += in_offset;
    out += out_offset;
    residual = residual ? residual + residual_offset : 0;
    int32_t done = c->resumed ? (begin - 1) * d->stride_y - d->pad_top + slots : 0;
    int32_t next = done < 0 ? 0 : done;
    for (int32_t row = begin; row < end; row++) {
        int32_t top = row * d->stride_y - d->pad_top;
        int32_t first = next > top ? next : top < 0 ? 0 : top;
        next = top + slots < d->in_h ? top + slots : d->in_h;
        next = next > first ? next : first;
        /* Panel by panel, so that the depthwise stage finds what the first one wrote in the first cache. */
        for (int32_t block = 0; block < blocks; block++) {
            if (c->expand && block % FLOAT_VECTORS == 0) {
                int32_t panel = block / FLOAT_VECTORS;
                for (int32_t y = first; y < next; y++) {
                    struct float_part part = {y, y + 1, 0, d->in_w, panel, panel + 1};
                    NAME(float_part)(c->expand, in, 0, ring + y % slots * blocks * in_block, &part);
                }
            }
            struct float_depthwise_row r;
            int32_t y = float_depthwise_begin(d, block, row, &r);
            for (int32_t i = 0; i < r.height; i++, y += d->tap_y) {
                r.rows[i] = c->expand ? ring + (y % slots * blocks + block) * in_block
                                      : in + ((int64_t) block * d->in_h + y) * in_block;
            }
            int64_t at = ((int64_t) block * d->out_h + row) * out_block;
            r.y = c->project ? wide + block * out_block : out + at;
            r.residual = c->project || !residual ? 0 : residual + at;
            float_depthwise_do(row_of, d, &r);
        }
        if (c->project) {
            struct float_part part = {0, 1, 0, d->out_w, 0, panels_of(c->project)};
            int64_t at = row * c->project->out_row;
            NAME(float_part)(c->project, wide, residual ? residual + at : 0, out + at, &part);
        }
    }
}
