/*
 * A C program that uses the library as any would: client TEST, where TEST is one of the functions at the end. Says what
 * it found otherwise than it should have, and ends with 1.
 */
#define _GNU_SOURCE
#include "NeuralNetworks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(int found, int wanted, const char *call, int line) {
    if (found != wanted) {
        printf("line %d: %s: %d (expected: %d)\n", line, call, found, wanted);
        __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
    }
}

#define EXPECT(wanted, call) expect(call, wanted, #call, __LINE__)
#define OK(call) EXPECT(ANEURALNETWORKS_NO_ERROR, call)
#define BAD_DATA(call) EXPECT(ANEURALNETWORKS_BAD_DATA, call)
#define BAD_STATE(call) EXPECT(ANEURALNETWORKS_BAD_STATE, call)
#define IS_NULL(call) EXPECT(ANEURALNETWORKS_UNEXPECTED_NULL, call)
#define TRUE(condition) expect(condition, 1, #condition, __LINE__)

static const uint32_t FOUR[] = {4}, UNKNOWN[] = {0};
static const ANeuralNetworksOperandType VECTOR = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, FOUR, 0, 0};
static const ANeuralNetworksOperandType OPEN = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, UNKNOWN, 0, 0};
static const ANeuralNetworksOperandType NUMBER = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};

/* out = a + b, where b is one of the model's inputs, or a constant from a memory. */
static ANeuralNetworksModel *sum_model(const ANeuralNetworksOperandType *type, ANeuralNetworksMemory *constant) {
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;
    OK(ANeuralNetworksModel_create(&model));
    OK(ANeuralNetworksModel_addOperand(model, type));
    OK(ANeuralNetworksModel_addOperand(model, constant ? &VECTOR : type));
    OK(ANeuralNetworksModel_addOperand(model, &NUMBER));
    OK(ANeuralNetworksModel_addOperand(model, type));
    OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none));
    if (constant) {
        OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, constant, 16, 16));
    }
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (uint32_t[]) {0, 1, 2}, 1, (uint32_t[]) {3}));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(
            model, constant ? 1 : 2, (uint32_t[]) {0, 1}, 1, (uint32_t[]) {3}));
    OK(ANeuralNetworksModel_finish(model));
    return model;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model) {
    ANeuralNetworksCompilation *compilation = NULL;
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

static void add_once(ANeuralNetworksCompilation *compilation, float first) {
    float a[] = {first, 2, 3, 4}, b[] = {10, 20, 30, 40}, out[4] = {0};
    ANeuralNetworksExecution *execution = NULL;
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a));
    OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    OK(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    TRUE(out[0] == first + 10 && out[1] == 22 && out[2] == 33 && out[3] == 44);
}

static void model(void) {
    TRUE(ANeuralNetworks_getRuntimeFeatureLevel() == ANEURALNETWORKS_FEATURE_LEVEL_5);
    ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *compilation = compile(sum);
    add_once(compilation, 1);
    uint32_t bytes = 0;
    OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation, 0, &bytes));
    TRUE(bytes > 0 && (bytes & (bytes - 1)) == 0);
    OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(compilation, 0, &bytes));
    TRUE(bytes > 0 && (bytes & (bytes - 1)) == 0);
    BAD_DATA(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation, 2, &bytes));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

static void devices(void) {
    uint32_t count = 0;
    bool reference = false;
    OK(ANeuralNetworks_getDeviceCount(&count));
    TRUE(count >= 2);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = NULL, *version = NULL;
        int32_t type = -1;
        int64_t level = -1;
        bool extension = true;
        OK(ANeuralNetworks_getDevice(i, &device));
        OK(ANeuralNetworksDevice_getName(device, &name));
        OK(ANeuralNetworksDevice_getVersion(device, &version));
        OK(ANeuralNetworksDevice_getType(device, &type));
        OK(ANeuralNetworksDevice_getFeatureLevel(device, &level));
        OK(ANeuralNetworksDevice_wait(device));
        OK(ANeuralNetworksDevice_getExtensionSupport(device, "com.example.none", &extension));
        TRUE(name && *name && version && *version && type == ANEURALNETWORKS_DEVICE_CPU && level == 30 && !extension);
        reference |= name && strcmp(name, "nnapi-reference") == 0;

        ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
        bool supported = false;
        const ANeuralNetworksDevice *one = device;
        OK(ANeuralNetworksModel_getSupportedOperationsForDevices(sum, &one, 1, &supported));
        TRUE(supported);
        ANeuralNetworksCompilation *compilation = NULL;
        OK(ANeuralNetworksCompilation_createForDevices(sum, &one, 1, &compilation));
        OK(ANeuralNetworksCompilation_setPriority(compilation, ANEURALNETWORKS_PRIORITY_HIGH));
        OK(ANeuralNetworksCompilation_setTimeout(compilation, 60000000000));
        OK(ANeuralNetworksCompilation_finish(compilation));
        add_once(compilation, 1);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(sum);
    }
    TRUE(reference);
    ANeuralNetworksDevice *none = NULL;
    BAD_DATA(ANeuralNetworks_getDevice(count, &none));
    const char *name = NULL;
    int there;
    BAD_DATA(ANeuralNetworksDevice_getName((ANeuralNetworksDevice *) &there, &name));
}

