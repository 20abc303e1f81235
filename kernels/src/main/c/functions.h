/*
 * Exponential and its kin for vectors of floats. The argument is reduced by the nearest multiple of ln 2 in two parts
 * (Cody and Waite, Software Manual for the Elementary Functions, 1980); the polynomials minimise the largest relative
 * error (Remez), 1.4e-8 for exp(r) - 1 and 6e-9 for log(1 + r). Errors found over a fine net of floats: exp 1.1,
 * log 1.0, sigmoid 2.3, tanh 2.2 units in the last place. NaNs stay NaNs.
 */
#ifndef TORCHNNAPI_FUNCTIONS_H
#define TORCHNNAPI_FUNCTIONS_H

#include "lanes.h"

#define LN2_HIGH 0.693115234375f
#define LN2_LOW 3.194618329871446e-05f

/* Adding and taking away 1.5 * 2^23 rounds to an integer, which is then in the low bits. */
#define ROUNDER 12582912.0f

/* x = n ln 2 + r; returns exp(r) - 1 and sets n. |x| < 2^20. */
INLINE floats reduced_expm1(floats x, ints *n) {
    floats shifted = multiply_add(x, all_floats(1.4426950216293335f), all_floats(ROUNDER));
    floats multiple = shifted - ROUNDER;
    *n = (ints) shifted - (ints) all_floats(ROUNDER);
    floats r = multiply_add(multiple, all_floats(-LN2_HIGH), x);
    r = multiply_add(multiple, all_floats(-LN2_LOW), r);
    floats q = multiply_add(r, all_floats(0.001394655555486679f), all_floats(0.008366644382476807f));
    q = multiply_add(q, r, all_floats(0.04166628047823906f));
    q = multiply_add(q, r, all_floats(0.16666541993618011f));
    q = multiply_add(q, r, all_floats(0.5f));
    return multiply_add(q, r * r, r);
}

/* 2^n for -127 < n < 128. */
INLINE floats power_of_two(ints n) {
    return (floats) ((n + 127) << 23);
}

/* Whether exp(x) is a normal number for all lanes, as nearly always: it is then made in fewer steps. */
INLINE int has_ordinary_exponentials(floats x) {
#if defined(__x86_64__)
    return !any(~((x >= -87) & (x <= 88)));
#else
    /* Where asking takes longer than those steps. */
    (void) x;
    return 0;
#endif
}

/* exp(x) where that is a normal number. */
INLINE floats ordinary_exponential(floats x) {
    ints n;
    floats less_one = reduced_expm1(x, &n);
    return (floats) ((ints) (less_one + 1) + (n << 23));
}

/* factor * exp(x), which may be denormal where the factor is not. */
INLINE floats scaled_exponential(floats x, floats factor) {
    ints n;
    floats less_one = reduced_expm1(limit_floats(x, all_floats(-110), all_floats(89)), &n);
    ints half = n >> 1;
    return (less_one + 1) * power_of_two(half) * factor * power_of_two(n - half);
}

/* exp(x): infinite from 88.73, denormal from -87.34, 0 from -103.98. */
INLINE floats exponential(floats x) {
    if (has_ordinary_exponentials(x)) {
        return ordinary_exponential(x);
    }
    return scaled_exponential(x, all_floats(1));
}

/* 1 / (1 + exp(-x)), with a relative error alike on both sides. */
INLINE floats sigmoid(floats x) {
    floats e = exponential((floats) ((ints) x | all_ints(INT32_MIN)));
    return choose(x < 0, e, all_floats(1)) / (e + 1);
}

/* x / (1 + exp(-y)) for y of x's sign, which is no number for -infinity. */
INLINE floats times_sigmoid(floats x, floats y) {
    floats negative = (floats) ((ints) y | all_ints(INT32_MIN));
    if (has_ordinary_exponentials(negative)) {
        floats e = ordinary_exponential(negative);
        return choose(x < 0, x * e, x) / (e + 1);
    }
    /* Below -110 the result is 0. */
    floats numerator = choose(x < 0, scaled_exponential(negative, at_least(x, all_floats(-110))), x);
    floats result = numerator / (exponential(negative) + 1);
    return choose(x == -__builtin_inff(), all_floats(__builtin_nanf("")), result);
}

