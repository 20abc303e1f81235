#include "unary.h"
#include "functions.h"
#include "normal.h"

INLINE floats apply_unary(enum unary op, floats x) {
    const floats zero = all_floats(0), six = all_floats(6);
    switch (op) {
        case UNARY_ABS: return (floats) ((ints) x & all_ints(INT32_MAX));
        case UNARY_NEG: return -x;
        case UNARY_EXP: return exponential(x);
        case UNARY_LOG: return logarithm(x);
        case UNARY_SQRT: return square_root(x);
        case UNARY_RSQRT: return 1 / square_root(x);
        case UNARY_SIGMOID: return sigmoid(x);
        case UNARY_TANH: return hyperbolic_tangent(x);
        case UNARY_SILU: return sigmoid_linear(x);
        case UNARY_HARD_SWISH: return x * (limit_floats(x + 3, zero, six) * (1.0f / 6));
        case UNARY_HARD_SIGMOID: return limit_floats(x + 3, zero, six) * (1.0f / 6);
        case UNARY_GELU: return gaussian_error_linear(x);
        /* 2 sqrt(2 / pi) (x + 0.044715 x^3) */
        case UNARY_GELU_TANH:
            return times_sigmoid(
                    x, x * multiply_add(x * x, all_floats(0.0713548162726f), all_floats(1.59576912160573f)));
        case UNARY_SOFTPLUS: return soft_plus(x);
        case UNARY_LOG_SIGMOID: return -soft_plus(-x);
        case UNARY_MISH: return mish(x);
    }
    __builtin_unreachable();
}

INLINE void run(enum unary op, const float *in, float *out, int32_t n) {
    int32_t i = 0;
    for (; i <= n - LANES; i += LANES) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, LANES)), LANES);
    }
    if (i < n) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, n - i)), n - i);
    }
}

void NAME(unary_run)(enum unary op, const float *in, float *out, int32_t n) {
    switch (op) {
#define RUN(op) \
    case op: run(op, in, out, n); break;
        EACH_UNARY(RUN)
#undef RUN
    }
}

void NAME(clamp_run)(const float *in, float *out, int32_t n, float low, float high) {
    floats least = all_floats(low), most = all_floats(high);
    int32_t i = 0;
    for (; i <= n - LANES; i += LANES) {
        store_floats(out + i, limit_floats(load_floats(in + i, LANES), least, most), LANES);
    }
    if (i < n) {
        store_floats(out + i, limit_floats(load_floats(in + i, n - i), least, most), n - i);
    }
}