/* What the extension's device is told beside the model: a factor (0) of a compilation, what is added (1) of an
 * execution. */
static void attributes(ANeuralNetworksModel *model, ANeuralNetworksDevice *device, ANeuralNetworksDevice *other) {
    static const char *const NAME = "com.example.series";
    const ANeuralNetworksDevice *only[] = {device}, *both[] = {other, device}, *without[] = {other};
    ANeuralNetworksCompilation *compilation = NULL;
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, "\3", 1));
    ANeuralNetworksCompilation_free(compilation);
    OK(ANeuralNetworksCompilation_createForDevices(model, both, 2, &compilation));
    BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, "\3", 1));
    ANeuralNetworksCompilation_free(compilation);
    OK(ANeuralNetworksCompilation_createForDevices(model, without, 1, &compilation));
    BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, "\3", 1));
    ANeuralNetworksCompilation_free(compilation);

    OK(ANeuralNetworksCompilation_createForDevices(model, only, 1, &compilation));
    IS_NULL(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, NULL, 1));
    IS_NULL(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NULL, 0, "\3", 1));
    BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(compilation, "com.example.other", 0, "\3", 1));
    OK(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, "\3", 1));
    BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 0, "\4", 1));
    OK(ANeuralNetworksCompilation_finish(compilation));
    BAD_STATE(ANeuralNetworksCompilation_addExtensionAttribute(compilation, NAME, 1, "\3", 1));
    int64_t wanted = 4;
    float found[4] = {0};
    ANeuralNetworksExecution *execution = NULL;
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, &wanted, sizeof wanted));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, found, sizeof found));
    BAD_DATA(ANeuralNetworksExecution_addExtensionAttribute(execution, "com.example.other", 1, "\7", 1));
    OK(ANeuralNetworksExecution_addExtensionAttribute(execution, NAME, 1, "\7", 1));
    BAD_DATA(ANeuralNetworksExecution_addExtensionAttribute(execution, NAME, 1, "\7", 1));
    OK(ANeuralNetworksExecution_compute(execution));
    TRUE(found[0] == 7 && found[3] == 3 * 3 + 7);
    BAD_STATE(ANeuralNetworksExecution_addExtensionAttribute(execution, NAME, 2, "\7", 1));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
}

/* A device of a jar beside the library's own announces an extension: counts and tensors of 64 bits, SERIES (0) and
 * REALS (1). */
