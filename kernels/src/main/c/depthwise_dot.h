/*
 * Depthwise by dot products over four rows: the bytes of four rows under the kernel are interleaved once a column, 64 channels at a
 * time, then every output column takes one dot product a kernel column and 16 channels. Unpacking within 128-bit
 * lanes leaves the channels of a group in the order lane, quarter, four: weights, bias and scales come in that order too, and
 * packing the results back restores the natural one.
 */

/* Input columns interleaved at a time: 256 bytes each and row group, so that they stay in the first cache. */
#define COLUMNS 48

static inline __m512i row_bytes(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t x, int32_t channel, __mmask64 mask,
                                int32_t past) {
    if (past) {
        return _mm512_setzero_si512();
    }
    if (y < 0 || y >= d->in_h || x < 0 || x >= d->in_w) {
        return _mm512_set1_epi8((char) d->zero_point);
    }
    return _mm512_maskz_loadu_epi8(mask, in + ((int64_t) y * d->in_w + x) * d->channels + channel);
}

static inline void interleave(const struct depthwise *d, const uint8_t *in, int32_t y, int32_t rows, int32_t x, int32_t channel,
                              __mmask64 mask, uint8_t *target) {
    __m512i a = row_bytes(d, in, y, x, channel, mask, 0);
    __m512i b = row_bytes(d, in, y + d->dilation_h, x, channel, mask, rows < 2);
    __m512i c = row_bytes(d, in, y + 2 * d->dilation_h, x, channel, mask, rows < 3);
    __m512i e = row_bytes(d, in, y + 3 * d->dilation_h, x, channel, mask, rows < 4);
    __m512i flip = _mm512_set1_epi8((char) (d->signed_input ? 128 : 0));
    __m512i ab_low = _mm512_unpacklo_epi8(a, b), ab_high = _mm512_unpackhi_epi8(a, b);
    __m512i ce_low = _mm512_unpacklo_epi8(c, e), ce_high = _mm512_unpackhi_epi8(c, e);
    _mm512_storeu_si512(target, _mm512_xor_si512(flip, _mm512_unpacklo_epi16(ab_low, ce_low)));
    _mm512_storeu_si512(target + 64, _mm512_xor_si512(flip, _mm512_unpackhi_epi16(ab_low, ce_low)));
    _mm512_storeu_si512(target + 128, _mm512_xor_si512(flip, _mm512_unpacklo_epi16(ab_high, ce_high)));
    _mm512_storeu_si512(target + 192, _mm512_xor_si512(flip, _mm512_unpackhi_epi16(ab_high, ce_high)));
}

static inline __m512i scaled(const struct requantization *r, __m512i sum, int32_t channel) {
    return r->scale ? half_even(r, sum, channel) : fixed_point(r, sum, channel);
}

/* Four vectors of sums, in the order of the unpacking, to 64 bytes. */
static inline void store_group(const struct requantization *r, const __m512i *sum, int32_t channel, uint8_t *out, __mmask64 mask) {
    __m512i first = _mm512_packs_epi32(scaled(r, sum[0], channel), scaled(r, sum[1], channel + 16));
    __m512i second = _mm512_packs_epi32(scaled(r, sum[2], channel + 32), scaled(r, sum[3], channel + 48));
    __m512i zero = _mm512_set1_epi16((short) r->zero_point);
    const __m512i low = _mm512_set1_epi16(255);
    first = _mm512_and_si512(_mm512_add_epi16(first, zero), low);
    second = _mm512_and_si512(_mm512_add_epi16(second, zero), low);
    _mm512_mask_storeu_epi8(out, mask, _mm512_packus_epi16(first, second));
}

static inline void depthwise_columns(const struct depthwise *d, const uint8_t *in, uint8_t *out, int32_t y, int32_t x0, int32_t x1,
                                     int32_t channel, uint8_t *scratch) {
    int32_t left = d->channels - channel;
    __mmask64 mask = left >= 64 ? ~0ull : (1ull << left) - 1;
    int32_t padded = (d->channels + 63) / 64 * 64;
    int32_t groups = (d->kernel_h + 3) / 4;
    int32_t first = x0 * d->stride_w - d->pad_left;
    int32_t columns = (x1 - 1 - x0) * d->stride_w + (d->kernel_w - 1) * d->dilation_w + 1;
    for (int32_t g = 0; g < groups; g++) {
        for (int32_t i = 0; i < columns; i++) {
            interleave(d, in, y * d->stride_h - d->pad_top + 4 * g * d->dilation_h, d->kernel_h - 4 * g, first + i, channel, mask,
                       scratch + (g * columns + i) * 256);
        }
    }
    for (int32_t x = x0; x < x1; x++) {
        __m512i sum[4];
        for (int32_t v = 0; v < 4; v++) {
            sum[v] = load_sums(d->bias + channel + 16 * v);
        }
        for (int32_t g = 0; g < groups; g++) {
            const uint8_t *bytes = scratch + (g * columns + (x - x0) * d->stride_w) * 256;
            const int8_t *w = d->weights + ((int64_t) g * d->kernel_w * padded + channel) * 4;
            for (int32_t k = 0; k < d->kernel_w; k++, bytes += d->dilation_w * 256, w += (int64_t) padded * 4) {
                for (int32_t v = 0; v < 4; v++) {
                    sum[v] = dot(sum[v], _mm512_loadu_si512(bytes + 64 * v), weights_of(w + 64 * v));
                }
            }
        }
        store_group(&d->rule, sum, channel, out + (int64_t) x * d->channels + channel, mask);
    }
}

/* Row y of the output. Scratch: 256 bytes for every input column under COLUMNS and every four kernel rows. */
EXPORT void NAME(depthwise)(const struct depthwise *d, const uint8_t *in, int64_t in_offset, uint8_t *out, int64_t out_offset, int32_t y,
                            uint8_t *scratch) {
    int32_t reach = (d->kernel_w - 1) * d->dilation_w + 1;
    int32_t step = COLUMNS <= reach ? 1 : (COLUMNS - reach) / d->stride_w + 1;
    uint8_t *row = out + out_offset + (int64_t) y * d->out_w * d->channels;
    for (int32_t channel = 0; channel < d->channels; channel += 64) {
        for (int32_t x = 0; x < d->out_w; x += step) {
            depthwise_columns(d, in + in_offset, row, y, x, x + step < d->out_w ? x + step : d->out_w, channel, scratch);
        }
    }
}

EXPORT int32_t NAME(depthwise_dots)(void) {
    return 1;
}
