#include "devices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ANeuralNetworksDevice {
    char *name, *version;
    int32_t type;
    int64_t feature_level;
};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct ANeuralNetworksDevice *table;
static _Atomic int table_size = -1;

static int load(JNIEnv *env) {
    int count = jvm_int(env, METHOD_DEVICE_COUNT);
    struct ANeuralNetworksDevice *entries = count > 0 ? calloc((size_t) count, sizeof *entries) : NULL;
    if (!entries) {
        return count < 0 ? -count : ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        jstring texts = jvm_object(env, METHOD_DEVICE_TEXTS, (jint) i);
        const char *chars = texts ? (*env)->GetStringUTFChars(env, texts, NULL) : NULL;
        char *copy = chars ? strdup(chars) : NULL;
        char *line_end = copy ? strchr(copy, '\n') : NULL;
        if (chars) {
            (*env)->ReleaseStringUTFChars(env, texts, chars);
        }
        (*env)->DeleteLocalRef(env, texts);
        int64_t numbers = jvm_long(env, METHOD_DEVICE_NUMBERS, (jint) i);
        if (!line_end || numbers < 0) {
            free(copy);
            /* Entries before this one are few and only once lost. */
            return ANEURALNETWORKS_OP_FAILED;
        }
        *line_end = 0;
        entries[i] = (struct ANeuralNetworksDevice) {copy, line_end + 1, (int32_t) numbers, numbers >> 32};
    }
    table = entries;
    atomic_store_explicit(&table_size, count, memory_order_release);
    return ANEURALNETWORKS_NO_ERROR;
}

static int load_once(void) {
    if (atomic_load_explicit(&table_size, memory_order_acquire) >= 0) {
        return ANEURALNETWORKS_NO_ERROR;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    pthread_mutex_lock(&loading);
    code = atomic_load(&table_size) >= 0 ? ANEURALNETWORKS_NO_ERROR : load(env);
    pthread_mutex_unlock(&loading);
    return code;
}

/* Where a device stands in the table; -1 if it is none. */
static int position(const ANeuralNetworksDevice *device) {
    for (int i = 0; i < atomic_load_explicit(&table_size, memory_order_acquire); i++) {
        if (device == &table[i]) {
            return i;
        }
    }
    return -1;
}

bool null_among(const ANeuralNetworksDevice *const *devices, uint32_t count) {
    /* Of more than there are device_positions says the rest. */
    int known = atomic_load_explicit(&table_size, memory_order_acquire);
    for (uint32_t i = 0; i < count && (i == 0 || (int64_t) i <= known); i++) {
        if (!devices[i]) {
            return true;
        }
    }
    return false;
}

jintArray device_positions(JNIEnv *env, const ANeuralNetworksDevice *const *devices, uint32_t count, int *code) {
    int known = atomic_load_explicit(&table_size, memory_order_acquire);
    *code = ANEURALNETWORKS_NO_ERROR;
    for (uint32_t i = 0; i < count && *code == ANEURALNETWORKS_NO_ERROR; i++) {
        if (position(devices[i]) < 0 || i >= (uint32_t) known) {
            *code = ANEURALNETWORKS_BAD_DATA;
        }
        for (uint32_t j = 0; j < i && *code == ANEURALNETWORKS_NO_ERROR; j++) {
            if (devices[j] == devices[i]) {
                *code = ANEURALNETWORKS_BAD_DATA;
            }
        }
    }
    if (*code != ANEURALNETWORKS_NO_ERROR || count == 0) {
        *code = *code ? *code : ANEURALNETWORKS_BAD_DATA;
        return NULL;
    }
    uint32_t positions[count];
    for (uint32_t i = 0; i < count; i++) {
        positions[i] = (uint32_t) position(devices[i]);
    }
    return ints_of(env, positions, count, code);
}

static int entry_of(const ANeuralNetworksDevice *device, const void *answer) {
    if (!device || !answer) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    return position(device) < 0 ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices) {
    if (!numDevices) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code = load_once();
    *numDevices = code ? 0 : (uint32_t) atomic_load(&table_size);
    return code;
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device) {
    if (!device) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *device = NULL;
    int code = load_once();
    if (code) {
        return code;
    }
    if (devIndex >= (uint32_t) atomic_load(&table_size)) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    *device = &table[devIndex];
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name) {
    int code = entry_of(device, name);
    if (!code) {
        *name = device->name;
    }
    return code;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version) {
    int code = entry_of(device, version);
    if (!code) {
        *version = device->version;
    }
    return code;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type) {
    int code = entry_of(device, type);
    if (!code) {
        *type = device->type;
    }
    return code;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *featureLevel) {
    int code = entry_of(device, featureLevel);
    if (!code) {
        *featureLevel = device->feature_level;
    }
    return code;
}

/* The devices here live in this process: one that is listed is there. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
    return entry_of(device, device);
}

int ANeuralNetworksDevice_getExtensionSupport(
        const ANeuralNetworksDevice *device, const char *extensionName, bool *isExtensionSupported) {
    int code = extensionName ? entry_of(device, isExtensionSupported) : ANEURALNETWORKS_UNEXPECTED_NULL;
    if (code) {
        return code;
    }
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    jstring name = (*env)->NewStringUTF(env, extensionName);
    if (!name) {
        jvm_clear(env);
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    int answer = jvm_int(env, METHOD_DEVICE_HAS_EXTENSION, (jint) (device - table), name);
    (*env)->DeleteLocalRef(env, name);
    if (answer < 0) {
        return -answer;
    }
    *isExtensionSupported = answer == 1;
    return ANEURALNETWORKS_NO_ERROR;
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) {
    return ANEURALNETWORKS_FEATURE_LEVEL_5;
}