static void extensions(void) {
    static const char *const NAME = "com.example.series";
    uint32_t count = 0, known = 0;
    ANeuralNetworksDevice *its = NULL, *reference = NULL;
    OK(ANeuralNetworks_getDeviceCount(&count));
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = NULL;
        bool has = false, other = true;
        OK(ANeuralNetworks_getDevice(i, &device));
        OK(ANeuralNetworksDevice_getName(device, &name));
        OK(ANeuralNetworksDevice_getExtensionSupport(device, NAME, &has));
        OK(ANeuralNetworksDevice_getExtensionSupport(device, "com.example.other", &other));
        TRUE(has == (strcmp(name, "series") == 0) && !other);
        known += has;
        its = has ? device : its;
        reference = strcmp(name, "nnapi-reference") == 0 ? device : reference;
    }
    TRUE(known == 1);

    int32_t number, numbers, series, reals, unknown;
    ANeuralNetworksModel *model = NULL;
    OK(ANeuralNetworksModel_create(&model));
    OK(ANeuralNetworksModel_getExtensionOperandType(model, NAME, 0, &number));
    OK(ANeuralNetworksModel_getExtensionOperandType(model, NAME, 1, &numbers));
    OK(ANeuralNetworksModel_getExtensionOperationType(model, NAME, 0, &series));
    OK(ANeuralNetworksModel_getExtensionOperationType(model, NAME, 1, &reals));
    OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.example.other", 0, &unknown));
    TRUE(number >> 16 == series >> 16 && number >> 16 != unknown >> 16 && (numbers & 0xFFFF) == 1);
    ANeuralNetworksOperandType count_type = {number, 0, NULL, 0, 0}, numbers_type = {numbers, 1, FOUR, 0, 0},
                               scaled = {numbers, 1, FOUR, 1, 0}, unknown_type = {unknown, 0, NULL, 0, 0},
                               no_type = {numbers + 7, 0, NULL, 0, 0};
    BAD_DATA(ANeuralNetworksModel_addOperand(model, &unknown_type));
    BAD_DATA(ANeuralNetworksModel_addOperand(model, &no_type));
    BAD_DATA(ANeuralNetworksModel_addOperand(model, &scaled));
    OK(ANeuralNetworksModel_addOperand(model, &count_type));
    OK(ANeuralNetworksModel_addOperand(model, &numbers_type));
    OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
    OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
    BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 2, "", 1));
    BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 9, "", 1));
    IS_NULL(ANeuralNetworksModel_setOperandExtensionData(model, 1, NULL, 1));
    OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, "\5", 1));
    OK(ANeuralNetworksModel_addOperation(model, series, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {1}));
    OK(ANeuralNetworksModel_addOperation(model, reals, 1, (uint32_t[]) {1}, 1, (uint32_t[]) {2}));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FLOOR, 1, (uint32_t[]) {2}, 1, (uint32_t[]) {3}));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]) {0}, 2, (uint32_t[]) {3, 1}));
    OK(ANeuralNetworksModel_finish(model));
    ANeuralNetworksCompilation *compilation = compile(model);
    int64_t wanted = 4, found[4] = {0};
    float floats[4] = {0};
    ANeuralNetworksExecution *execution = NULL;
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, &NUMBER, &wanted, sizeof wanted));
    OK(ANeuralNetworksExecution_setInput(execution, 0, &count_type, &wanted, sizeof wanted));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, floats, sizeof floats));
    OK(ANeuralNetworksExecution_setOutput(execution, 1, NULL, found, sizeof found));
    OK(ANeuralNetworksExecution_compute(execution));
    TRUE(floats[3] == 15 && found[1] == 5 && found[3] == 15);
    ANeuralNetworksExecution_free(execution);

    /* The device is offered the memory's descriptor, once, though the program has closed its own; it says so in the
     * memory's last bytes. */
    int fd = memfd_create("numbers", MFD_CLOEXEC);
    TRUE(ftruncate(fd, 4096 + 64) == 0);
    char *bytes = mmap(NULL, 4096 + 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ANeuralNetworksMemory *memory = NULL;
    OK(ANeuralNetworksMemory_createFromFd(64, PROT_READ | PROT_WRITE, fd, 4096, &memory));
    close(fd);
    memcpy(bytes + 4096 + 16, &wanted, sizeof wanted);
    for (int i = 0; i < 2; i++) {
        TRUE(bytes[4096 + 63] == i);
        OK(ANeuralNetworksExecution_create(compilation, &execution));
        OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 16, sizeof wanted));
        OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, floats, sizeof floats));
        OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 1, NULL, memory, 24, 32));
        OK(ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);
        TRUE(bytes[4096 + 63] == 1 && bytes[4096 + 62] == 16 && bytes[4096 + 24 + 24] == 15);
    }
    ANeuralNetworksMemory_free(memory);
    TRUE(bytes[4096 + 63] == -1);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);

    OK(ANeuralNetworksModel_create(&model));
    OK(ANeuralNetworksModel_addOperand(model, &count_type));
    OK(ANeuralNetworksModel_addOperand(model, &numbers_type));
    OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
    OK(ANeuralNetworksModel_addOperation(model, series, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {1}));
    OK(ANeuralNetworksModel_addOperation(model, reals, 1, (uint32_t[]) {1}, 1, (uint32_t[]) {2}));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {2}));
    OK(ANeuralNetworksModel_finish(model));
    attributes(model, its, reference);
    ANeuralNetworksModel_free(model);
}

/*
 * What no execution takes, a constant's value or shapes that do not go together, executions say, as on Android; and
 * memory that they were to write holds nothing.
 */
static void contradictions(void) {
    static const uint32_t THREE[] = {3};
    static const ANeuralNetworksOperandType SHORTER = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, THREE, 0, 0};
    const struct {
        const ANeuralNetworksOperandType *first, *second;
        int32_t activation;
    } CASES[] = {{&VECTOR, &VECTOR, 999}, {&VECTOR, &VECTOR, -1}, {&OPEN, &OPEN, 999}, {&VECTOR, &SHORTER, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ANeuralNetworksModel *model = NULL, *sum = sum_model(&VECTOR, NULL);
        OK(ANeuralNetworksModel_create(&model));
        OK(ANeuralNetworksModel_addOperand(model, CASES[i].first));
        OK(ANeuralNetworksModel_addOperand(model, CASES[i].second));
        OK(ANeuralNetworksModel_addOperand(model, &NUMBER));
        OK(ANeuralNetworksModel_addOperand(model, &VECTOR));
        OK(ANeuralNetworksModel_setOperandValue(model, 2, &CASES[i].activation, sizeof(int32_t)));
        OK(ANeuralNetworksModel_addOperation(
                model, ANEURALNETWORKS_ADD, 3, (uint32_t[]) {0, 1, 2}, 1, (uint32_t[]) {3}));
        OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (uint32_t[]) {0, 1}, 1, (uint32_t[]) {3}));
        OK(ANeuralNetworksModel_finish(model));
        ANeuralNetworksCompilation *compilation = compile(model), *good = compile(sum);
        ANeuralNetworksBurst *burst = NULL;
        OK(ANeuralNetworksBurst_create(compilation, &burst));

        ANeuralNetworksMemoryDesc *description = NULL;
        ANeuralNetworksMemory *memory = NULL;
        OK(ANeuralNetworksMemoryDesc_create(&description));
        OK(ANeuralNetworksMemoryDesc_addOutputRole(description, compilation, 0, 1));
        OK(ANeuralNetworksMemoryDesc_addOutputRole(description, good, 0, 1));
        OK(ANeuralNetworksMemoryDesc_addInputRole(description, good, 0, 1));
        OK(ANeuralNetworksMemoryDesc_finish(description));
        OK(ANeuralNetworksMemory_createFromDesc(description, &memory));
        ANeuralNetworksMemoryDesc_free(description);

        float values[4] = {1, 2, 3, 4}, found[4] = {0};
        ANeuralNetworksExecution *execution = NULL;
        for (int round = 0; round < 3; round++) {
            /* Well, then badly, then with what the bad one left. */
            OK(ANeuralNetworksExecution_create(round == 1 ? compilation : good, &execution));
            if (round == 2) {
                OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
            } else {
                OK(ANeuralNetworksExecution_setInput(execution, 0, &VECTOR, values, sizeof values));
            }
            bool shorter = round == 1 && CASES[i].second == &SHORTER;
            OK(ANeuralNetworksExecution_setInput(
                    execution, 1, shorter ? &SHORTER : &VECTOR, values, shorter ? 12 : 16));
            if (round == 2) {
                OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, found, sizeof found));
            } else {
                OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
            }
            EXPECT(round == 0 ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED,
                    round == 1 && i == 0 ? ANeuralNetworksExecution_burstCompute(execution, burst)
                                         : ANeuralNetworksExecution_compute(execution));
            ANeuralNetworksExecution_free(execution);
        }
        ANeuralNetworksMemory_free(memory);
        ANeuralNetworksBurst_free(burst);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksCompilation_free(good);
        ANeuralNetworksModel_free(model);
        ANeuralNetworksModel_free(sum);
    }
}

