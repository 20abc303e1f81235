/* Depthwise without dot products: 16 channels at a time, one tap after the other, for the compiler to vectorise. */

#define BLOCK 16

INLINE void add_tap(const struct depthwise *d, const uint8_t *source, const int8_t *w, int32_t count, int32_t *sum) {
    int16_t flip = d->signed_input ? 128 : 0;
    int16_t zero = (int16_t) (d->zero_point ^ flip);
    for (int32_t c = 0; c < count; c++) {
        sum[c] += (int16_t) ((int16_t) (source[c] ^ flip) - zero) * (int16_t) w[c];
    }
}

INLINE void depthwise_block(const struct depthwise *d, const uint8_t *in, uint8_t *out, int32_t y, int32_t x, int32_t channel) {
    int32_t sum[BLOCK];
    int32_t count = d->channels - channel < BLOCK ? d->channels - channel : BLOCK;
    int32_t padded = (d->channels + GROUP - 1) / GROUP * GROUP;
    for (int32_t c = 0; c < BLOCK; c++) {
        sum[c] = d->bias[channel + c];
    }
    for (int32_t ky = 0; ky < d->kernel_h; ky++) {
        int32_t iy = y * d->stride_h + ky * d->dilation_h - d->pad_top;
        if (iy < 0 || iy >= d->in_h) {
            continue;
        }
        for (int32_t kx = 0; kx < d->kernel_w; kx++) {
            int32_t ix = x * d->stride_w + kx * d->dilation_w - d->pad_left;
            if (ix < 0 || ix >= d->in_w) {
                continue;
            }
            const uint8_t *source = input_at(d, in, iy, ix) + channel;
            const int8_t *w = d->weights + (int64_t) (ky * d->kernel_w + kx) * padded + channel;
            if (count == BLOCK) {
                add_tap(d, source, w, BLOCK, sum);
            } else {
                add_tap(d, source, w, count, sum);
            }
        }
    }
    enum rescaling rounding = d->rule.rounding[channel / GROUP];
    sums four[4];
    for (int i = 0; i < 4; i++) {
        int at = i % (BLOCK / LANES) * LANES;
        four[i] = rescaled(&d->rule, rounding, channel + at, load_sums(sum + at));
    }
    store_part(pack(&d->rule.limits[rounding], four[0], four[1], four[2], four[3]), 0, BLOCK / LANES, out, count);
}

/* Row y of the output. The scratch is for kernels that use dot products. */
INLINE void depthwise_row(const struct depthwise *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t y,
                          uint8_t *scratch) {
    (void) scratch;
    for (int32_t x = 0; x < d->out_w; x++) {
        uint8_t *pixel = out + out_offset + (int64_t) x * d->channels;
        for (int32_t channel = 0; channel < d->channels; channel += BLOCK) {
            depthwise_block(d, in + in_offset, pixel + channel, y, x, channel);
        }
    }
}

/* Bytes of scratch that a row needs. */
INLINE int64_t depthwise_scratch_size(const struct depthwise *d) {
    (void) d;
    return 0;
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 0;
}
