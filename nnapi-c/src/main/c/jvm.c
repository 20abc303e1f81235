#define _GNU_SOURCE
#include "jvm.h"
#include "find.h"
#include "include/NeuralNetworks.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PACKAGE "org.torchnnapi.c."
/* Room for the virtual machine's first thread, as its own launcher gives it. */
enum { START_STACK = 8 << 20, MAX_OPTIONS = 64 };

enum state { NOT_STARTED, RUNNING, FAILED, FORKED };

typedef jint (*created_function)(JavaVM **, jsize, jsize *);
typedef jint (*create_function)(JavaVM **, void **, void *);

struct method_entry {
    const char *owner, *name, *signature;
};

static const struct method_entry ENTRIES[METHOD_COUNT] = {
#define METHOD_ENTRY(entry, owner, name, signature) {owner, name, signature},
        METHODS(METHOD_ENTRY)
#undef METHOD_ENTRY
};

static _Atomic int state = NOT_STARTED;
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int failure = ANEURALNETWORKS_UNAVAILABLE_DEVICE;
static JavaVM *machine;
static jclass owners[METHOD_COUNT];
static jmethodID methods[METHOD_COUNT];
static pthread_key_t attached;

void jvm_say(const char *format, ...) {
    char line[2 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "libneuralnetworks.so: %s\n", line);
}

bool jvm_clear(JNIEnv *env) {
    bool raised = (*env)->ExceptionCheck(env);
    if (raised) {
        (*env)->ExceptionClear(env);
    }
    return raised;
}

/* -- Starting -- */

/* The machine that the process runs already, whoever started it. */
static JavaVM *find_running(void) {
    created_function created = (created_function) (uintptr_t) dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs");
    if (!created) {
        void *loaded = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
        created = loaded ? (created_function) (uintptr_t) dlsym(loaded, "JNI_GetCreatedJavaVMs") : NULL;
    }
    JavaVM *running = NULL;
    jsize count = 0;
    return created && created(&running, 1, &count) == JNI_OK && count > 0 ? running : NULL;
}

struct start {
    char library[PATH_MAX];
    const char *class_path;
    JavaVM *result;
    jint code;
    bool done;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static struct start *current_start;

static void start_ended(struct start *start) {
    pthread_mutex_lock(&start->lock);
    start->done = true;
    pthread_cond_signal(&start->changed);
    pthread_mutex_unlock(&start->lock);
}

/*
 * Called by a virtual machine that gives up. One that gives up while it starts, for want of memory say, would end the
 * process: its thread stays here for ever instead, and the caller gets a code.
 */
static void given_up(void) {
    struct start *start = current_start;
    if (start && pthread_equal(pthread_self(), start->thread)) {
        start->code = JNI_ENOMEM;
        start_ended(start);
        for (;;) {
            pause();
        }
    }
}

static void exited(jint code) {
    (void) code;
    given_up();
}

static int add_user_options(JavaVMOption *options, int count, char *text) {
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\n", &rest); word && count < MAX_OPTIONS;
            word = strtok_r(NULL, " \t\n", &rest)) {
        options[count++].optionString = word;
    }
    return count;
}

static void *start_machine(void *argument) {
    struct start *start = argument;
    start->thread = pthread_self();
    current_start = start;
    void *library = dlopen(start->library, RTLD_NOW);
    create_function create = library ? (create_function) (uintptr_t) dlsym(library, "JNI_CreateJavaVM") : NULL;
    char *class_path = NULL;
    const char *wished = secure_getenv("TORCH_NNAPI_JAVA_OPTS");
    char *wishes = strdup(wished ? wished : "");
    if (!create || !wishes || asprintf(&class_path, "-Djava.class.path=%s", start->class_path) < 0) {
        start->code = JNI_ERR;
    } else {
        JavaVMOption options[MAX_OPTIONS] = {
                {class_path, NULL},
                /* The program's own signals stay the program's. */
                {"-Xrs", NULL},
                {"-XX:+UseSerialGC", NULL},
                {"-Xms16m", NULL},
                {"-XX:-UsePerfData", NULL},
                {"-Djdk.reflect.useNativeAccessorOnly=true", NULL},
                {getauxval(AT_SECURE) ? "-Dtorchnnapi.environment=ignored" : "-Dtorchnnapi.environment=read", NULL},
                {"--enable-native-access=ALL-UNNAMED", NULL},
                {"abort", (void *) (uintptr_t) given_up},
                {"exit", (void *) (uintptr_t) exited},
        };
        JavaVMInitArgs arguments = {JNI_VERSION_1_8, add_user_options(options, 10, wishes), options, JNI_FALSE};
        void *env;
        start->code = create(&start->result, &env, &arguments);
        if (start->code == JNI_OK) {
            (*start->result)->DetachCurrentThread(start->result);
        }
    }
    free(wishes);
    free(class_path);
    current_start = NULL;
    start_ended(start);
    return NULL;
}

