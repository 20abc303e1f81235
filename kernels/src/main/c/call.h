/* The one signature of kernels that are no float convolutions: linking another costs the Java side milliseconds at the
 * start. */
#ifndef TORCHNNAPI_CALL_H
#define TORCHNNAPI_CALL_H

#include "int8.h"
#include "isa.h"

/* What a kernel was called with; each says what its numbers mean. */
struct call {
    const void *plan;
    const void *a;
    int64_t a_at;
    const void *b;
    int64_t b_at;
    void *out;
    int64_t out_at;
    int32_t op;
    int32_t n;
    int32_t m;
    int32_t k;
    int32_t i;
    int32_t j;
    float p;
    float q;
};

/* Defines an exported kernel: KERNEL(name) { ... call->n ... } */
#define KERNEL(name) \
    INLINE void name##_kernel(const struct call *call); \
    EXPORT void NAME(name)(const void *plan, const void *a, int64_t a_at, const void *b, int64_t b_at, void *out, \
            int64_t out_at, int32_t op, int32_t n, int32_t m, int32_t k, int32_t i, int32_t j, float p, float q) { \
        const struct call call = {plan, a, a_at, b, b_at, out, out_at, op, n, m, k, i, j, p, q}; \
        name##_kernel(&call); \
    } \
    INLINE void name##_kernel(const struct call *call)

#define BYTES_OF(pointer, offset) ((const uint8_t *) (pointer) + (offset))

#endif
