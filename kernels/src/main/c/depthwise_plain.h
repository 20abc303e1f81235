/* Depthwise without dot products: 16 channels at a time, one tap after the other, for the compiler to vectorise. */

#define GROUP 16

static inline void depthwise_pixel(const struct depthwise *d, const uint8_t *in, uint8_t *out, int32_t y, int32_t x, int32_t channel) {
    int32_t sum[GROUP];
    int32_t count = d->channels - channel < GROUP ? d->channels - channel : GROUP;
    int32_t padded = (d->channels + 63) / 64 * 64;
    int32_t flip = d->signed_input ? 128 : 0;
    for (int32_t c = 0; c < GROUP; c++) {
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
            const uint8_t *source = in + ((int64_t) iy * d->in_w + ix) * d->channels + channel;
            const int8_t *w = d->weights + (int64_t) (ky * d->kernel_w + kx) * padded + channel;
            if (count == GROUP) {
                for (int32_t c = 0; c < GROUP; c++) {
                    sum[c] += ((int32_t) (source[c] ^ flip) - (d->zero_point ^ flip)) * w[c];
                }
            } else {
                for (int32_t c = 0; c < count; c++) {
                    sum[c] += ((int32_t) (source[c] ^ flip) - (d->zero_point ^ flip)) * w[c];
                }
            }
        }
    }
    for (int32_t c = 0; c < count; c++) {
        out[c] = to_byte(&d->rule, sum[c], channel + c);
    }
}

/* Row y of the output. The scratch is for kernels that use dot products. */
EXPORT void NAME(depthwise)(const struct depthwise *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t y,
                            uint8_t *scratch) {
    (void) scratch;
    for (int32_t x = 0; x < d->out_w; x++) {
        uint8_t *pixel = out + out_offset + ((int64_t) y * d->out_w + x) * d->channels;
        for (int32_t channel = 0; channel < d->channels; channel += GROUP) {
            depthwise_pixel(d, in + in_offset, pixel + channel, y, x, channel);
        }
    }
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 0;
}