/* Handles that are null, freed, of another kind, or no handles at all. */
static void handles(void) {
    int there = 0;
    void *foreign[] = {&there, (void *) 8, (void *) -1, (void *) 0x4000000000000000, (void *) 0x7fffffffffffffff};
    ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *compilation = compile(sum), *other = NULL;
    ANeuralNetworksExecution *execution = NULL;
    float values[4] = {0};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        BAD_DATA(ANeuralNetworksModel_finish(foreign[i]));
        BAD_DATA(ANeuralNetworksModel_addOperand(foreign[i], &VECTOR));
        BAD_DATA(ANeuralNetworksCompilation_create(foreign[i], &other));
        BAD_DATA(ANeuralNetworksCompilation_finish(foreign[i]));
        BAD_DATA(ANeuralNetworksExecution_create(foreign[i], &execution));
        BAD_DATA(ANeuralNetworksExecution_compute(foreign[i]));
        BAD_DATA(ANeuralNetworksEvent_wait(foreign[i]));
        ANeuralNetworksModel_free(foreign[i]);
        ANeuralNetworksCompilation_free(foreign[i]);
        ANeuralNetworksExecution_free(foreign[i]);
        ANeuralNetworksEvent_free(foreign[i]);
        ANeuralNetworksMemory_free(foreign[i]);
        ANeuralNetworksMemoryDesc_free(foreign[i]);
        ANeuralNetworksBurst_free(foreign[i]);
    }
    IS_NULL(ANeuralNetworksModel_create(NULL));
    IS_NULL(ANeuralNetworksModel_finish(NULL));
    IS_NULL(ANeuralNetworksModel_setOperandValue(sum, 0, NULL, 4));
    IS_NULL(ANeuralNetworksCompilation_create(sum, NULL));
    IS_NULL(ANeuralNetworksExecution_create(NULL, &execution));
    BAD_DATA(ANeuralNetworksCompilation_finish((ANeuralNetworksCompilation *) sum));
    BAD_DATA(ANeuralNetworksExecution_compute((ANeuralNetworksExecution *) compilation));

    OK(ANeuralNetworksExecution_create(compilation, &execution));
    ANeuralNetworksModel_free(sum);
    ANeuralNetworksModel_free(sum);
    BAD_DATA(ANeuralNetworksCompilation_create(sum, &other));
    TRUE(other == NULL);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksCompilation_free(compilation);
    BAD_DATA(ANeuralNetworksCompilation_finish(compilation));
    /* What was made of freed handles keeps what it needs of them. */
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, sizeof values));
    OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, values, sizeof values));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, values, sizeof values));
    OK(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksExecution_free(execution);
    BAD_DATA(ANeuralNetworksExecution_compute(execution));
}

