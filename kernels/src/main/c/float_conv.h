/* Dense convolutions of float images, whole or in groups: what the Java side hands over. */
#ifndef TORCHNNAPI_FLOAT_CONV_H
#define TORCHNNAPI_FLOAT_CONV_H

#include "float.h"
#include "integers.h"

/*
 * Output pixel (row, col) sums the input pixels (row * stride_y + first_y + ky * tap_y, col * stride_x + first_x + kx *
 * tap_x) under tap (ky, kx); those outside the image count as zero. A transposed convolution is several of these.
 *
 * Weights are [group][panel][ky][kx][channel][lane], or [panel][ky][channel][kx][lane] where float_planar says so; a
 * panel has FLOAT_PANEL lanes, the last of a group only as many vectors as it needs. Bias is
 * [group][panel][FLOAT_PANEL].
 */
struct float_conv {
    const float *weights;
    const float *bias;
    int64_t in_plane; /* from one block of channels to the next */
    int64_t out_plane;
    int64_t in_row; /* from one row to the next */
    int64_t out_row; /* from one output row of this convolution to the next */
    int64_t out_col;
    int64_t out_origin; /* its first pixel */
    int32_t in_h;
    int32_t in_w;
    int32_t in_block;
    int32_t out_block;
    int32_t groups;
    int32_t channels; /* inputs of a group */
    int32_t outs; /* outputs of a group */
    int32_t taps_y;
    int32_t taps_x;
    int32_t first_y;
    int32_t first_x;
    int32_t tap_y;
    int32_t tap_x;
    int32_t stride_y;
    int32_t stride_x;
    int32_t rows;
    int32_t cols;
    int32_t band_rows; /* a unit: output pixels by panels */
    int32_t band_cols;
    int32_t chunk; /* panels of a unit, counted over all groups */
    int32_t panels_outside; /* whether the weights of a unit are too many for the first cache */
    int32_t chunks_outside; /* whether units that follow each other are bands of the same panels, not panels of the same
                               band */
    struct float_activation activation;
};

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

/* Units [begin, end): bands of pixels by chunks of panels. Needs no scratch. */
EXPORT void NAME(float_conv)(const struct float_conv *d, const float *in, int64_t in_offset, const float *residual,
        int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end);

#endif
