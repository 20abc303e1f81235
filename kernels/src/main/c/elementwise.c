/* Functions of one or two floats. */
#include "element.h"
#include "unary.h"

/* As the constants of BinaryOp in Java. */
enum binary { ADD, SUB, MUL, DIV, MAX, MIN, PRELU };
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

/* out = op(a) for n floats; LIMIT has limits p and q. */
KERNEL(unary) {
    NAME(unary_run)(call->op, FLOATS_OF(call->a, call->a_at), (float *) call->out + call->out_at, call->n, call->p, call->q);
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
