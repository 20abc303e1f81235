package org.torchnnapi.program.op;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.UnaryOp;

/** What a recurrent cell makes of its sums. */
public enum CellFunction {
    NONE(Clamp.NONE, null),
    RELU(Clamp.RELU, null),
    RELU1(Clamp.RELU1, null),
    RELU6(Clamp.RELU6, null),
    TANH(Clamp.NONE, UnaryOp.TANH),
    SIGMOID(Clamp.NONE, UnaryOp.SIGMOID);

    private final Clamp clamp;
    private final UnaryOp function;

    CellFunction(Clamp clamp, UnaryOp function) {
        this.clamp = clamp;
        this.function = function;
    }

    /** Its limits; none for a function that is more than limits. */
    Clamp clamp() {
        return clamp;
    }

    /** Whether {@link #clamp} is all of it. */
    boolean isClamp() {
        return function == null;
    }

    /** Of {@code count} adjacent floats; in and out may be the same. */
    void apply(float[] in, int inOffset, float[] out, int outOffset, int count) {
        if (function != null) {
            ElementwiseOps.unary(function, in, inOffset, out, outOffset, count);
        } else if (!clamp.isNone() || in != out || inOffset != outOffset) {
            ElementwiseOps.clamp(in, inOffset, out, outOffset, count, clamp);
        }
    }
}