/* Calls at the wrong time, or with wrong lengths. */
static void states(void) {
    ANeuralNetworksModel *empty = NULL, *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksBurst *burst = NULL;
    float values[5] = {0};
    uint32_t rank;
    uint64_t duration;
    OK(ANeuralNetworksModel_create(&empty));
    BAD_STATE(ANeuralNetworksCompilation_create(empty, &compilation));
    BAD_DATA(ANeuralNetworksModel_finish(empty));
    BAD_STATE(ANeuralNetworksModel_finish(empty));
    ANeuralNetworksModel_free(empty);
    BAD_STATE(ANeuralNetworksModel_addOperand(sum, &VECTOR));
    OK(ANeuralNetworksCompilation_create(sum, &compilation));
    BAD_STATE(ANeuralNetworksExecution_create(compilation, &execution));
    BAD_STATE(ANeuralNetworksBurst_create(compilation, &burst));
    BAD_DATA(ANeuralNetworksCompilation_setPreference(compilation, 3));
    BAD_DATA(ANeuralNetworksCompilation_setPriority(compilation, 101));
    BAD_DATA(ANeuralNetworksCompilation_setTimeout(compilation, 1));
    OK(ANeuralNetworksCompilation_finish(compilation));
    BAD_STATE(ANeuralNetworksCompilation_finish(compilation));
    BAD_STATE(ANeuralNetworksCompilation_setPreference(compilation, 0));

    OK(ANeuralNetworksExecution_create(compilation, &execution));
    BAD_DATA(ANeuralNetworksExecution_compute(execution));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 2, NULL, values, 16));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, -1, NULL, values, 16));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 15));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 20));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, (size_t) 1 << 40));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, &NUMBER, values, 4));
    IS_NULL(ANeuralNetworksExecution_setInput(execution, 0, NULL, NULL, 16));
    OK(ANeuralNetworksExecution_setInput(execution, 0, &VECTOR, values, 16));
    BAD_STATE(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 16));
    BAD_STATE(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
    OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, values, 16));
    BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
    BAD_DATA(ANeuralNetworksExecution_getDuration(execution, 7, &duration));
    BAD_STATE(ANeuralNetworksExecution_getDuration(execution, 0, &duration));
    BAD_DATA(ANeuralNetworksExecution_setMeasureTiming(execution, true));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, values, 16));
    OK(ANeuralNetworksExecution_compute(execution));
    BAD_STATE(ANeuralNetworksExecution_compute(execution));
    BAD_STATE(ANeuralNetworksExecution_setReusable(execution, true));
    OK(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
    TRUE(rank == 1);
    BAD_DATA(ANeuralNetworksExecution_getOutputOperandRank(execution, 1, &rank));
    ANeuralNetworksExecution_free(execution);

    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 12));
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 20));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

/* Shapes that are known only when inputs are. */
/* Five dimensions to a constant shape, as PyTorch's converter writes them; without one they are refused, as on Android.
 */
static void five_dimensions(void) {
    static const uint32_t FIVE[] = {1, 2, 1, 3, 2}, TWO[] = {2}, FLAT[] = {3, 4};
    ANeuralNetworksOperandType deep = {ANEURALNETWORKS_TENSOR_FLOAT32, 5, FIVE, 0, 0},
                               shape = {ANEURALNETWORKS_TENSOR_INT32, 1, TWO, 0, 0},
                               flat = {ANEURALNETWORKS_TENSOR_FLOAT32, 2, FLAT, 0, 0};
    for (int constant = 0; constant < 2; constant++) {
        ANeuralNetworksModel *model = NULL;
        OK(ANeuralNetworksModel_create(&model));
        OK(ANeuralNetworksModel_addOperand(model, &deep));
        OK(ANeuralNetworksModel_addOperand(model, &shape));
        OK(ANeuralNetworksModel_addOperand(model, &flat));
        BAD_DATA(ANeuralNetworksModel_addOperation(
                model, ANEURALNETWORKS_RESHAPE, 2, (uint32_t[]) {0, 77}, 1, (uint32_t[]) {2}));
        if (constant) {
            OK(ANeuralNetworksModel_setOperandValue(model, 1, FLAT, sizeof FLAT));
        }
        EXPECT(constant ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA,
                ANeuralNetworksModel_addOperation(
                        model, ANEURALNETWORKS_RESHAPE, 2, (uint32_t[]) {0, 1}, 1, (uint32_t[]) {2}));
        if (constant) {
            OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]) {0}, 1, (uint32_t[]) {2}));
            OK(ANeuralNetworksModel_finish(model));
            ANeuralNetworksCompilation *compilation = compile(model);
            ANeuralNetworksExecution *execution = NULL;
            float in[12] = {[5] = 7}, out[12] = {0};
            OK(ANeuralNetworksExecution_create(compilation, &execution));
            OK(ANeuralNetworksExecution_setInput(execution, 0, &deep, in, sizeof in));
            OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
            OK(ANeuralNetworksExecution_compute(execution));
            TRUE(out[5] == 7);
            ANeuralNetworksExecution_free(execution);
            ANeuralNetworksCompilation_free(compilation);
        }
        ANeuralNetworksModel_free(model);
    }
}