struct attempt {
    const char *class_path;
    JavaVM *result;
    jint code;
    char tried[PATH_MAX];
};

/* On a thread of its own, whose stack is known to be large enough and which nobody needs if the virtual machine gives
 * up. */
static bool attempt_home(const char *home, void *context) {
    struct attempt *attempt = context;
    struct start *start = calloc(1, sizeof *start);
    pthread_attr_t attributes;
    pthread_t thread;
    if (!start || !find_virtual_machine(home, start->library, sizeof start->library)) {
        free(start);
        return false;
    }
    snprintf(attempt->tried, sizeof attempt->tried, "%s", home);
    start->class_path = attempt->class_path;
    pthread_mutex_init(&start->lock, NULL);
    pthread_cond_init(&start->changed, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, START_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, start_machine, start) != 0) {
        attempt->code = JNI_ENOMEM;
    } else {
        pthread_mutex_lock(&start->lock);
        while (!start->done) {
            pthread_cond_wait(&start->changed, &start->lock);
        }
        pthread_mutex_unlock(&start->lock);
        attempt->result = start->result;
        attempt->code = start->code;
        /* Its thread may stay in it for ever, so what it works on is not freed. */
    }
    pthread_attr_destroy(&attributes);
    /* A process has one virtual machine: one that fails to start leaves no second try, but for a library that cannot be
     * loaded. */
    return attempt->code != JNI_ERR || attempt->result;
}

static JavaVM *start_new(const char *jars, const char *class_path) {
    struct attempt attempt = {class_path, NULL, JNI_ERR, ""};
    find_java(jars, attempt_home, &attempt);
    if (attempt.result) {
        return attempt.result;
    }
    if (!attempt.tried[0]) {
        const char *wished = secure_getenv("JAVA_HOME");
        jvm_say("no Java %d or later in JAVA_HOME (%s), that of the build (%s/java-home) or on the path (expected: "
                "one; "
                "set JAVA_HOME to it)",
                OLDEST_JAVA, wished && *wished ? wished : "not set", jars);
    } else if (attempt.code == JNI_ENOMEM) {
        jvm_say("Java in %s does not start: too little memory, see above (TORCH_NNAPI_JAVA_OPTS=-Xmx256m takes less)",
                attempt.tried);
        failure = ANEURALNETWORKS_OUT_OF_MEMORY;
    } else {
        jvm_say("Java in %s does not start (code %d; options by TORCH_NNAPI_JAVA_OPTS: %s)", attempt.tried,
                (int) attempt.code,
                secure_getenv("TORCH_NNAPI_JAVA_OPTS") ? secure_getenv("TORCH_NNAPI_JAVA_OPTS") : "none");
    }
    return NULL;
}

/* -- Classes -- */

/*
 * A loader of the jars without a parent, which knows nothing but Java's base: what the running program has of the same
 * classes stays its own. The platform's loader as parent would find those of them that are named modules.
 */
