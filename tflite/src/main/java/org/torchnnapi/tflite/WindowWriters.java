package org.torchnnapi.tflite;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.ToIntFunction;
import org.tensorflow.lite.schema.BuiltinOperator;
import org.tensorflow.lite.schema.BuiltinOptions;
import org.tensorflow.lite.schema.Conv2DOptions;
import org.tensorflow.lite.schema.DepthwiseConv2DOptions;
import org.tensorflow.lite.schema.MulOptions;
import org.tensorflow.lite.schema.Padding;
import org.tensorflow.lite.schema.Pool2DOptions;
import org.tensorflow.lite.schema.StridedSliceOptions;
import org.tensorflow.lite.schema.TransposeConvOptions;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tflite.FlatGraph.TensorRef;

/**
 * Convolutions and pools. TensorFlow Lite's padding is none (VALID) or its own rule (SAME); other padding is an
 * operator of its own.
 */
final class WindowWriters {
    private static final int NNAPI_SAME = 1;
    private static final int BYTES_VERSION = 3;
    private static final int GROUPS_VERSION = 6;
    private static final int NO_ACTIVATION = 0;

    /** Padding of rows and columns, each before and after, in elements; stride and reach of the window. */
    private record Window(int[] rows, int[] columns, int strideY, int strideX, int reachY, int reachX) {
        boolean isUnpadded() {
            return rows[0] + rows[1] + columns[0] + columns[1] == 0;
        }

        /** Whether SAME pads so. */
        boolean isSame(int height, int width) {
            return Arrays.equals(rows, same(height, strideY, reachY))
                    && Arrays.equals(columns, same(width, strideX, reachX));
        }

        static int[] same(int size, int stride, int reach) {
            int count = (size + stride - 1) / stride;
            int total = Math.max(0, (count - 1) * stride + reach - size);
            return new int[] {total / 2, total - total / 2};
        }
    }

    private final Exporter to;

    WindowWriters(Exporter to) {
        this.to = to;
    }

    void convolution(Operation operation) {
        convolution(operation, false);
    }

    void grouped(Operation operation) {
        convolution(operation, true);
    }

    private void convolution(Operation operation, boolean grouped) {
        to.requireChannelsLast(operation);
        int dilationX = to.scalar(operation, "dilationWidth", 1);
        int dilationY = to.scalar(operation, "dilationHeight", 1);
        TensorRef filter = weights(operation);
        Window window =
                window(operation, (filter.shape()[1] - 1) * dilationY + 1, (filter.shape()[2] - 1) * dilationX + 1);
        byte fused = (byte) to.scalar(operation, "activation");
        int version = grouped
                ? GROUPS_VERSION
                : filter.isQuantized() ? BYTES_VERSION : dilationY != 1 || dilationX != 1 ? 2 : 1;
        windowed(
                operation,
                window,
                BuiltinOperator.CONV_2D,
                version,
                BuiltinOptions.Conv2DOptions,
                padding -> b -> Conv2DOptions.createConv2DOptions(
                        b, padding, window.strideX, window.strideY, fused, dilationX, dilationY),
                filter,
                to.in(operation, "bias"));
    }

    void depthwise(Operation operation) {
        to.requireChannelsLast(operation);
        int dilationX = to.scalar(operation, "dilationWidth", 1);
        int dilationY = to.scalar(operation, "dilationHeight", 1);
        TensorRef filter = weights(operation);
        Window window =
                window(operation, (filter.shape()[1] - 1) * dilationY + 1, (filter.shape()[2] - 1) * dilationX + 1);
        int multiplier = to.scalar(operation, "depthMultiplier");
        byte fused = (byte) to.scalar(operation, "activation");
        int version = filter.isQuantized() ? BYTES_VERSION : dilationY != 1 || dilationX != 1 ? 2 : 1;
        windowed(
                operation,
                window,
                BuiltinOperator.DEPTHWISE_CONV_2D,
                version,
                BuiltinOptions.DepthwiseConv2DOptions,
                padding -> b -> DepthwiseConv2DOptions.createDepthwiseConv2DOptions(
                        b, padding, window.strideX, window.strideY, multiplier, fused, dilationX, dilationY),
                filter,
                to.in(operation, "bias"));
    }

