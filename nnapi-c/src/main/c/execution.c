#include "values.h"

#include <stdlib.h>

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution) {
    if (!compilation || !execution) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *execution = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_EXECUTION_CREATE, number_of(compilation)), (void **) execution)
               : code;
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution) {
    int code;
    JNIEnv *env = execution ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_EXECUTION_FREE, number_of(execution));
    }
}

/* The dimensions of a type as Java has them, null where no type is given; a code if they are bad. */
static jintArray dimensions_of(JNIEnv *env, const ANeuralNetworksOperandType *type, int *code) {
    *code = check_type(type);
    return type && !*code ? ints_of(env, type->dimensions, type->dimensionCount, code) : NULL;
}

static int bind(enum method method, ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, const void *memory, size_t length) {
    if (!execution || (!memory && length > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jintArray dimensions = dimensions_of(env, type, &code);
    /* Only what is left out has no length. */
    if (!code && memory && length == 0) {
        code = ANEURALNETWORKS_BAD_DATA;
    }
    jobject buffer = code ? NULL : buffer_of(env, memory, length, &code);
    if (!code) {
        code = jvm_int(env, method, number_of(execution), index, type ? type->type : 0, dimensions,
                type ? (double) type->scale : 0.0, type ? type->zeroPoint : 0, buffer);
    }
    (*env)->DeleteLocalRef(env, dimensions);
    (*env)->DeleteLocalRef(env, buffer);
    return code;
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, const void *buffer, size_t length) {
    return bind(METHOD_EXECUTION_SET_INPUT, execution, index, type, buffer, length);
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, void *buffer, size_t length) {
    return bind(METHOD_EXECUTION_SET_OUTPUT, execution, index, type, buffer, length);
}

static int bind_memory(enum method method, ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    if (!execution || !memory) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jintArray dimensions = dimensions_of(env, type, &code);
    if (!code) {
        code = jvm_int(env, method, number_of(execution), index, type ? type->type : 0, dimensions,
                type ? (double) type->scale : 0.0, type ? type->zeroPoint : 0, number_of(memory), (jlong) offset,
                (jlong) length);
    }
    (*env)->DeleteLocalRef(env, dimensions);
    return code;
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    return bind_memory(METHOD_EXECUTION_SET_INPUT_FROM_MEMORY, execution, index, type, memory, offset, length);
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
        const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    return bind_memory(METHOD_EXECUTION_SET_OUTPUT_FROM_MEMORY, execution, index, type, memory, offset, length);
}

static int set_flag(enum method method, ANeuralNetworksExecution *execution, bool flag) {
    if (!execution) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, method, number_of(execution), (jint) flag) : code;
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure) {
    return set_flag(METHOD_EXECUTION_SET_MEASURE_TIMING, execution, measure);
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable) {
    return set_flag(METHOD_EXECUTION_SET_REUSABLE, execution, reusable);
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution, bool enable) {
    return set_flag(METHOD_EXECUTION_ENABLE_PADDING, execution, enable);
}

static int set_duration(enum method method, ANeuralNetworksExecution *execution, uint64_t duration) {
    if (!execution) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, method, number_of(execution), (jlong) duration) : code;
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
    return set_duration(METHOD_EXECUTION_SET_TIMEOUT, execution, duration);
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
    return set_duration(METHOD_EXECUTION_SET_LOOP_TIMEOUT, execution, duration);
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) {
    return 2000000000;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) {
    return 15000000000;
}

int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution, const char *extensionName,
        uint16_t attributeCodeWithinExtension, const void *data, size_t length) {
    return add_attribute(
            METHOD_EXECUTION_ADD_ATTRIBUTE, execution, extensionName, attributeCodeWithinExtension, data, length);
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution) {
    if (!execution) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_EXECUTION_COMPUTE, number_of(execution)) : code;
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst) {
    if (!execution || !burst) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_EXECUTION_BURST_COMPUTE, number_of(execution), number_of(burst)) : code;
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event) {
    if (event) {
        *event = NULL;
    }
    if (!execution || !event) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_EXECUTION_START_COMPUTE, number_of(execution)), (void **) event)
               : code;
}

int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution *execution,
        const ANeuralNetworksEvent *const *dependencies, uint32_t num_dependencies, uint64_t duration,
        ANeuralNetworksEvent **event) {
    if (event) {
        *event = NULL;
    }
    if (!execution || !event || (!dependencies && num_dependencies > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    for (uint32_t i = 0; i < num_dependencies; i++) {
        if (!dependencies[i]) {
            return ANEURALNETWORKS_UNEXPECTED_NULL;
        }
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jlongArray events = num_dependencies <= INT32_MAX / 8 ? (*env)->NewLongArray(env, (jsize) num_dependencies) : NULL;
    if (!events) {
        jvm_clear(env);
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < num_dependencies; i++) {
        jlong number = number_of(dependencies[i]);
        (*env)->SetLongArrayRegion(env, events, (jsize) i, 1, &number);
    }
    code = take_handle(jvm_long(env, METHOD_EXECUTION_START_AFTER, number_of(execution), events, (jlong) duration),
            (void **) event);
    (*env)->DeleteLocalRef(env, events);
    return code;
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank) {
    if (!execution || !rank) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    int64_t answer = jvm_long(env, METHOD_EXECUTION_OUTPUT_RANK, number_of(execution), index);
    code = (int) (answer >> 32);
    if (code == ANEURALNETWORKS_NO_ERROR || code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) {
        *rank = (uint32_t) answer;
    }
    return code;
}

int ANeuralNetworksExecution_getOutputOperandDimensions(
        ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions) {
    if (!execution || !dimensions) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jintArray answer = jvm_object(env, METHOD_EXECUTION_OUTPUT_DIMENSIONS, number_of(execution), index);
    if (!answer) {
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    jsize length = (*env)->GetArrayLength(env, answer);
    (*env)->GetIntArrayRegion(env, answer, 0, 1, &code);
    (*env)->GetIntArrayRegion(env, answer, 1, length - 1, (jint *) dimensions);
    (*env)->DeleteLocalRef(env, answer);
    return code;
}

int ANeuralNetworksExecution_getDuration(
        const ANeuralNetworksExecution *execution, int32_t durationCode, uint64_t *duration) {
    if (!execution || !duration) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE
            || durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    /* What is not known, or not measured, takes for ever. */
    *duration = UINT64_MAX;
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    code = jvm_int(env, METHOD_EXECUTION_DURATION_CODE, number_of(execution));
    if (!code) {
        *duration = (uint64_t) jvm_long(env, METHOD_EXECUTION_DURATION, number_of(execution), durationCode);
    }
    return code;
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst) {
    if (!compilation || !burst) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *burst = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_BURST_CREATE, number_of(compilation)), (void **) burst) : code;
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst) {
    int code;
    JNIEnv *env = burst ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_BURST_FREE, number_of(burst));
    }
}
