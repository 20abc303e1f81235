/* Sums, means and extremes along one axis, and softmax. */
#include "call.h"
#include "lanes.h"
#include "functions.h"

/* Of what is not a sum. */
INLINE floats combine(enum reduction op, floats x, floats y) {
    switch (op) {
        case REDUCTION_MAX: return choose(y != y, y, at_least(x, y));
        case REDUCTION_MIN: return choose(y != y, y, at_most(x, y));
        default: return x * y;
    }
}

INLINE floats neutral(enum reduction op) {
    return all_floats(op == REDUCTION_MAX ? -__builtin_inff() : op == REDUCTION_MIN ? __builtin_inff() : 1);
}

/*
 * Sums have PyTorch's roundings (SumKernel.cpp, vectors of 32 bytes, one thread), whatever LANES is: elements side by
 * side go to 4 vectors of 8 partial sums; columns each have a sum of their own, or, behind the last whole group of
 * columns, 4 partial sums. A partial sum is a cascade: every 2^p additions its value goes up one of LEVELS levels, p =
 * max(4, log2(additions) / 4).
 */
#define LEVELS 4
#define WAYS 4
#define VECTOR 8
/* Vectors that a cascade adds up side by side: the rows of elements side by side where vectors are of four. */
#define MOST 8

/*
 * Adds up `adds` groups of `ways` rows, each of `vectors` vectors, to a partial sum for each place of a group: groups
 * begin `step` apart, rows `row_step`. The last vector of a row has `count` floats.
 */
INLINE void cascade(floats *sum, int32_t ways, int32_t vectors, const float *in, int64_t step, int64_t row_step,
        int32_t adds, int32_t count) {
    int32_t size = ways * vectors, log = adds <= 2 ? 1 : 32 - __builtin_clz((uint32_t) adds - 1);
    int32_t power = log / LEVELS > 4 ? log / LEVELS : 4, run = 1 << power, i = 0;
    floats zero = {0}, now[MOST], level[LEVELS][MOST];
    /* Zeros that the compiler does not know for such, or it would call memset, which is not there. */
    __asm__("" : "+m"(zero));
    for (int32_t k = 0; k < size; k++) {
        level[1][k] = level[2][k] = level[3][k] = zero;
    }
    for (;;) {
        int32_t left = adds - i, end = left < run ? adds : i + run;
        for (int32_t k = 0; k < size; k++) {
            now[k] = zero;
        }
        for (; i < end; i++, in += step) {
            for (int32_t w = 0; w < ways; w++) {
                for (int32_t v = 0; v < vectors; v++) {
                    now[w * vectors + v] += load_floats(in + w * row_step + v * LANES, v < vectors - 1 ? LANES : count);
                }
            }
        }
        if (left < run) {
            break;
        }
        for (int32_t k = 0; k < size; k++) {
            level[1][k] += now[k];
        }
        for (int32_t j = 1; j < LEVELS - 1 && (i & (int64_t) (run - 1) << j * power) == 0; j++) {
            for (int32_t k = 0; k < size; k++) {
                level[j + 1][k] += level[j][k];
                level[j][k] = zero;
            }
        }
    }
    for (int32_t k = 0; k < size; k++) {
        sum[k] = now[k] + level[1][k] + level[2][k] + level[3][k];
    }
}

/* Of elements side by side. */
static float sum_run(const float *in, int32_t count) {
    float parts[WAYS * VECTOR], sum = 0;
    floats sums[WAYS * VECTOR / LANES];
    int32_t whole = count / VECTOR, groups = whole / WAYS, i = groups * WAYS * VECTOR;
    if (whole == 0) {
        int32_t each = count / WAYS;
        for (int32_t way = 0; way < WAYS; way++) {
            parts[way] = each > 0 ? in[way] : 0;
        }
        for (i = each * WAYS; i < count; i++) {
            parts[0] += in[i];
        }
        return parts[0] + parts[1] + parts[2] + parts[3];
    }
    cascade(sums, 1, WAYS * VECTOR / LANES, in, WAYS * VECTOR, 0, groups, LANES);
    for (int32_t v = 0; v < WAYS * VECTOR / LANES; v++) {
        store_floats(parts + v * LANES, sums[v], LANES);
    }
    for (; i < whole * VECTOR; i++) {
        parts[i % VECTOR] += in[i];
    }
    for (; i < count; i++) {
        sum += in[i];
    }
    for (int32_t lane = 0; lane < VECTOR; lane++) {
        sum += parts[lane] + parts[VECTOR + lane] + parts[2 * VECTOR + lane] + parts[3 * VECTOR + lane];
    }
    return sum;
}

INLINE void store_sums(float *out, floats sum, int32_t axis, int mean, int32_t count) {
    store_floats(out, mean ? sum / all_floats((float) axis) : sum, count);
}

