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

/* Whether all of `count` sums from `sum` on, less the centre, give at least `wanted`, and those 1 before them less. */
static int steps_match(const int32_t *sum, const int32_t *wanted, int32_t count, int32_t centre, const float *scale, const float *offset,
                       enum rescaling rounding) {
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t at[LANES], less[LANES];
        for (int32_t k = 0; k < LANES; k++) {
            at[k] = sum[i + k] - centre;
            less[k] = at[k] - 1;
        }
        sums s = by_floats(rounding, load_sums(at), scale, offset), b = by_floats(rounding, load_sums(less), scale, offset);
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
        sum[i] = least_sum(multiplier, right, q);
        wanted[i] = q - middle;
    }
    for (int32_t i = 0; i < OFFSETS * SCALES; i++) {
        float scales[LANES], offsets[LANES];
        for (int32_t k = 0; k < LANES; k++) {
            scales[k] = moved((float) scale, outward(i % SCALES));
            offsets[k] = (float) (exact_offset + outward(i / SCALES) * scale / 1024);
        }
        /* Mirroring sets the offset's sign. */
        if ((rounding == NEAREST || offsets[0] >= 0) && steps_match(sum, wanted, count, centre, scales, offsets, rounding)) {
            *fitted = (struct fitted) {scales[0], offsets[0], centre, middle, rounding};
            return;
        }
    }
}

/* The least sum that the other rule gives q for, nearest((float) sum * scale) with halves to even; for sums that are floats. */
static int32_t least_sum_half_even(float scale, int32_t q) {
    double step = q - 0.5;
    for (int32_t sum = (int32_t) (step / scale) - 2;; sum++) {
        float product = (float) sum * scale;
        if (product > step || (product == step && q % 2 == 0)) {
            return sum;
        }
    }
}

/* The least x with low <= a x mod m <= high, for 0 <= low <= high < m and 0 <= a < m; -1 if there is none. As Euclid finds a divisor. */
static int64_t first_within(int64_t a, int64_t m, int64_t low, int64_t high) {
    if (low == 0) {
        return 0;
    }
    if (a == 0) {
        return -1;
    }
    int64_t x = (low + a - 1) / a;
    if (a * x <= high) {
        return x;
    }
    /* No multiple of a is in the range itself; m y, for the number y of wraps, must be as far below a multiple of a. */
    int64_t y = first_within(m % a, a, (a - high % a) % a, (a - low % a) % a);
    return y < 0 ? -1 : (low + m * y + a - 1) / a;
}

/*
 * A start for sums in [least, most], at which its product with the scale is more than a whole number by at least `low` and at most `high`;
 * whether there is one. The addend takes the whole number back.
 */
static int find_start(float scale, double low, double high, int32_t least, int32_t most, int32_t *start, float *addend) {
    const int64_t first = (1 << 23) - (int64_t) least, last = (1 << 24) - 1 - (int64_t) most;
    int32_t bits;
    __builtin_memcpy(&bits, &scale, 4);
    int64_t mantissa = (bits & 0x7fffff) | 0x800000, exponent = 150 - (bits >> 23), one = 1LL << exponent;
    /* Not the ends themselves, where roundings of halves would decide. */
    int64_t from = (int64_t) (low * one) + (low > 0) + 1, to = (int64_t) (high * one) - (high < 0) - 1;
    if (first > last || from > to) {
        return 0;
    }
    int64_t wanted = (from - first * mantissa) & (one - 1), width = to - from;
    int64_t moved = wanted + width >= one ? 0 : first_within(mantissa, one, wanted, wanted + width);
    if (moved < 0 || first + moved > last) {
        return 0;
    }
    *start = (int32_t) (FUSED_START + first + moved - (1 << 23));
    *addend = (float) (FUSED_RESULT - FUSED_START + (1 << 23) - (((first + moved) * mantissa - from) >> exponent));
    return 1;
}

/* As fit_one with a single multiply-add, for sums in [sum_least, sum_most]; the centre brings them to where they start. */
INLINE void fuse_one(int half_even, int32_t multiplier, int32_t right, int32_t least, int32_t most, int32_t sum_least, int32_t sum_most,
                     struct fitted *fitted) {
    *fitted = (struct fitted) {0, 0, 0, 0, INTEGER};
    float scale;
    if (half_even) {
        __builtin_memcpy(&scale, &multiplier, 4);
    } else if (multiplier < 1 << 30 || right > MOST_SHIFT) {
        return;
    } else {
        scale = (float) (multiplier * power_of_two(-31 - right));
    }
    if (scale >= 0.25f || scale < 0x1p-15f || sum_least * scale < INT16_MIN + 512 || sum_most * scale > INT16_MAX - 512) {
        return;
    }
    int32_t sum[STEPS + LANES], wanted[STEPS + LANES];
    int32_t count = 0;
    for (int32_t q = least + 1; q <= most; q++) {
        int32_t at = half_even ? least_sum_half_even(scale, q) : least_sum(multiplier, right, q);
        if (at > sum_least && at <= sum_most) {
            sum[count] = at;
            wanted[count++] = q;
        }
    }
    if (count == 0) {
        return;
    }
    int32_t whole = (count + LANES - 1) / LANES * LANES;
    for (int32_t i = count; i < whole; i++) {
        sum[i] = sum[count - 1];
        wanted[i] = wanted[count - 1];
    }
    for (int32_t i = 0; i < SCALES; i++) {
        float tried = moved(scale, outward(i));
        double low = -0.5, high = 0.5;
        for (int32_t k = 0; k < count; k++) {
            double step = wanted[k] - 0.5 - (double) sum[k] * tried;
            low = step > low ? step : low;
            high = step + tried < high ? step + tried : high;
        }
        int32_t start;
        float addend, scales[LANES], addends[LANES];
        if (low < high && find_start(tried, low, high, sum_least, sum_most, &start, &addend)) {
            for (int32_t k = 0; k < LANES; k++) {
                scales[k] = tried;
                addends[k] = addend;
            }
            if (steps_match(sum, wanted, whole, -start, scales, addends, FUSED)) {
                *fitted = (struct fitted) {tried, addend, -start, 0, FUSED};
                return;
            }
        }
    }
}

/* Neighbours that are alike are fitted once. Of each i, a panel, those after one that nothing fits are left out: all share a kind of arithmetic. */
INLINE void fit_all(const struct call *call, const int fuse) {
    const int32_t *multipliers = (const int32_t *) call->a + call->a_at;
    const int32_t *rights = (const int32_t *) call->b + call->b_at;
    struct fitted *fitted = (struct fitted *) call->out + call->out_at;
    int32_t last = 0;
    for (int32_t i = 0; i < call->n; i++) {
        if (i > 0 && multipliers[i] == multipliers[last] && rights[i] == rights[last]) {
            fitted[i] = fitted[last];
        } else if (fuse) {
            fuse_one(call->op, multipliers[i], rights[i], call->m, call->k, (int32_t) call->p, (int32_t) call->q, fitted + i);
        } else {
            fit_one(multipliers[i], rights[i], call->m, call->k, fitted + i);
        }
        last = i;
        if (fitted[i].rounding == INTEGER) {
            i += call->i - 1 - i % call->i;
        }
    }
}

/* Fits n multipliers, a, and right shifts, b, for results in [m, k], both less the zero point; see fit_all. */
KERNEL(fit) {
    fit_all(call, 0);
}

/* The same with a single multiply-add: n rules, a float each if op is 1, for sums in [p, q]; multipliers and shifts as above otherwise. */
KERNEL(fuse) {
    fit_all(call, 1);
}
