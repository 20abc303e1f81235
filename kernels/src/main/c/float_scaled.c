#include "float_conv.h"
#include "integers.h"
#include "runs.h"

/* Multiplies weights as float_conv.h has them, of one group and one tap. */
static void scale_weights(const struct float_conv *d, const float *scales, float *scaled) {
    const float *weights = d->weights;
    for (int32_t out = 0; out < d->outs; out += FLOAT_PANEL) {
        int32_t width = quotient_up(least(FLOAT_PANEL, d->outs - out), FLOAT_LANES) * FLOAT_LANES;
        for (int32_t c = 0; c < d->channels; c++) {
            vec scale = vec_all(scales[c]);
            for (int32_t lane = 0; lane < width; lane += FLOAT_LANES, weights += FLOAT_LANES, scaled += FLOAT_LANES) {
                vec_store(scaled, vec_mul(vec_load(weights), scale));
            }
        }
    }
}

static void scale_image(const struct float_conv *d, const float *image, const float *scales, float *scaled) {
    for (int32_t c = 0; c < d->channels; c += FLOAT_LANES) {
        float of_block[FLOAT_LANES] = {0};
        for (int32_t lane = 0; lane < least(FLOAT_LANES, d->channels - c); lane++) {
            of_block[lane] = scales[c + lane];
        }
        vec scale = vec_load(of_block);
        for (int32_t pixel = 0; pixel < d->cols; pixel++, image += FLOAT_LANES, scaled += FLOAT_LANES) {
            vec_store(scaled, vec_mul(vec_load(image), scale));
        }
    }
}

EXPORT void NAME(float_scale)(const struct float_scaled *s, const float *in, int64_t in_offset, const float *scales,
        int64_t scales_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    (void) out, (void) out_offset, (void) begin, (void) end;
    if (s->of_weights) {
        scale_weights(s->conv, scales + scales_offset, scratch);
    } else {
        scale_image(s->conv, in + in_offset, scales + scales_offset, scratch);
    }
}

EXPORT void NAME(float_scaled)(const struct float_scaled *s, const float *in, int64_t in_offset, const float *residual,
        int64_t residual_offset, float *out, int64_t out_offset, float *scratch, int32_t begin, int32_t end) {
    struct float_conv conv;
    copy((uint8_t *) &conv, (const uint8_t *) s->conv, sizeof conv);
    if (s->of_weights) {
        conv.weights = scratch;
    } else {
        in = scratch;
        in_offset = 0;
    }
    NAME(float_conv)(&conv, in, in_offset, residual, residual_offset, out, out_offset, 0, begin, end);
}
