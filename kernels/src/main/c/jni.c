/*
 * What Java calls, by the Java Native Interface: one function for each signature that kernels have, which takes the
 * kernel's address. So it is linked in microseconds, and the same file serves every JVM and Android. Only the few
 * entries of the interface's function table that are used here are declared (Java Native Interface Specification,
 * chapter 4: their indexes), so that no JDK is needed to compile.
 */
#include "function.h"
#include "registry.h"

#if defined(_WIN32)
#define JNI_EXPORT __declspec(dllexport)
#else
#define JNI_EXPORT __attribute__((visibility("default")))
#endif
#define JNI(result, name) JNI_EXPORT result Java_org_torchnnapi_kernels_internal_natives_NativeLibrary_##name

typedef void *const *const *environment;
typedef void *object;

#define DECLARED(level) extern const struct function tnn_##level##_functions[];
EACH_LEVEL(DECLARED)

#define LISTED(level) tnn_##level##_functions,
static const struct function *const FUNCTIONS[] = {EACH_LEVEL(LISTED)};

extern const volatile int64_t tnn_version;
extern int32_t tnn_features(void);
extern int32_t tnn_tiles(void);
extern int32_t tnn_keep_to(const uint8_t *processors, int32_t bytes);
extern int64_t tnn_map_pages(int64_t size);
extern void tnn_unmap_pages(int64_t address, int64_t size);
extern void tnn_release_pages(int64_t address, int64_t size);

/* ReleasePrimitiveArrayCritical need not copy back an array that was only read. */
#define ABORT 2

/* An operand: an array of the heap, or memory at an address where the array is null; and its elements once it is
 * entered. */
struct operand {
    object array;
    int64_t address;
    int32_t mode; /* in which it is released: 0 or ABORT */
    void *elements;
};

#if defined(CHECKED_ARRAYS)
#include "jni_checked.h"
#else
/* The elements of an array, which stays where it is until it is given back; null where the virtual machine has no
 * memory for that. */
static void *elements_of(environment env, object array) {
    void *(*get)(environment, object, uint8_t *) = (void *(*) (environment, object, uint8_t *) )(uintptr_t) (*env)[222];
    return get(env, array, 0);
}

static void give_back(environment env, object array, void *elements, int32_t mode) {
    void (*release)(environment, object, void *, int32_t) =
            (void (*)(environment, object, void *, int32_t))(uintptr_t) (*env)[223];
    release(env, array, elements, mode);
}
#endif

static void throw_out_of_memory(environment env) {
    uint8_t (*pending)(environment) = (uint8_t (*)(environment))(uintptr_t) (*env)[228];
    object (*find_class)(environment, const char *) = (object(*)(environment, const char *))(uintptr_t) (*env)[6];
    int32_t (*throw_new)(environment, object, const char *) =
            (int32_t (*)(environment, object, const char *))(uintptr_t) (*env)[14];
    object type = pending(env) ? 0 : find_class(env, "java/lang/OutOfMemoryError");
    if (type) {
        throw_new(env, type, "no memory for the elements of an array");
    }
}

static void leave(environment env, struct operand *operands, int32_t count) {
    while (count-- > 0) {
        if (operands[count].array) {
            give_back(env, operands[count].array, operands[count].elements, operands[count].mode);
        }
    }
}

/* Whether all operands have their elements; otherwise none is left entered, and an OutOfMemoryError is thrown. */
static int enter(environment env, struct operand *operands, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        struct operand *o = operands + i;
        o->elements = o->array ? elements_of(env, o->array) : (void *) (uintptr_t) o->address;
        if (o->array && !o->elements) {
            leave(env, operands, i);
            throw_out_of_memory(env);
            return 0;
        }
    }
    return 1;
}

JNI(int64_t, version)(environment env, object class) {
    (void) env, (void) class;
    return tnn_version;
}

JNI(int32_t, features)(environment env, object class) {
    (void) env, (void) class;
    return tnn_features();
}

JNI(int32_t, tiles)(environment env, object class) {
    (void) env, (void) class;
    return tnn_tiles();
}

/* Lets the calling thread run on the processors of a mask alone; below 0 where it is refused. */
JNI(int32_t, keepTo)(environment env, object class, object mask, int32_t bytes) {
    (void) class;
    struct operand operand = {mask, 0, ABORT, 0};
    if (!enter(env, &operand, 1)) {
        return -1;
    }
    int32_t result = tnn_keep_to(operand.elements, bytes);
    leave(env, &operand, 1);
    return result;
}

/* The address of a function by its name in bytes, ended by a 0; 0 if there is none. */
JNI(int64_t, find)(environment env, object class, object name) {
    (void) class;
    struct operand operand = {name, 0, ABORT, 0};
    if (!enter(env, &operand, 1)) {
        return 0;
    }
    const char *wanted = operand.elements;
    int64_t found = 0;
    for (uint32_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0] && !found; i++) {
        for (const struct function *f = FUNCTIONS[i]; f->name && !found; f++) {
            int32_t at = 0;
            while (f->name[at] && f->name[at] == wanted[at]) {
                at++;
            }
            found = f->name[at] == wanted[at] ? (int64_t) (uintptr_t) f->address : 0;
        }
    }
    leave(env, &operand, 1);
    return found;
}

/* The address of a direct buffer's memory. */
JNI(int64_t, address)(environment env, object class, object buffer) {
    (void) class;
    void *(*get)(environment, object) = (void *(*) (environment, object))(uintptr_t) (*env)[230];
    return (int64_t) (uintptr_t) get(env, buffer);
}

