package org.torchnnapi.program.op;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * {@code exp(beta * (x - max)) / sum} of bytes along an axis, as the NNAPI reference has it: floats of what the bytes
 * stand for, exponentials and their sum in double, the quotient as a float. An exponential depends on two bytes alone
 * and is looked up.
 *
 * @param axis negative counts from the back
 * @param beta the slope, > 0
 */
public record QuantizedSoftmaxOp(int axis, float beta, ByteQuantization output) implements Op {
    private static final int BYTES = 256;

    public QuantizedSoftmaxOp {
        if (!(beta > 0)) {
            throw new IllegalArgumentException("beta: " + beta + " (expected: > 0)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.bytes("input", Require.only(inputs));
        Require.axis(axis, in.rank());
        Require.element("output", output, in);
        return ValueType.bytes(output, in.shape());
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return false;
    }

    @Override
    public Step compile(Operands operands) {
        ValueType type = operands.in(0).type();
        ReducedAxes extents = ReducedAxes.of(type, new int[] {axis});
        Exponentials exponentials = new Exponentials(type.quantization(), beta);
        return OneInput.bytes(operands, extents.outer(), (in, from, out, to, begin, end) -> {
            for (int run = begin * extents.inner(); run < end * extents.inner(); run++) {
                int first = extents.first(run);
                row(exponentials, in, from + first, out, to + first, extents.reduced(), extents.inner());
            }
        });
    }

    private void row(Exponentials exponentials, byte[] from, int at, byte[] to, int target, int extent, int step) {
        // Turns the order of the element's values into that of bytes from 0 to 255.
        int flip = output.element().isSigned() ? 0x80 : 0;
        int largest = 0;
        for (int i = 0; i < extent; i++) {
            largest = Math.max(largest, from[at + i * step] & 0xff ^ flip);
        }
        double[] of = exponentials.below(largest);
        double sum = 0;
        for (int i = 0; i < extent; i++) {
            sum += of[from[at + i * step] & 0xff ^ flip];
        }
        int min = output.element().min();
        for (int i = 0; i < extent; i++) {
            float quotient = (float) (of[from[at + i * step] & 0xff ^ flip] / sum);
            double steps = Quantizing.Rule.QUOTIENT_HALF_EVEN.steps(quotient, output.scale());
            to[target + i * step] = (byte) Math.min(
                    Math.max(steps + output.zeroPoint(), min), output.element().max());
        }
    }

    /** By the largest byte of a row and any other, those that were met. */
    private static final class Exponentials {
        private final float[] reals = new float[BYTES];
        private final float beta;
        private final AtomicReferenceArray<double[]> rows = new AtomicReferenceArray<>(BYTES);

        Exponentials(ByteQuantization input, float beta) {
            this.beta = beta;
            for (int i = 0; i < BYTES; i++) {
                reals[i] = (i + input.element().min() - input.zeroPoint()) * input.scale();
            }
        }

        double[] below(int largest) {
            double[] row = rows.get(largest);
            if (row == null) {
                row = new double[largest + 1];
                for (int i = 0; i <= largest; i++) {
                    row[i] = StrictMath.exp((reals[i] - reals[largest]) * beta);
                }
                rows.set(largest, row);
            }
            return row;
        }
    }

    @Override
    public String label() {
        return "softmax";
    }
}
