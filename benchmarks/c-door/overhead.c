/* What a model of one operation takes through the C interface: nanoseconds, the least of many rounds. Overhead.java
 * does the same in Java. */
#define _GNU_SOURCE
#include "NeuralNetworks.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 200, CALLS = 2000 };

static void must(int code) {
    if (code != ANEURALNETWORKS_NO_ERROR) {
        printf("a call failed: %d\n", code);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static ANeuralNetworksCompilation *compilation;
static ANeuralNetworksExecution *kept;
static ANeuralNetworksBurst *burst;
static float a[4], b[4], out[4];

static void bind(ANeuralNetworksExecution *execution) {
    must(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a));
    must(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b));
    must(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
}

static void reused(void) {
    must(ANeuralNetworksExecution_burstCompute(kept, burst));
}

static void whole(void) {
    ANeuralNetworksExecution *execution;
    must(ANeuralNetworksExecution_create(compilation, &execution));
    bind(execution);
    must(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
}

static double least(void (*call)(void)) {
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < CALLS; i++) {
            call();
        }
        double took = (now() - start) / CALLS;
        best = took < best ? took : best;
    }
    return best;
}

int main(void) {
    static const uint32_t four[] = {4};
    static const int32_t none = 0;
    const ANeuralNetworksOperandType vector = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0},
                                     number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    ANeuralNetworksModel *model;
    must(ANeuralNetworksModel_create(&model));
    must(ANeuralNetworksModel_addOperand(model, &vector));
    must(ANeuralNetworksModel_addOperand(model, &vector));
    must(ANeuralNetworksModel_addOperand(model, &number));
    must(ANeuralNetworksModel_addOperand(model, &vector));
    must(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none));
    must(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (uint32_t[]) {0, 1, 2}, 1, (uint32_t[]) {3}));
    must(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (uint32_t[]) {0, 1}, 1, (uint32_t[]) {3}));
    must(ANeuralNetworksModel_finish(model));
    must(ANeuralNetworksCompilation_create(model, &compilation));
    must(ANeuralNetworksCompilation_finish(compilation));
    must(ANeuralNetworksBurst_create(compilation, &burst));
    must(ANeuralNetworksExecution_create(compilation, &kept));
    must(ANeuralNetworksExecution_setReusable(kept, true));
    bind(kept);
    printf("%.0f %.0f\n", least(reused), least(whole));
    return 0;
}
