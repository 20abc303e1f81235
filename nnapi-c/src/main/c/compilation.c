#include "devices.h"
#include "values.h"

static int create(ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
        bool chosen, ANeuralNetworksCompilation **compilation) {
    if (!model || !compilation || (chosen && (!devices || null_among(devices, numDevices)))) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *compilation = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jintArray positions = chosen ? device_positions(env, devices, numDevices, &code) : ints_of(env, NULL, 0, &code);
    if (positions) {
        code = take_handle(
                jvm_long(env, METHOD_COMPILATION_CREATE, number_of(model), positions), (void **) compilation);
        (*env)->DeleteLocalRef(env, positions);
    }
    return code;
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation) {
    return create(model, NULL, 0, false, compilation);
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
        const ANeuralNetworksDevice *const *devices, uint32_t numDevices, ANeuralNetworksCompilation **compilation) {
    return create(model, devices, numDevices, true, compilation);
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation) {
    int code;
    JNIEnv *env = compilation ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_COMPILATION_FREE, number_of(compilation));
    }
}

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation, int32_t preference) {
    if (!compilation) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_COMPILATION_SET_PREFERENCE, number_of(compilation), preference) : code;
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority) {
    if (!compilation) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_COMPILATION_SET_PRIORITY, number_of(compilation), priority) : code;
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation, uint64_t duration) {
    if (!compilation) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_COMPILATION_SET_TIMEOUT, number_of(compilation), (jlong) duration) : code;
}

int ANeuralNetworksCompilation_setCaching(
        ANeuralNetworksCompilation *compilation, const char *cacheDir, const uint8_t *token) {
    if (!compilation || !cacheDir || !token) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jstring folder = (*env)->NewStringUTF(env, cacheDir);
    jbyteArray bytes = folder ? (*env)->NewByteArray(env, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN) : NULL;
    if (bytes) {
        (*env)->SetByteArrayRegion(env, bytes, 0, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN, (const jbyte *) token);
        code = jvm_int(env, METHOD_COMPILATION_SET_CACHING, number_of(compilation), folder, bytes);
    } else {
        jvm_clear(env);
        code = ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    (*env)->DeleteLocalRef(env, folder);
    (*env)->DeleteLocalRef(env, bytes);
    return code;
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
    if (!compilation) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_COMPILATION_FINISH, number_of(compilation)) : code;
}

static int preferred(enum method method, const ANeuralNetworksCompilation *compilation, bool input, uint32_t index,
        uint32_t *bytes) {
    if (!compilation || !bytes) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    int64_t answer = jvm_long(env, method, number_of(compilation), (jint) input, (jint) index);
    if (answer >> 32 == 0) {
        *bytes = (uint32_t) answer;
    }
    return (int) (answer >> 32);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment) {
    return preferred(METHOD_COMPILATION_ALIGNMENT, compilation, true, index, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding) {
    return preferred(METHOD_COMPILATION_PADDING, compilation, true, index, padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment) {
    return preferred(METHOD_COMPILATION_ALIGNMENT, compilation, false, index, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding) {
    return preferred(METHOD_COMPILATION_PADDING, compilation, false, index, padding);
}

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation, const char *extensionName,
        uint16_t attributeCodeWithinExtension, const void *data, size_t length) {
    return add_attribute(
            METHOD_COMPILATION_ADD_ATTRIBUTE, compilation, extensionName, attributeCodeWithinExtension, data, length);
}
