/* Dense convolutions of float images, whole or in groups: what sources share. */
#ifndef TORCHNNAPI_FLOAT_CONV_H
#define TORCHNNAPI_FLOAT_CONV_H

#include "float.h"
#include "integers.h"

/* Whether the columns of a tap row are adjacent in the image where channels are not, as in the first layer of a network
 * in NCHW. */
static inline int float_planar(const struct float_conv *d) {
    return d->in_block == 1 && d->tap_x == 1 && d->groups == 1;
}

/* Output pixels and panels, each from the first to the one past the last. */
struct float_part {
    int32_t row, row_end, col, col_end, panel, panel_end;
};

/* What a unit computes, where there are so many panels. */
static inline struct float_part float_unit(const struct float_conv *d, int32_t panels, int32_t unit) {
    int32_t chunks = quotient_up(panels, d->chunk);
    int32_t across = quotient_up(d->cols, d->band_cols);
    int32_t bands = quotient_up(d->rows, d->band_rows) * across;
    int32_t band = d->chunks_outside ? unit % bands : unit / chunks;
    int32_t row = band / across * d->band_rows;
    int32_t col = band % across * d->band_cols;
    int32_t panel = (d->chunks_outside ? unit / bands : unit % chunks) * d->chunk;
    return (struct float_part) {row, least(d->rows, row + d->band_rows), col, least(d->cols, col + d->band_cols), panel,
            least(panels, panel + d->chunk)};
}

void NAME(float_part)(
        const struct float_conv *d, const float *in, const float *residual, float *out, const struct float_part *part);

#endif
