package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Images of bytes of another height and width, each pixel mixed of four as the NNAPI reference mixes them: floats of
 * what the bytes stand for, along the row and then between the rows, and back to the input's scale and zero point,
 * halves to even.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 */
public record QuantizedBilinearOp(ImageLayout order, int outH, int outW, Coordinates coordinates) implements Op {
    private static final int BYTES = 256;

    public QuantizedBilinearOp {
        if (coordinates.isDouble()) {
            throw new IllegalArgumentException(
                    "coordinates: " + coordinates + " (expected: computed in float32, as the reference does)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.bytes("input", Require.only(inputs));
        Require.order(order);
        Require.rank("input", in, 4);
        if (Math.min(outH, outW) < 1) {
            throw new IllegalArgumentException("output: " + outH + "x" + outW + " (expected: at least 1x1)");
        }
        return in.withShape(
                Require.images(order, in.dimension(0), in.dimension(ImageStorage.channelAxis(order)), outH, outW));
    }

    /** Two neighbouring positions of the input for each of the output, and how much the second weighs. */
    private record Axis(int[] first, int[] second, float[] weight) {
        static Axis of(int in, int out, Coordinates coordinates) {
            float factor = coordinates == Coordinates.ALIGN_CORNERS && out > 1
                    ? (in - 1) / (float) (out - 1)
                    : in / (float) out;
            Axis axis = new Axis(new int[out], new int[out], new float[out]);
            for (int i = 0; i < out; i++) {
                float at = coordinates == Coordinates.HALF_PIXEL ? (i + 0.5f) * factor - 0.5f : i * factor;
                float inside = Math.max(0, Math.min(at, in - 1));
                axis.first[i] = (int) inside;
                axis.second[i] = Math.min(axis.first[i] + 1, in - 1);
                axis.weight[i] = inside - axis.first[i];
            }
            return axis;
        }
    }

    @Override
    public Step compile(Operands operands) {
        ValueType type = operands.in(0).type();
        boolean planes = order == ImageLayout.NCHW;
        int channels = planes ? 1 : type.dimension(3);
        int images = type.dimension(0) * (planes ? type.dimension(1) : 1);
        int inH = type.dimension(planes ? 2 : 1);
        int inW = type.dimension(planes ? 3 : 2);
        Axis rows = Axis.of(inH, outH, coordinates);
        Axis columns = Axis.of(inW, outW, coordinates);
        float[] reals = reals(type);
        return OneInput.bytes(operands, images * outH, (in, from, out, to, begin, end) -> {
            for (int row = begin; row < end; row++) {
                int image = from + row / outH * inH * inW * channels;
                int y = row % outH;
                row(
                        in,
                        image + rows.first[y] * inW * channels,
                        image + rows.second[y] * inW * channels,
                        rows.weight[y],
                        columns,
                        channels,
                        reals,
                        type,
                        out,
                        to + row * outW * channels);
            }
        });
    }

    private static float[] reals(ValueType type) {
        float[] reals = new float[BYTES];
        for (int i = 0; i < BYTES; i++) {
            reals[i] = ((type.element().isSigned() ? (byte) i : i) - type.zeroPoint()) * type.scale();
        }
        return reals;
    }

    private static void row(
            byte[] from,
            int top,
            int bottom,
            float down,
            Axis columns,
            int channels,
            float[] reals,
            ValueType type,
            byte[] to,
            int target) {
        int min = type.element().min();
        int max = type.element().max();
        for (int x = 0; x < columns.first.length; x++) {
            int left = columns.first[x] * channels;
            int right = columns.second[x] * channels;
            float along = columns.weight[x];
            for (int c = 0; c < channels; c++) {
                float upper = mix(reals[from[top + left + c] & 0xff], reals[from[top + right + c] & 0xff], along);
                float lower = mix(reals[from[bottom + left + c] & 0xff], reals[from[bottom + right + c] & 0xff], along);
                double steps = Quantizing.Rule.QUOTIENT_HALF_EVEN.steps(mix(upper, lower, down), type.scale());
                to[target + x * channels + c] = (byte) Math.min(Math.max(steps + type.zeroPoint(), min), max);
            }
        }
    }

    private static float mix(float a, float b, float weight) {
        return a * (1 - weight) + b * weight;
    }

    @Override
    public String label() {
        return "bilinear resize to " + outH + "x" + outW;
    }
}