static void shapes(void) {
    five_dimensions();
    ANeuralNetworksModel *sum = sum_model(&OPEN, NULL);
    ANeuralNetworksCompilation *compilation = compile(sum);
    ANeuralNetworksExecution *execution = NULL;
    float values[4] = {1, 2, 3, 4}, out[4];
    uint32_t rank = 0, dimensions[1] = {0};
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    BAD_DATA(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, 16));
    OK(ANeuralNetworksExecution_setInput(execution, 0, &VECTOR, values, 16));
    OK(ANeuralNetworksExecution_setInput(execution, 1, &VECTOR, values, 16));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, 8));
    EXPECT(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
    EXPECT(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
            ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
    EXPECT(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
            ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dimensions));
    TRUE(rank == 1 && dimensions[0] == 4);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

/* What executions take where a model leaves sizes or the rank open: a type for each input that says all, and for an
 * output one that leaves open what it will; neither leaves open what the model says. */
static void unspecified(void) {
    static const uint32_t ROWS[] = {0, 4}, COLUMNS[] = {2, 0}, BOTH[] = {2, 4}, OTHER[] = {3, 4}, FLAT[] = {8},
                          NO[] = {0, 0};
    const struct {
        uint32_t rank;
        const uint32_t *dimensions;
    } TYPES[] = {{0, NULL}, {2, NO}, {2, ROWS}, {2, COLUMNS}, {2, BOTH}, {2, OTHER}, {1, FLAT}};
    enum { COUNT = sizeof TYPES / sizeof *TYPES, WHOLE = 4 };
    float a[12] = {1, 2, 3, 4, 5, 6, 7, 8}, out[12];
    int fd = memfd_create("values", MFD_CLOEXEC);
    ANeuralNetworksMemory *memory = NULL;
    TRUE(ftruncate(fd, sizeof a) == 0);
    OK(ANeuralNetworksMemory_createFromFd(sizeof a, PROT_READ | PROT_WRITE, fd, 0, &memory));
    for (int declared = 0; declared <= WHOLE; declared++) {
        ANeuralNetworksOperandType type = {
                ANEURALNETWORKS_TENSOR_FLOAT32, TYPES[declared].rank, TYPES[declared].dimensions, 0, 0};
        ANeuralNetworksModel *sum = sum_model(&type, NULL);
        ANeuralNetworksCompilation *compilation = compile(sum);
        for (int given = -1; given < COUNT; given++) {
            /* What the model knows, the type says too. */
            bool agrees = given < 0 || TYPES[declared].rank == 0 || TYPES[declared].rank == TYPES[given].rank;
            bool known = given >= 0 && TYPES[given].rank > 0;
            uint32_t bytes = sizeof(float);
            for (uint32_t i = 0; given >= 0 && i < TYPES[given].rank; i++) {
                uint32_t one = TYPES[given].dimensions[i];
                agrees = agrees
                        && (TYPES[declared].rank == 0 || TYPES[declared].dimensions[i] == 0
                                || TYPES[declared].dimensions[i] == one);
                known = known && one > 0;
                bytes *= one;
            }
            bool input = given < 0 ? declared == WHOLE : agrees && known;
            bytes = known ? bytes : 32;
            ANeuralNetworksOperandType at = {ANEURALNETWORKS_TENSOR_FLOAT32, given < 0 ? 0 : TYPES[given].rank,
                                               given < 0 ? NULL : TYPES[given].dimensions, 0, 0},
                                       whole = {ANEURALNETWORKS_TENSOR_FLOAT32, 2, BOTH, 0, 0};
            const ANeuralNetworksOperandType *with = given < 0 ? NULL : &at;
            ANeuralNetworksExecution *execution = NULL;
            OK(ANeuralNetworksExecution_create(compilation, &execution));
            EXPECT(input ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA,
                    ANeuralNetworksExecution_setInput(execution, 0, with, a, bytes));
            EXPECT(input ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA,
                    ANeuralNetworksExecution_setInputFromMemory(execution, 1, with, memory, 0, bytes));
            ANeuralNetworksExecution_free(execution);

            OK(ANeuralNetworksExecution_create(compilation, &execution));
            OK(ANeuralNetworksExecution_setInput(execution, 0, &whole, a, 32));
            OK(ANeuralNetworksExecution_setInput(execution, 1, &whole, a, 32));
            EXPECT(agrees ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA,
                    ANeuralNetworksExecution_setOutput(execution, 0, with, out, bytes));
            if (agrees) {
                bool same = given < 0 || given <= WHOLE;
                uint32_t rank = 0, dimensions[2] = {0};
                EXPECT(same ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED,
                        ANeuralNetworksExecution_compute(execution));
                if (same) {
                    OK(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
                    OK(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dimensions));
                    TRUE(rank == 2 && dimensions[0] == 2 && dimensions[1] == 4 && out[7] == 16);
                }
            }
            ANeuralNetworksExecution_free(execution);
        }
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(sum);
    }
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

static void memory(void) {
    int fd = memfd_create("values", MFD_CLOEXEC), closed = 900, file = open("/dev/null", O_RDONLY);
    float contents[12] = {1, 2, 3, 4, 10, 20, 30, 40, 0, 0, 0, 0};
    TRUE(write(fd, contents, sizeof contents) == sizeof contents);
    ANeuralNetworksMemory *all = NULL, *reading = NULL, *none = NULL;
    BAD_DATA(ANeuralNetworksMemory_createFromFd(16, PROT_READ, -1, 0, &none));
    BAD_DATA(ANeuralNetworksMemory_createFromFd(16, PROT_READ, closed, 0, &none));
    BAD_DATA(ANeuralNetworksMemory_createFromFd(0, PROT_READ, fd, 0, &none));
    BAD_DATA(ANeuralNetworksMemory_createFromFd(sizeof contents + 1, PROT_READ, fd, 0, &none));
    BAD_DATA(ANeuralNetworksMemory_createFromFd(SIZE_MAX, PROT_READ, fd, 0, &none));
    BAD_DATA(ANeuralNetworksMemory_createFromFd(16, PROT_NONE, fd, 0, &none));
    EXPECT(ANEURALNETWORKS_UNMAPPABLE, ANeuralNetworksMemory_createFromFd(16, PROT_READ, file, 0, &none));
    IS_NULL(ANeuralNetworksMemory_createFromFd(16, PROT_READ, fd, 0, NULL));
    OK(ANeuralNetworksMemory_createFromFd(sizeof contents, PROT_READ | PROT_WRITE, fd, 0, &all));
    OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ, fd, 32, &reading));

    ANeuralNetworksModel *sum = sum_model(&VECTOR, all);
    ANeuralNetworksCompilation *compilation = compile(sum);
    ANeuralNetworksExecution *execution = NULL;
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, all, 48, 16));
    BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, all, (size_t) -16, 16));
    BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, all, 0, 0));
    BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, reading, 0, 16));
    OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, all, 0, 16));
    OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, all, 32, 16));
    /* The model and the execution keep the pages. */
    ANeuralNetworksMemory_free(all);
    OK(ANeuralNetworksExecution_compute(execution));
    TRUE(pread(fd, contents, 16, 32) == 16);
    TRUE(contents[0] == 11 && contents[1] == 22 && contents[2] == 33 && contents[3] == 44);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(reading);

    ANeuralNetworksMemoryDesc *description = NULL;
    ANeuralNetworksMemory *chosen = NULL, *pages = NULL;
    OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, fd, 32, &pages));
    OK(ANeuralNetworksMemoryDesc_create(&description));
    OK(ANeuralNetworksMemoryDesc_addInputRole(description, compilation, 0, 1.0f));
    BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(description, compilation, 0, 1.0f));
    BAD_STATE(ANeuralNetworksMemory_createFromDesc(description, &chosen));
    OK(ANeuralNetworksMemoryDesc_finish(description));
    OK(ANeuralNetworksMemory_createFromDesc(description, &chosen));
    BAD_DATA(ANeuralNetworksMemory_copy(chosen, pages));
    OK(ANeuralNetworksMemory_copy(pages, chosen));
    float out[4];
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, chosen, 0, 0));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    OK(ANeuralNetworksExecution_compute(execution));
    TRUE(out[0] == 21 && out[3] == 84);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemoryDesc_free(description);
    ANeuralNetworksMemory_free(chosen);
    ANeuralNetworksMemory_free(pages);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

