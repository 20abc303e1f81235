#define _GNU_SOURCE
#include "values.h"

#include <fcntl.h>
#include <unistd.h>

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event) {
    if (!event) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    return env ? jvm_int(env, METHOD_EVENT_WAIT, number_of(event)) : code;
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event) {
    int code;
    JNIEnv *env = event ? jvm_enter(&code) : NULL;
    if (env) {
        jvm_void(env, METHOD_EVENT_FREE, number_of(event));
    }
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event) {
    if (!event) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    *event = NULL;
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    int own = sync_fence_fd > 0 ? fcntl(sync_fence_fd, F_DUPFD_CLOEXEC, 3) : -1;
    return own < 0 ? ANEURALNETWORKS_BAD_DATA
                   : take_handle(jvm_long(env, METHOD_EVENT_OF_FENCE, (jint) own), (void **) event);
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd) {
    if (sync_fence_fd) {
        *sync_fence_fd = -1;
    }
    if (!event || !sync_fence_fd) {
        return ANEURALNETWORKS_UNEXPECTED_NULL;
    }
    int code;
    JNIEnv *env = jvm_enter(&code);
    if (!env) {
        return code;
    }
    int64_t answer = jvm_long(env, METHOD_EVENT_FENCE, number_of(event));
    if (answer >> 32 == 0) {
        *sync_fence_fd = (int) answer;
    }
    return (int) (answer >> 32);
}
