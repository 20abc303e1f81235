/*
 * The system's libneuralnetworks, called by address: NNAPI's functions take at most six integers or pointers and return
 * one or nothing, which the calling conventions of x86-64 (System V), AArch64, Arm and x86 pass in whole registers, or
 * words of the stack, whatever their width. So one function calls them all but the two that take a float and those
 * whose durations are two words where words have 32 bits, and what NNAPI is stands in Java. Freestanding, as no C
 * library is needed to compile; of the Java Native Interface only the entries of its function table that are used are
 * declared (Java Native Interface Specification, chapter 4: their indexes).
 */
#include <stdint.h>

#define JNI(result, name) \
    __attribute__((visibility("default"))) result Java_org_torchnnapi_driver_android_NativeCalls_##name

typedef void *const *const *environment;
typedef void *object;
/* A pointer, a size, or what is narrower. */
typedef intptr_t word;

extern void *dlopen(const char *name, int flags);
extern void *dlsym(void *library, const char *name);
extern char *dlerror(void);

enum { RESOLVED_NOW = 2 };

/* The sources that this was built from, as SourcesVersion.java tells them: Java refuses a library of others. */
static const volatile int64_t sources = (int64_t) SOURCES_VERSION;

JNI(int64_t, version)(environment env, object type) {
    (void) env, (void) type;
    return sources;
}

/* Bytes of a pointer. */
JNI(int32_t, wordBytes)(environment env, object type) {
    (void) env, (void) type;
    return sizeof(word);
}

/* The library's handle, 0 where it does not load; the name is text that ends with a zero. */
JNI(int64_t, open)(environment env, object type, int64_t name) {
    (void) env, (void) type;
    return (int64_t) (uintptr_t) dlopen((const char *) (intptr_t) name, RESOLVED_NOW);
}

/* Why the last open failed, as text that ends with a zero, or 0. */
JNI(int64_t, failure)(environment env, object type) {
    (void) env, (void) type;
    return (int64_t) (uintptr_t) dlerror();
}

/* The address of a function, 0 where the library has none of that name. */
JNI(int64_t, find)(environment env, object type, int64_t library, int64_t name) {
    (void) env, (void) type;
    return (int64_t) (uintptr_t) dlsym((void *) (intptr_t) library, (const char *) (intptr_t) name);
}

JNI(int64_t, call)(environment env, object type, int64_t function, int64_t a, int64_t b, int64_t c, int64_t d,
        int64_t e, int64_t f) {
    (void) env, (void) type;
    return ((word(*)(word, word, word, word, word, word))(word) function)(
            (word) a, (word) b, (word) c, (word) d, (word) e, (word) f);
}

/* A handle and a number of 64 bits. */
JNI(int64_t, callWithDuration)(environment env, object type, int64_t function, int64_t a, int64_t duration) {
    (void) env, (void) type;
    return ((word(*)(word, uint64_t))(word) function)((word) a, (uint64_t) duration);
}

/* The number of 64 bits stands among the others. */
JNI(int64_t, callAfterEvents)(
        environment env, object type, int64_t function, int64_t a, int64_t b, int64_t c, int64_t duration, int64_t e) {
    (void) env, (void) type;
    return ((word(*)(word, word, word, uint64_t, word))(word) function)(
            (word) a, (word) b, (word) c, (uint64_t) duration, (word) e);
}

/* Floats are passed in registers of their own. */
JNI(int64_t, callWithFloat)(environment env, object type, int64_t function, int64_t a, int64_t b, int64_t c, float d) {
    (void) env, (void) type;
    return ((word(*)(word, word, word, float))(word) function)((word) a, (word) b, (word) c, d);
}

/* The bytes of a text before its zero. */
JNI(int64_t, length)(environment env, object type, int64_t text) {
    (void) env, (void) type;
    const volatile char *from = (const volatile char *) (intptr_t) text;
    int64_t length = 0;
    while (from[length]) {
        length++;
    }
    return length;
}

JNI(int64_t, address)(environment env, object type, object buffer) {
    (void) type;
    void *(*address)(environment, object) = (void *(*) (environment, object))(uintptr_t) (*env)[230];
    return (int64_t) (uintptr_t) address(env, buffer);
}

/* Memory at an address as a direct buffer. */
JNI(object, buffer)(environment env, object type, int64_t address, int64_t size) {
    (void) type;
    object (*wrap)(environment, void *, int64_t) = (object(*)(environment, void *, int64_t))(uintptr_t) (*env)[229];
    return wrap(env, (void *) (intptr_t) address, size);
}
