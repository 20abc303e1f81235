/*
 * A C program that calls every function of the library wrongly: with null, freed and foreign handles and handles of
 * another kind, without places for results, with wrong lengths and closed descriptors, at the wrong time, from several
 * threads, and in a child that was forked too late. Says which call answered another code than the interface promises,
 * and ends with 1.
 */
#define _GNU_SOURCE
#include "NeuralNetworks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(int found, int wanted, const char *call, const char *with, int line) {
    if (found != wanted) {
        printf("line %d: %s with %s: %d (expected: %d)\n", line, call, with, found, wanted);
        __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
    }
}

#define EXPECT(wanted, call) expect(call, wanted, #call, "what is written", __LINE__)
#define OK(call) EXPECT(ANEURALNETWORKS_NO_ERROR, call)
#define BAD_DATA(call) EXPECT(ANEURALNETWORKS_BAD_DATA, call)
#define BAD_STATE(call) EXPECT(ANEURALNETWORKS_BAD_STATE, call)
#define IS_NULL(call) EXPECT(ANEURALNETWORKS_UNEXPECTED_NULL, call)
#define TRUE(condition) EXPECT(1, (condition) != 0)

static const uint32_t FOUR[] = {4};
static const ANeuralNetworksOperandType VECTOR = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, FOUR, 0, 0};
static const ANeuralNetworksOperandType NUMBER = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};

/* Living handles, one of each kind. */
struct handles {
    ANeuralNetworksDevice *device;
    ANeuralNetworksModel *open, *model;
    ANeuralNetworksCompilation *open_compilation, *compilation;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksBurst *burst;
    ANeuralNetworksMemory *memory;
    ANeuralNetworksMemoryDesc *description;
    ANeuralNetworksEvent *event;
    float values[4];
};

static ANeuralNetworksModel *doubled(void) {
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;
    OK(ANeuralNetworksModel_create(&model));
    OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
    OK(ANeuralNetworksModel_addOperand(model, &NUMBER));
    OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
    OK(ANeuralNetworksModel_setOperandValue(model, 1, &none, sizeof none));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (uint32_t[]) {0, 0, 1}, 1, (uint32_t[]) {2}));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {2}));
    OK(ANeuralNetworksModel_finish(model));
    return model;
}

static void open_all(struct handles *all) {
    memset(all, 0, sizeof *all);
    OK(ANeuralNetworks_getDevice(0, &all->device));
    OK(ANeuralNetworksModel_create(&all->open));
    OK(ANeuralNetworksModel_addOperand(all->open, &VECTOR));
    all->model = doubled();
    OK(ANeuralNetworksCompilation_create(all->model, &all->open_compilation));
    OK(ANeuralNetworksCompilation_create(all->model, &all->compilation));
    OK(ANeuralNetworksCompilation_finish(all->compilation));
    OK(ANeuralNetworksExecution_create(all->compilation, &all->execution));
    OK(ANeuralNetworksExecution_setInput(all->execution, 0, NULL, all->values, sizeof all->values));
    OK(ANeuralNetworksExecution_setOutput(all->execution, 0, NULL, all->values, sizeof all->values));
    OK(ANeuralNetworksBurst_create(all->compilation, &all->burst));
    int fd = memfd_create("values", MFD_CLOEXEC);
    TRUE(ftruncate(fd, 64) == 0);
    OK(ANeuralNetworksMemory_createFromFd(64, PROT_READ | PROT_WRITE, fd, 0, &all->memory));
    close(fd);
    OK(ANeuralNetworksMemoryDesc_create(&all->description));
    OK(ANeuralNetworksExecution_startCompute(all->execution, &all->event));
    OK(ANeuralNetworksEvent_wait(all->event));
}

