/*
 * What compilers call on Arm of 32 bits, where a library of theirs would have it: numbers of 64 bits that no
 * instruction divides or converts, and memory that is copied or filled (Run-time ABI for the Arm Architecture, whose
 * functions take and return floats in integer registers).
 */
#if defined(__arm__)
#include <arm_neon.h>
#include "runs.h"

#define HELPER __attribute__((pcs("aapcs"), visibility("hidden")))

void *memcpy(void *to, const void *from, unsigned int count) {
    copy(to, from, count);
    return to;
}

void *memset(void *to, int value, unsigned int count) {
    fill(to, count, value);
    return to;
}

/* The same under the names that Android's compilers call them by, which say how memory is aligned. */
#define ALIGNED(alignment) \
    void __aeabi_memcpy##alignment(void *to, const void *from, unsigned int count) { \
        copy(to, from, count); \
    } \
    void __aeabi_memclr##alignment(void *to, unsigned int count) { \
        fill(to, count, 0); \
    }
ALIGNED()
ALIGNED(4)
ALIGNED(8)

/* Digit by digit, of two, from the first that the quotient may have. */
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *rest) {
    if ((dividend | divisor) >> 32 == 0 && divisor) {
        *rest = (uint32_t) dividend % (uint32_t) divisor;
        return (uint32_t) dividend / (uint32_t) divisor;
    }
    uint64_t quotient = 0;
    if (divisor && divisor <= dividend) {
        for (int shift = __builtin_clzll(divisor) - __builtin_clzll(dividend); shift >= 0; shift--) {
            if (divisor << shift <= dividend) {
                dividend -= divisor << shift;
                quotient |= 1ull << shift;
            }
        }
    }
    *rest = dividend;
    return quotient;
}

/* The quotient, cut off, and the rest, of the dividend's sign, in the four registers that return a vector. */
HELPER int64x2_t __aeabi_ldivmod(int64_t dividend, int64_t divisor) {
    uint64_t a = (uint64_t) dividend, b = (uint64_t) divisor, rest;
    uint64_t quotient = divide(dividend < 0 ? -a : a, divisor < 0 ? -b : b, &rest);
    int64x2_t both = {(int64_t) ((dividend < 0) != (divisor < 0) ? -quotient : quotient),
            (int64_t) (dividend < 0 ? -rest : rest)};
    return both;
}

/* Both parts are exact, so that only their sum is rounded. */
HELPER double __aeabi_l2d(int64_t x) {
    return (double) (int32_t) (x >> 32) * 4294967296.0 + (double) (uint32_t) x;
}

/* What a double may not hold counts as one digit below all that a float has: then rounding it again is as if it were
 * the only time. */
HELPER float __aeabi_l2f(int64_t x) {
    if (x >= INT64_C(1) << 53 || x <= -(INT64_C(1) << 53)) {
        x = (x & ~INT64_C(0x7ff)) | ((x & 0x7ff) != 0 ? 0x800 : 0);
    }
    return (float) ((double) (int32_t) (x >> 32) * 4294967296.0 + (double) (uint32_t) x);
}

/* Towards zero, of what a number of 64 bits can be. */
HELPER int64_t __aeabi_d2lz(double x) {
    double magnitude = x < 0 ? -x : x;
    uint32_t high = (uint32_t) (magnitude * (1 / 4294967296.0));
    uint32_t low = (uint32_t) (magnitude - high * 4294967296.0);
    uint64_t whole = (uint64_t) high << 32 | low;
    return (int64_t) (x < 0 ? -whole : whole);
}

#endif
