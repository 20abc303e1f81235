/* Sums, means and extremes along one axis, and softmax. */
#include "element.h"
#include "functions.h"

/* As Reduction in Java. */
enum reduction { SUM, MEAN, MAX, MIN, PROD };

#define HALF (LANES / 2)
typedef double doubles __attribute__((vector_size(4 * LANES)));
typedef float half_floats __attribute__((vector_size(2 * LANES)));

INLINE floats combine(enum reduction op, floats x, floats y) {
    switch (op) {
        case MAX: return choose(y != y, y, at_least(x, y));
        case MIN: return choose(y != y, y, at_most(x, y));
        case PROD: return x * y;
        default: return x + y;
    }
}

INLINE floats neutral(enum reduction op) {
    return all_floats(op == MAX ? -__builtin_inff() : op == MIN ? __builtin_inff() : op == PROD ? 1 : 0);
}

/* A sum kept in double, in as many parts as there are lanes. */
static double sum_run(const float *in, int32_t count) {
    doubles low = {0}, high = {0};
    int32_t i = 0;
    for (; i <= count - LANES; i += LANES) {
        half_floats x, y;
        __builtin_memcpy(&x, in + i, sizeof x);
        __builtin_memcpy(&y, in + i + HALF, sizeof y);
        low += __builtin_convertvector(x, doubles);
        high += __builtin_convertvector(y, doubles);
    }
    low += high;
    double sum = 0;
    for (int32_t lane = 0; lane < HALF; lane++) {
        sum += low[lane];
    }
    for (; i < count; i++) {
        sum += in[i];
    }
    return sum;
}

INLINE float reduce_run(enum reduction op, const float *in, int32_t count) {
    floats v = neutral(op), w = v;
    int32_t i = 0;
    for (; i <= count - 2 * LANES; i += 2 * LANES) {
        v = combine(op, v, load_floats(in + i, LANES));
        w = combine(op, w, load_floats(in + i + LANES, LANES));
    }
    v = combine(op, v, w);
    for (; i < count; i += LANES) {
        v = combine(op, v, keep_first(load_floats(in + i, count - i), count - i, neutral(op)));
    }
#if LANES == 16
    v = combine(op, v, TURNED(v, 8));
#endif
#if LANES >= 8
    v = combine(op, v, TURNED(v, 4));
#endif
    v = combine(op, v, TURNED(v, 2));
    return combine(op, v, TURNED(v, 1))[0];
}

INLINE void reduce_columns(enum reduction op, const float *in, int32_t step, int32_t axis, int32_t inner, float *out) {
    int32_t c = 0;
    floats divisor = all_floats((float) axis);
    for (; c <= inner - 4 * LANES; c += 4 * LANES) {
        floats v0 = neutral(op), v1 = v0, v2 = v0, v3 = v0;
        const float *p = in + c;
        for (int32_t k = 0; k < axis; k++, p += step) {
            v0 = combine(op, v0, load_floats(p, LANES));
            v1 = combine(op, v1, load_floats(p + LANES, LANES));
            v2 = combine(op, v2, load_floats(p + 2 * LANES, LANES));
            v3 = combine(op, v3, load_floats(p + 3 * LANES, LANES));
        }
        store_floats(out + c, op == MEAN ? v0 / divisor : v0, LANES);
        store_floats(out + c + LANES, op == MEAN ? v1 / divisor : v1, LANES);
        store_floats(out + c + 2 * LANES, op == MEAN ? v2 / divisor : v2, LANES);
        store_floats(out + c + 3 * LANES, op == MEAN ? v3 / divisor : v3, LANES);
    }
    for (; c < inner; c += LANES) {
        floats v = neutral(op);
        const float *p = in + c;
        for (int32_t k = 0; k < axis; k++, p += step) {
            v = combine(op, v, load_floats(p, inner - c));
        }
        store_floats(out + c, op == MEAN ? v / divisor : v, inner - c);
    }
}

