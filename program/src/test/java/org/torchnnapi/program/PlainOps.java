package org.torchnnapi.program;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.Resize;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.GatherOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.ResizeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * What operations mean, by the shortest loops in double and without a kernel: every element of a result from its
 * indexes. Only the geometry of windows and the constants of the rules come from the operations themselves.
 */
final class PlainOps {
    private PlainOps() {}

    /** An element of the result from its indexes. */
    private interface Element {
        double at(int[] index);
    }

    /** A value with its shape; bytes as the numbers that they stand for before zero point and scale. */
    private record Array(double[] data, int[] shape, ValueType type) {
        static Array of(Object elements, ValueType type) {
            double[] data = new double[type.count()];
            for (int i = 0; i < data.length; i++) {
                data[i] = elements instanceof float[] floats
                        ? floats[i]
                        : elements instanceof int[] ints
                                ? ints[i]
                                : type.element().isSigned() ? ((byte[]) elements)[i] : ((byte[]) elements)[i] & 0xff;
            }
            return new Array(data, type.shape(), type);
        }

        double at(int[] index) {
            int at = 0;
            for (int d = 0; d < shape.length; d++) {
                at = at * shape[d] + index[d];
            }
            return data[at];
        }

        /** Elements of a matrix of the last two axes. */
        int matrix() {
            return shape[shape.length - 1] * shape[shape.length - 2];
        }

        /** Of images in either order; {@code outside} where there is no pixel. */
        double pixel(ImageLayout order, int n, int c, int y, int x, double outside) {
            boolean rows = order == ImageLayout.NCHW;
            int channels = shape[rows ? 1 : 3];
            int height = shape[rows ? 2 : 1];
            int width = shape[rows ? 3 : 2];
            boolean inside = y >= 0 && x >= 0 && y < height && x < width;
            return !inside
                    ? outside
                    : data[
                            rows
                                    ? ((n * channels + c) * height + y) * width + x
                                    : ((n * height + y) * width + x) * channels + c];
        }

        /** The element that an index of a wider shape means. */
        double broadcast(int[] index) {
            int[] own = new int[shape.length];
            for (int d = 0; d < own.length; d++) {
                own[d] = shape[d] == 1 ? 0 : index[d + index.length - own.length];
            }
            return at(own);
        }
    }

    /** The elements of the result; null for operations that this twin does not know. */
    static Object run(Op op, Object[] inputs, ValueType[] types, ValueType result) {
        Array[] in = new Array[inputs.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = Array.of(inputs[i], types[i]);
        }
        Element element = element(op, in, result);
        return element == null ? null : fill(result, element);
    }

    private static Element element(Op op, Array[] in, ValueType result) {
        Array x = in[0];
        if (op instanceof GatherOp gather && in[1].shape().length == 1) {
            int axis = Math.floorMod(gather.axis(), x.shape().length);
            return index -> {
                int[] from = index.clone();
                from[axis] = (int) in[1].at(new int[] {index[axis]});
                return x.at(from);
            };
        }
        if (op instanceof ConvolutionOp convolution) {
            float[] weights = convolution.weights().values();
            return convolution.shape().transposed()
                    ? null
                    : index -> activated(
                            convolution.activation(),
                            convolved(
                                    convolution.shape(),
                                    convolution.order(),
                                    x,
                                    index,
                                    0,
                                    i -> weights[i],
                                    i -> convolution.bias() == null
                                            ? 0
                                            : convolution.bias()[i]));
        }
        if (op instanceof QuantizedConvolutionOp convolution) {
            return convolution.shape().transposed() || convolution.sum() != null
                    ? null
                    : index -> quantized(convolution, x, index);
        }
        if (op instanceof LinearOp linear) {
            float[] weights = linear.weights().values();
            return index -> {
                int row = index[index.length - 1];
                double sum = linear.bias() == null ? 0 : linear.bias()[row];
                int[] from = index.clone();
                for (int i = 0; i < linear.in(); i++) {
                    from[from.length - 1] = i;
                    sum += x.at(from) * weights[row * linear.in() + i];
                }
                return activated(linear.activation(), sum);
            };
        }
        if (op instanceof ClampOp limit) {
            return index -> clamped(limit.clamp(), x.at(index));
        }
        if (op instanceof UnaryMathOp unary) {
            return Double.isNaN(function(unary.op(), 0.5)) ? null : index -> function(unary.op(), x.at(index));
        }
        if (op instanceof BinaryMathOp binary) {
            DoubleBinaryOperator f = function(binary);
            return f == null
                    ? null
                    : index -> clamped(binary.clamp(), f.applyAsDouble(x.broadcast(index), in[1].broadcast(index)));
        }
        if (op instanceof QuantizedAddOp add) {
            return !Arrays.equals(x.shape, in[1].shape)
                    ? null
                    : index -> {
                        double steps = Math.rint((real(x, index) + real(in[1], index)) / result.scale());
                        return Math.min(
                                Math.max(steps + result.zeroPoint(), add.sum().min()),
                                add.sum().max());
                    };
        }
        if (op instanceof TableOp table) {
            return index -> number(table.table()[(int) x.at(index) & 0xff], result);
        }
        if (op instanceof BinaryTableOp table) {
            return !Arrays.equals(x.shape, in[1].shape)
                    ? null
                    : index -> number(
                            table.table()[((int) x.at(index) & 0xff) << 8 | (int) in[1].at(index) & 0xff], result);
        }
        return moved(op, in, result);
    }

