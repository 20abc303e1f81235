/* What is done to the weights of a convolution of bytes, once: in C, since Java would interpret these loops when a
 * program starts. */
#include "call.h"

/* Weights are read as signed bytes; where they are stored without a sign their zero points are 128 less. */

KERNEL(weights_range) {
    const uint8_t *values = call->weights;
    int8_t least = INT8_MAX, largest = INT8_MIN;
    for (int32_t i = 0; i < call->count; i++) {
        int8_t value = (int8_t) (values[i] ^ call->flip);
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    call->range[0] = least;
    call->range[1] = largest;
}

KERNEL(weights_sums) {
    for (int32_t channel = 0; channel < call->channels; channel++) {
        const uint8_t *values = call->weights + (int64_t) channel * call->step;
        int32_t zero = call->zeros[channel] - call->flip;
        int64_t sum = 0, magnitude = 0;
        for (int32_t i = 0; i < call->count; i++) {
            int32_t weight = (int8_t) (values[i] ^ call->flip) - zero;
            sum += weight;
            magnitude += weight < 0 ? -weight : weight;
        }
        call->sums[2 * channel] = sum;
        call->sums[2 * channel + 1] = magnitude;
    }
}

KERNEL(weights_pack) {
    const struct packing *p = call->plan;
    uint8_t *out = call->packed;
    int64_t run_bytes = RUN_BYTES(p->quads);
    int64_t panel_bytes = p->tap_count / p->run_taps * run_bytes;
    for (int32_t o = 0; o < call->outs; o++) {
        uint8_t *panel = out + o / PANEL * panel_bytes;
        int32_t sum = 0;
        for (int32_t t = 0; t < p->tap_count; t++) {
            const uint8_t *from = call->weights + (int64_t) o * p->out_step + p->taps[t];
            uint8_t *to = panel + t / p->run_taps * run_bytes;
            uint32_t at = (uint32_t) (t % p->run_taps * p->channels);
            for (int32_t c = 0; c < p->channels; c++, at++) {
                /* Less its zero point a weight is a signed byte, so the sign that the byte is read with does not
                 * matter. */
                uint8_t weight = (uint8_t) (from[(int64_t) c * p->channel_step] - p->zeros[o]);
                to[WEIGHT_IN_RUN(o % PANEL, at)] = weight;
                sum += (int8_t) weight;
            }
        }
        ((int32_t *) (out + (call->outs + PANEL - 1) / PANEL * panel_bytes))[o] = sum;
    }
}

KERNEL(weights_place) {
    const struct places *p = call->plan;
    for (int32_t channel = 0; channel < call->channels; channel++) {
        const uint8_t *from = call->weights + (int64_t) channel * call->taps;
        uint8_t *to = call->packed + p->channels[channel];
        for (int32_t t = 0; t < call->taps; t++) {
            /* As in weights_pack, the sign that the byte is read with does not matter. */
            to[p->taps[t]] = (uint8_t) (from[t] - p->zeros[channel]);
        }
    }
}

KERNEL(weights_reorder) {
    const int32_t *order = call->order;
    for (int32_t row = 0; row < call->rows; row++) {
        const uint8_t *from = call->matrix + (int64_t) row * call->columns;
        uint8_t *to = call->out + (int64_t) row * call->out_columns;
        for (int32_t i = 0; i < call->out_columns; i++) {
            to[i] = order[i] < call->columns ? from[order[i]] : (uint8_t) call->zeros[row];
        }
    }
}
