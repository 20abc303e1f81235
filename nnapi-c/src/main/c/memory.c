#define _GNU_SOURCE
#include "hardware_buffer.h"
#include "values.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Whether a descriptor has the bytes. Pages past a file's end can be mapped, but whoever touches them dies; what is no
 * file, such as memory of a device, knows its size itself.
 */
static bool has_bytes(int fd, uint64_t offset, uint64_t size) {
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return false;
    }
    return !S_ISREG(status.st_mode)
            || (offset <= (uint64_t) status.st_size && size <= (uint64_t) status.st_size - offset);
}

int ANeuralNetworksMemory_createFromFd(
        size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory **memory) {
    if (!memory) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *memory = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    /* A mapping begins at a page. */
    size_t before = offset % (size_t) sysconf(_SC_PAGESIZE);
    if (size == 0 || fd < 0 || size > INT64_MAX - before || offset > INT64_MAX || !has_bytes(fd, offset, size)) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    protect &= PROT_READ | PROT_WRITE;
    if (!protect) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    /* What can be written can be read on all processors here; asking for it says so. */
    int asked = protect & PROT_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;
    char *pages = mmap(NULL, size + before, asked, MAP_SHARED, fd, (off_t) (offset - before));
    if (pages == MAP_FAILED && asked != protect) {
        pages = mmap(NULL, size + before, protect, MAP_SHARED, fd, (off_t) (offset - before));
    }
    if (pages == MAP_FAILED) {
        return ANEURALNETWORKS_UNMAPPABLE;
    }
    int64_t answer = jvm_long(env, METHOD_MEMORY_OF_PAGES, number_of(pages), (jlong) (size + before),
            number_of(pages + before), (jlong) size, (jint) ((protect & PROT_WRITE) != 0), (jint) fd, (jlong) offset);
    return take_handle(answer, (void **) memory);
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory) {
    if (memory) {
        *memory = NULL;
    }
    if (!ahwb || !memory) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    void *address;
    uint64_t size;
    code = hardware_buffer_acquire((AHardwareBuffer *) ahwb, &address, &size);
    if (code) {
        return code;
    }
    return take_handle(
            jvm_long(env, METHOD_MEMORY_OF_HARDWARE_BUFFER, number_of(ahwb), number_of(address), (jlong) size),
            (void **) memory);
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc, ANeuralNetworksMemory **memory) {
    if (memory) {
        *memory = NULL;
    }
    if (!desc || !memory) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_MEMORY_OF_DESCRIPTION, number_of(desc)), (void **) memory) : code;
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst) {
    if (!src || !dst) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_MEMORY_COPY, number_of(src), number_of(dst)) : code;
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory) {
    int code;
    JNIEnv *env = memory ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_MEMORY_FREE, number_of(memory));
    }
}

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc) {
    if (!desc) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *desc = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? take_handle(jvm_long(env, METHOD_DESCRIPTION_CREATE), (void **) desc) : code;
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc) {
    int code;
    JNIEnv *env = desc ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_DESCRIPTION_FREE, number_of(desc));
    }
}

static int add_role(ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation, bool input,
        uint32_t index, float frequency) {
    if (!desc || !compilation) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_DESCRIPTION_ADD_ROLE, number_of(desc), number_of(compilation), (jint) input,
                         (jint) index, (double) frequency)
               : code;
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
        const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency) {
    return add_role(desc, compilation, true, index, frequency);
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
        const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency) {
    return add_role(desc, compilation, false, index, frequency);
}

int ANeuralNetworksMemoryDesc_setDimensions(
        ANeuralNetworksMemoryDesc *desc, uint32_t rank, const uint32_t *dimensions) {
    if (!desc || (!dimensions && rank > 0)) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jintArray sizes = ints_of(env, dimensions, rank, &code);
    if (sizes) {
        code = jvm_int(env, METHOD_DESCRIPTION_SET_DIMENSIONS, number_of(desc), sizes);
        (*env)->DeleteLocalRef(env, sizes);
    }
    return code;
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc) {
    if (!desc) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_DESCRIPTION_FINISH, number_of(desc)) : code;
}
