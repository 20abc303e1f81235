package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The mean of bytes over adjacent axes, such as height and width, in the input's scale and zero point: the mean distance from the zero
 * point, rounded.
 *
 * @param axes negative ones count from the back
 * @param keep whether the axes stay, with one element each
 */
public record QuantizedMean(int[] axes, boolean keep, Rounding rounding) implements Op {
    /** As many distances of up to 255 as an int holds the sum of. */
    private static final int MOST = 1 << 22;

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.bytes("input", Require.only(inputs));
        int reduced = ReducedAxes.of(in, axes).reduced();
        if (reduced > MOST) {
            throw new IllegalArgumentException("reduced: " + reduced + " elements (expected: <= " + MOST + ")");
        }
        return ReducedAxes.result(in, axes, keep);
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        ReducedAxes extents = ReducedAxes.of(in.type(), axes);
        if (extents.inner() > 1) {
            return columns(in, out, extents);
        }
        int mask = in.type().element().isSigned() ? -1 : 0xff;
        int zeroPoint = in.type().zeroPoint();
        return new Step(extents.outer(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (begin, end) -> {
                for (int o = begin; o < end; o++) {
                    int sum = -zeroPoint * extents.reduced();
                    for (int k = 0; k < extents.reduced(); k++) {
                        sum += from[in.at(memory) + o * extents.reduced() + k] & mask;
                    }
                    to[out.at(memory) + o] = (byte) (rounding.quotient(sum, extents.reduced()) + zeroPoint);
                }
            };
        });
    }

    /** As average pooling: what is left over are channels, what is reduced a row of pixels. */
    private Step columns(Operand in, Operand out, ReducedAxes extents) {
        Pooling pooling = Pooling.plan(Pooling.Kind.AVERAGE, new Pooling.Window(extents.inner(), 1, extents.reduced(), 1, 1, 1, extents.reduced(), 1,
                1, 1, 1, 0, 0, 0, 0), ImageLayout.NHWC, Clamp.NONE);
        int size = extents.reduced() * extents.inner();
        boolean signed = in.type().element().isSigned();
        int zeroPoint = in.type().zeroPoint();
        return new Step(extents.outer(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (begin, end) -> {
                for (int o = begin; o < end; o++) {
                    pooling.runAboveZero(from, in.at(memory) + o * size, to, out.at(memory) + o * extents.inner(), signed, zeroPoint, rounding,
                            in.type().element().min(), in.type().element().max(), 0, 1);
                }
            };
        });
    }

    @Override
    public String label() {
        return "mean over " + Arrays.toString(axes);
    }
}
