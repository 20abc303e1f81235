package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The mean of bytes over adjacent axes, such as height and width, in the input's scale and zero point: the mean
 * distance from the zero point, rounded.
 *
 * @param axes negative ones count from the back
 * @param keep whether the axes stay, with one element each
 * @param factor what sums are multiplied by in place of a division, see {@link Pooling#planScaled}; 0 for none
 */
public record QuantizedMeanOp(int[] axes, boolean keep, Rounding rounding, float factor) implements Op {
    /** As many distances of up to 255 as an int holds the sum of. */
    private static final int MOST = 1 << 22;

    public QuantizedMeanOp(int[] axes, boolean keep, Rounding rounding) {
        this(axes, keep, rounding, 0);
    }

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
        ValueType type = operands.in(0).type();
        ReducedAxes extents = ReducedAxes.of(type, axes);
        if (extents.inner() > 1) {
            return columns(operands, type, extents);
        }
        int mask = type.element().isSigned() ? -1 : 0xff;
        int zeroPoint = type.zeroPoint();
        return OneInput.bytes(operands, extents.outer(), (in, from, out, to, begin, end) -> {
            for (int o = begin; o < end; o++) {
                int sum = -zeroPoint * extents.reduced();
                for (int k = 0; k < extents.reduced(); k++) {
                    sum += in[from + o * extents.reduced() + k] & mask;
                }
                out[to + o] = (byte)
                        ((factor == 0 ? rounding.quotient(sum, extents.reduced()) : (int) Math.rint(sum * factor))
                                + zeroPoint);
            }
        });
    }

    /** As average pooling: what is left over are channels, what is reduced a row of pixels. */
    private Step columns(Operands operands, ValueType type, ReducedAxes extents) {
        Pooling.Window window = new Pooling.Window(
                extents.inner(), 1, extents.reduced(), 1, 1, 1, extents.reduced(), 1, 1, 1, 1, 0, 0, 0, 0);
        Pooling pooling = factor == 0
                ? Pooling.plan(Pooling.Kind.AVERAGE, window, ImageLayout.NHWC, Clamp.NONE)
                : Pooling.planScaled(Pooling.Kind.AVERAGE, window, ImageLayout.NHWC, factor);
        int size = extents.reduced() * extents.inner();
        Element element = type.element();
        int units = pooling.byteUnits();
        Step step = OneInput.bytes(operands, extents.outer() * units, (in, from, out, to, begin, end) -> {
            for (int at = begin; at < end; ) {
                int o = at / units;
                int stop = Math.min(end, (o + 1) * units);
                pooling.runAboveZero(
                        in,
                        from + o * size,
                        out,
                        to + o * extents.inner(),
                        element.isSigned(),
                        type.zeroPoint(),
                        rounding,
                        element.min(),
                        element.max(),
                        at - o * units,
                        stop - o * units);
                at = stop;
            }
        });
        return units > 1 ? step.asAdjoining() : step;
    }

    @Override
    public String label() {
        return "mean over " + Arrays.toString(axes);
    }
}