/* Of columns, whose elements are `step` apart. */
INLINE void sum_columns(int mean, const float *in, int32_t step, int32_t axis, int32_t inner, float *out) {
    int32_t whole = inner >= VECTOR ? inner / (WAYS * VECTOR) * WAYS * VECTOR : inner / WAYS * WAYS, c = 0;
    floats sums[MOST];
    for (; c <= whole - WAYS * LANES; c += WAYS * LANES) {
        cascade(sums, 1, WAYS, in + c, step, 0, axis, LANES);
        for (int32_t v = 0; v < WAYS; v++) {
            store_sums(out + c + v * LANES, sums[v], axis, mean, LANES);
        }
    }
    for (; c < whole; c += LANES) {
        int32_t count = whole - c < LANES ? whole - c : LANES;
        cascade(sums, 1, 1, in + c, step, 0, axis, count);
        store_sums(out + c, sums[0], axis, mean, count);
    }
    for (c = whole; c < inner; c += LANES) {
        int32_t count = inner - c < LANES ? inner - c : LANES, groups = axis / WAYS;
        cascade(sums, WAYS, 1, in + c, (int64_t) WAYS * step, step, groups, count);
        for (int32_t k = groups * WAYS; k < axis; k++) {
            sums[0] += load_floats(in + (int64_t) k * step + c, count);
        }
        store_sums(out + c, sums[0] + sums[1] + sums[2] + sums[3], axis, mean, count);
    }
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
    for (; c <= inner - 4 * LANES; c += 4 * LANES) {
        floats v0 = neutral(op), v1 = v0, v2 = v0, v3 = v0;
        const float *p = in + c;
        for (int32_t k = 0; k < axis; k++, p += step) {
            v0 = combine(op, v0, load_floats(p, LANES));
            v1 = combine(op, v1, load_floats(p + LANES, LANES));
            v2 = combine(op, v2, load_floats(p + 2 * LANES, LANES));
            v3 = combine(op, v3, load_floats(p + 3 * LANES, LANES));
        }
        store_floats(out + c, v0, LANES);
        store_floats(out + c + LANES, v1, LANES);
        store_floats(out + c + 2 * LANES, v2, LANES);
        store_floats(out + c + 3 * LANES, v3, LANES);
    }
    for (; c < inner; c += LANES) {
        floats v = neutral(op);
        const float *p = in + c;
        for (int32_t k = 0; k < axis; k++, p += step) {
            v = combine(op, v, load_floats(p, inner - c));
        }
        store_floats(out + c, v, inner - c);
    }
}

INLINE void reduce(enum reduction op, const struct reduce_floats_call *call) {
    int32_t axis = call->axis, inner = call->inner, step = call->step;
    for (int32_t o = call->begin; o < call->end; o++) {
        const float *in = call->in + (int64_t) o * axis * step;
        float *out = call->out + (int64_t) o * inner;
        if (step > 1 && (op == REDUCTION_SUM || op == REDUCTION_MEAN)) {
            sum_columns(op == REDUCTION_MEAN, in, step, axis, inner, out);
        } else if (step > 1) {
            reduce_columns(op, in, step, axis, inner, out);
        } else if (op == REDUCTION_SUM || op == REDUCTION_MEAN) {
            float sum = sum_run(in, axis);
            *out = op == REDUCTION_MEAN ? sum / (float) axis : sum;
        } else {
            *out = reduce_run(op, in, axis);
        }
    }
}

KERNEL(reduce_floats) {
    switch (call->op) {
#define REDUCE(op) \
    case op: reduce(op, call); break;
        EACH_REDUCTION(REDUCE)
#undef REDUCE
    }
}

/*
 * exp(x) of an x <= 0, but 0 where that is denormal: such numbers, as masked places of attention get them, cost a
 * hundred cycles each, here and in a product that follows. Its power of two is then one of a float.
 */
INLINE floats normal_exponential(floats x) {
    const floats least = all_floats(-87.3f);
    ints n;
    floats less_one = reduced_expm1(at_least(x, least), &n);
    return choose(x < least, all_floats(0), (less_one + 1) * power_of_two(n));
}

/* x / sum, but 0 where that is denormal. */
INLINE floats normal_share(floats x, floats sum, floats scale) {
    return choose(x < sum * 1.17549435e-38f, all_floats(0), x) * scale;
}

/* Softmax of a run, or with `logarithmic` its logarithm. */
INLINE void softmax_run(int logarithmic, const float *in, float *out, int32_t count, float beta) {
    floats max = all_floats(reduce_run(REDUCTION_MAX, in, count)), sums = all_floats(0);
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
        floats result = logarithmic ? (load_floats(in + i, some) - max) * beta - log
                                    : normal_share(load_floats(out + i, some), sum, scale);
        store_floats(out + i, result, some);
    }
}

/* Softmax of LANES columns side by side, or fewer. */
INLINE void softmax_columns(
        int logarithmic, const float *in, float *out, int32_t axis, int32_t inner, int32_t count, float beta) {
    floats max = all_floats(-__builtin_inff()), sum = all_floats(0);
    for (int32_t k = 0; k < axis; k++) {
        max = combine(REDUCTION_MAX, max, load_floats(in + (int64_t) k * inner, count));
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
        floats result = logarithmic ? (load_floats(in + at, count) - max) * beta - log
                                    : normal_share(load_floats(out + at, count), sum, scale);
        store_floats(out + at, result, count);
    }
}

INLINE void softmax(int logarithmic, const struct softmax_call *call) {
    int32_t axis = call->axis, inner = call->inner;
    for (int32_t o = call->begin; o < call->end; o++) {
        const float *in = call->in + (int64_t) o * axis * inner;
        float *out = call->out + (int64_t) o * axis * inner;
        if (inner == 1) {
            softmax_run(logarithmic, in, out, axis, call->beta);
            continue;
        }
        for (int32_t c = 0; c < inner; c += LANES) {
            softmax_columns(logarithmic, in + c, out + c, axis, inner, inner - c, call->beta);
        }
    }
}

KERNEL(softmax) {
    if (call->logarithmic) {
        softmax(1, call);
    } else {
        softmax(0, call);
    }
}