static jobject make_loader(JNIEnv *env, const char *class_path) {
    jclass files = (*env)->FindClass(env, "java/io/File");
    jclass uris = files ? (*env)->FindClass(env, "java/net/URI") : NULL;
    jclass urls = uris ? (*env)->FindClass(env, "java/net/URL") : NULL;
    jclass url_loaders = urls ? (*env)->FindClass(env, "java/net/URLClassLoader") : NULL;
    if (!url_loaders) {
        return NULL;
    }
    jmethodID new_file = (*env)->GetMethodID(env, files, "<init>", "(Ljava/lang/String;)V");
    jmethodID to_uri = (*env)->GetMethodID(env, files, "toURI", "()Ljava/net/URI;");
    jmethodID to_url = (*env)->GetMethodID(env, uris, "toURL", "()Ljava/net/URL;");
    jmethodID new_loader = (*env)->GetMethodID(env, url_loaders, "<init>", "([Ljava/net/URL;Ljava/lang/ClassLoader;)V");
    jsize count = 1;
    for (const char *c = class_path; *c; c++) {
        count += *c == ':';
    }
    char *text = strdup(class_path), *rest = NULL;
    jobjectArray array = text && !(*env)->ExceptionCheck(env) ? (*env)->NewObjectArray(env, count, urls, NULL) : NULL;
    jsize i = 0;
    for (char *jar = text ? strtok_r(text, ":", &rest) : NULL; array && jar; jar = strtok_r(NULL, ":", &rest)) {
        jstring name = (*env)->NewStringUTF(env, jar);
        jobject file = name ? (*env)->NewObject(env, files, new_file, name) : NULL;
        jobject uri = file ? (*env)->CallObjectMethod(env, file, to_uri) : NULL;
        jobject url = uri && !(*env)->ExceptionCheck(env) ? (*env)->CallObjectMethod(env, uri, to_url) : NULL;
        if ((*env)->ExceptionCheck(env) || !url) {
            array = NULL;
            break;
        }
        (*env)->SetObjectArrayElement(env, array, i++, url);
    }
    free(text);
    return array && !(*env)->ExceptionCheck(env) ? (*env)->NewObject(env, url_loaders, new_loader, array, NULL) : NULL;
}

