/* Calls of kernels by the names of their arguments: GIVEN(binary, .a = x, .count = n). */
#ifndef TORCHNNAPI_GIVEN_H
#define TORCHNNAPI_GIVEN_H

#include "calls.h"

#define GIVEN(name, ...) call_##name(NAME(name), &(struct name##_call) {__VA_ARGS__})

#endif
