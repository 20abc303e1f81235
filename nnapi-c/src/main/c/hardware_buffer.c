#define _GNU_SOURCE
#include "hardware_buffer.h"

#include <dlfcn.h>

enum { FORMAT_BLOB = 0x21, USAGE_CPU_READ_OFTEN = 3, USAGE_CPU_WRITE_OFTEN = 3 << 4 };

struct description {
    uint32_t width, height, layers, format;
    uint64_t usage;
    uint32_t stride, reserved0;
    uint64_t reserved1;
};

static void *function(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

int hardware_buffer_acquire(AHardwareBuffer *buffer, void **address, uint64_t *size) {
    void (*describe)(const AHardwareBuffer *, struct description *) =
            (void (*)(const AHardwareBuffer *, struct description *))(uintptr_t) function("AHardwareBuffer_describe");
    void (*acquire)(AHardwareBuffer *) = (void (*)(AHardwareBuffer *))(uintptr_t) function("AHardwareBuffer_acquire");
    int (*lock)(AHardwareBuffer *, uint64_t, int32_t, const void *, void **) = (int (*)(
            AHardwareBuffer *, uint64_t, int32_t, const void *, void **))(uintptr_t) function("AHardwareBuffer_lock");
    if (!describe || !acquire || !lock || !function("AHardwareBuffer_unlock") || !function("AHardwareBuffer_release")) {
        return ANEURALNETWORKS_OP_FAILED;
    }
    struct description description;
    describe(buffer, &description);
    *address = 0;
    *size = 0;
    if (description.format == FORMAT_BLOB) {
        uint64_t usage = description.usage & (USAGE_CPU_READ_OFTEN | USAGE_CPU_WRITE_OFTEN);
        if (lock(buffer, usage ? usage : USAGE_CPU_READ_OFTEN | USAGE_CPU_WRITE_OFTEN, -1, 0, address) != 0
                || !*address) {
            return ANEURALNETWORKS_UNMAPPABLE;
        }
        *size = description.width;
    }
    acquire(buffer);
    return ANEURALNETWORKS_NO_ERROR;
}

void hardware_buffer_release(AHardwareBuffer *buffer) {
    void (*describe)(const AHardwareBuffer *, struct description *) =
            (void (*)(const AHardwareBuffer *, struct description *))(uintptr_t) function("AHardwareBuffer_describe");
    int (*unlock)(AHardwareBuffer *, int32_t *) =
            (int (*)(AHardwareBuffer *, int32_t *))(uintptr_t) function("AHardwareBuffer_unlock");
    void (*release)(AHardwareBuffer *) = (void (*)(AHardwareBuffer *))(uintptr_t) function("AHardwareBuffer_release");
    struct description description;
    describe(buffer, &description);
    if (description.format == FORMAT_BLOB) {
        unlock(buffer, 0);
    }
    release(buffer);
}
