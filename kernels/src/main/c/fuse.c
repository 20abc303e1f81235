/*
 * Looks for multiply-adds that round as the rule does, see requantize.h. Both are step functions that never fall, so
 * they are the same when their steps are: candidates are tried at the two sums around each step, with the very
 * instructions the kernels use.
 */
#include "call.h"
#include "isa.h"
#include "requantize.h"

#if !defined(ROUNDS_TWICE)

#define SCALES 5
#define STEPS 256

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

/* Whether all of `count` sums from `sum` on, which begin at `start`, give at least `wanted`, and those 1 before them
 * less. */
static int steps_match(const int32_t *sum, const int32_t *wanted, int32_t count, int32_t start, const float *scale,
        const float *offset) {
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t at[LANES], less[LANES];
        for (int32_t k = 0; k < LANES; k++) {
            at[k] = sum[i + k] + start;
            less[k] = at[k] - 1;
        }
        sums s = minus(fused(load_sums(at), scale, offset), FUSED_RESULT),
             b = minus(fused(load_sums(less), scale, offset), FUSED_RESULT);
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

/* The least sum that the rule gives q for; for sums that are floats. */
static int32_t least_sum(float scale, int32_t q) {
    double step = q - 0.5;
    for (int32_t sum = (int32_t) (step / scale) - 2;; sum++) {
        float product = (float) sum * scale;
        if (product > step || (product == step && q % 2 == 0)) {
            return sum;
        }
    }
}

/* The least x with low <= a x mod m <= high, for 0 <= low <= high < m and 0 <= a < m; -1 if there is none. As Euclid
 * finds a divisor. */
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
 * A start for sums in [least, most], at which its product with the scale is more than a whole number by at least `low`
 * and at most `high`; whether there is one. The addend takes the whole number back.
 */
static int find_start(
        float scale, double low, double high, int32_t least, int32_t most, int32_t *start, float *addend) {
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

/* For results in [least, most], both less the zero point, of sums in [sum_least, sum_most]. */
static struct multiply_add fuse_one(float scale, int32_t least, int32_t most, int32_t sum_least, int32_t sum_most) {
    const struct multiply_add none = {0, 0, 0, 0};
    if (scale >= 0.25f || scale < 0x1p-15f || sum_least * scale < INT16_MIN + 512
            || sum_most * scale > INT16_MAX - 512) {
        return none;
    }
    int32_t sum[STEPS + LANES], wanted[STEPS + LANES];
    int32_t count = 0;
    for (int32_t q = least + 1; q <= most; q++) {
        int32_t at = least_sum(scale, q);
        if (at > sum_least && at <= sum_most) {
            sum[count] = at;
            wanted[count++] = q;
        }
    }
    if (count == 0) {
        return none;
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
            if (steps_match(sum, wanted, whole, start, scales, addends)) {
                return (struct multiply_add) {tried, addend, start, 1};
            }
        }
    }
    return none;
}

#else

/* A product that is rounded for itself is too coarse to count from such a start. */
static struct multiply_add fuse_one(float scale, int32_t least, int32_t most, int32_t sum_least, int32_t sum_most) {
    (void) scale, (void) least, (void) most, (void) sum_least, (void) sum_most;
    return (struct multiply_add) {0, 0, 0, 0};
}

#endif

KERNEL(fuse) {
    const float *scales = call->scales;
    struct multiply_add *found = call->found;
    int32_t last = 0;
    for (int32_t i = 0; i < call->count; i++) {
        found[i] = i > 0 && scales[i] == scales[last]
                ? found[last]
                : fuse_one(scales[i], call->least, call->most, call->sum_least, call->sum_most);
        last = i;
        if (!found[i].found) {
            i += call->panel - 1 - i % call->panel;
        }
    }
}
