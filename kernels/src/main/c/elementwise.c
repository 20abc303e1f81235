/* Functions of one or two floats. */
#include "element.h"
#include "functions.h"
#include "normal.h"

/* As the constants of BinaryOp in Java. */
enum binary { ADD, SUB, MUL, DIV, MAX, MIN, PRELU };
/* As those of UnaryOp, and the limits p and q. */
enum unary {
    ABS,
    NEG,
    EXP,
    LOG,
    SQRT,
    RSQRT,
    SIGMOID,
    TANH,
    SILU,
    HARD_SWISH,
    HARD_SIGMOID,
    GELU,
    GELU_TANH,
    SOFTPLUS,
    LOG_SIGMOID,
    MISH,
    LIMIT
};
/* Where the second operand lies: a value each, a row for all rows of a group, a value a row, or the call's i as the
 * bits of a float. */
enum operand { EACH, ONE_ROW, ONE_VALUE, GIVEN };

/* NaN if either is. */
INLINE floats larger(floats x, floats y) {
    return choose(y != y, y, at_least(x, y));
}

INLINE floats smaller(floats x, floats y) {
    return choose(y != y, y, at_most(x, y));
}

INLINE floats apply_binary(enum binary op, floats x, floats y) {
    switch (op) {
        case ADD: return x + y;
        case SUB: return x - y;
        case MUL: return x * y;
        case DIV: return x / y;
        case MAX: return larger(x, y);
        case MIN: return smaller(x, y);
        default: return choose(x < 0, x * y, x);
    }
}

INLINE void binary_row(enum binary op, const float *a, const float *b, int one_value, float *out, int32_t count,
        floats low, floats high) {
    floats value = all_floats(one_value ? *b : 0);
    int32_t i = 0;
    for (; i <= count - LANES; i += LANES) {
        floats y = one_value ? value : load_floats(b + i, LANES);
        store_floats(out + i, limit_floats(apply_binary(op, load_floats(a + i, LANES), y), low, high), LANES);
    }
    if (i < count) {
        floats y = one_value ? value : load_floats(b + i, count - i);
        store_floats(out + i, limit_floats(apply_binary(op, load_floats(a + i, count - i), y), low, high), count - i);
    }
}

INLINE void binary_rows(enum binary op, const struct call *call) {
    const float *a = FLOATS_OF(call->a, call->a_at), *b = FLOATS_OF(call->b, call->b_at);
    float *out = (float *) call->out + call->out_at;
    floats low = all_floats(call->p), high = all_floats(call->q);
    float given;
    __builtin_memcpy(&given, &call->i, sizeof given);
    for (int32_t group = 0; group < (call->k == ONE_ROW ? call->i : 1); group++, b += call->n) {
        for (int32_t row = 0; row < call->m; row++, a += call->j, out += call->j) {
            if (call->k == GIVEN) {
                binary_row(op, a, &given, 1, out, call->n, low, high);
            } else if (call->k == ONE_VALUE) {
                binary_row(op, a, b + row, 1, out, call->n, low, high);
            } else {
                binary_row(op, a, call->k == EACH ? b + (int64_t) row * call->n : b, 0, out, call->n, low, high);
            }
        }
    }
}

/* out = limit(a op b) for m rows of n, j apart; k says where b lies; with ONE_ROW for i groups of such rows; limits p
 * and q. */
KERNEL(binary) {
    switch (call->op) {
        case ADD: binary_rows(ADD, call); break;
        case SUB: binary_rows(SUB, call); break;
        case MUL: binary_rows(MUL, call); break;
        case DIV: binary_rows(DIV, call); break;
        case MAX: binary_rows(MAX, call); break;
        case MIN: binary_rows(MIN, call); break;
        default: binary_rows(PRELU, call); break;
    }
}

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

INLINE void unary_run(enum unary op, const struct call *call) {
    const float *in = FLOATS_OF(call->a, call->a_at);
    float *out = (float *) call->out + call->out_at;
    floats low = all_floats(call->p), high = all_floats(call->q);
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, LANES), low, high), LANES);
    }
    if (i < call->n) {
        store_floats(out + i, apply_unary(op, load_floats(in + i, call->n - i), low, high), call->n - i);
    }
}

/* out = op(a) for n floats; LIMIT has limits p and q. */
KERNEL(unary) {
    switch (call->op) {
        case ABS: unary_run(ABS, call); break;
        case NEG: unary_run(NEG, call); break;
        case EXP: unary_run(EXP, call); break;
        case LOG: unary_run(LOG, call); break;
        case SQRT: unary_run(SQRT, call); break;
        case RSQRT: unary_run(RSQRT, call); break;
        case SIGMOID: unary_run(SIGMOID, call); break;
        case TANH: unary_run(TANH, call); break;
        case SILU: unary_run(SILU, call); break;
        case HARD_SWISH: unary_run(HARD_SWISH, call); break;
        case HARD_SIGMOID: unary_run(HARD_SIGMOID, call); break;
        case GELU: unary_run(GELU, call); break;
        case GELU_TANH: unary_run(GELU_TANH, call); break;
        case SOFTPLUS: unary_run(SOFTPLUS, call); break;
        case LOG_SIGMOID: unary_run(LOG_SIGMOID, call); break;
        case MISH: unary_run(MISH, call); break;
        default: unary_run(LIMIT, call); break;
    }
}

/* out = p where the bytes of b are not 0, or with op 0 where they are; else a, for n floats. */
KERNEL(masked_fill) {
    const float *in = FLOATS_OF(call->a, call->a_at);
    const uint8_t *mask = BYTES_OF(call->b, call->b_at);
    float *out = (float *) call->out + call->out_at;
    floats value = all_floats(call->p);
    ints inverted = all_ints(call->op ? 0 : -1);
    for (int32_t i = 0; i < call->n; i += LANES) {
        int32_t some = call->n - i;
        ints marked = (widen(load_bytes(mask + i, some), 0) != 0) ^ inverted;
        store_floats(out + i, choose(marked, value, load_floats(in + i, some)), some);
    }
}
