package org.torchnnapi.program.op;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Weights;

/**
 * Packed weights by which the states of some sequences are multiplied at every step, and how a batch is shared out:
 * sequences do not wait for each other, but those of a share read the weights together.
 */
final class RecurrentProduct {
    /** Sequences for which reading the weights is no longer what takes the time. */
    private static final int TOGETHER = 4;

    private final FloatConv conv;

    private RecurrentProduct(FloatConv conv) {
        this.conv = conv;
    }

    /**
     * @param weights {@code [out][in]}
     * @param bias one an output, or null for none
     */
    static RecurrentProduct of(int in, int out, Weights weights, float[] bias, Clamp clamp, int sequences) {
        return new RecurrentProduct(FloatConv.plan(
                ConvShape.of(in, sequences, 1, out, 1, 1),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                weights,
                bias,
                Activation.of(clamp)));
    }

    /** Sequences of each share of a batch: the fewest that divide it evenly and read the weights together. */
    static int share(int batch) {
        int share = Math.min(batch, TOGETHER);
        while (batch % share != 0) {
            share++;
        }
        return share;
    }

    /** {@code to = clamp(weights * from + bias)}, for the rows of all sequences of a share. */
    void run(float[] from, int fromOffset, float[] to, int toOffset) {
        conv.run(from, fromOffset, to, toOffset, 0, conv.units());
    }

    /** {@code to = clamp(weights * from + bias + addend)}. */
    void runAdding(float[] from, int fromOffset, float[] addend, int addendOffset, float[] to, int toOffset) {
        conv.runAdding(from, fromOffset, addend, addendOffset, to, toOffset, 0, conv.units());
    }
}