static void free_all(const struct handles *all) {
    ANeuralNetworksEvent_free(all->event);
    ANeuralNetworksExecution_free(all->execution);
    ANeuralNetworksBurst_free(all->burst);
    ANeuralNetworksMemory_free(all->memory);
    ANeuralNetworksMemoryDesc_free(all->description);
    ANeuralNetworksCompilation_free(all->compilation);
    ANeuralNetworksCompilation_free(all->open_compilation);
    ANeuralNetworksModel_free(all->model);
    ANeuralNetworksModel_free(all->open);
}

/* Every function that takes a handle, with this one in the first place and sound arguments in the others: all answer
 * the same code. */
static void with_handle(void *h, const char *what, int wanted, struct handles *all) {
    float values[4] = {0};
    uint32_t numbers[8] = {0};
    int32_t number = 0;
    int64_t level = 0;
    uint64_t duration = 0;
    bool flags[4] = {false};
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1};
    const char *text = NULL;
    void *made = NULL;
    int fd = -1;
    const ANeuralNetworksDevice *devices[] = {all->device};
    const ANeuralNetworksEvent *events[] = {all->event};
    ANeuralNetworksSymmPerChannelQuantParams channels = {0, 4, values};
#define CALL(call) expect(call, wanted, #call, what, __LINE__)
    CALL(ANeuralNetworksDevice_getName(h, &text));
    CALL(ANeuralNetworksDevice_getType(h, &number));
    CALL(ANeuralNetworksDevice_getVersion(h, &text));
    CALL(ANeuralNetworksDevice_getFeatureLevel(h, &level));
    CALL(ANeuralNetworksDevice_wait(h));
    CALL(ANeuralNetworksDevice_getExtensionSupport(h, "com.example.none", flags));
    CALL(ANeuralNetworksMemory_createFromDesc(h, (ANeuralNetworksMemory **) &made));
    CALL(ANeuralNetworksMemory_copy(h, all->memory));
    CALL(ANeuralNetworksMemory_copy(all->memory, h));
    CALL(ANeuralNetworksMemoryDesc_addInputRole(h, all->compilation, 0, 1));
    CALL(ANeuralNetworksMemoryDesc_addInputRole(all->description, h, 0, 1));
    CALL(ANeuralNetworksMemoryDesc_addOutputRole(h, all->compilation, 0, 1));
    CALL(ANeuralNetworksMemoryDesc_addOutputRole(all->description, h, 0, 1));
    CALL(ANeuralNetworksMemoryDesc_setDimensions(h, 1, FOUR));
    CALL(ANeuralNetworksMemoryDesc_finish(h));
    CALL(ANeuralNetworksModel_addOperand(h, &VECTOR));
    CALL(ANeuralNetworksModel_setOperandValue(h, 0, values, sizeof values));
    CALL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(h, 0, &channels));
    CALL(ANeuralNetworksModel_setOperandValueFromMemory(h, 0, all->memory, 0, 16));
    CALL(ANeuralNetworksModel_setOperandValueFromMemory(all->open, 0, h, 0, 16));
    CALL(ANeuralNetworksModel_setOperandValueFromModel(h, 0, all->model));
    CALL(ANeuralNetworksModel_setOperandValueFromModel(all->open, 0, h));
    CALL(ANeuralNetworksModel_addOperation(h, ANEURALNETWORKS_ADD, 3, numbers, 1, numbers));
    CALL(ANeuralNetworksModel_identifyInputsAndOutputs(h, 1, numbers, 1, numbers));
    CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(h, true));
    CALL(ANeuralNetworksModel_finish(h));
    CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(h, devices, 1, flags));
    CALL(ANeuralNetworksModel_getExtensionOperandType(h, "com.example.none", 0, &number));
    CALL(ANeuralNetworksModel_getExtensionOperationType(h, "com.example.none", 0, &number));
    CALL(ANeuralNetworksModel_setOperandExtensionData(h, 0, values, sizeof values));
    CALL(ANeuralNetworksCompilation_create(h, (ANeuralNetworksCompilation **) &made));
    CALL(ANeuralNetworksCompilation_createForDevices(h, devices, 1, (ANeuralNetworksCompilation **) &made));
    devices[0] = h;
    CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(all->model, devices, 1, flags));
    CALL(ANeuralNetworksCompilation_createForDevices(all->model, devices, 1, (ANeuralNetworksCompilation **) &made));
    CALL(ANeuralNetworksCompilation_setPreference(h, 0));
    CALL(ANeuralNetworksCompilation_setPriority(h, ANEURALNETWORKS_PRIORITY_LOW));
    CALL(ANeuralNetworksCompilation_setTimeout(h, 1000000000));
    CALL(ANeuralNetworksCompilation_setCaching(h, "/tmp", token));
    CALL(ANeuralNetworksCompilation_addExtensionAttribute(h, "com.example.none", 0, values, sizeof values));
    CALL(ANeuralNetworksCompilation_finish(h));
    CALL(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(h, 0, numbers));
    CALL(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(h, 0, numbers));
    CALL(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(h, 0, numbers));
    CALL(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(h, 0, numbers));
    CALL(ANeuralNetworksExecution_create(h, (ANeuralNetworksExecution **) &made));
    CALL(ANeuralNetworksExecution_setInput(h, 0, NULL, values, sizeof values));
    CALL(ANeuralNetworksExecution_setInputFromMemory(h, 0, NULL, all->memory, 0, 16));
    CALL(ANeuralNetworksExecution_setOutput(h, 0, NULL, values, sizeof values));
    CALL(ANeuralNetworksExecution_setOutputFromMemory(h, 0, NULL, all->memory, 0, 16));
    CALL(ANeuralNetworksExecution_setMeasureTiming(h, true));
    CALL(ANeuralNetworksExecution_setTimeout(h, 1000000000));
    CALL(ANeuralNetworksExecution_setLoopTimeout(h, 1000000000));
    CALL(ANeuralNetworksExecution_setReusable(h, true));
    CALL(ANeuralNetworksExecution_enableInputAndOutputPadding(h, true));
    CALL(ANeuralNetworksExecution_addExtensionAttribute(h, "com.example.none", 0, values, sizeof values));
    CALL(ANeuralNetworksExecution_compute(h));
    CALL(ANeuralNetworksExecution_burstCompute(h, all->burst));
    CALL(ANeuralNetworksExecution_burstCompute(all->execution, h));
    CALL(ANeuralNetworksExecution_startCompute(h, (ANeuralNetworksEvent **) &made));
    CALL(ANeuralNetworksExecution_startComputeWithDependencies(h, events, 1, 0, (ANeuralNetworksEvent **) &made));
    events[0] = h;
    CALL(ANeuralNetworksExecution_startComputeWithDependencies(
            all->execution, events, 1, 0, (ANeuralNetworksEvent **) &made));
    CALL(ANeuralNetworksExecution_getOutputOperandRank(h, 0, numbers));
    CALL(ANeuralNetworksExecution_getOutputOperandDimensions(h, 0, numbers));
    CALL(ANeuralNetworksExecution_getDuration(h, 0, &duration));
    CALL(ANeuralNetworksBurst_create(h, (ANeuralNetworksBurst **) &made));
    CALL(ANeuralNetworksEvent_wait(h));
    CALL(ANeuralNetworksEvent_getSyncFenceFd(h, &fd));
    TRUE(!made && fd == -1);
    ANeuralNetworksMemory_free(h);
    ANeuralNetworksMemoryDesc_free(h);
    ANeuralNetworksModel_free(h);
    ANeuralNetworksCompilation_free(h);
    ANeuralNetworksExecution_free(h);
    ANeuralNetworksBurst_free(h);
    ANeuralNetworksEvent_free(h);
}