/* x / (1 + exp(-x)) */
INLINE floats sigmoid_linear(floats x) {
    return times_sigmoid(x, x);
}

INLINE floats hyperbolic_tangent(floats x) {
    ints sign = (ints) x & all_ints(INT32_MIN);
    ints n;
    /* From 9.1 on the result rounds to 1. */
    floats magnitude = at_most((floats) ((ints) x ^ sign), all_floats(10));
    floats p = reduced_expm1(magnitude + magnitude, &n);
    floats scale = power_of_two(n);
    floats less_one = multiply_add(p, scale, scale - 1);
    return (floats) ((ints) (less_one / (less_one + 2)) | sign);
}

/* log(x): -infinity of 0, NaN below. */
INLINE floats logarithm(floats x) {
    const floats infinity = all_floats(__builtin_inff());
    /* Denormals, times 2^23, are not. */
    ints tiny = x < all_floats(1.17549435e-38f);
    floats scaled = choose(tiny, x * 8388608.0f, x);
    /* The exponent for a mantissa from sqrt(1/2), whose bits are 0x3f3504f3, to its double. */
    ints above = (ints) scaled - 0x3f3504f3;
    ints exponent = above >> 23;
    floats r = (floats) ((above & 0x7fffff) + 0x3f3504f3) - 1;
    floats e = __builtin_convertvector(exponent - (tiny & 23), floats);
    floats q = multiply_add(r, all_floats(-0.0785997211933136f), all_floats(0.12885867059230804f));
    q = multiply_add(q, r, all_floats(-0.13130447268486023f));
    q = multiply_add(q, r, all_floats(0.1418069750070572f));
    q = multiply_add(q, r, all_floats(-0.16624347865581512f));
    q = multiply_add(q, r, all_floats(0.20002302527427673f));
    q = multiply_add(q, r, all_floats(-0.25000816583633423f));
    q = multiply_add(q, r, all_floats(0.33333316445350647f));
    floats square = r * r;
    floats rest = multiply_add(e, all_floats(LN2_LOW), q * square * r);
    floats result = multiply_add(e, all_floats(LN2_HIGH), multiply_add(square, all_floats(-0.5f), rest) + r);
    result = choose(x == 0, -infinity, result);
    result = choose(x < 0, all_floats(__builtin_nanf("")), result);
    return choose(x == infinity, infinity, choose(x != x, x, result));
}

/* log(1 + x) for 0 <= x <= 1: what rounding 1 + x takes away counts in its logarithm. */
INLINE floats logarithm_of_one_more(floats x) {
    floats more = x + 1;
    return logarithm(more) + (x - (more - 1)) / more;
}

/* log(1 + exp(x)) */
INLINE floats soft_plus(floats x) {
    floats negative = (floats) ((ints) x | all_ints(INT32_MIN));
    return at_least(x, all_floats(0)) + logarithm_of_one_more(exponential(negative));
}

/* x * tanh(log(1 + exp(x))), which is no number for -infinity. */
INLINE floats mish(floats x) {
    /* From 20 on the result rounds to x, below -110 it is 0. */
    floats limited = limit_floats(x, all_floats(-110), all_floats(20));
    if (has_ordinary_exponentials(limited)) {
        floats e = ordinary_exponential(limited);
        return choose(x > 20, x, e * limited * (e + 2) / multiply_add(e, e + 2, all_floats(2)));
    }
    floats e = exponential(limited);
    floats result = scaled_exponential(limited, limited) * (e + 2) / multiply_add(e, e + 2, all_floats(2));
    result = choose(x > 20, x, result);
    return choose(x == -__builtin_inff(), all_floats(__builtin_nanf("")), result);
}

#endif
