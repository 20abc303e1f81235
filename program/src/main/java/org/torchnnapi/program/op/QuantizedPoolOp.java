package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Average or maximum pooling of bytes, in the input's scale and zero point. Means are rounded as {@code rounding} says,
 * of the bytes themselves or of their distances from the zero point, which with an odd zero point are other halves.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 * @param aboveZeroPoint whether distances from the zero point are rounded
 * @param min limits of the result's bytes, its activation
 * @param factor what sums are multiplied by in place of a division, see {@link Pooling#planScaled}; 0 for none
 */
public record QuantizedPoolOp(
        Pooling.Kind kind,
        Pooling.Window window,
        ImageLayout order,
        Rounding rounding,
        boolean aboveZeroPoint,
        int min,
        int max,
        float factor)
        implements Op {
    public QuantizedPoolOp(
            Pooling.Kind kind,
            Pooling.Window window,
            ImageLayout order,
            Rounding rounding,
            boolean aboveZeroPoint,
            int min,
            int max) {
        this(kind, window, order, rounding, aboveZeroPoint, min, max, 0);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.bytes("input", Require.only(inputs));
        int batch = Require.batch(in, order, window.channels(), window.inH(), window.inW());
        return in.withShape(Require.images(order, batch, window.channels(), window.outH(), window.outW()));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(1, Require.suited(actual[0], order));
    }

    @Override
    public Op limited(int low, int high) {
        return new QuantizedPoolOp(
                kind,
                window,
                order,
                rounding,
                aboveZeroPoint,
                Math.min(Math.max(min, low), high),
                Math.min(Math.max(max, low), high),
                factor);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        ImageLayout layout = in.storage().layout(order);
        Pooling pooling = factor == 0
                ? Pooling.plan(kind, window, layout, Clamp.NONE)
                : Pooling.planScaled(kind, window, layout, factor);
        boolean signed = in.type().element().isSigned();
        int zeroPoint = in.type().zeroPoint();
        Step step = OneInput.byteImages(
                operands,
                pooling.byteUnits(),
                aboveZeroPoint
                        ? (from, at, to, target, begin, end) -> pooling.runAboveZero(
                                from, at, to, target, signed, zeroPoint, rounding, min, max, begin, end)
                        : (from, at, to, target, begin, end) ->
                                pooling.run(from, at, to, target, signed, zeroPoint, rounding, min, max, begin, end));
        // Threads take the channels that they computed, as far as what is before divides them alike.
        return pooling.byteUnits() > pooling.units() ? step.asAdjoining() : step;
    }

    @Override
    public String label() {
        return PoolOp.label(kind, window);
    }
}