    /** Operations that choose, average or order elements. */
    private static Element moved(Op op, Array[] in, ValueType result) {
        Array x = in[0];
        if (op instanceof PoolOp pool) {
            return index -> clamped(pool.clamp(), pooled(pool.kind(), pool.window(), pool.order(), x, index));
        }
        if (op instanceof QuantizedPoolOp pool) {
            return pool.factor() != 0
                    ? null
                    : index -> {
                        double zero = pool.aboveZeroPoint() ? result.zeroPoint() : 0;
                        double value = pooled(pool.kind(), pool.window(), pool.order(), x, index) - zero;
                        return Math.min(
                                Math.max(rounded(pool.rounding(), (float) value) + zero, pool.min()), pool.max());
                    };
        }
        if (op instanceof ConcatenationOp concatenation) {
            int axis = Math.floorMod(concatenation.axis(), result.rank());
            return index -> {
                int[] from = index.clone();
                int part = 0;
                while (from[axis] >= in[part].shape[axis]) {
                    from[axis] -= in[part++].shape[axis];
                }
                return in[part].at(from);
            };
        }
        if (op instanceof SliceOp slice) {
            return index -> {
                int[] from = new int[index.length];
                Arrays.setAll(from, d -> slice.begin()[d] + index[d] * slice.stride()[d]);
                return x.at(from);
            };
        }
        if (op instanceof TransposeOp transpose) {
            return index -> {
                int[] from = new int[index.length];
                for (int d = 0; d < from.length; d++) {
                    from[transpose.permutation()[d]] = index[d];
                }
                return x.at(from);
            };
        }
        if (op instanceof PadOp pad) {
            return index -> {
                int[] from = new int[index.length];
                for (int d = 0; d < from.length; d++) {
                    from[d] = index[d] - pad.before()[d];
                    if (from[d] < 0 || from[d] >= x.shape[d]) {
                        return pad.value();
                    }
                }
                return x.at(from);
            };
        }
        if (op instanceof ReshapeOp) {
            return index -> {
                int at = 0;
                for (int d = 0; d < index.length; d++) {
                    at = at * result.dimension(d) + index[d];
                }
                return x.data[at];
            };
        }
        if (op instanceof ReduceOp reduce) {
            return reduced(reduce, x);
        }
        if (op instanceof SoftmaxOp softmax) {
            return softmax.isSafe() ? null : index -> softmax(softmax, x, index);
        }
        if (op instanceof MatrixProductOp product && in[1].data.length / in[1].matrix() == x.data.length / x.matrix()) {
            return index -> product(product, x, in[1], index);
        }
        if (op instanceof MaskedFillOp fill) {
            return index -> in[1].broadcast(index) != 0 == fill.where() ? fill.value() : x.at(index);
        }
        return op instanceof ResizeOp resize
                        && resize.coordinates() == Resize.Coordinates.HALF_PIXEL
                        && x.type.isFloat()
                ? index -> resized(resize, x, index)
                : null;
    }

    private static Object fill(ValueType type, Element element) {
        int count = type.count();
        float[] floats = type.isFloat() ? new float[count] : null;
        byte[] bytes = type.isFloat() ? null : new byte[count];
        int[] index = new int[type.rank()];
        for (int i = 0; i < count; i++) {
            double value = element.at(index);
            if (floats != null) {
                floats[i] = (float) value;
            } else {
                bytes[i] = (byte) (int) value;
            }
            for (int d = index.length - 1; d >= 0 && ++index[d] == type.dimension(d); d--) {
                index[d] = 0;
            }
        }
        return floats != null ? floats : bytes;
    }

