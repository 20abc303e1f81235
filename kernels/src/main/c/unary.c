#include "unary.h"
#include "functions.h"
#include "normal.h"

INLINE floats apply_unary(enum unary op, floats x, floats low, floats high) {
    const floats zero = all_floats(0), six = all_floats(6);
    switch (op) {
        case ABS: return (floats) ((ints) x & all_ints(INT32_MAX));
        case NEG: return -x;
        case EXP: return exponential(x);
        case LOG: return logarithm(x);
        case SQRT: return square_root(x);
        case RSQRT: return 1 / square_root(x);
        case SIGMOID: return sigmoid(x);
        case TANH: return hyperbolic_tangent(x);
        case SILU: return sigmoid_linear(x);
        case HARD_SWISH: return x * (limit_floats(x + 3, zero, six) * (1.0f / 6));
        case HARD_SIGMOID: return limit_floats(x + 3, zero, six) * (1.0f / 6);
        case GELU: return gaussian_error_linear(x);
        /* 2 sqrt(2 / pi) (x + 0.044715 x^3) */
        case GELU_TANH:
            return times_sigmoid(
                    x, x * multiply_add(x * x, all_floats(0.0713548162726f), all_floats(1.59576912160573f)));
        case SOFTPLUS: return soft_plus(x);
        case LOG_SIGMOID: return -soft_plus(-x);
        case MISH: return mish(x);
        default: return limit_floats(x, low, high);
    }
}

INLINE void run(enum unary op, const float *in, float *out, int32_t n, floats low, floats high) {
    int32_t i = 0;
    for (; i <= n - LANES; i += LANES) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, LANES), low, high), LANES);
    }
    if (i < n) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, n - i), low, high), n - i);
    }
}

void NAME(unary_run)(enum unary op, const float *in, float *out, int32_t n, float p, float q) {
    floats low = all_floats(p), high = all_floats(q);
    switch (op) {
        case ABS: run(ABS, in, out, n, low, high); break;
        case NEG: run(NEG, in, out, n, low, high); break;
        case EXP: run(EXP, in, out, n, low, high); break;
        case LOG: run(LOG, in, out, n, low, high); break;
        case SQRT: run(SQRT, in, out, n, low, high); break;
        case RSQRT: run(RSQRT, in, out, n, low, high); break;
        case SIGMOID: run(SIGMOID, in, out, n, low, high); break;
        case TANH: run(TANH, in, out, n, low, high); break;
        case SILU: run(SILU, in, out, n, low, high); break;
        case HARD_SWISH: run(HARD_SWISH, in, out, n, low, high); break;
        case HARD_SIGMOID: run(HARD_SIGMOID, in, out, n, low, high); break;
        case GELU: run(GELU, in, out, n, low, high); break;
        case GELU_TANH: run(GELU_TANH, in, out, n, low, high); break;
        case SOFTPLUS: run(SOFTPLUS, in, out, n, low, high); break;
        case LOG_SIGMOID: run(LOG_SIGMOID, in, out, n, low, high); break;
        case MISH: run(MISH, in, out, n, low, high); break;
        default: run(LIMIT, in, out, n, low, high); break;
    }
}
