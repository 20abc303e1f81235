/*
 * jni.c before a virtual machine that has no memory for one of a call's arrays: the kernel must not run, what was
 * entered must be given back, and an OutOfMemoryError be thrown. Prints nothing and returns 0 when that holds.
 */
#include <stdio.h>
#include <string.h>
#include "function.h"
#include "registry.h"

#define JNI(result, name) extern result Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_##name
typedef void *object;
typedef void *const *const *environment;

JNI(int64_t, find)(environment, object, object);
JNI(void, run)(environment, object, int64_t, object, int64_t, object, int64_t, int64_t, object, int64_t, int64_t,
        object, int64_t, int64_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, float, float);
JNI(void, work)(environment, object, int64_t, int64_t, object, int64_t, object, int64_t, object, int64_t, int64_t,
        int32_t, int32_t);
JNI(void, pack)(environment, object, int64_t, int64_t, object, int64_t, int64_t, object, object, int64_t, int64_t);
JNI(void, recurrent)(environment, object, int64_t, int64_t, int64_t, object, int64_t, object, int64_t, object);

/* What jni.c takes from the other files. */
static void kernel(void);
#define LISTED(level) const struct function tnn_##level##_functions[] = {{"name", (void *) kernel}, {0, 0}};
EACH_LEVEL(LISTED)
const volatile int64_t tnn_version = 0;
int32_t tnn_features(void) {
    return 0;
}
int32_t tnn_tiles(void) {
    return 0;
}
int32_t tnn_keep_to(const uint8_t *processors, int32_t bytes) {
    (void) processors;
    return bytes;
}
int64_t tnn_map_pages(int64_t size) {
    return size;
}
void tnn_unmap_pages(int64_t address, int64_t size) {
    (void) address, (void) size;
}
void tnn_release_pages(int64_t address, int64_t size) {
    (void) address, (void) size;
}

static int ran, held, entered, fails_at, thrown;

static void kernel(void) {
    ran++;
}

static void *get(environment env, object array, uint8_t *copied) {
    (void) env, (void) copied;
    if (entered++ == fails_at) {
        return 0;
    }
    held++;
    return array;
}

static void release(environment env, object array, void *elements, int32_t mode) {
    (void) env, (void) mode;
    held -= elements == array;
}

static uint8_t pending(environment env) {
    (void) env;
    return 0;
}

static object find_class(environment env, const char *name) {
    (void) env;
    return strcmp(name, "java/lang/OutOfMemoryError") == 0 ? &thrown : 0;
}

static int32_t throw_new(environment env, object type, const char *message) {
    (void) env, (void) message;
    thrown += type == &thrown && held == 0;
    return 0;
}

static int expect(const char *what, int fails, int arrays) {
    int wrong = fails < arrays ? ran != 0 || held != 0 || thrown != 1 : ran != 1 || held != 0 || thrown != 0;
    if (wrong) {
        printf("%s without array %d: ran %d, held %d, thrown %d\n", what, fails, ran, held, thrown);
    }
    ran = held = entered = thrown = 0;
    return wrong;
}

int main(void) {
    static void *table[256];
    table[222] = (void *) get;
    table[223] = (void *) release;
    table[228] = (void *) pending;
    table[6] = (void *) find_class;
    table[14] = (void *) throw_new;
    void *const *interface = table;
    char a[] = "name", b[8], c[8], d[8];
    int64_t function = (int64_t) (uintptr_t) kernel;
    int failures = 0;
    for (fails_at = 0; fails_at <= 4; fails_at++) {
        Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_run(
                &interface, 0, function, a, 0, b, 0, 0, c, 0, 0, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        failures += expect("run", fails_at, 4);
    }
    for (fails_at = 0; fails_at <= 3; fails_at++) {
        Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_work(
                &interface, 0, function, 0, a, 0, b, 0, c, 0, 0, 0, 0);
        failures += expect("work", fails_at, 3);
        Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_pack(
                &interface, 0, function, 0, a, 0, 0, b, c, 0, 0);
        failures += expect("pack", fails_at, 3);
        Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_recurrent(
                &interface, 0, function, 0, 0, a, 0, b, 0, c);
        failures += expect("recurrent", fails_at, 3);
    }
    for (fails_at = 0; fails_at <= 1; fails_at++) {
        ran = Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_find(&interface, 0, a) == function;
        failures += expect("find", fails_at, 1);
    }
    return failures;
}