/* No place for a result, or nothing where something is wanted. */
static void without_places(struct handles *all) {
    const ANeuralNetworksDevice *devices[] = {all->device};
    int32_t number;
    bool flag;
    IS_NULL(ANeuralNetworks_getDeviceCount(NULL));
    IS_NULL(ANeuralNetworks_getDevice(0, NULL));
    IS_NULL(ANeuralNetworksDevice_getName(all->device, NULL));
    IS_NULL(ANeuralNetworksDevice_getType(all->device, NULL));
    IS_NULL(ANeuralNetworksDevice_getVersion(all->device, NULL));
    IS_NULL(ANeuralNetworksDevice_getFeatureLevel(all->device, NULL));
    IS_NULL(ANeuralNetworksDevice_getExtensionSupport(all->device, NULL, &flag));
    IS_NULL(ANeuralNetworksDevice_getExtensionSupport(all->device, "com.example.none", NULL));
    IS_NULL(ANeuralNetworksMemory_createFromFd(16, PROT_READ, 0, 0, NULL));
    IS_NULL(ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, (ANeuralNetworksMemory *[]) {NULL}));
    IS_NULL(ANeuralNetworksMemory_createFromDesc(all->description, NULL));
    IS_NULL(ANeuralNetworksMemoryDesc_create(NULL));
    IS_NULL(ANeuralNetworksMemoryDesc_setDimensions(all->description, 1, NULL));
    IS_NULL(ANeuralNetworksModel_create(NULL));
    IS_NULL(ANeuralNetworksModel_addOperand(all->open, NULL));
    IS_NULL(ANeuralNetworksModel_setOperandValue(all->open, 0, NULL, 16));
    IS_NULL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(all->open, 0, NULL));
    IS_NULL(ANeuralNetworksModel_addOperation(all->open, ANEURALNETWORKS_ADD, 3, NULL, 1, FOUR));
    IS_NULL(ANeuralNetworksModel_identifyInputsAndOutputs(all->open, 1, FOUR, 1, NULL));
    IS_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(all->model, NULL, 1, &flag));
    IS_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(all->model, devices, 1, NULL));
    IS_NULL(ANeuralNetworksModel_getExtensionOperandType(all->open, NULL, 0, &number));
    IS_NULL(ANeuralNetworksModel_getExtensionOperationType(all->open, "com.example.none", 0, NULL));
    IS_NULL(ANeuralNetworksModel_setOperandExtensionData(all->open, 0, NULL, 4));
    IS_NULL(ANeuralNetworksCompilation_create(all->model, NULL));
    IS_NULL(ANeuralNetworksCompilation_createForDevices(all->model, NULL, 1, (ANeuralNetworksCompilation *[]) {NULL}));
    IS_NULL(ANeuralNetworksCompilation_setCaching(all->open_compilation, NULL, NULL));
    IS_NULL(ANeuralNetworksCompilation_addExtensionAttribute(all->open_compilation, NULL, 0, NULL, 0));
    IS_NULL(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(all->compilation, 0, NULL));
    IS_NULL(ANeuralNetworksExecution_create(all->compilation, NULL));
    IS_NULL(ANeuralNetworksExecution_setInput(all->execution, 0, NULL, NULL, 16));
    IS_NULL(ANeuralNetworksExecution_setInputFromMemory(all->execution, 0, NULL, NULL, 0, 16));
    IS_NULL(ANeuralNetworksExecution_setOutput(all->execution, 0, NULL, NULL, 16));
    IS_NULL(ANeuralNetworksExecution_setOutputFromMemory(all->execution, 0, NULL, NULL, 0, 16));
    IS_NULL(ANeuralNetworksExecution_addExtensionAttribute(all->execution, NULL, 0, NULL, 0));
    IS_NULL(ANeuralNetworksExecution_startCompute(all->execution, NULL));
    IS_NULL(ANeuralNetworksExecution_startComputeWithDependencies(
            all->execution, NULL, 1, 0, (ANeuralNetworksEvent *[]) {NULL}));
    IS_NULL(ANeuralNetworksExecution_getOutputOperandRank(all->execution, 0, NULL));
    IS_NULL(ANeuralNetworksExecution_getOutputOperandDimensions(all->execution, 0, NULL));
    IS_NULL(ANeuralNetworksExecution_getDuration(all->execution, 0, NULL));
    IS_NULL(ANeuralNetworksBurst_create(all->compilation, NULL));
    IS_NULL(ANeuralNetworksEvent_createFromSyncFenceFd(0, NULL));
    IS_NULL(ANeuralNetworksEvent_getSyncFenceFd(all->event, NULL));
}

