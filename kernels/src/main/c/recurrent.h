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
 * A layer in one direction. Hidden units lie in blocks of LANES, the last one filled with zeros; weights as
 * [block][input][gate][LANES], so that a block's gates are computed together.
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

/* Of what is done for all sequences: steps, of which the first of all has an even number, and blocks, of which several
 * calls can share those of a step. */
struct walk {
    /* Between two steps' vectors of the input or of the output, in floats; negative ones go back in time... */
    int64_t step;
    /* ... and between two sequences'. */
    int64_t sequence;
    int32_t sequences;
    int32_t first_step;
    int32_t end_step;
    int32_t first_block;
    int32_t end_block;
};

#endif
