/* Sums of rows of floats that lie anywhere. */
#include "call.h"
#include "lanes.h"

/* Vectors of sums that are kept at once, for the adds not to wait for each other. */
#define TOGETHER 4

/* Of vectors vectors beginning at column, the last of which has count floats. */
INLINE void sum_columns(const int vectors, const struct weighted_rows_call *call, int32_t column, int32_t count) {
    const float *in = call->in + column;
    float *out = call->out + column;
    floats sums[TOGETHER];
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        sums[v] = call->adding ? load_floats(out + v * LANES, v == vectors - 1 ? count : LANES) : all_floats(0);
    }
    for (int32_t row = 0; row < call->rows; row++) {
        floats weight = all_floats(call->weights[row]);
        const float *from = in + call->offsets[row];
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

KERNEL(weighted_rows) {
    int32_t column = 0;
    for (; column <= call->size - TOGETHER * LANES; column += TOGETHER * LANES) {
        sum_columns(TOGETHER, call, column, LANES);
    }
    for (; column <= call->size - LANES; column += LANES) {
        sum_columns(1, call, column, LANES);
    }
    if (column < call->size) {
        sum_columns(1, call, column, call->size - column);
    }
}
