/* Sums of rows of floats that lie anywhere. */
#include "element.h"

/* Vectors of sums that are kept at once, for the adds not to wait for each other. */
#define TOGETHER 4

/* Of vectors vectors beginning at column, the last of which has count floats. */
INLINE void sum_columns(const int vectors, const struct call *call, int32_t column, int32_t count) {
    const int32_t *rows = call->plan;
    const float *weights = FLOATS_OF(call->b, call->b_at);
    const float *in = (const float *) call->a + column;
    float *out = (float *) call->out + call->out_at + column;
    floats sums[TOGETHER];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        sums[v] = call->op ? load_floats(out + v * LANES, v == vectors - 1 ? count : LANES) : all_floats(0);
    }
    for (int32_t row = 0; row < call->m; row++) {
        floats weight = all_floats(weights[row]);
        const float *from = in + rows[row];
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            sums[v] = multiply_add(weight, load_floats(from + v * LANES, v == vectors - 1 ? count : LANES), sums[v]);
        }
    }
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        store_floats(out + v * LANES, sums[v], v == vectors - 1 ? count : LANES);
    }
}

/*
 * out = the sum of m rows of n floats each times its weight of b, added to what is there with op 1. The rows begin at
 * the offsets in a that the plan, of 32-bit numbers, gives.
 */
KERNEL(weighted_rows) {
    int32_t column = 0;
    for (; column <= call->n - TOGETHER * LANES; column += TOGETHER * LANES) {
        sum_columns(TOGETHER, call, column, LANES);
    }
    for (; column <= call->n - LANES; column += LANES) {
        sum_columns(1, call, column, LANES);
    }
    if (column < call->n) {
        sum_columns(1, call, column, call->n - column);
    }
}