    /** Weights of signed bytes have the zero point 0, which kernels take for granted. */
    private TensorRef weights(Operation operation) {
        to.require(
                Exporter.isConstant(to.operand(operation, to.at(operation, "filter"))),
                operation,
                "weights that are computed",
                "constants");
        TensorRef filter = to.in(operation, "filter");
        to.require(
                filter.zeroPoint() == 0,
                operation,
                "weights of zero point "
                        + to.operand(operation, to.at(operation, "filter"))
                                .descriptor()
                                .zeroPoint(),
                "symmetric ones, of zero point 128, as PyTorch's default for QNNPACK");
        return filter;
    }

    void pool(Operation operation, int builtin) {
        to.requireChannelsLast(operation);
        int width = to.scalar(operation, "filterWidth");
        int height = to.scalar(operation, "filterHeight");
        Window window = window(operation, height, width);
        byte fused = (byte) to.scalar(operation, "activation");
        TensorRef in = to.in(operation, 0);
        if (builtin == BuiltinOperator.AVERAGE_POOL_2D
                && !window.isUnpadded()
                && !window.isSame(in.shape()[1], in.shape()[2])) {
            uncounted(operation, window, fused);
            return;
        }
        windowed(
                operation,
                window,
                builtin,
                in.isQuantized() ? 2 : 1,
                BuiltinOptions.Pool2DOptions,
                padding -> b -> Pool2DOptions.createPool2DOptions(
                        b, padding, window.strideX, window.strideY, width, height, fused));
    }