    private static double number(byte value, ValueType type) {
        return type.element().isSigned() ? value : value & 0xff;
    }

    private static double weight(QuantizedWeights weights, int i) {
        return weights.signed() ? weights.values()[i] : weights.values()[i] & 0xff;
    }

    private static double real(Array x, int[] index) {
        return (x.at(index) - x.type.zeroPoint()) * x.type.scale();
    }

    private static double activated(Activation activation, double value) {
        return clamped(
                activation.clamp(), activation.function() == null ? value : function(activation.function(), value));
    }

    private static double clamped(Clamp clamp, double value) {
        return Math.min(Math.max(value, clamp.min()), clamp.max());
    }

    private interface Constants {
        double at(int i);
    }

    /** Weights are [output channel][input channel of the group][row][column]. */
    private static double convolved(
            ConvShape s, ImageLayout order, Array x, int[] index, double outside, Constants weights, Constants bias) {
        boolean rows = order == ImageLayout.NCHW;
        int channel = index[rows ? 1 : 3];
        int each = s.inC() / s.groups();
        int group = channel / (s.outC() / s.groups());
        double sum = bias.at(channel);
        for (int c = 0; c < each; c++) {
            for (int y = 0; y < s.kernelH(); y++) {
                for (int k = 0; k < s.kernelW(); k++) {
                    int row = index[rows ? 2 : 1] * s.strideH() - s.padTop() + y * s.dilationH();
                    int column = index[rows ? 3 : 2] * s.strideW() - s.padLeft() + k * s.dilationW();
                    double weight = weights.at(((channel * each + c) * s.kernelH() + y) * s.kernelW() + k);
                    sum += weight * (x.pixel(order, index[0], group * each + c, row, column, outside) - outside);
                }
            }
        }
        return sum;
    }

    private static double quantized(QuantizedConvolutionOp convolution, Array x, int[] index) {
        int channel = index[convolution.order() == ImageLayout.NCHW ? 1 : 3];
        double sum = convolved(
                convolution.shape(),
                convolution.order(),
                x,
                index,
                x.type.zeroPoint(),
                i -> weight(convolution.weights(), i) - convolution.weights().zeroPoint(channel),
                i -> convolution.bias() == null ? 0 : convolution.bias()[i]);
        Requantization rule = convolution.requantization();
        double steps = Math.rint((float) (int) sum * rule.scale(channel));
        return Math.min(Math.max(steps + rule.zeroPoint(), rule.min()), rule.max());
    }

    private static double pooled(Pooling.Kind kind, Pooling.Window w, ImageLayout order, Array x, int[] index) {
        boolean rows = order == ImageLayout.NCHW;
        double sum = 0;
        double largest = Double.NEGATIVE_INFINITY;
        int count = 0;
        int padded = 0;
        for (int y = 0; y < w.kernelH(); y++) {
            for (int k = 0; k < w.kernelW(); k++) {
                int row = index[rows ? 2 : 1] * w.strideH() - w.padTop() + y * w.dilationH();
                int column = index[rows ? 3 : 2] * w.strideW() - w.padLeft() + k * w.dilationW();
                double value = x.pixel(order, index[0], index[rows ? 1 : 3], row, column, Double.NaN);
                padded += row < w.inH() + w.padBottom() && column < w.inW() + w.padRight() ? 1 : 0;
                if (!Double.isNaN(value)) {
                    sum += value;
                    largest = Math.max(largest, value);
                    count++;
                }
            }
        }
        return switch (kind) {
            case MAX -> largest;
            case AVERAGE -> sum / count;
            case AVERAGE_WITH_PADDING -> sum / padded;
        };
    }

    private static double rounded(Rounding rounding, double value) {
        return rounding == Rounding.HALF_EVEN
                ? Math.rint(value)
                : Math.signum(value) * Math.floor(Math.abs(value) + 0.5);
    }