/* Lengths, indexes and descriptors that are none, and calls at the wrong time. */
static void out_of_range(struct handles *all) {
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksEvent *event = NULL;
    ANeuralNetworksDevice *device = NULL;
    uint32_t number;
    int ends[2];
    TRUE(ANeuralNetworks_getRuntimeFeatureLevel() > 0
            && ANeuralNetworks_getDefaultLoopTimeout() < ANeuralNetworks_getMaximumLoopTimeout());
    BAD_DATA(ANeuralNetworks_getDevice(UINT32_MAX, &device));
    BAD_DATA(ANeuralNetworksModel_setOperandValue(all->open, 0, all->values, 15));
    BAD_DATA(ANeuralNetworksModel_setOperandValue(all->open, 0, all->values, SIZE_MAX));
    BAD_DATA(ANeuralNetworksModel_setOperandValue(all->open, -1, all->values, 16));
    BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(all->open, 0, all->memory, SIZE_MAX - 8, 16));
    BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(all->open, 0, all->memory, 56, 16));
    BAD_DATA(ANeuralNetworksModel_addOperation(all->open, 30000, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {0}));
    BAD_DATA(ANeuralNetworksModel_addOperation(
            all->open, ANEURALNETWORKS_FLOOR, 1, (uint32_t[]) {7}, 1, (uint32_t[]) {UINT32_MAX}));
    BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(
            all->open, 1, (uint32_t[]) {UINT32_MAX}, 1, (uint32_t[]) {0}));
    BAD_DATA(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(all->compilation, UINT32_MAX, &number));
    BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(all->description, all->compilation, UINT32_MAX, 1));
    BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(all->description, all->compilation, 0, 0));
    BAD_DATA(ANeuralNetworksMemoryDesc_addOutputRole(all->description, all->open_compilation, 0, 1));
    BAD_STATE(ANeuralNetworksMemory_createFromDesc(all->description, &memory));

    TRUE(pipe(ends) == 0);
    close(ends[0]);
    close(ends[1]);
    BAD_DATA(ANeuralNetworksMemory_createFromFd(16, PROT_READ, ends[0], 0, &memory));
    BAD_DATA(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event));
    TRUE(!memory && !event);

    BAD_STATE(ANeuralNetworksModel_finish(all->model));
    BAD_STATE(ANeuralNetworksModel_setOperandValue(all->model, 1, all->values, 4));
    BAD_STATE(ANeuralNetworksCompilation_setPreference(all->compilation, 0));
    BAD_STATE(ANeuralNetworksExecution_create(all->open_compilation, &execution));
    BAD_STATE(ANeuralNetworksExecution_compute(all->execution));
    BAD_STATE(ANeuralNetworksExecution_setInput(all->execution, 0, NULL, all->values, 16));
    OK(ANeuralNetworksExecution_create(all->compilation, &execution));
    BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &number));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, INT32_MAX, NULL, all->values, 16));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, all->values, SIZE_MAX));
    BAD_DATA(ANeuralNetworksExecution_setOutput(execution, 0, NULL, all->values, 12));
    BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, all->memory, 0, SIZE_MAX));
    BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, all->memory, SIZE_MAX, 16));
    BAD_DATA(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
}