static void reuse(void) {
    ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *compilation = compile(sum);
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksBurst *burst = NULL;
    ANeuralNetworksEvent *event = NULL;
    float a[4] = {0}, b[4] = {1, 1, 1, 1}, out[4];
    OK(ANeuralNetworksBurst_create(compilation, &burst));
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setReusable(execution, true));
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a));
    OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    for (int i = 0; i < 30; i++) {
        a[2] = (float) i;
        if (i % 3 == 0) {
            OK(ANeuralNetworksExecution_compute(execution));
        } else if (i % 3 == 1) {
            OK(ANeuralNetworksExecution_burstCompute(execution, burst));
        } else {
            OK(ANeuralNetworksExecution_startCompute(execution, &event));
            OK(ANeuralNetworksEvent_wait(event));
            ANeuralNetworksEvent_free(event);
        }
        TRUE(out[2] == (float) i + 1);
    }
    BAD_STATE(ANeuralNetworksExecution_setInput(execution, 0, NULL, b, sizeof b));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

static ANeuralNetworksExecution *ready(ANeuralNetworksCompilation *compilation, float *a, float *b, float *out) {
    ANeuralNetworksExecution *execution = NULL;
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, 16));
    OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, 16));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, 16));
    return execution;
}

/* Executions that wait for others, and for fences that others signal. */
static void fences(void) {
    ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *compilation = compile(sum);
    float a[4] = {1, 1, 1, 1}, b[4] = {2, 2, 2, 2}, c[4] = {0}, d[4] = {0};
    int ends[2];
    TRUE(pipe(ends) == 0);
    ANeuralNetworksEvent *signalled = NULL, *first = NULL, *second = NULL, *third = NULL;
    BAD_DATA(ANeuralNetworksEvent_createFromSyncFenceFd(-1, &signalled));
    BAD_DATA(ANeuralNetworksEvent_createFromSyncFenceFd(12345, &signalled));
    OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &signalled));
    ANeuralNetworksExecution *one = ready(compilation, a, b, c), *two = ready(compilation, c, b, d);
    const ANeuralNetworksEvent *before_one[] = {signalled};
    OK(ANeuralNetworksExecution_startComputeWithDependencies(one, before_one, 1, 0, &first));
    const ANeuralNetworksEvent *before_two[] = {first};
    OK(ANeuralNetworksExecution_startComputeWithDependencies(two, before_two, 1, 0, &second));
    int fence = -1;
    OK(ANeuralNetworksEvent_getSyncFenceFd(second, &fence));
    struct pollfd wanted = {fence, POLLIN, 0};
    TRUE(poll(&wanted, 1, 50) == 0 && c[0] == 0);
    /* Under way: cannot be freed, nor computed again. */
    ANeuralNetworksExecution_free(one);
    BAD_STATE(ANeuralNetworksExecution_compute(one));
    TRUE(write(ends[1], "x", 1) == 1);
    TRUE(poll(&wanted, 1, 60000) == 1 && (wanted.revents & POLLIN));
    OK(ANeuralNetworksEvent_wait(second));
    OK(ANeuralNetworksEvent_wait(first));
    TRUE(c[0] == 3 && d[3] == 5);
    ANeuralNetworksEvent_free(second);
    ANeuralNetworksEvent_free(first);
    ANeuralNetworksEvent_free(signalled);
    ANeuralNetworksExecution_free(one);
    ANeuralNetworksExecution_free(two);

    /* A fence whose other end is closed unsignalled stands for a failure, which is passed on. */
    int broken[2];
    TRUE(pipe(broken) == 0);
    OK(ANeuralNetworksEvent_createFromSyncFenceFd(broken[0], &signalled));
    one = ready(compilation, a, b, c);
    const ANeuralNetworksEvent *before_three[] = {signalled};
    OK(ANeuralNetworksExecution_startComputeWithDependencies(one, before_three, 1, 0, &third));
    OK(ANeuralNetworksEvent_getSyncFenceFd(third, &fence));
    close(broken[1]);
    EXPECT(ANEURALNETWORKS_OP_FAILED, ANeuralNetworksEvent_wait(third));
    wanted.fd = fence;
    TRUE(poll(&wanted, 1, 60000) == 1 && !(wanted.revents & POLLIN));
    ANeuralNetworksEvent_free(third);
    ANeuralNetworksEvent_free(signalled);
    ANeuralNetworksExecution_free(one);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