    private static Element reduced(ReduceOp reduce, Array x) {
        boolean[] over = new boolean[x.shape.length];
        for (int axis : reduce.axes()) {
            over[Math.floorMod(axis, over.length)] = true;
        }
        return index -> {
            double sum = 0;
            double product = 1;
            double largest = Double.NEGATIVE_INFINITY;
            double least = Double.POSITIVE_INFINITY;
            int count = 0;
            int[] at = new int[over.length];
            boolean more = true;
            for (int d = 0, i = 0; d < at.length; d++) {
                i += reduce.keep() && over[d] ? 1 : 0;
                at[d] = over[d] ? 0 : index[i++];
            }
            while (more) {
                double value = x.at(at);
                sum += value;
                product *= value;
                largest = Math.max(largest, value);
                least = Math.min(least, value);
                count++;
                more = false;
                for (int d = at.length - 1; d >= 0 && !more; d--) {
                    if (over[d]) {
                        more = ++at[d] < x.shape[d];
                        at[d] = more ? at[d] : 0;
                    }
                }
            }
            return switch (reduce.reduction()) {
                case SUM -> sum;
                case MEAN -> sum / count;
                case MAX -> largest;
                case MIN -> least;
                case PROD -> product;
            };
        };
    }

    private static double product(MatrixProductOp product, Array a, Array b, int[] index) {
        int last = index.length - 1;
        int columns = a.shape[last];
        int matrix = 0;
        for (int d = 0; d < last - 1; d++) {
            matrix = matrix * a.shape[d] + index[d];
        }
        int row = (matrix * a.shape[last - 1] + index[last - 1]) * columns;
        int other = matrix * b.matrix();
        int width = b.matrix() / columns;
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            sum += a.data[row + i]
                    * b.data[other + (product.transposeB() ? index[last] * columns + i : i * width + index[last])];
        }
        return product.alpha() * sum;
    }

    private static double softmax(SoftmaxOp softmax, Array x, int[] index) {
        int axis = Math.floorMod(softmax.axis(), index.length);
        int[] at = index.clone();
        double sum = 0;
        for (at[axis] = 0; at[axis] < x.shape[axis]; at[axis]++) {
            sum += Math.exp(softmax.beta() * x.at(at));
        }
        double own = softmax.beta() * x.at(index);
        return softmax.logarithm() ? own - Math.log(sum) : Math.exp(own) / sum;
    }

    private static double resized(ResizeOp resize, Array x, int[] index) {
        boolean rows = resize.order() == ImageLayout.NCHW;
        int channel = index[rows ? 1 : 3];
        int height = x.shape[rows ? 2 : 1];
        int width = x.shape[rows ? 3 : 2];
        boolean nearest = resize.interpolation() == ResizeOp.Interpolation.NEAREST;
        // Of floats, as these coordinates are.
        double y = (index[rows ? 2 : 1] + 0.5f) * resize.scaleH() - (nearest ? 0 : 0.5f);
        double k = (index[rows ? 3 : 2] + 0.5f) * resize.scaleW() - (nearest ? 0 : 0.5f);
        if (nearest) {
            return x.pixel(
                    resize.order(), index[0], channel, Math.min((int) y, height - 1), Math.min((int) k, width - 1), 0);
        }
        y = Math.max(y, 0);
        k = Math.max(k, 0);
        double value = 0;
        for (int corner = 0; corner < 4; corner++) {
            int row = Math.min((int) y + corner / 2, height - 1);
            int column = Math.min((int) k + corner % 2, width - 1);
            double vertical = corner / 2 == 0 ? 1 - (y - (int) y) : y - (int) y;
            double horizontal = corner % 2 == 0 ? 1 - (k - (int) k) : k - (int) k;
            value += vertical * horizontal * x.pixel(resize.order(), index[0], channel, row, column, 0);
        }
        return value;
    }

    private static double function(UnaryOp function, double x) {
        return switch (function) {
            case SIGMOID -> 1 / (1 + Math.exp(-x));
            case TANH -> Math.tanh(x);
            case HARD_SIGMOID -> Math.min(Math.max(x + 3, 0), 6) / 6;
            case HARD_SWISH -> x * Math.min(Math.max(x + 3, 0), 6) / 6;
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case EXP -> Math.exp(x);
            case SQRT -> Math.sqrt(x);
            case SILU -> x / (1 + Math.exp(-x));
            default -> Double.NaN;
        };
    }

    private static DoubleBinaryOperator function(BinaryMathOp binary) {
        return switch (binary.op()) {
            case ADD -> (a, b) -> a + b;
            case SUB -> (a, b) -> a - b;
            case MUL -> (a, b) -> a * b;
            case DIV -> (a, b) -> a / b;
            case MAX -> Math::max;
            case MIN -> Math::min;
            case PRELU -> (a, b) -> a < 0 ? a * b : a;
            default -> null;
        };
    }
}