static void misuse(void) {
    int there = 0;
    struct handles all, gone;
    open_all(&all);
    open_all(&gone);
    with_handle(NULL, "null", ANEURALNETWORKS_UNEXPECTED_NULL, &all);
    void *foreign[] = {&there, (void *) 8, (void *) -1, (void *) 0x4000000000000000, (void *) 0x7fffffffffffffff};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        with_handle(foreign[i], "a foreign handle", ANEURALNETWORKS_BAD_DATA, &all);
    }
    free_all(&gone);
    void *freed[] = {gone.open, gone.model, gone.open_compilation, gone.compilation, gone.execution, gone.burst,
            gone.memory, gone.description, gone.event};
    for (size_t i = 0; i < sizeof freed / sizeof *freed; i++) {
        with_handle(freed[i], "a freed handle", ANEURALNETWORKS_BAD_DATA, &all);
    }
    /* A device is of another kind than what all but its own functions take, and nothing frees it. */
    BAD_DATA(ANeuralNetworksModel_finish((ANeuralNetworksModel *) all.device));
    BAD_DATA(ANeuralNetworksCompilation_finish((ANeuralNetworksCompilation *) all.model));
    BAD_DATA(ANeuralNetworksExecution_compute((ANeuralNetworksExecution *) all.compilation));
    BAD_DATA(ANeuralNetworksExecution_burstCompute(all.execution, (ANeuralNetworksBurst *) all.event));
    BAD_DATA(ANeuralNetworksEvent_wait((ANeuralNetworksEvent *) all.memory));
    BAD_DATA(ANeuralNetworksMemory_copy((ANeuralNetworksMemory *) all.description, all.memory));
    without_places(&all);
    out_of_range(&all);
    free_all(&all);
}

