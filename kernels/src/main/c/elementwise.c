/* Functions of one or two floats. */
#include "call.h"
#include "lanes.h"
#include "unary.h"

/* NaN if either is. */
INLINE floats larger(floats x, floats y) {
    return choose(y != y, y, at_least(x, y));
}

INLINE floats smaller(floats x, floats y) {
    return choose(y != y, y, at_most(x, y));
}

INLINE floats apply_binary(enum binary op, floats x, floats y) {
    switch (op) {
        case BINARY_ADD: return x + y;
        case BINARY_SUB: return x - y;
        case BINARY_MUL: return x * y;
        case BINARY_DIV: return x / y;
        case BINARY_MAX: return larger(x, y);
        case BINARY_MIN: return smaller(x, y);
        case BINARY_PRELU: return choose(x < 0, x * y, x);
    }
    __builtin_unreachable();
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

INLINE void binary_rows(enum binary op, const struct binary_call *call) {
    const float *a = call->a, *b = call->b;
    float *out = call->out;
    floats low = all_floats(call->low), high = all_floats(call->high);
    for (int32_t group = 0; group < (call->lies == OPERAND_ONE_ROW ? call->groups : 1); group++, b += call->count) {
        for (int32_t row = 0; row < call->rows; row++, a += call->step, out += call->step) {
            const float *right = call->lies == OPERAND_GIVEN ? &call->given
                    : call->lies == OPERAND_ONE_VALUE        ? b + row
                    : call->lies == OPERAND_EACH             ? b + (int64_t) row * call->count
                                                             : b;
            if (call->lies == OPERAND_GIVEN || call->lies == OPERAND_ONE_VALUE) {
                binary_row(op, a, right, 1, out, call->count, low, high);
            } else {
                binary_row(op, a, right, 0, out, call->count, low, high);
            }
        }
    }
}

KERNEL(binary) {
    switch (call->op) {
#define ROWS(op) \
    case op: binary_rows(op, call); break;
        EACH_BINARY(ROWS)
#undef ROWS
    }
}

KERNEL(unary) {
    NAME(unary_run)(call->op, call->in, call->out, call->count);
}

KERNEL(clamp) {
    NAME(clamp_run)(call->in, call->out, call->count, call->low, call->high);
}

KERNEL(masked_fill) {
    floats value = all_floats(call->value);
    ints inverted = all_ints(call->marked ? 0 : -1);
    for (int32_t i = 0; i < call->count; i += LANES) {
        int32_t some = call->count - i;
        ints marked = (widen(load_bytes(call->mask + i, some), 0) != 0) ^ inverted;
        store_floats(call->out + i, choose(marked, value, load_floats(call->in + i, some)), some);
    }
}
