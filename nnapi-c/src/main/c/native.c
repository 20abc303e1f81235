/* What Java calls: the few things of the system that it cannot reach by itself. */
#define _GNU_SOURCE
#include "hardware_buffer.h"
#include "jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

static jobject buffer(JNIEnv *env, jclass class, jlong address, jlong length) {
    (void) class;
    return (*env)->NewDirectByteBuffer(env, (void *) (intptr_t) address, length);
}

static void unmap(JNIEnv *env, jclass class, jlong address, jlong length) {
    (void) env, (void) class;
    munmap((void *) (intptr_t) address, (size_t) length);
}

static void release_buffer(JNIEnv *env, jclass class, jlong hardware_buffer) {
    (void) env, (void) class;
    hardware_buffer_release((AHardwareBuffer *) (intptr_t) hardware_buffer);
}

/* Readable is well; an error, or the other end closed with nothing to be read, is a failure. */
static jint await_fence(JNIEnv *env, jclass class, jint descriptor) {
    (void) env, (void) class;
    struct pollfd wanted = {descriptor, POLLIN, 0};
    int ready;
    do {
        ready = poll(&wanted, 1, -1);
    } while (ready < 0 && (errno == EINTR || errno == EAGAIN));
    return ready == 1 && (wanted.revents & POLLIN) && !(wanted.revents & (POLLERR | POLLNVAL)) ? 0 : 1;
}

static jlong create_fence(JNIEnv *env, jclass class) {
    (void) env, (void) class;
    int ends[2];
    return pipe2(ends, O_CLOEXEC) == 0 ? (jlong) ends[1] << 32 | ends[0] : -1;
}

static void signal_fence(JNIEnv *env, jclass class, jint descriptor, jboolean well) {
    (void) env, (void) class;
    char byte = 0;
    while (well && write(descriptor, &byte, 1) < 0 && errno == EINTR) {}
    close(descriptor);
}

static jint duplicate(JNIEnv *env, jclass class, jint descriptor) {
    (void) env, (void) class;
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

static void close_descriptor(JNIEnv *env, jclass class, jint descriptor) {
    (void) env, (void) class;
    close(descriptor);
}

const JNINativeMethod native_methods[] = {
        {"buffer", "(JJ)Ljava/nio/ByteBuffer;", (void *) buffer},
        {"unmap", "(JJ)V", (void *) unmap},
        {"releaseHardwareBuffer", "(J)V", (void *) release_buffer},
        {"awaitFence", "(I)I", (void *) await_fence},
        {"createFence", "()J", (void *) create_fence},
        {"signalFence", "(IZ)V", (void *) signal_fence},
        {"duplicate", "(I)I", (void *) duplicate},
        {"close", "(I)V", (void *) close_descriptor},
};
const int native_method_count = sizeof native_methods / sizeof *native_methods;
