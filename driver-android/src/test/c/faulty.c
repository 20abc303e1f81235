/*
 * A system's NNAPI whose devices can nothing but double floats, each with a fault of its own: the number of a device is
 * its fault. Compiled with OLD it is one of before Android 10, without a list of devices.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SOUND, REFUSES, WRONG_CODE, DIES, HANGS, LIES, REMEMBERS, DEVICES };
enum { EXTENSION_PREFIX = 5 << 16, PAIR = 7, OEM_OPERATION = 10000 };
enum { NO_ERROR = 0, BAD_DATA = 4, INSUFFICIENT = 8, DEAD_OBJECT = 14 };

static const char *const NAMES[] = {"sound", "refuses", "wrong-code", "dies", "hangs", "lies", "remembers"};
static int handle;

struct compilation {
    int fault;
    int factor;
    char kept[4096];
};

struct execution {
    int fault;
    int factor, shift;
    const float *in;
    float *out;
    size_t bytes;
    size_t room;
    bool of_pairs;
};

int ANeuralNetworksModel_create(void **model) {
    *model = &handle;
    return NO_ERROR;
}

/* Types are the specification's, the vendors' old ones and the extension's PAIR of floats. */
int ANeuralNetworksModel_addOperand(void *model, const int32_t *type) {
    return model && type && ((*type >= 0 && *type < 16) || *type == 10001 || *type == (EXTENSION_PREFIX | PAIR))
            ? NO_ERROR
            : BAD_DATA;
}
int ANeuralNetworksModel_setOperandValue(void *model, int32_t index, const void *bytes, size_t length) {
    return model && index >= 0 && bytes && length ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksModel_addOperation(
        void *model, int type, uint32_t inputs, const uint32_t *in, uint32_t outputs, const uint32_t *out) {
    if (type == EXTENSION_PREFIX || type == OEM_OPERATION) {
        return model && inputs == 1 && outputs == 1 && in[0] != out[0] ? NO_ERROR : BAD_DATA;
    }
    return model && type == 0 && inputs == 3 && outputs == 1 && in[0] == in[1] && in[0] != out[0] ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksModel_identifyInputsAndOutputs(
        void *model, uint32_t inputs, const uint32_t *in, uint32_t outputs, const uint32_t *out) {
    return model && inputs == 1 && in && outputs == 1 && out ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksModel_finish(void *model) {
    return model ? NO_ERROR : BAD_DATA;
}
void ANeuralNetworksModel_free(void *model) {
    (void) model;
}

static int compiled(int fault, void **result) {
    struct compilation *made = calloc(1, sizeof *made);
    made->fault = fault;
    made->factor = 1;
    *result = made;
    return NO_ERROR;
}

int ANeuralNetworksCompilation_create(void *model, void **result) {
    (void) model;
    return compiled(SOUND, result);
}
int ANeuralNetworksCompilation_setPreference(void *compilation, int preference) {
    return compilation && preference <= 2 ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksCompilation_finish(struct compilation *compilation) {
    static int finished;
    finished++;
    FILE *file = compilation->kept[0] ? fopen(compilation->kept, "w") : NULL;
    if (file) {
        fprintf(file, "%d", finished);
        fclose(file);
    }
    return compilation->fault == WRONG_CODE ? 4711 : NO_ERROR;
}
void ANeuralNetworksCompilation_free(struct compilation *compilation) {
    free(compilation);
}

int ANeuralNetworksExecution_create(struct compilation *compilation, struct execution **result) {
    *result = calloc(1, sizeof **result);
    (*result)->fault = compilation->fault;
    (*result)->factor = compilation->factor;
    return NO_ERROR;
}
int ANeuralNetworksExecution_setInput(
        struct execution *e, int32_t index, const int32_t *type, const void *from, size_t bytes) {
    e->in = from;
    e->bytes = bytes;
    e->of_pairs = type && *type != 3;
    return index == 0 && from && (!type || *type == 3 || *type == (EXTENSION_PREFIX | PAIR)) ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksExecution_setOutput(struct execution *e, int32_t index, const void *type, void *to, size_t bytes) {
    (void) type;
    e->out = to;
    e->room = bytes;
    return index == 0 && to ? NO_ERROR : BAD_DATA;
}

static int compute(struct execution *e) {
    switch (e->fault) {
        case DIES: return DEAD_OBJECT;
        case HANGS: sleep(3); return NO_ERROR;
        default:
            if (e->room < e->bytes) {
                return INSUFFICIENT;
            }
            for (size_t i = 0; i < e->bytes / sizeof(float); i++) {
                e->out[i] = 2 * e->factor * e->in[i] + e->shift;
            }
            return NO_ERROR;
    }
}

int ANeuralNetworksExecution_startCompute(struct execution *e, void **event) {
    *event = &handle;
    return compute(e);
}
int ANeuralNetworksEvent_wait(void *event) {
    return event == &handle ? NO_ERROR : BAD_DATA;
}
void ANeuralNetworksEvent_free(void *event) {
    (void) event;
}
void ANeuralNetworksExecution_free(struct execution *e) {
    free(e);
}

#ifndef OLD
static intptr_t fault_of(const void *device) {
    return (const char *) device - (const char *) NAMES;
}

int ANeuralNetworks_getDeviceCount(uint32_t *count) {
    *count = DEVICES;
    return NO_ERROR;
}
int ANeuralNetworks_getDevice(uint32_t index, const void **device) {
    *device = (const char *) NAMES + index;
    return index < DEVICES ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksDevice_getName(const void *device, const char **name) {
    *name = NAMES[fault_of(device)];
    return NO_ERROR;
}
int ANeuralNetworksDevice_getVersion(const void *device, const char **version) {
    (void) device;
    *version = "7";
    return NO_ERROR;
}
int ANeuralNetworksDevice_getType(const void *device, int32_t *type) {
    (void) device;
    *type = 4;
    return NO_ERROR;
}
int ANeuralNetworksDevice_getFeatureLevel(const void *device, int64_t *level) {
    *level = fault_of(device) == REMEMBERS ? 30 : 29;
    return NO_ERROR;
}
/* The sound device has an extension that doubles pairs; whose data, where given, must be one byte of 42. */
int ANeuralNetworksDevice_getExtensionSupport(const void *device, const char *name, bool *supported) {
    *supported = fault_of(device) == SOUND && !strcmp(name, "com.example.pairs");
    return NO_ERROR;
}
int ANeuralNetworksModel_getExtensionOperandType(void *model, const char *name, uint16_t code, int32_t *type) {
    *type = EXTENSION_PREFIX | code;
    return model && !strcmp(name, "com.example.pairs") ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksModel_getExtensionOperationType(void *model, const char *name, uint16_t code, int32_t *type) {
    return ANeuralNetworksModel_getExtensionOperandType(model, name, code, type);
}
int ANeuralNetworksModel_setOperandExtensionData(void *model, int32_t index, const uint8_t *data, size_t length) {
    return model && index >= 0 && length == 1 && *data == 42 ? NO_ERROR : BAD_DATA;
}
/* Told so, it multiplies by a factor more, and adds. */
int ANeuralNetworksCompilation_addExtensionAttribute(
        struct compilation *c, const char *name, uint16_t code, const uint8_t *data, size_t length) {
    c->factor = length == 1 ? *data : 1;
    return !strcmp(name, "com.example.pairs") && code == 3 && length == 1 ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksExecution_addExtensionAttribute(
        struct execution *e, const char *name, uint16_t code, const uint8_t *data, size_t length) {
    e->shift = length == 1 ? *data : 0;
    return !strcmp(name, "com.example.pairs") && code == 4 && length == 1 ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksModel_getSupportedOperationsForDevices(
        void *model, const void *const *devices, uint32_t count, bool *supported) {
    (void) model;
    *supported = fault_of(devices[0]) != REFUSES;
    return count == 1 ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksCompilation_createForDevices(
        void *model, const void *const *devices, uint32_t count, void **result) {
    (void) model;
    return count == 1 ? compiled((int) fault_of(devices[0]), result) : BAD_DATA;
}
/* One file is kept, in which the models that were compiled so far are counted. */
int ANeuralNetworksCompilation_setCaching(struct compilation *compilation, const char *folder, const uint8_t *token) {
    size_t room = sizeof compilation->kept;
    return compilation && token && snprintf(compilation->kept, room, "%skept", folder) < (int) room ? NO_ERROR
                                                                                                    : BAD_DATA;
}
int ANeuralNetworksExecution_compute(struct execution *e) {
    return compute(e);
}
int ANeuralNetworksExecution_getOutputOperandRank(struct execution *e, int32_t index, uint32_t *rank) {
    (void) index;
    *rank = e->fault == LIES ? 4000000000u : 1;
    return e->room < e->bytes ? INSUFFICIENT : NO_ERROR;
}
int ANeuralNetworksExecution_getOutputOperandDimensions(struct execution *e, int32_t index, uint32_t *dimensions) {
    (void) index;
    dimensions[0] = e->bytes / sizeof(float) / (e->of_pairs ? 2 : 1);
    return NO_ERROR;
}

/* Memory: what is mapped by a descriptor, and what is chosen for roles, which no program reaches but by a copy. */
struct memory {
    char *bytes;
    size_t size;
    bool chosen;
};

struct description {
    int roles;
    size_t size;
};

static int bound;

/* How many inputs and outputs were bound to memory, and how many copies made, so far: a hundred for each copy. */
int ANeuralNetworks_memoryUses(void) {
    return bound;
}

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, struct memory **memory) {
    size_t before = offset % 4096;
    char *pages = mmap(NULL, size + before, protect, MAP_SHARED, fd, (off_t) (offset - before));
    if (pages == MAP_FAILED) {
        return BAD_DATA;
    }
    *memory = calloc(1, sizeof **memory);
    (*memory)->bytes = pages + before;
    (*memory)->size = size;
    return NO_ERROR;
}
int ANeuralNetworksMemoryDesc_create(struct description **description) {
    *description = calloc(1, sizeof **description);
    return NO_ERROR;
}
static int add_role(
        struct description *description, const struct compilation *compilation, uint32_t index, float frequency) {
    description->roles++;
    return compilation->fault == REMEMBERS && index == 0 && frequency == 0.5f ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksMemoryDesc_addInputRole(
        struct description *d, const struct compilation *c, uint32_t index, float frequency) {
    return add_role(d, c, index, frequency);
}
int ANeuralNetworksMemoryDesc_addOutputRole(
        struct description *d, const struct compilation *c, uint32_t index, float frequency) {
    return add_role(d, c, index, frequency);
}
int ANeuralNetworksMemoryDesc_setDimensions(
        struct description *description, uint32_t rank, const uint32_t *dimensions) {
    description->size = dimensions[0] * sizeof(float);
    return rank == 1 ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksMemoryDesc_finish(struct description *description) {
    return description->roles && description->size ? NO_ERROR : BAD_DATA;
}
void ANeuralNetworksMemoryDesc_free(struct description *description) {
    free(description);
}
int ANeuralNetworksMemory_createFromDesc(const struct description *description, struct memory **memory) {
    *memory = calloc(1, sizeof **memory);
    (*memory)->bytes = calloc(1, description->size);
    (*memory)->size = description->size;
    (*memory)->chosen = true;
    return NO_ERROR;
}
int ANeuralNetworksMemory_copy(const struct memory *from, const struct memory *to) {
    if (from->size != to->size) {
        return BAD_DATA;
    }
    memcpy(to->bytes, from->bytes, to->size);
    bound += 100;
    return NO_ERROR;
}
void ANeuralNetworksMemory_free(struct memory *memory) {
    if (memory->chosen) {
        free(memory->bytes);
    }
    free(memory);
}

/* What is chosen for roles is used as a whole, and says so by two zeros. */
static int range(const struct memory *memory, size_t offset, size_t *length) {
    bound++;
    if (memory->chosen && !offset && !*length) {
        *length = memory->size;
        return NO_ERROR;
    }
    return !memory->chosen && *length && offset + *length <= memory->size ? NO_ERROR : BAD_DATA;
}
int ANeuralNetworksExecution_setInputFromMemory(struct execution *e, int32_t index, const int32_t *type,
        const struct memory *memory, size_t offset, size_t length) {
    int code = range(memory, offset, &length);
    return code ? code : ANeuralNetworksExecution_setInput(e, index, type, memory->bytes + offset, length);
}
int ANeuralNetworksExecution_setOutputFromMemory(struct execution *e, int32_t index, const void *type,
        const struct memory *memory, size_t offset, size_t length) {
    int code = range(memory, offset, &length);
    return code ? code : ANeuralNetworksExecution_setOutput(e, index, type, memory->bytes + offset, length);
}
#endif
