package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Volumes of another depth. Volumes of floats lie as batches of their slices, {@code [volumes * depth, ..]}; their
 * height and width are changed by a {@link ResizeOp} of the slices.
 *
 * @param linear whether neighbours are mixed; otherwise the nearest is taken
 * @param depth slices of an input volume
 * @param outDepth slices of a volume of the result
 * @param coordinates which slice of the input one of the result means, see {@link org.torchnnapi.kernels.Resize}
 * @param scale input over output depth; {@code (float) depth / outDepth} unless one was given
 */
public record VolumeResizeOp(boolean linear, int depth, int outDepth, Coordinates coordinates, float scale)
        implements VolumeSlices {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType result = VolumeSlices.super.result(inputs);
        plan(1);
        return result;
    }

    /**
     * A volume is an image one pixel wide: its rows are the slices, whose elements are its channels in whatever order
     * they lie.
     */
    private Resize plan(int size) {
        return linear
                ? Resize.bilinear(ImageLayout.NHWC, size, depth, 1, outDepth, 1, coordinates, scale, 1)
                : Resize.nearest(ImageLayout.NHWC, size, depth, 1, outDepth, 1, coordinates, scale, 1);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        Resize resize = plan(out.imageSize());
        int volume = depth * in.imageSize();
        int made = outDepth * out.imageSize();
        return Step.images(out.type().dimension(0) / outDepth, resize.units(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end) ->
                    resize.run(from, in.at(memory) + image * volume, to, out.at(memory) + image * made, begin, end);
        });
    }

    @Override
    public String label() {
        return (linear ? "linear" : "nearest") + " resize to " + outDepth + " slices";
    }
}
