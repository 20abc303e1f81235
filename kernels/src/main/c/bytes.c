/* Element-wise kernels over quantized bytes: sums, changes to and from floats, tables. */
#include "element.h"
#include "sum.h"

INLINE void sum_run(int is_signed, const struct call *call) {
    const struct sum *s = call->plan;
    const uint8_t *a = BYTES_OF(call->a, call->a_at), *b = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    const struct sum rule = *s;
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        ints sum = sum_of(&rule, widen(load_bytes(a + i, LANES), is_signed), widen(load_bytes(b + i, LANES), is_signed));
        store_some_bytes(out + i, narrow(sum), LANES);
    }
    if (i < call->n) {
        int32_t rest = call->n - i;
        ints sum = sum_of(&rule, widen(load_bytes(a + i, rest), is_signed), widen(load_bytes(b + i, rest), is_signed));
        store_some_bytes(out + i, narrow(sum), rest);
    }
}

/* plan: struct sum; out = a + b for n bytes. */
KERNEL(sum_bytes) {
    if (((const struct sum *) call->plan)->is_signed) {
        sum_run(1, call);
    } else {
        sum_run(0, call);
    }
}

/* As Quantizing.Rule in Java. */
enum rule { PRODUCT_HALF_EVEN, QUOTIENT_HALF_EVEN, QUOTIENT_HALF_AWAY };

/* Steps from the zero point, within [low, high], which are integers; a NaN is 0. */
INLINE ints steps_of(enum rule rule, floats x, float scale, float inverse, floats low, floats high) {
    floats steps = rule == PRODUCT_HALF_EVEN ? x * inverse : x / scale;
    steps = choose(x == x, limit_floats(steps, low, high), all_floats(0));
    if (rule == QUOTIENT_HALF_AWAY) {
        ints whole = __builtin_convertvector(steps, ints);
        floats rest = steps - __builtin_convertvector(whole, floats);
        return whole - (rest >= 0.5f) + (rest <= -0.5f);
    }
    ints nearest = nearest_ints(steps);
    if (rule == QUOTIENT_HALF_EVEN) {
        /* Where the quotient was rounded to a half, what it lost decides. */
        floats rest = steps - __builtin_convertvector(nearest, floats);
        floats lost = multiply_add(-steps, all_floats(scale), x);
        nearest -= (rest == 0.5f) & (lost > 0);
        nearest += (rest == -0.5f) & (lost < 0);
    }
    return nearest;
}

INLINE void quantize_run(enum rule rule, const struct call *call) {
    const float *in = FLOATS_OF(call->a, call->a_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    floats low = all_floats((float) (call->i - call->k)), high = all_floats((float) (call->j - call->k));
    float inverse = 1 / call->p;
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        store_some_bytes(out + i, narrow(steps_of(rule, load_floats(in + i, LANES), call->p, inverse, low, high) + call->k), LANES);
    }
    if (i < call->n) {
        int32_t rest = call->n - i;
        store_some_bytes(out + i, narrow(steps_of(rule, load_floats(in + i, rest), call->p, inverse, low, high) + call->k), rest);
    }
}

/* Of n floats, scale p, zero point k, limits i and j, op a rule. */
KERNEL(quantize) {
    switch (call->op) {
        case PRODUCT_HALF_EVEN: quantize_run(PRODUCT_HALF_EVEN, call); break;
        case QUOTIENT_HALF_EVEN: quantize_run(QUOTIENT_HALF_EVEN, call); break;
        default: quantize_run(QUOTIENT_HALF_AWAY, call); break;
    }
}

INLINE void dequantize_run(int is_signed, const struct call *call) {
    const uint8_t *in = BYTES_OF(call->a, call->a_at);
    float *out = (float *) call->out + call->out_at;
    int32_t i = 0;
    for (; i <= call->n - LANES; i += LANES) {
        store_floats(out + i, __builtin_convertvector(widen(load_bytes(in + i, LANES), is_signed) - call->k, floats) * call->p, LANES);
    }
    if (i < call->n) {
        int32_t rest = call->n - i;
        store_floats(out + i, __builtin_convertvector(widen(load_bytes(in + i, rest), is_signed) - call->k, floats) * call->p, rest);
    }
}

/* (a - k) * p for n bytes, signed if op is 1. */
KERNEL(dequantize) {
    if (call->op) {
        dequantize_run(1, call);
    } else {
        dequantize_run(0, call);
    }
}

/* out = b[a] for n bytes. */
KERNEL(look_up) {
    const uint8_t *in = BYTES_OF(call->a, call->a_at), *table = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++) {
        out[i] = table[in[i]];
    }
}

/* out = plan[256 a + b] for n bytes; each input's step is k or i, 0 where one byte serves all. */
KERNEL(look_up_pairs) {
    const uint8_t *table = call->plan, *a = BYTES_OF(call->a, call->a_at), *b = BYTES_OF(call->b, call->b_at);
    uint8_t *out = (uint8_t *) call->out + call->out_at;
    for (int32_t i = 0; i < call->n; i++, a += call->k, b += call->i) {
        out[i] = table[*a << 8 | *b];
    }
}
