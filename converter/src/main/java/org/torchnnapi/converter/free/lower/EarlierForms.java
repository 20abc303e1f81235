package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Operations of later releases of NNAPI in those of earlier ones. Each method returns null where there is no such form, which leaves the
 * later operation in place: the check of the level then refuses the node and says why.
 */
final class EarlierForms {
    /** Columns of a matrix that does no more than rearrange. */
    private static final int MOST_COLUMNS = 2048;
    /** Keeps 0 / 0 out of powers of 0; far below what the square of a useful number can be. */
    private static final float LEAST_SQUARE = 1e-37f;

    private EarlierForms() {
    }

    private static boolean isFloat(Term in) {
        return in.type() == OperandType.TENSOR_FLOAT32;
    }

    static Term unary(NetBuilder net, OperationType type, Term x) {
        if (!isFloat(x)) {
            return null;
        }
        return switch (type) {
            case ABS -> net.add(net.unary(OperationType.RELU, x), net.unary(OperationType.RELU, net.mul(x, -1)));
            case NEG -> net.mul(x, -1);
            // exp(x) = s(x) / s(-x), where s(x) = 1 / (1 + exp(-x)).
            case EXP -> net.has(OperationType.DIV)
                ? net.div(net.unary(OperationType.LOGISTIC, x), net.unary(OperationType.LOGISTIC, net.mul(x, -1))) : null;
            case HARD_SWISH -> net.mul(x, net.mul(net.unary(OperationType.RELU6, net.add(x, 3)), 1.0 / 6));
            default -> null;
        };
    }