/* One thread's handles are freed by another while it uses them. */
static ANeuralNetworksExecution *shared;

static void *use_shared(void *unused) {
    for (int i = 0; i < 100; i++) {
        int code = ANeuralNetworksExecution_compute(__atomic_load_n(&shared, __ATOMIC_SEQ_CST));
        TRUE(code == ANEURALNETWORKS_NO_ERROR || code == ANEURALNETWORKS_BAD_DATA || code == ANEURALNETWORKS_BAD_STATE
                || code == ANEURALNETWORKS_OP_FAILED || code == ANEURALNETWORKS_UNEXPECTED_NULL);
    }
    return unused;
}

static void *misuse_on_thread(void *unused) {
    misuse();
    return unused;
}

static void on_threads(void) {
    pthread_t all[8];
    ANeuralNetworksModel *model = doubled();
    ANeuralNetworksCompilation *compilation = NULL;
    static float values[4];
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
    for (int i = 0; i < 8; i++) {
        TRUE(pthread_create(&all[i], NULL, i % 2 ? misuse_on_thread : use_shared, NULL) == 0);
    }
    for (int i = 0; i < 100; i++) {
        ANeuralNetworksExecution *execution = NULL;
        OK(ANeuralNetworksExecution_create(compilation, &execution));
        OK(ANeuralNetworksExecution_setReusable(execution, true));
        OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, sizeof values));
        OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, values, sizeof values));
        __atomic_store_n(&shared, execution, __ATOMIC_SEQ_CST);
        ANeuralNetworksExecution_free(execution);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(all[i], NULL);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* All that needs the virtual machine, which a child does not have, says so; null is null there too. */
static void in_child(void) {
    struct handles all;
    open_all(&all);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        failures = 0;
        with_handle(NULL, "null, in a child", ANEURALNETWORKS_UNEXPECTED_NULL, &all);
        ANeuralNetworksModel *model = (ANeuralNetworksModel *) 8;
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksModel_create(&model));
        TRUE(model == NULL);
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksModel_finish(all.open));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksCompilation_finish(all.open_compilation));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksExecution_compute(all.execution));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksExecution_burstCompute(all.execution, all.burst));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksMemory_copy(all.memory, all.memory));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksMemoryDesc_finish(all.description));
        EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksEvent_wait(all.event));
        free_all(&all);
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = -1;
    TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free_all(&all);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    misuse();
    on_threads();
    in_child();
    printf("%d wrong answers\n", failures);
    return failures > 0;
}
