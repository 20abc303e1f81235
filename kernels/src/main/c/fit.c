/*
 * Floats that round as a fixed-point multiplier does. Both are step functions that never fall, so they are the same when their steps are:
 * candidates are tried at the two sums around each step, with the very instructions the kernels use.
 */
#include "call.h"
#include "int8.h"
#include "isa.h"
#include "requantize.h"

/* Beyond, the steps lie too close for a float's 24 bits. */
#define MOST_SHIFT 11
#define OFFSETS 17
#define SCALES 5
#define STEPS 256

/* 2^exponent, for exponents of ordinary numbers. */
static double power_of_two(int32_t exponent) {
    int64_t bits = (int64_t) (exponent + 1023) << 52;
    double power;
    __builtin_memcpy(&power, &bits, 8);
    return power;
}

/* 0, 1, -1, 2, -2 ... for 0, 1, 2 ... */
static int32_t outward(int32_t i) {
    return i % 2 ? (i + 1) / 2 : -i / 2;
}

static float moved(float value, int32_t units) {
    int32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    bits += units;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

/* The least sum that gives q: see rounded_half in requantize.h, whose two roundings are one addition. */
static int32_t least_sum(int32_t multiplier, int32_t right, int32_t q) {
    int64_t half = right > 0 ? 1LL << (30 + right) : 0;
    int64_t product = q * (1LL << (31 + right)) - (q > 0 || right == 0 ? (1LL << 30) + half : half - (1LL << 30));
    int64_t sum = product / multiplier;
    return (int32_t) (sum * multiplier < product ? sum + 1 : sum);
}

/* Whether all of `count` sums from `sum` on give at least `wanted`, and those 1 before them less. */
static int steps_match(const int32_t *sum, const int32_t *wanted, int32_t count, const float *scale, const float *offset, enum rescaling rounding) {
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t before[LANES], at[LANES], less[LANES];
        for (int32_t k = 0; k < LANES; k++) {
            before[k] = sum[i + k] - 1;
        }
        sums s = load_sums(sum + i), b = load_sums(before);
        s = rounding == NEAREST ? nearest(s, scale, offset) : mirrored(s, scale, offset);
        b = rounding == NEAREST ? nearest(b, scale, offset) : mirrored(b, scale, offset);
        __builtin_memcpy(at, &s, sizeof at);
        __builtin_memcpy(less, &b, sizeof less);
        for (int32_t k = 0; k < LANES; k++) {
            if (at[k] < wanted[i + k] || less[k] >= wanted[i + k]) {
                return 0;
            }
        }
    }
    return 1;
}

/* Floats for results in [least, most], both less the zero point, of sum * multiplier / 2^(31 + right). */
INLINE void fit_one(int32_t multiplier, int32_t right, int32_t least, int32_t most, struct fitted *fitted) {
    *fitted = (struct fitted) {0, 0, 0, 0, INTEGER};
    if (multiplier < 1 << 30 || right > MOST_SHIFT) {
        return;
    }
    enum rescaling rounding = least >= 0 ? NEAREST : MIRRORED;
    double scale = multiplier * power_of_two(-31 - right);
    /* Where one offset serves all, results are counted from the middle, which a float tells apart best. */
    int32_t middle = rounding == NEAREST ? (least + most + 1) / 2 : 0;
    int32_t centre = (int32_t) (middle / scale);
    double nudge = right > 0 ? power_of_two(-1 - right) : 0;
    double exact_offset = nudge + (centre * scale - middle);
    int32_t sum[STEPS], wanted[STEPS];
    int32_t count = (most - least + LANES - 1) / LANES * LANES;
    for (int32_t i = 0; i < count; i++) {
        /* The last vector is filled with the last step. */
        int32_t q = least + 1 + i < most ? least + 1 + i : most;
        sum[i] = least_sum(multiplier, right, q) - centre;
        wanted[i] = q - middle;
    }
    for (int32_t i = 0; i < OFFSETS * SCALES; i++) {
        float scales[LANES], offsets[LANES];
        for (int32_t k = 0; k < LANES; k++) {
            scales[k] = moved((float) scale, outward(i % SCALES));
            offsets[k] = (float) (exact_offset + outward(i / SCALES) * scale / 1024);
        }
        /* Mirroring sets the offset's sign. */
        if ((rounding == NEAREST || offsets[0] >= 0) && steps_match(sum, wanted, count, scales, offsets, rounding)) {
            *fitted = (struct fitted) {scales[0], offsets[0], centre, middle, rounding};
            return;
        }
    }
}

/*
 * Fits n multipliers, a, and right shifts, b, for results in [m, k], both less the zero point; neighbours that are alike but once. Of each
 * i of them, a panel, those after one that no floats fit are left out, since all share a kind of arithmetic.
 */
KERNEL(fit) {
    const int32_t *multipliers = (const int32_t *) call->a + call->a_at;
    const int32_t *rights = (const int32_t *) call->b + call->b_at;
    struct fitted *fitted = (struct fitted *) call->out + call->out_at;
    int32_t last = 0;
    for (int32_t i = 0; i < call->n; i++) {
        if (i > 0 && multipliers[i] == multipliers[last] && rights[i] == rights[last]) {
            fitted[i] = fitted[last];
        } else {
            fit_one(multipliers[i], rights[i], call->m, call->k, fitted + i);
        }
        last = i;
        if (fitted[i].rounding == INTEGER) {
            i += call->i - 1 - i % call->i;
        }
    }
}
