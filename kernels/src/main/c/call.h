/* How the kernels of kernels.table are defined that have the one signature of calls.h. */
#ifndef TORCHNNAPI_CALL_H
#define TORCHNNAPI_CALL_H

#include "calls.h"

/* Defines an exported kernel, which sees its arguments by their names: KERNEL(name) { ... call->count ... } */
#define KERNEL(name) \
    INLINE void name##_kernel(const struct name##_call *call); \
    EXPORT void NAME(name)(CALL_PARAMETERS) { \
        const struct call places = {CALL_PLACES}; \
        const struct name##_call call = take_##name(&places); \
        name##_kernel(&call); \
    } \
    INLINE void name##_kernel(const struct name##_call *call)

#endif
