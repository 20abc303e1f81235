/*
 * The functions of arm32.c against those that the compiler's own library has, and the intrinsics of arm32.h against
 * their definition. Prints nothing and returns 0 when all agree.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define memcpy tested_memcpy
#define memset tested_memset
#define __aeabi_memcpy tested_aeabi_memcpy
#define __aeabi_memcpy4 tested_aeabi_memcpy4
#define __aeabi_memcpy8 tested_aeabi_memcpy8
#define __aeabi_memclr tested_aeabi_memclr
#define __aeabi_memclr4 tested_aeabi_memclr4
#define __aeabi_memclr8 tested_aeabi_memclr8
#define __aeabi_ldivmod tested_ldivmod
#define __aeabi_l2d tested_l2d
#define __aeabi_l2f tested_l2f
#define __aeabi_d2lz tested_d2lz
#include "arm32.c"
#undef memcpy
#undef memset

static int failures;

static void expect(const char *what, int64_t of, int64_t expected, int64_t actual) {
    if (expected != actual && failures++ < 10) {
        printf("%s of %lld is %lld (expected: %lld)\n", what, (long long) of, (long long) actual, (long long) expected);
    }
}

/* Of any size, and often close to a power of two. */
static int64_t some(void) {
    uint64_t bits = 0;
    for (int i = 0; i < 5; i++) {
        bits = bits << 15 ^ (uint64_t) rand();
    }
    bits >>= rand() % 64;
    if (rand() % 4 == 0) {
        bits = (1ull << rand() % 64) + (uint64_t) (rand() % 5) - 2;
    }
    return (int64_t) (rand() % 2 ? bits : -bits);
}

static void check_numbers(void) {
    for (int i = 0; i < 200000; i++) {
        int64_t a = some(), b = some();
        if (b != 0 && !(a == INT64_MIN && b == -1)) {
            int64x2_t both = tested_ldivmod(a, b);
            expect("quotient", a, a / b, vgetq_lane_s64(both, 0));
            expect("rest", a, a % b, vgetq_lane_s64(both, 1));
        }
        float single = (float) a, tested_single = tested_l2f(a);
        double wide = (double) a, tested_wide = tested_l2d(a);
        expect("float", a, 0, __builtin_memcmp(&single, &tested_single, sizeof single));
        expect("double", a, 0, __builtin_memcmp(&wide, &tested_wide, sizeof wide));
        double real = ldexp((double) some(), rand() % 8 - 7);
        if (fabs(real) < 9223372036854775808.0) {
            expect("whole part", (int64_t) real, (int64_t) real, tested_d2lz(real));
        }
    }
}

static void check_memory(void) {
    uint8_t from[64], to[64];
    for (int count = 0; count < 40; count++) {
        for (int i = 0; i < 64; i++) {
            from[i] = (uint8_t) rand();
            to[i] = 7;
        }
        expect("copy", count, (intptr_t) (to + 1), (intptr_t) tested_memcpy(to + 1, from + 2, (unsigned int) count));
        for (int i = 0; i < 64; i++) {
            expect("copied byte", i, i >= 1 && i < 1 + count ? from[i + 1] : 7, to[i]);
        }
        tested_memset(to + 1, 263, (unsigned int) count);
        tested_aeabi_memclr4(from + 4, (unsigned int) count);
        for (int i = 0; i < 64; i++) {
            expect("filled byte", i, 7, to[i]);
            expect("cleared byte", i, 0, i >= 4 && i < 4 + count ? from[i] : 0);
        }
    }
}

static void check_intrinsics(void) {
    const float values[] = {0.5f, 1.5f, -0.5f, -2.5f, 0.49999997f, 8388607.5f, -8388607.5f, 8388609, 16777217,
            2147483520, -2147483648.0f, 3e9f, -3e9f, INFINITY, -INFINITY, 1e-40f};
    for (int i = 0; i < 16; i++) {
        double limited = fmin(fmax(nearbyint(values[i]), INT32_MIN), INT32_MAX);
        expect("nearest", (int64_t) values[i], (int64_t) limited,
                vgetq_lane_s32(vcvtnq_s32_f32(vdupq_n_f32(values[i])), 0));
    }
    expect("nearest to NaN", 0, 0, vgetq_lane_s32(vcvtnq_s32_f32(vdupq_n_f32(NAN)), 0));
    for (uint32_t lane = 0; lane < 4; lane++) {
        uint32_t lanes[4] = {1, 1, 1, 1};
        lanes[lane] = UINT32_MAX;
        expect("largest", lane, UINT32_MAX, vmaxvq_u32(vld1q_u32(lanes)));
        float squares[4] = {1, 4, 9, 1e-40f}, roots[4];
        vst1q_f32(roots, vsqrtq_f32(vld1q_f32(squares)));
        expect("square root", lane, 1, roots[lane] == sqrtf(squares[lane]));
    }
}

int main(void) {
    check_numbers();
    check_memory();
    check_intrinsics();
    return failures;
}
