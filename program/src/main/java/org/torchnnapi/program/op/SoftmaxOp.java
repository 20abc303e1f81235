package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.SoftmaxKernel;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * {@code exp(beta * (x - max)) / sum} of floats along an axis, or its logarithm.
 *
 * @param axis negative counts from the back
 * @param beta the slope, > 0
 * @param logarithm whether {@code beta * (x - max) - log(sum)} instead
 * @param isSafe whether what is all minus infinity along the axis gives zeros, and not NaN; not with a logarithm
 */
public record SoftmaxOp(int axis, float beta, boolean logarithm, boolean isSafe) implements Op {
    public SoftmaxOp(int axis, float beta, boolean logarithm) {
        this(axis, beta, logarithm, false);
    }

    public SoftmaxOp {
        if (logarithm && isSafe) {
            throw new IllegalArgumentException("softmax: the logarithm of a safe one (expected: one of both)");
        }
        if (!(beta > 0)) {
            throw new IllegalArgumentException("beta: " + beta + " (expected: > 0)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        Require.axis(axis, in.rank());
        return in;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Step compile(Operands operands) {
        ReducedAxes extents = ReducedAxes.of(operands.in(0).type(), new int[] {axis});
        int extent = extents.reduced();
        int inner = extents.inner();
        return OneInput.floats(operands, extents.outer(), (in, from, out, to, begin, end) -> {
            if (logarithm) {
                SoftmaxKernel.runLog(in, from, out, to, extent, inner, beta, begin, end);
            } else if (isSafe) {
                SafeSoftmax.run(in, from, out, to, extent, inner, beta, begin, end);
            } else {
                SoftmaxKernel.run(in, from, out, to, extent, inner, beta, begin, end);
            }
        });
    }

    @Override
    public String label() {
        return logarithm ? "log softmax" : "softmax";
    }
}
