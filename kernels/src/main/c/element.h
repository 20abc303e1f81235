/*
 * Kernels over runs of elements and images, neither convolutions nor products. All have one signature, so that the Java side needs one
 * kind of call. Runs begin at an offset, in elements, from an array's first. In and out may be the same run.
 */
#ifndef TORCHNNAPI_ELEMENT_H
#define TORCHNNAPI_ELEMENT_H

#include "int8.h"
#include "lanes.h"

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
    EXPORT void NAME(name)(const void *plan, const void *a, int64_t a_at, const void *b, int64_t b_at, void *out, int64_t out_at, \
                           int32_t op, int32_t n, int32_t m, int32_t k, int32_t i, int32_t j, float p, float q) { \
        const struct call call = {plan, a, a_at, b, b_at, out, out_at, op, n, m, k, i, j, p, q}; \
        name##_kernel(&call); \
    } \
    INLINE void name##_kernel(const struct call *call)

#define FLOATS_OF(pointer, offset) ((const float *) (pointer) + (offset))
#define BYTES_OF(pointer, offset) ((const uint8_t *) (pointer) + (offset))

#endif