static void *work(void *shared) {
    ANeuralNetworksModel *sum = sum_model(&VECTOR, NULL);
    ANeuralNetworksCompilation *own = compile(sum);
    for (int i = 0; i < 200; i++) {
        add_once(shared && i % 2 ? shared : own, (float) i);
    }
    ANeuralNetworksCompilation_free(own);
    ANeuralNetworksModel_free(sum);
    return NULL;
}

/* The first calls come from many threads at once, which end before the process does. */
static void threads(void) {
    pthread_t all[16];
    ANeuralNetworksModel *sum = NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 16; i++) {
            TRUE(pthread_create(&all[i], NULL, work, compilation) == 0);
        }
        for (int i = 0; i < 16; i++) {
            pthread_join(all[i], NULL);
        }
        if (!compilation) {
            sum = sum_model(&VECTOR, NULL);
            compilation = compile(sum);
        }
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(sum);
}

static int in_child(void (*body)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        failures = 0;
        body();
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static ANeuralNetworksModel *of_parent;

static void use_after_fork(void) {
    ANeuralNetworksModel *created = (ANeuralNetworksModel *) 1;
    ANeuralNetworksCompilation *compilation = NULL;
    EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksModel_create(&created));
    TRUE(created == NULL);
    EXPECT(ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANeuralNetworksCompilation_create(of_parent, &compilation));
    ANeuralNetworksModel_free(of_parent);
}

/* A child that is forked before the first call starts its own; one that is forked later gets a code. */
static void forks(void) {
    TRUE(in_child(model) == 0);
    of_parent = sum_model(&VECTOR, NULL);
    TRUE(in_child(use_after_fork) == 0);
    model();
    ANeuralNetworksModel_free(of_parent);
}

/* Loaded at run time, more than once. */
static void loads(void) {
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("libneuralnetworks.so", RTLD_NOW);
        int (*count)(uint32_t *) =
                library ? (int (*)(uint32_t *)) dlsym(library, "ANeuralNetworks_getDeviceCount") : NULL;
        uint32_t devices = 0;
        TRUE(count && count(&devices) == 0 && devices >= 2);
        if (library) {
            dlclose(library);
        }
    }
}

/* The code of the first call that needs Java, for tests that take it away. */
static void first(void) {
    ANeuralNetworksModel *created = NULL;
    printf("%d\n", ANeuralNetworksModel_create(&created));
    uint32_t count = 7;
    TRUE(ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR || count == 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} TESTS[] = {{"model", model}, {"devices", devices}, {"extensions", extensions}, {"contradictions", contradictions},
        {"handles", handles}, {"states", states}, {"shapes", shapes}, {"unspecified", unspecified}, {"memory", memory},
        {"reuse", reuse}, {"fences", fences}, {"threads", threads}, {"forks", forks}, {"loads", loads},
        {"first", first}};

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; count == 2 && i < sizeof TESTS / sizeof *TESTS; i++) {
        if (strcmp(arguments[1], TESTS[i].name) == 0) {
            TESTS[i].run();
            return failures > 0;
        }
    }
    printf("test: none of this name\n");
    return 2;
}
