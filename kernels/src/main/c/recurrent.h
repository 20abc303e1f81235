/* What the Java side shares with recurrent.c: laid out as 64-bit pointers and numbers in this order. */
#ifndef TORCHNNAPI_RECURRENT_H
#define TORCHNNAPI_RECURRENT_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/*
 * A layer in one direction. Hidden units lie in blocks of LANES, the last one filled with zeros; weights as [block][input][gate][LANES],
 * so that a block's gates are computed together.
 */
struct recurrent {
    const float *input_weights;
    const float *hidden_weights;
    /* [block][gate][LANES]: both biases, but for the new gate of a GRU, which has that of the input here... */
    const float *bias;
    /* ... and that of the hidden state here: [block][LANES]. */
    const float *hidden_bias;
    /* 3: GRU, 4: LSTM. */
    int32_t gates;
    int32_t inputs;
    int32_t hidden;
    int32_t blocks;
};

/* Steps between elements of the input and the output, in floats; negative ones go back in time. */
struct walk {
    int64_t in_step;
    int64_t in_sequence;
    int64_t out_step;
    int64_t out_sequence;
    int32_t steps;
    int32_t sequences;
    /* The steps that are done; with the first of all the inputs of all are projected. */
    int32_t first_step;
    int32_t end_step;
    /* The blocks that are done, of which several calls with a step each can share the work. */
    int32_t first_block;
    int32_t end_block;
};

#endif