    /**
     * A mean that does not count padding: one that does, times how many elements there are over how many of them count.
     */
    private void uncounted(Operation operation, Window window, byte fused) {
        TensorRef in = to.in(operation, 0);
        to.require(
                !in.isQuantized(),
                operation,
                "quantized tensors and padding " + Arrays.toString(window.rows) + Arrays.toString(window.columns),
                "none, or that of SAME");
        TensorRef out = to.out(operation);
        TensorRef padded = padded(operation, in, window, false);
        TensorRef counted = to.like(in, out.shape());
        to.emit(
                BuiltinOperator.AVERAGE_POOL_2D,
                BuiltinOptions.Pool2DOptions,
                b -> Pool2DOptions.createPool2DOptions(
                        b, Padding.VALID, window.strideX, window.strideY, window.reachX, window.reachY, (byte)
                                NO_ACTIVATION),
                counted,
                padded);
        int rows = out.shape()[1];
        int columns = out.shape()[2];
        float[] factors = new float[rows * columns];
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int count = inside(y * window.strideY - window.rows[0], window.reachY, in.shape()[1])
                        * inside(x * window.strideX - window.columns[0], window.reachX, in.shape()[2]);
                factors[y * columns + x] = (float) window.reachY * window.reachX / count;
            }
        }
        to.emit(
                BuiltinOperator.MUL,
                BuiltinOptions.MulOptions,
                b -> MulOptions.createMulOptions(b, fused),
                out,
                counted,
                to.graph().reals(new int[] {1, rows, columns, 1}, factors));
    }

    private static int inside(int from, int reach, int size) {
        return Math.max(1, Math.min(size, from + reach) - Math.max(0, from));
    }

    /** VALID, which gives the whole result; what padding cuts off is sliced off. */
    void transposed(Operation operation) {
        to.requireChannelsLast(operation);
        to.require(to.scalar(operation, "activation") == NO_ACTIVATION, operation, "a fused activation", "none");
        TensorRef in = to.in(operation, 0);
        TensorRef filter = weights(operation);
        TensorRef bias = to.in(operation, "bias");
        TensorRef out = to.out(operation);
        int strideX = to.scalar(operation, "strideWidth");
        int strideY = to.scalar(operation, "strideHeight");
        int[] full = {
            in.shape()[0],
            (in.shape()[1] - 1) * strideY + filter.shape()[1],
            (in.shape()[2] - 1) * strideX + filter.shape()[2],
            out.shape()[3]
        };
        int top = to.scalar(operation, "paddingTop", Math.max(0, full[1] - out.shape()[1]) / 2);
        int left = to.scalar(operation, "paddingLeft", Math.max(0, full[2] - out.shape()[2]) / 2);
        boolean whole = Arrays.equals(full, out.shape());
        to.require(
                full[1] >= top + out.shape()[1] && full[2] >= left + out.shape()[2],
                operation,
                "a result larger than what it covers",
                "at most that");
        TensorRef made = whole ? out : to.like(out, full);
        to.emit(
                BuiltinOperator.TRANSPOSE_CONV,
                BYTES_VERSION,
                BuiltinOptions.TransposeConvOptions,
                b -> TransposeConvOptions.createTransposeConvOptions(
                        b, Padding.VALID, strideX, strideY, (byte) NO_ACTIVATION),
                made,
                to.graph().vector(full),
                filter,
                in,
                bias);
        if (!whole) {
            int[] end = {out.shape()[0], top + out.shape()[1], left + out.shape()[2], out.shape()[3]};
            to.emit(
                    BuiltinOperator.STRIDED_SLICE,
                    BuiltinOptions.StridedSliceOptions,
                    b -> StridedSliceOptions.createStridedSliceOptions(b, 0, 0, 0, 0, 0, false),
                    out,
                    made,
                    to.graph().vector(0, top, left, 0),
                    to.graph().vector(end),
                    to.graph().vector(1, 1, 1, 1));
        }
    }

    private interface Options {
        ToIntFunction<FlatBufferBuilder> with(byte padding);
    }

    private void windowed(
            Operation operation,
            Window window,
            int builtin,
            int version,
            byte optionsType,
            Options options,
            TensorRef... further) {
        TensorRef in = to.in(operation, 0);
        boolean same = !window.isUnpadded() && window.isSame(in.shape()[1], in.shape()[2]);
        TensorRef from = same || window.isUnpadded()
                ? in
                : padded(operation, in, window, builtin == BuiltinOperator.MAX_POOL_2D);
        TensorRef[] inputs = new TensorRef[further.length + 1];
        inputs[0] = from;
        System.arraycopy(further, 0, inputs, 1, further.length);
        to.emit(
                builtin,
                version,
                optionsType,
                options.with(same ? Padding.SAME : Padding.VALID),
                to.out(operation),
                inputs);
    }

    private TensorRef padded(Operation operation, TensorRef in, Window window, boolean least) {
        int[] shape = in.shape().clone();
        shape[1] += window.rows[0] + window.rows[1];
        shape[2] += window.columns[0] + window.columns[1];
        TensorRef amounts = to.graph()
                .numbers(
                        new int[] {4, 2},
                        0,
                        0,
                        window.rows[0],
                        window.rows[1],
                        window.columns[0],
                        window.columns[1],
                        0,
                        0);
        TensorRef padded = to.like(in, shape);
        if (!least) {
            to.emit(BuiltinOperator.PAD, padded, in, amounts);
            return padded;
        }
        byte type = in.type();
        TensorRef value = in.isQuantized()
                ? to.graph().tensor(null, new int[0], type, in.scale(), in.zeroPoint(), ByteBuffer.wrap(new byte[] {
                    Byte.MIN_VALUE
                }))
                : to.graph().reals(new int[0], -Float.MAX_VALUE);
        to.require(
                to.operand(operation, 0).type() == OperandType.TENSOR_FLOAT32 || in.isQuantized(),
                operation,
                "padded " + to.operand(operation, 0).type(),
                "real numbers");
        to.emit(BuiltinOperator.PADV2, padded, in, amounts, value);
        return padded;
    }

    private Window window(Operation operation, int reachY, int reachX) {
        int[] shape = to.operand(operation, 0).descriptor().dimensions();
        int strideX = to.scalar(operation, "strideWidth");
        int strideY = to.scalar(operation, "strideHeight");
        if (to.at(operation, "paddingLeft") >= 0) {
            int[] columns = {to.scalar(operation, "paddingLeft"), to.scalar(operation, "paddingRight")};
            int[] rows = {to.scalar(operation, "paddingTop"), to.scalar(operation, "paddingBottom")};
            return new Window(rows, columns, strideY, strideX, reachY, reachX);
        }
        boolean same = to.scalar(operation, "paddingCode") == NNAPI_SAME;
        return new Window(
                same ? Window.same(shape[1], strideY, reachY) : new int[2],
                same ? Window.same(shape[2], strideX, reachX) : new int[2],
                strideY,
                strideX,
                reachY,
                reachX);
    }
}
