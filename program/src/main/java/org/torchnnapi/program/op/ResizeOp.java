package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Images of another height and width, floats or bytes; bytes keep their scale and zero point.
 *
 * @param interpolation between which elements
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 * @param coordinates which input coordinate an output coordinate means, see {@link org.torchnnapi.kernels.Resize}
 * @param scaleH input over output height; {@code (float) inH / outH} unless one was given
 * @param scaleW the same of the width
 * @param rounding of mixed bytes
 */
public record ResizeOp(
        Interpolation interpolation,
        ImageLayout order,
        int outH,
        int outW,
        Coordinates coordinates,
        float scaleH,
        float scaleW,
        Rounding rounding)
        implements Op {
    /** What an element of the result is made of. */
    public enum Interpolation {
        /** The element nearest. */
        NEAREST,
        /** Neighbours are mixed along the width, then the height. */
        BILINEAR,
        /**
         * All four neighbours are mixed at once: of floats other last bits, as
         * {@link org.torchnnapi.kernels.Resize#bilinearByCorners} says.
         */
        BILINEAR_BY_CORNERS
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.notInts("input", Require.only(inputs));
        Require.order(order);
        Require.rank("input", in, 4);
        plan(in, order);
        return in.withShape(
                Require.images(order, in.dimension(0), in.dimension(ImageStorage.channelAxis(order)), outH, outW));
    }

    private Resize plan(ValueType in, ImageLayout layout) {
        int channels = in.dimension(ImageStorage.channelAxis(order));
        int height = in.dimension(order == ImageLayout.NCHW ? 2 : 1);
        int width = in.dimension(order == ImageLayout.NCHW ? 3 : 2);
        return switch (interpolation) {
            case NEAREST -> Resize.nearest(layout, channels, height, width, outH, outW, coordinates, scaleH, scaleW);
            case BILINEAR -> Resize.bilinear(layout, channels, height, width, outH, outW, coordinates, scaleH, scaleW);
            case BILINEAR_BY_CORNERS ->
                Resize.bilinearByCorners(layout, channels, height, width, outH, outW, coordinates, scaleH, scaleW);
        };
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
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        Resize resize = plan(in.type(), in.storage().layout(order));
        if (in.isFloat()) {
            return OneInput.floatImages(operands, resize.units(), resize::run);
        }
        boolean signed = in.type().element().isSigned();
        return OneInput.byteImages(
                operands,
                resize.units(),
                (from, at, to, target, begin, end) -> resize.run(from, at, to, target, signed, rounding, begin, end));
    }

    @Override
    public String label() {
        return (interpolation == Interpolation.NEAREST ? "nearest" : "bilinear") + " resize to " + outH + "x" + outW;
    }
}
