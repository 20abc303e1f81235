/* How functions.c lists, from kernels.table, what jni.c finds. */
#ifndef TORCHNNAPI_FUNCTION_H
#define TORCHNNAPI_FUNCTION_H

#include <stdint.h>

/* A function of whatever type under its name; a list ends with a null. */
struct function {
    const char *name;
    void (*address)(void);
};

#endif
