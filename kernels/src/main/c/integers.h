/* Of numbers that say where things are. */
#ifndef TORCHNNAPI_INTEGERS_H
#define TORCHNNAPI_INTEGERS_H

#include <stdint.h>

static inline int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t quotient_up(int32_t a, int32_t b) {
    return (a + b - 1) / b;
}

#endif