/* Memory at an address as a direct buffer. */
JNI(object, buffer)(environment env, object class, int64_t address, int64_t size) {
    (void) class;
    object (*make)(environment, void *, int64_t) = (object(*)(environment, void *, int64_t))(uintptr_t) (*env)[229];
    return make(env, (void *) (uintptr_t) address, size);
}

/* Memory, zero at first, of as many bytes, a multiple of 2 MiB; 0 where there is none in large pages. */
JNI(int64_t, mapPages)(environment env, object class, int64_t size) {
    (void) env, (void) class;
    return tnn_map_pages(size);
}

JNI(void, unmapPages)(environment env, object class, int64_t address, int64_t size) {
    (void) env, (void) class;
    tnn_unmap_pages(address, size);
}

/* Gives back the whole pages of a file that is mapped for reading; they are read again where they are needed. */
JNI(void, releasePages)(environment env, object class, int64_t address, int64_t bytes) {
    (void) env, (void) class;
    tnn_release_pages(address, bytes);
}

JNI(int32_t, number)(environment env, object class, int64_t function) {
    (void) env, (void) class;
    return ((int32_t (*)(void))(uintptr_t) function)();
}

JNI(int32_t, rounds)(environment env, object class, int64_t function, int32_t rounds) {
    (void) env, (void) class;
    return ((int32_t (*)(int32_t))(uintptr_t) function)(rounds);
}

/* A kernel of calls.h. */
JNI(void, run)(environment env, object class, int64_t function, object plan, int64_t plan_address, object a,
        int64_t a_address, int64_t a_at, object b, int64_t b_address, int64_t b_at, object out, int64_t out_address,
        int64_t out_at, int32_t op, int32_t n, int32_t m, int32_t k, int32_t i, int32_t j, float p, float q) {
    typedef void kernel(const void *, const void *, int64_t, const void *, int64_t, void *, int64_t, int32_t, int32_t,
            int32_t, int32_t, int32_t, int32_t, float, float);
    (void) class;
    struct operand operands[] = {{plan, plan_address, ABORT, 0}, {a, a_address, ABORT, 0}, {b, b_address, ABORT, 0},
            {out, out_address, 0, 0}};
    if (enter(env, operands, 4)) {
        ((kernel *) (uintptr_t) function)(operands[0].elements, operands[1].elements, a_at, operands[2].elements, b_at,
                operands[3].elements, out_at, op, n, m, k, i, j, p, q);
        leave(env, operands, 4);
    }
}

/* While sums of floats are computed those that are subnormal become 0: x86 processors take a hundred times as long for
 * every operation on one, and what an activation leaves of large negative numbers is full of them. */
#if defined(__x86_64__)
#define FLUSHES (1u << 15)
static uint32_t float_control(void) {
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    return control;
}
static void set_float_control(uint32_t control) {
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
}
#else
#define FLUSHES 0
static uint32_t float_control(void) {
    return 0;
}
static void set_float_control(uint32_t control) {
    (void) control;
}
#endif

/* Units of work over floats: `work` of kernels.table. */
JNI(void, work)(environment env, object class, int64_t function, int64_t plan, object in, int64_t in_at, object second,
        int64_t second_at, object out, int64_t out_at, int64_t scratch, int32_t begin, int32_t end) {
    typedef void work(
            const void *, const float *, int64_t, const float *, int64_t, float *, int64_t, float *, int32_t, int32_t);
    (void) class;
    struct operand operands[] = {{in, 0, ABORT, 0}, {second, 0, ABORT, 0}, {out, 0, 0, 0}};
    if (enter(env, operands, 3)) {
        const uint32_t control = float_control();
        set_float_control(control | FLUSHES);
        ((work *) (uintptr_t) function)((void *) (uintptr_t) plan, operands[0].elements, in_at, operands[1].elements,
                second_at, operands[2].elements, out_at, (float *) (uintptr_t) scratch, begin, end);
        set_float_control(control);
        leave(env, operands, 3);
    }
}

/* Packing of weights: `pack` of kernels.table. */
JNI(void, pack)(environment env, object class, int64_t function, int64_t plan, object weights, int64_t out_step,
        int64_t channel_step, object taps, object bias, int64_t packed, int64_t padded) {
    typedef void pack(const void *, const float *, int64_t, int64_t, const int32_t *, const float *, float *, float *);
    (void) class;
    struct operand operands[] = {{weights, 0, ABORT, 0}, {taps, 0, ABORT, 0}, {bias, 0, ABORT, 0}};
    if (enter(env, operands, 3)) {
        ((pack *) (uintptr_t) function)((void *) (uintptr_t) plan, operands[0].elements, out_step, channel_step,
                operands[1].elements, operands[2].elements, (float *) (uintptr_t) packed, (float *) (uintptr_t) padded);
        leave(env, operands, 3);
    }
}

/* Recurrent layers: `layer` of kernels.table. */
JNI(void, recurrent)(environment env, object class, int64_t function, int64_t plan, int64_t walk, object in,
        int64_t in_at, object out, int64_t out_at, object state) {
    typedef void layer(const void *, const void *, const float *, int64_t, float *, int64_t, float *);
    (void) class;
    struct operand operands[] = {{in, 0, ABORT, 0}, {out, 0, 0, 0}, {state, 0, 0, 0}};
    if (enter(env, operands, 3)) {
        const uint32_t control = float_control();
        set_float_control(control | FLUSHES);
        ((layer *) (uintptr_t) function)((void *) (uintptr_t) plan, (void *) (uintptr_t) walk, operands[0].elements,
                in_at, operands[1].elements, out_at, operands[2].elements);
        set_float_control(control);
        leave(env, operands, 3);
    }
}
