/* What is done to the weights of a convolution of bytes, once: in C, since Java would interpret these loops when a
 * program starts. */
#include "call.h"

/* Weights are read as signed bytes; `flip` is 128 where they are stored without a sign, and their zero points then are
 * 128 less. */

/* out (int32[2]) = the least and the largest of a's n bytes; op = flip. */
KERNEL(weights_range) {
    const uint8_t *values = BYTES_OF(call->a, call->a_at);
    int8_t least = INT8_MAX, largest = INT8_MIN;
    for (int32_t i = 0; i < call->n; i++) {
        int8_t value = (int8_t) (values[i] ^ call->op);
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    int32_t *out = call->out;
    out[0] = least;
    out[1] = largest;
}

/*
 * out (int64[2n]) = for each of n output channels the sum of its weights less their zero point, and the sum of their
 * magnitudes. A channel has m weights in a row, k behind those of the one before; b = zero points (int32[n]), op =
 * flip.
 */
KERNEL(weights_sums) {
    const int32_t *zeros = call->b;
    int64_t *out = call->out;
    for (int32_t channel = 0; channel < call->n; channel++) {
        const uint8_t *values = BYTES_OF(call->a, call->a_at + (int64_t) channel * call->k);
        int32_t zero = zeros[channel] - call->op;
        int64_t sum = 0, magnitude = 0;
        for (int32_t i = 0; i < call->m; i++) {
            int32_t weight = (int8_t) (values[i] ^ call->op) - zero;
            sum += weight;
            magnitude += weight < 0 ? -weight : weight;
        }
        out[2 * channel] = sum;
        out[2 * channel + 1] = magnitude;
    }
}

struct packing {
    const int32_t *taps;
    const int32_t *zeros;
    int32_t channels;
    int32_t tap_count;
    int32_t run_taps;
    int32_t quads;
    int32_t out_step;
    int32_t channel_step;
};

/*
 * Panels of n output channels' weights a, less their zero points, whose bytes they fit: out, zero at first, has for
 * each run of taps its quads of bytes, those of a panel's channels after each other. Behind the panels comes the sum of
 * each channel's, int32[n].
 */
KERNEL(weights_pack) {
    const struct packing *p = call->plan;
    uint8_t *out = (uint8_t *) call->out;
    int64_t run_bytes = RUN_BYTES(p->quads);
    int64_t panel_bytes = p->tap_count / p->run_taps * run_bytes;
    for (int32_t o = 0; o < call->n; o++) {
        uint8_t *panel = out + o / PANEL * panel_bytes;
        int32_t sum = 0;
        for (int32_t t = 0; t < p->tap_count; t++) {
            const uint8_t *from = BYTES_OF(call->a, (int64_t) o * p->out_step + p->taps[t]);
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
        ((int32_t *) (out + (call->n + PANEL - 1) / PANEL * panel_bytes))[o] = sum;
    }
}

struct places {
    const int32_t *zeros;
    const int32_t *channels;
    const int32_t *taps;
};

/*
 * The weights a of n channels, m taps each in a row, less their zero points, whose bytes they fit: out has the weight
 * of a tap behind where its channel begins.
 */
KERNEL(weights_place) {
    const struct places *p = call->plan;
    for (int32_t channel = 0; channel < call->n; channel++) {
        const uint8_t *from = BYTES_OF(call->a, (int64_t) channel * call->m);
        uint8_t *to = (uint8_t *) call->out + call->out_at + p->channels[channel];
        for (int32_t t = 0; t < call->m; t++) {
            /* As in weights_pack, the sign that the byte is read with does not matter. */
            to[p->taps[t]] = (uint8_t) (from[t] - p->zeros[channel]);
        }
    }
}

/*
 * The columns of a matrix of n rows in another order: out, k bytes a row, = a, m bytes a row, at b (int32[k]), or the
 * row's zero point, plan (int32[n]), where that is not within the row.
 */
KERNEL(weights_reorder) {
    const int32_t *zeros = call->plan, *order = call->b;
    for (int32_t row = 0; row < call->n; row++) {
        const uint8_t *from = BYTES_OF(call->a, call->a_at + (int64_t) row * call->m);
        uint8_t *to = (uint8_t *) call->out + call->out_at + (int64_t) row * call->k;
        for (int32_t i = 0; i < call->k; i++) {
            to[i] = order[i] < call->m ? from[order[i]] : (uint8_t) zeros[row];
        }
    }
}
