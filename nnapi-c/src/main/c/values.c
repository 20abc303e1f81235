#include "values.h"

/* More than any operand's rank, and few enough for nobody to mind reading them. */
enum { MAX_RANK = 64 };

jintArray ints_of(JNIEnv *env, const uint32_t *values, uint32_t count, int *code) {
    if (count > INT32_MAX / 4) {
        *code = ANEURALNETWORKS_BAD_DATA;
        return NULL;
    }
    jintArray array = (*env)->NewIntArray(env, (jsize) count);
    if (!array) {
        jvm_clear(env);
        *code = ANEURALNETWORKS_OUT_OF_MEMORY;
        return NULL;
    }
    (*env)->SetIntArrayRegion(env, array, 0, (jsize) count, (const jint *) values);
    *code = ANEURALNETWORKS_NO_ERROR;
    return array;
}

jbyteArray bytes_of(JNIEnv *env, const void *bytes, size_t length, int *code) {
    *code = ANEURALNETWORKS_NO_ERROR;
    if (!bytes) {
        return NULL;
    }
    if (length > INT32_MAX / 2) {
        *code = ANEURALNETWORKS_BAD_DATA;
        return NULL;
    }
    jbyteArray array = (*env)->NewByteArray(env, (jsize) length);
    if (!array) {
        jvm_clear(env);
        *code = ANEURALNETWORKS_OUT_OF_MEMORY;
        return NULL;
    }
    (*env)->SetByteArrayRegion(env, array, 0, (jsize) length, bytes);
    return array;
}

jobject buffer_of(JNIEnv *env, const void *memory, size_t length, int *code) {
    *code = ANEURALNETWORKS_NO_ERROR;
    if (!memory) {
        return NULL;
    }
    if (length > MAX_BUFFER) {
        *code = ANEURALNETWORKS_BAD_DATA;
        return NULL;
    }
    jobject buffer = (*env)->NewDirectByteBuffer(env, (void *) memory, (jlong) length);
    if (!buffer) {
        jvm_clear(env);
        *code = ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    return buffer;
}

int check_type(const ANeuralNetworksOperandType *type) {
    bool fits = !type || ((type->dimensions != NULL) == (type->dimensionCount > 0) && type->dimensionCount <= MAX_RANK);
    return fits ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
}

int add_attribute(enum method method, void *handle, const char *extension, uint16_t code_within, const void *data,
        size_t length) {
    if (!handle || !extension || (!data && length > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jstring name = (*env)->NewStringUTF(env, extension);
    if (!name) {
        jvm_clear(env);
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    jbyteArray bytes = bytes_of(env, data, length, &code);
    if (!code) {
        code = jvm_int(env, method, number_of(handle), name, (jint) code_within, bytes);
        (*env)->DeleteLocalRef(env, bytes);
    }
    (*env)->DeleteLocalRef(env, name);
    return code;
}

int take_handle(int64_t answer, void **handle) {
    *handle = answer > 0 ? (void *) (intptr_t) answer : NULL;
    return answer > 0 ? ANEURALNETWORKS_NO_ERROR : (int) -answer;
}
