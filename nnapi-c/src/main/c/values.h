/* What C gives as pointers and counts, as Java has it. All need a thread that has entered the virtual machine. */
#ifndef TORCH_NNAPI_VALUES_H
#define TORCH_NNAPI_VALUES_H

#include "include/NeuralNetworks.h"
#include "jvm.h"

/* The longest buffer Java can see at once. */
#define MAX_BUFFER INT32_MAX

/* A handle is a number of Java's that looks like a pointer. */
static inline jlong number_of(const void *handle) {
    return (jlong) (intptr_t) handle;
}

/* Arrays of Java's; null, with a code, if there is no room. */
jintArray ints_of(JNIEnv *env, const uint32_t *values, uint32_t count, int *code);

/* A copy of bytes as Java's; null where they are null, or with a code. */
jbyteArray bytes_of(JNIEnv *env, const void *bytes, size_t length, int *code);

/* A buffer over the caller's memory; null where the memory is null, or with a code. */
jobject buffer_of(JNIEnv *env, const void *memory, size_t length, int *code);

/* An operand type that a call gives or leaves out: BAD_DATA where dimensions and their count contradict each other. */
int check_type(const ANeuralNetworksOperandType *type);

/* The code of an answer that is a handle or a code made negative; the handle goes to its place, or null does. */
int take_handle(int64_t answer, void **handle);

/* Tells a compilation or an execution something that an extension defines. */
int add_attribute(
        enum method method, void *handle, const char *extension, uint16_t code_within, const void *data, size_t length);

#endif
