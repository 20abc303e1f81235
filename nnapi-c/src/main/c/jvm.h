/*
 * The Java virtual machine behind the library: the one that the process runs already, or one that is started at the
 * first call that needs it, and the Java methods that calls go to.
 */
#ifndef TORCH_NNAPI_JVM_H
#define TORCH_NNAPI_JVM_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Every Java method that is called: what calls it here, its class, its name there, and its signature. */
#define METHODS(M) \
    M(DEVICE_COUNT, "DeviceTable", "count", "()I") \
    M(DEVICE_TEXTS, "DeviceTable", "texts", "(I)Ljava/lang/String;") \
    M(DEVICE_HAS_EXTENSION, "DeviceTable", "hasExtension", "(ILjava/lang/String;)I") \
    M(DEVICE_NUMBERS, "DeviceTable", "numbers", "(I)J") \
    M(MODEL_CREATE, "ModelHandle", "create", "()J") \
    M(MODEL_FREE, "ModelHandle", "free", "(J)V") \
    M(MODEL_ADD_OPERAND, "ModelHandle", "addOperand", "(JI[IFI)I") \
    M(MODEL_SET_CHANNELS, "ModelHandle", "setOperandSymmPerChannelQuantParams", "(JII[F)I") \
    M(MODEL_SET_VALUE, "ModelHandle", "setOperandValue", "(JILjava/nio/ByteBuffer;)I") \
    M(MODEL_SET_VALUE_FROM_MEMORY, "ModelHandle", "setOperandValueFromMemory", "(JIJJJ)I") \
    M(MODEL_SET_VALUE_FROM_MODEL, "ModelHandle", "setOperandValueFromModel", "(JIJ)I") \
    M(MODEL_ADD_OPERATION, "ModelHandle", "addOperation", "(JI[I[I)I") \
    M(MODEL_IDENTIFY, "ModelHandle", "identifyInputsAndOutputs", "(J[I[I)I") \
    M(MODEL_RELAX, "ModelHandle", "relax", "(JZ)I") \
    M(MODEL_FINISH, "ModelHandle", "finish", "(J)I") \
    M(MODEL_OPERATION_COUNT, "ModelHandle", "operationCount", "(J)I") \
    M(MODEL_SUPPORTED, "ModelHandle", "supported", "(J[I[Z)I") \
    M(MODEL_EXTENSION_CODE, "ModelHandle", "extensionCode", "(JLjava/lang/String;I)J") \
    M(MODEL_SET_EXTENSION_DATA, "ModelHandle", "setOperandExtensionData", "(JI[B)I") \
    M(COMPILATION_CREATE, "CompilationHandle", "create", "(J[I)J") \
    M(COMPILATION_FREE, "CompilationHandle", "free", "(J)V") \
    M(COMPILATION_SET_PREFERENCE, "CompilationHandle", "setPreference", "(JI)I") \
    M(COMPILATION_SET_PRIORITY, "CompilationHandle", "setPriority", "(JI)I") \
    M(COMPILATION_SET_TIMEOUT, "CompilationHandle", "setTimeout", "(JJ)I") \
    M(COMPILATION_SET_CACHING, "CompilationHandle", "setCaching", "(JLjava/lang/String;[B)I") \
    M(COMPILATION_FINISH, "CompilationHandle", "finish", "(J)I") \
    M(COMPILATION_ALIGNMENT, "CompilationHandle", "preferredAlignment", "(JZI)J") \
    M(COMPILATION_PADDING, "CompilationHandle", "preferredPadding", "(JZI)J") \
    M(COMPILATION_ADD_ATTRIBUTE, "CompilationHandle", "addExtensionAttribute", "(JLjava/lang/String;I[B)I") \
    M(EXECUTION_CREATE, "ExecutionHandle", "create", "(J)J") \
    M(EXECUTION_FREE, "ExecutionHandle", "free", "(J)V") \
    M(EXECUTION_SET_INPUT, "ExecutionHandle", "setInput", "(JII[IFILjava/nio/ByteBuffer;)I") \
    M(EXECUTION_SET_INPUT_FROM_MEMORY, "ExecutionHandle", "setInputFromMemory", "(JII[IFIJJJ)I") \
    M(EXECUTION_SET_OUTPUT, "ExecutionHandle", "setOutput", "(JII[IFILjava/nio/ByteBuffer;)I") \
    M(EXECUTION_SET_OUTPUT_FROM_MEMORY, "ExecutionHandle", "setOutputFromMemory", "(JII[IFIJJJ)I") \
    M(EXECUTION_SET_MEASURE_TIMING, "ExecutionHandle", "setMeasureTiming", "(JZ)I") \
    M(EXECUTION_SET_TIMEOUT, "ExecutionHandle", "setTimeout", "(JJ)I") \
    M(EXECUTION_SET_LOOP_TIMEOUT, "ExecutionHandle", "setLoopTimeout", "(JJ)I") \
    M(EXECUTION_SET_REUSABLE, "ExecutionHandle", "setReusable", "(JZ)I") \
    M(EXECUTION_ENABLE_PADDING, "ExecutionHandle", "enablePadding", "(JZ)I") \
    M(EXECUTION_ADD_ATTRIBUTE, "ExecutionHandle", "addExtensionAttribute", "(JLjava/lang/String;I[B)I") \
    M(EXECUTION_COMPUTE, "ExecutionHandle", "compute", "(J)I") \
    M(EXECUTION_BURST_COMPUTE, "ExecutionHandle", "burstCompute", "(JJ)I") \
    M(EXECUTION_START_COMPUTE, "ExecutionHandle", "startCompute", "(J)J") \
    M(EXECUTION_START_AFTER, "ExecutionHandle", "startComputeWithDependencies", "(J[JJ)J") \
    M(EXECUTION_OUTPUT_RANK, "ExecutionHandle", "outputRank", "(JI)J") \
    M(EXECUTION_OUTPUT_DIMENSIONS, "ExecutionHandle", "outputDimensions", "(JI)[I") \
    M(EXECUTION_DURATION_CODE, "ExecutionHandle", "durationCode", "(J)I") \
    M(EXECUTION_DURATION, "ExecutionHandle", "duration", "(JI)J") \
    M(BURST_CREATE, "BurstHandle", "create", "(J)J") \
    M(BURST_FREE, "BurstHandle", "free", "(J)V") \
    M(EVENT_WAIT, "EventHandle", "await", "(J)I") \
    M(EVENT_FREE, "EventHandle", "free", "(J)V") \
    M(EVENT_OF_FENCE, "EventHandle", "ofFence", "(I)J") \
    M(EVENT_FENCE, "EventHandle", "fence", "(J)J") \
    M(MEMORY_OF_PAGES, "MemoryHandle", "ofPages", "(JJJJZIJ)J") \
    M(MEMORY_OF_HARDWARE_BUFFER, "MemoryHandle", "ofHardwareBuffer", "(JJJ)J") \
    M(MEMORY_OF_DESCRIPTION, "MemoryHandle", "ofDescription", "(J)J") \
    M(MEMORY_COPY, "MemoryHandle", "copy", "(JJ)I") \
    M(MEMORY_FREE, "MemoryHandle", "free", "(J)V") \
    M(DESCRIPTION_CREATE, "MemoryDescHandle", "create", "()J") \
    M(DESCRIPTION_FREE, "MemoryDescHandle", "free", "(J)V") \
    M(DESCRIPTION_ADD_ROLE, "MemoryDescHandle", "addRole", "(JJZIF)I") \
    M(DESCRIPTION_SET_DIMENSIONS, "MemoryDescHandle", "setDimensions", "(J[I)I") \
    M(DESCRIPTION_FINISH, "MemoryDescHandle", "finish", "(J)I")

#define METHOD_ENTRY(entry, owner, name, signature) METHOD_##entry,
enum method { METHODS(METHOD_ENTRY) METHOD_COUNT };
#undef METHOD_ENTRY

/*
 * The environment of the calling thread, which is attached until it ends; null with a code where there is no virtual
 * machine, also in a child that was forked after it had started: a virtual machine does not survive that.
 */
JNIEnv *jvm_enter(int *code);

/* Calls of the methods, arguments as their signatures say. An exception, which none lets out, would be OP_FAILED. */
int jvm_int(JNIEnv *env, enum method method, ...);
int64_t jvm_long(JNIEnv *env, enum method method, ...);
void jvm_void(JNIEnv *env, enum method method, ...);
jobject jvm_object(JNIEnv *env, enum method method, ...);

/* Forgets an exception that the virtual machine raised by itself, such as for want of memory. Whether there was one. */
bool jvm_clear(JNIEnv *env);

/* One line to the standard error stream, with the library's name before it. */
void jvm_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The functions that Java calls, registered with its class Native. */
extern const JNINativeMethod native_methods[];
extern const int native_method_count;

#endif