    /** The sum with what is negative, and the product with the reciprocal of a constant. */
    static Term arithmetic(NetBuilder net, OperationType type, Term a, Term b) {
        if (!isFloat(a) || !b.isConstant() && type == OperationType.DIV) {
            return null;
        }
        if (!b.isConstant()) {
            return net.add(a, net.mul(b, -1));
        }
        float[] values = net.values(b).clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = type == OperationType.DIV ? 1 / values[i] : -values[i];
        }
        Term constant = values.length == 1 && b.rank() == 1 ? net.number(values[0]) : net.floats(values, b.dims());
        return type == OperationType.DIV ? net.mul(a, constant) : net.add(a, constant);
    }

    /** {@code max(a, b) = b + relu(a - b)}, and {@code min(a, b) = a - relu(a - b)}. */
    static Term binary(NetBuilder net, OperationType type, Term a, Term b) {
        if (!isFloat(a) || type != OperationType.MAXIMUM && type != OperationType.MINIMUM) {
            return null;
        }
        Term above = net.unary(OperationType.RELU, net.sub(a, b));
        return type == OperationType.MAXIMUM ? net.add(b, above) : net.sub(a, above);
    }

    /** {@code |x|^p} with the sign of x, by LOCAL_RESPONSE_NORMALIZATION of each element by itself: {@code x / (x^2)^((1 - p) / 2)}. */
    static Term power(NetBuilder net, Term x, double p) {
        Term line = net.reshape(x, 1, 1, x.count(), 1);
        return net.reshape(net.responses(line, 0, LEAST_SQUARE, 1, (1 - p) / 2), x.dims());
    }

    /** {@code relu(x) - slope relu(-x)}. */
    static Term prelu(NetBuilder net, Term x, Term slope) {
        Term below = net.mul(net.unary(OperationType.RELU, net.mul(x, -1)), slope);
        return net.sub(net.unary(OperationType.RELU, x), below);
    }

    // Reductions; dimensions stay, with size 1.

    /** MEAN as AVERAGE_POOL_2D over neighbouring dimensions. */
    static Term mean(NetBuilder net, Term in, int... dimensions) {
        Term rows = band(net, in, dimensions);
        return rows == null ? null : back(net, net.windows().pool(OperationType.AVERAGE_POOL_2D, rows, whole(rows)), in, dimensions);
    }

    static Term reduce(NetBuilder net, OperationType type, Term in, int... dimensions) {
        if (!isFloat(in)) {
            return null;
        }
        Term rows = band(net, in, dimensions);
        return switch (type) {
            case REDUCE_SUM -> {
                int count = 1;
                for (int d : dimensions) {
                    count *= in.dims()[d];
                }
                yield net.mul(net.mean(in, dimensions), count);
            }
            case REDUCE_MAX -> rows == null ? null : back(net, net.windows().pool(OperationType.MAX_POOL_2D, rows, whole(rows)), in, dimensions);
            case REDUCE_MIN -> rows == null ? null
                : back(net, net.mul(net.windows().pool(OperationType.MAX_POOL_2D, net.mul(rows, -1), whole(rows)), -1), in, dimensions);
            default -> null;
        };
    }

    /** The tensor as images whose pixels are what is reduced; null unless the dimensions are neighbours. */
    private static Term band(NetBuilder net, Term in, int... dimensions) {
        int[] sorted = dimensions.clone();
        Arrays.sort(sorted);
        int first = sorted[0];
        int last = sorted[sorted.length - 1];
        if (last - first != sorted.length - 1) {
            return null;
        }
        int[] dims = in.dims();
        if (first == 1 && last == 2 && dims.length == NetBuilder.MAX_RANK) {
            return in;
        }
        return net.reshape(in, product(dims, 0, first), product(dims, first, last + 1), 1, product(dims, last + 1, dims.length));
    }

    private static Frame whole(Term image) {
        return Frame.of(new int[] {image.dims()[1], image.dims()[2]}, new int[0], new int[2], new int[] {1});
    }

    private static Term back(NetBuilder net, Term made, Term in, int... dimensions) {
        int[] dims = in.dims().clone();
        for (int d : dimensions) {
            dims[d] = 1;
        }
        return net.reshape(made, dims);
    }

    static int product(int[] dims, int from, int to) {
        int product = 1;
        for (int i = from; i < to; i++) {
            product = Math.multiplyExact(product, dims[i]);
        }
        return product;
    }

    // Arrangement.

    /** By joining the tensor with constants. */
    static Term pad(NetBuilder net, Term in, int[] before, int[] after, double value) {
        if (!isFloat(in) && value != 0) {
            return null;
        }
        Term out = in;
        for (int d = 0; d < before.length; d++) {
            List<Term> parts = new ArrayList<>();
            if (before[d] > 0) {
                parts.add(net.filled(in, resized(out.dims(), d, before[d]), value));
            }
            parts.add(out);
            if (after[d] > 0) {
                parts.add(net.filled(in, resized(out.dims(), d, after[d]), value));
            }
            out = net.concatenate(parts, d);
        }
        return out;
    }

    private static int[] resized(int[] dims, int dimension, int size) {
        int[] out = dims.clone();
        out[dimension] = size;
        return out;
    }

    /** By joining the tensor with itself. */
    static Term tile(NetBuilder net, Term in, int... multiples) {
        if (!isFloat(in) && !in.isQuantized()) {
            return null;
        }
        Term out = in;
        for (int d = multiples.length - 1; d >= 0; d--) {
            if (multiples[d] > 1) {
                List<Term> parts = new ArrayList<>();
                for (int i = 0; i < multiples[d]; i++) {
                    parts.add(out);
                }
                out = net.concatenate(parts, d);
            }
        }
        return out;
    }

    /** EMBEDDING_LOOKUP, which picks rows. */
    static Term gather(NetBuilder net, Term in, int dimension, Term indices) {
        if (!isFloat(in) || indices.type() != OperandType.TENSOR_INT32) {
            return null;
        }
        int[] dims = in.dims();
        int outer = product(dims, 0, dimension);
        int inner = product(dims, dimension + 1, dims.length);
        if (indices.rank() != 1) {
            return null;
        }
        int[] made = resized(dims, dimension, indices.dims()[0]);
        if (outer == 1) {
            return net.reshape(net.lookUp(net.reshape(in, dims[dimension], inner), indices), made);
        }
        Term rows = net.transpose(net.reshape(in, outer, dims[dimension], inner), 1, 0, 2);
        Term picked = net.reshape(net.lookUp(net.reshape(rows, dims[dimension], outer * inner), indices), made[dimension], outer, inner);
        return net.reshape(net.transpose(picked, 1, 0, 2), made);
    }

    /** By a convolution whose window has one weight that is not 0; or, of the last dimension, by a matrix. */
    static Term slice(NetBuilder net, Term in, int dimension, int begin, int end, int step) {
        if (!isFloat(in)) {
            return null;
        }
        int[] dims = in.dims();
        int size = dims[dimension];
        int count = (end - begin + step - 1) / step;
        int outer = product(dims, 0, dimension);
        int inner = product(dims, dimension + 1, dims.length);
        if (inner == 1) {
            if (size > MOST_COLUMNS) {
                return null;
            }
            int[] from = new int[count];
            for (int i = 0; i < count; i++) {
                from[i] = begin + i * step;
            }
            return net.reshape(picked(net, net.reshape(in, outer, size), from), resized(dims, dimension, count));
        }
        int window = size - (count - 1) * step;
        float[] weights = new float[Math.multiplyExact(window, inner)];
        Arrays.fill(weights, begin * inner, (begin + 1) * inner, 1);
        Frame frame = new Frame(new Frame.Axis(window, step, 0, 0, 1), new Frame.Axis(1, 1, 0, 0, 1));
        Term image = net.reshape(in, outer, size, 1, inner);
        Term made = net.windows().convolution(image, net.floats(weights, 1, window, 1, inner), net.zeros(inner), frame, 1, true, 0, 0, 0);
        return net.reshape(made, resized(dims, dimension, count));
    }

    /** Column i of the result is column {@code from[i]}. */
    private static Term picked(NetBuilder net, Term rows, int... from) {
        int size = rows.dims()[1];
        float[] matrix = new float[from.length * size];
        for (int i = 0; i < from.length; i++) {
            matrix[i * size + from[i]] = 1;
        }
        return net.fullyConnected(rows, net.floats(matrix, from.length, size), net.zeros(from.length), 0, 0);
    }

    /** Moves of the last dimensions among each other, by a matrix, as far as that is small. */
    static Term transpose(NetBuilder net, Term in, int... order) {
        int kept = 0;
        while (kept < order.length && order[kept] == kept) {
            kept++;
        }
        int[] dims = in.dims();
        int size = product(dims, kept, dims.length);
        if (!isFloat(in) || size > MOST_COLUMNS) {
            return null;
        }
        int[] to = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            to[i] = dims[order[i]];
        }
        int[] strides = new int[dims.length];
        for (int d = dims.length - 1, stride = 1; d >= 0; d--) {
            strides[d] = stride;
            stride *= dims[d];
        }
        int[] from = new int[size];
        for (int i = 0; i < size; i++) {
            int rest = i;
            for (int d = order.length - 1; d >= kept; d--) {
                from[i] += rest % to[d] * strides[order[d]];
                rest /= to[d];
            }
        }
        return net.reshape(picked(net, net.reshape(in, product(dims, 0, kept), size), from), to);
    }

    /** Along a dimension that is not the last of a matrix. */
    static Term softmax(NetBuilder net, Term in, int dimension) {
        int[] dims = in.dims();
        int last = dims.length - 1;
        if (dimension == last) {
            return net.reshape(net.softmax(net.reshape(in, product(dims, 0, last), dims[last]), 1), dims);
        }
        int[] order = Scope.identity(dims.length);
        order[dimension] = last;
        order[last] = dimension;
        return net.transpose(net.softmax(net.transpose(in, order), last), order);
    }

    /** Each pixel several times, where the sizes are multiples. */
    static Term nearest(NetBuilder net, Term image, int height, int width) {
        int[] dims = image.dims();
        if (height % dims[1] != 0 || width % dims[2] != 0) {
            return null;
        }
        Term columns = net.reshape(image, dims[0] * dims[1], dims[2], 1, dims[3]);
        Term wide = net.tile(columns, 1, 1, width / dims[2], 1);
        Term rows = net.reshape(wide, dims[0], dims[1], 1, width * dims[3]);
        return net.reshape(net.tile(rows, 1, 1, height / dims[1], 1), dims[0], height, width, dims[3]);
    }
}