static jobject system_loader(JNIEnv *env) {
    jclass loaders = (*env)->FindClass(env, "java/lang/ClassLoader");
    jmethodID system = loaders
            ? (*env)->GetStaticMethodID(env, loaders, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
            : NULL;
    jobject loader = system ? (*env)->CallStaticObjectMethod(env, loaders, system) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : loader;
}

static jclass load(JNIEnv *env, jobject loader, const char *owner) {
    char name[128];
    snprintf(name, sizeof name, PACKAGE "%s", owner);
    jclass classes = (*env)->FindClass(env, "java/lang/Class");
    jmethodID for_name = (*env)->GetStaticMethodID(
            env, classes, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = for_name ? (*env)->NewStringUTF(env, name) : NULL;
    jclass found = text ? (*env)->CallStaticObjectMethod(env, classes, for_name, text, JNI_TRUE, loader) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->NewGlobalRef(env, found);
}

static bool link_methods(JNIEnv *env, jobject loader) {
    jclass natives = load(env, loader, "Native");
    if (!natives || (*env)->RegisterNatives(env, natives, native_methods, native_method_count) != 0) {
        return false;
    }
    for (int i = 0; i < METHOD_COUNT; i++) {
        bool same = i > 0 && strcmp(ENTRIES[i].owner, ENTRIES[i - 1].owner) == 0;
        owners[i] = same ? owners[i - 1] : load(env, loader, ENTRIES[i].owner);
        methods[i] =
                owners[i] ? (*env)->GetStaticMethodID(env, owners[i], ENTRIES[i].name, ENTRIES[i].signature) : NULL;
        if (!methods[i]) {
            return false;
        }
    }
    return true;
}

/* -- Threads -- */

static void detach(void *env) {
    (void) env;
    if (atomic_load(&state) == RUNNING) {
        (*machine)->DetachCurrentThread(machine);
    }
}

static JNIEnv *attach(void) {
    JNIEnv *env = NULL;
    jint known = (*machine)->GetEnv(machine, (void **) &env, JNI_VERSION_1_8);
    if (known == JNI_EDETACHED) {
        JavaVMAttachArgs arguments = {JNI_VERSION_1_8, "nnapi client", NULL};
        if ((*machine)->AttachCurrentThreadAsDaemon(machine, (void **) &env, &arguments) != JNI_OK) {
            return NULL;
        }
        pthread_setspecific(attached, env);
    }
    return env;
}

/* A fork waits for a start to end, and leaves the child without a virtual machine where the parent has one. */
static void before_fork(void) {
    pthread_mutex_lock(&starting);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&starting);
}

static void after_fork_in_child(void) {
    pthread_mutex_init(&starting, NULL);
    if (atomic_load(&state) == RUNNING) {
        atomic_store(&state, FORKED);
    }
}

static bool start(void) {
    char jars[PATH_MAX];
    if (!find_jars(jars, sizeof jars)) {
        return false;
    }
    char *class_path = find_class_path(jars);
    if (!class_path) {
        failure = ANEURALNETWORKS_OUT_OF_MEMORY;
        return false;
    }
    JavaVM *running = find_running();
    machine = running ? running : start_new(jars, class_path);
    JNIEnv *env = NULL;
    bool linked = false;
    if (machine && pthread_key_create(&attached, detach) == 0 && (env = attach())
            && (*env)->PushLocalFrame(env, 512) == 0) {
        jobject loader = running ? make_loader(env, class_path) : system_loader(env);
        linked = loader && link_methods(env, loader);
        if (!linked) {
            jvm_say("the jars in %s do not fit this library or the running Java (expected: Java %d or later; see the "
                    "exception)",
                    jars, OLDEST_JAVA);
            (*env)->ExceptionDescribe(env);
            jvm_clear(env);
        }
        (*env)->PopLocalFrame(env, NULL);
    }
    free(class_path);
    return linked;
}

JNIEnv *jvm_enter(int *code) {
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now == NOT_STARTED) {
        static bool watching;
        pthread_mutex_lock(&starting);
        if (!watching) {
            watching = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
        }
        if (atomic_load(&state) == NOT_STARTED) {
            atomic_store_explicit(&state, start() ? RUNNING : FAILED, memory_order_release);
        }
        now = atomic_load(&state);
        pthread_mutex_unlock(&starting);
    }
    if (now == FORKED) {
        static _Atomic bool told;
        if (!atomic_exchange(&told, true)) {
            jvm_say("a process forked from one that uses the library cannot use it (expected: fork first, or exec in "
                    "the child)");
        }
    }
    JNIEnv *env = now == RUNNING ? attach() : NULL;
    *code = env              ? ANEURALNETWORKS_NO_ERROR
            : now == RUNNING ? ANEURALNETWORKS_OUT_OF_MEMORY
            : now == FORKED  ? ANEURALNETWORKS_UNAVAILABLE_DEVICE
                             : failure;
    return env;
}

/* -- Calls -- */

int jvm_int(JNIEnv *env, enum method method, ...) {
    va_list arguments;
    va_start(arguments, method);
    int result = (*env)->CallStaticIntMethodV(env, owners[method], methods[method], arguments);
    va_end(arguments);
    return jvm_clear(env) ? ANEURALNETWORKS_OP_FAILED : result;
}

int64_t jvm_long(JNIEnv *env, enum method method, ...) {
    va_list arguments;
    va_start(arguments, method);
    int64_t result = (*env)->CallStaticLongMethodV(env, owners[method], methods[method], arguments);
    va_end(arguments);
    return jvm_clear(env) ? -ANEURALNETWORKS_OP_FAILED : result;
}

void jvm_void(JNIEnv *env, enum method method, ...) {
    va_list arguments;
    va_start(arguments, method);
    (*env)->CallStaticVoidMethodV(env, owners[method], methods[method], arguments);
    va_end(arguments);
    jvm_clear(env);
}

jobject jvm_object(JNIEnv *env, enum method method, ...) {
    va_list arguments;
    va_start(arguments, method);
    jobject result = (*env)->CallStaticObjectMethodV(env, owners[method], methods[method], arguments);
    va_end(arguments);
    return jvm_clear(env) ? NULL : result;
}
