#include "devices.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

int ANeuralNetworksModel_create(ANeuralNetworksModel **model) {
    if (!model) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *model = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_MODEL_CREATE), (void **) model) : code;
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model) {
    int code;
    JNIEnv *env = model ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_MODEL_FREE, number_of(model));
    }
}

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type) {
    if (!model || !type) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    code = check_type(type);
    jintArray dimensions = code ? NULL : ints_of(env, type->dimensions, type->dimensionCount, &code);
    if (dimensions) {
        code = jvm_int(env, METHOD_MODEL_ADD_OPERAND, number_of(model), type->type, dimensions, (double) type->scale,
                type->zeroPoint);
        (*env)->DeleteLocalRef(env, dimensions);
    }
    return code;
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
        ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams *channelQuant) {
    if (!model || !channelQuant) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    if (!channelQuant->scales || channelQuant->scaleCount > INT32_MAX / 4) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    jfloatArray scales = (*env)->NewFloatArray(env, (jsize) channelQuant->scaleCount);
    if (!scales) {
        jvm_clear(env);
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    (*env)->SetFloatArrayRegion(env, scales, 0, (jsize) channelQuant->scaleCount, channelQuant->scales);
    code = jvm_int(env, METHOD_MODEL_SET_CHANNELS, number_of(model), index, (jint) channelQuant->channelDim, scales);
    (*env)->DeleteLocalRef(env, scales);
    return code;
}

int ANeuralNetworksModel_setOperandValue(
        ANeuralNetworksModel *model, int32_t index, const void *buffer, size_t length) {
    if (!model || (!buffer && length > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jobject value = buffer_of(env, buffer, length, &code);
    if (!code) {
        code = jvm_int(env, METHOD_MODEL_SET_VALUE, number_of(model), index, value);
        (*env)->DeleteLocalRef(env, value);
    }
    return code;
}

int ANeuralNetworksModel_setOperandValueFromMemory(
        ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    if (!model || !memory) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_MODEL_SET_VALUE_FROM_MEMORY, number_of(model), index, number_of(memory),
                         (jlong) offset, (jlong) length)
               : code;
}

int ANeuralNetworksModel_setOperandValueFromModel(
        ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksModel *value) {
    if (!model || !value) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_MODEL_SET_VALUE_FROM_MODEL, number_of(model), index, number_of(value)) : code;
}

/* A call with two lists of operands. */
static int with_lists(JNIEnv *env, enum method method, ANeuralNetworksModel *model, const int32_t *type,
        uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount, const uint32_t *outputs) {
    int code;
    jintArray ins = ints_of(env, inputs, inputCount, &code);
    jintArray outs = code ? NULL : ints_of(env, outputs, outputCount, &code);
    if (outs) {
        code = type ? jvm_int(env, method, number_of(model), *type, ins, outs)
                    : jvm_int(env, method, number_of(model), ins, outs);
    }
    (*env)->DeleteLocalRef(env, ins);
    (*env)->DeleteLocalRef(env, outs);
    return code;
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model, ANeuralNetworksOperationType type,
        uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount, const uint32_t *outputs) {
    if (!model || !inputs || !outputs) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? with_lists(env, METHOD_MODEL_ADD_OPERATION, model, &type, inputCount, inputs, outputCount, outputs)
               : code;
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
        const uint32_t *inputs, uint32_t outputCount, const uint32_t *outputs) {
    if (!model || !inputs || !outputs) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? with_lists(env, METHOD_MODEL_IDENTIFY, model, NULL, inputCount, inputs, outputCount, outputs) : code;
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow) {
    if (!model) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_MODEL_RELAX, number_of(model), (jint) allow) : code;
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
    if (!model) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_MODEL_FINISH, number_of(model)) : code;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
        const ANeuralNetworksDevice *const *devices, uint32_t numDevices, bool *supportedOps) {
    if (!model || !devices || !supportedOps || null_among(devices, numDevices)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    int count = jvm_int(env, METHOD_MODEL_OPERATION_COUNT, number_of(model));
    if (count < 0) {
        return -count;
    }
    jintArray positions = device_positions(env, devices, numDevices, &code);
    jbooleanArray answers = positions ? (*env)->NewBooleanArray(env, count) : NULL;
    if (answers) {
        code = jvm_int(env, METHOD_MODEL_SUPPORTED, number_of(model), positions, answers);
    } else if (positions) {
        jvm_clear(env);
        code = ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    if (!code) {
        (*env)->GetBooleanArrayRegion(env, answers, 0, count, (jboolean *) supportedOps);
    }
    (*env)->DeleteLocalRef(env, positions);
    (*env)->DeleteLocalRef(env, answers);
    return code;
}

/* The number by which a model of this process knows what an extension defines. */
static int extension_code(ANeuralNetworksModel *model, const char *extension, uint16_t code_within, int32_t *type) {
    if (!model || !extension || !type) {
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
    int64_t answer = jvm_long(env, METHOD_MODEL_EXTENSION_CODE, number_of(model), name, (jint) code_within);
    (*env)->DeleteLocalRef(env, name);
    if (answer < 0) {
        return (int) -answer;
    }
    *type = (int32_t) answer;
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_getExtensionOperandType(
        ANeuralNetworksModel *model, const char *extensionName, uint16_t operandCodeWithinExtension, int32_t *type) {
    return extension_code(model, extensionName, operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model, const char *extensionName,
        uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType *type) {
    return extension_code(model, extensionName, operationCodeWithinExtension, type);
}

int ANeuralNetworksModel_setOperandExtensionData(
        ANeuralNetworksModel *model, int32_t index, const void *data, size_t length) {
    if (!model || (!data && length > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jbyteArray bytes = bytes_of(env, data, length, &code);
    if (!code) {
        code = jvm_int(env, METHOD_MODEL_SET_EXTENSION_DATA, number_of(model), index, bytes);
        (*env)->DeleteLocalRef(env, bytes);
    }
    return code;
}