INLINE void reduce(enum reduction op, const struct call *call) {
    int32_t axis = call->k, inner = call->i, step = call->j;
    for (int32_t o = call->n; o < call->m; o++) {
        const float *in = FLOATS_OF(call->a, call->a_at) + (int64_t) o * axis * step;
        float *out = (float *) call->out + call->out_at + (int64_t) o * inner;
        if (step > 1) {
            reduce_columns(op, in, step, axis, inner, out);
        } else if (op == SUM || op == MEAN) {
            double sum = sum_run(in, axis);
            *out = (float) (op == MEAN ? sum / axis : sum);
        } else {
            *out = reduce_run(op, in, axis);
        }
    }
}

/* Of [outer][k][j] floats, the first i of each j, to [outer][i], for outer indexes [n, m). */
KERNEL(reduce_floats) {
    switch (call->op) {
        case SUM: reduce(SUM, call); break;
        case MEAN: reduce(MEAN, call); break;
        case MAX: reduce(MAX, call); break;
        case MIN: reduce(MIN, call); break;
        default: reduce(PROD, call); break;
    }
}

/*
 * exp(x), but 0 where that is denormal: such numbers, as masked places of attention get them, cost a hundred cycles each, here and in a
 * product that follows.
 */
INLINE floats normal_exponential(floats x) {
    const floats least = all_floats(-87.3f);
    return choose(x < least, all_floats(0), exponential(at_least(x, least)));
}

/* x / sum, but 0 where that is denormal. */
INLINE floats normal_share(floats x, floats sum, floats scale) {
    return choose(x < sum * 1.17549435e-38f, all_floats(0), x) * scale;
}

/* Softmax of a run, or with `logarithmic` its logarithm. */
INLINE void softmax_run(int logarithmic, const float *in, float *out, int32_t count, float beta) {
    floats max = all_floats(reduce_run(MAX, in, count)), sums = all_floats(0);
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t some = count - i;
        floats e = normal_exponential((load_floats(in + i, some) - max) * beta);
        if (!logarithmic) {
            store_floats(out + i, e, some);
        }
        sums += some < LANES ? keep_first(e, some, all_floats(0)) : e;
    }
    floats sum = all_floats(sum_of_lanes(sums)), scale = 1 / sum, log = logarithmic ? logarithm(sum) : sum;
    for (int32_t i = 0; i < count; i += LANES) {
        int32_t some = count - i;
        floats result = logarithmic ? (load_floats(in + i, some) - max) * beta - log : normal_share(load_floats(out + i, some), sum, scale);
        store_floats(out + i, result, some);
    }
}

/* Softmax of LANES columns side by side, or fewer. */
INLINE void softmax_columns(int logarithmic, const float *in, float *out, int32_t axis, int32_t inner, int32_t count, float beta) {
    floats max = all_floats(-__builtin_inff()), sum = all_floats(0);
    for (int32_t k = 0; k < axis; k++) {
        max = combine(MAX, max, load_floats(in + (int64_t) k * inner, count));
    }
    for (int32_t k = 0; k < axis; k++) {
        floats e = normal_exponential((load_floats(in + (int64_t) k * inner, count) - max) * beta);
        if (!logarithmic) {
            store_floats(out + (int64_t) k * inner, e, count);
        }
        sum += e;
    }
    floats scale = 1 / sum, log = logarithm(sum);
    for (int32_t k = 0; k < axis; k++) {
        int64_t at = (int64_t) k * inner;
        floats result = logarithmic ? (load_floats(in + at, count) - max) * beta - log : normal_share(load_floats(out + at, count), sum, scale);
        store_floats(out + at, result, count);
    }
}

INLINE void softmax(int logarithmic, const struct call *call) {
    int32_t axis = call->k, inner = call->i;
    for (int32_t o = call->n; o < call->m; o++) {
        const float *in = FLOATS_OF(call->a, call->a_at) + (int64_t) o * axis * inner;
        float *out = (float *) call->out + call->out_at + (int64_t) o * axis * inner;
        if (inner == 1) {
            softmax_run(logarithmic, in, out, axis, call->p);
            continue;
        }
        for (int32_t c = 0; c < inner; c += LANES) {
            softmax_columns(logarithmic, in + c, out + c, axis, inner, inner - c, call->p);
        }
    }
}

/* Along the middle of [outer][k][i] floats, for outer indexes [n, m), slope p; op 1 for the logarithm. */
KERNEL(softmax) {
    if (call->op == 0) {
        softmax(0, call);
    } else {
        softmax(1, call);
    }
}
