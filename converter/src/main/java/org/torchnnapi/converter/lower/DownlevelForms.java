package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Operations of later releases of NNAPI in those of earlier ones. Each method returns null where there is no such form,
 * which leaves the later operation in place: the check of the level then refuses the node and says why.
 */
final class DownlevelForms {
    /** Columns of a matrix that does no more than rearrange. */
    private static final int MOST_COLUMNS = 2048;
    /** Keeps 0 / 0 out of powers of 0; far below what the square of a useful number can be. */
    private static final float LEAST_SQUARE = 1e-37f;

    private DownlevelForms() {}

    private static boolean isFloat(OperandRef in) {
        return in.type() == OperandType.TENSOR_FLOAT32;
    }

    static OperandRef unary(NnapiBuilder nnapi, OperationType type, OperandRef x) {
        if (!isFloat(x)) {
            return null;
        }
        return switch (type) {
            case ABS ->
                nnapi.add(nnapi.unary(OperationType.RELU, x), nnapi.unary(OperationType.RELU, nnapi.mul(x, -1)));
            case NEG -> nnapi.mul(x, -1);
            // exp(x) = s(x) / s(-x), where s(x) = 1 / (1 + exp(-x)).
            case EXP ->
                nnapi.has(OperationType.DIV)
                        ? nnapi.div(
                                nnapi.unary(OperationType.LOGISTIC, x),
                                nnapi.unary(OperationType.LOGISTIC, nnapi.mul(x, -1)))
                        : null;
            case HARD_SWISH -> nnapi.mul(x, nnapi.mul(nnapi.unary(OperationType.RELU6, nnapi.add(x, 3)), 1.0 / 6));
            default -> null;
        };
    }

    /** The sum with what is negative, and the product with the reciprocal of a constant. */
    static OperandRef arithmetic(NnapiBuilder nnapi, OperationType type, OperandRef a, OperandRef b) {
        if (!isFloat(a) || !b.isConstant() && type == OperationType.DIV) {
            return null;
        }
        if (!b.isConstant()) {
            return nnapi.add(a, nnapi.mul(b, -1));
        }
        float[] values = nnapi.values(b).clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = type == OperationType.DIV ? 1 / values[i] : -values[i];
        }
        OperandRef constant =
                values.length == 1 && b.rank() == 1 ? nnapi.number(values[0]) : nnapi.floats(values, b.dims());
        return type == OperationType.DIV ? nnapi.mul(a, constant) : nnapi.add(a, constant);
    }

    /** {@code max(a, b) = b + relu(a - b)}, and {@code min(a, b) = a - relu(a - b)}. */
    static OperandRef binary(NnapiBuilder nnapi, OperationType type, OperandRef a, OperandRef b) {
        if (!isFloat(a) || type != OperationType.MAXIMUM && type != OperationType.MINIMUM) {
            return null;
        }
        OperandRef above = nnapi.unary(OperationType.RELU, nnapi.sub(a, b));
        return type == OperationType.MAXIMUM ? nnapi.add(b, above) : nnapi.sub(a, above);
    }

    /**
     * {@code |x|^p} with the sign of x, by LOCAL_RESPONSE_NORMALIZATION of each element by itself: {@code x / (x^2)^((1
     * - p) / 2)}.
     */
    static OperandRef power(NnapiBuilder nnapi, OperandRef x, double p) {
        OperandRef line = nnapi.reshape(x, 1, 1, x.count(), 1);
        return nnapi.reshape(nnapi.responses(line, 0, LEAST_SQUARE, 1, (1 - p) / 2), x.dims());
    }

    /** {@code relu(x) - slope relu(-x)}. */
    static OperandRef prelu(NnapiBuilder nnapi, OperandRef x, OperandRef slope) {
        OperandRef below = nnapi.mul(nnapi.unary(OperationType.RELU, nnapi.mul(x, -1)), slope);
        return nnapi.sub(nnapi.unary(OperationType.RELU, x), below);
    }

    // Reductions; dimensions stay, with size 1.

    /** MEAN as AVERAGE_POOL_2D over neighbouring dimensions. */
    static OperandRef mean(NnapiBuilder nnapi, OperandRef in, int... dimensions) {
        OperandRef rows = band(nnapi, in, dimensions);
        return rows == null
                ? null
                : back(nnapi, nnapi.windows().pool(OperationType.AVERAGE_POOL_2D, rows, whole(rows)), in, dimensions);
    }

    static OperandRef reduce(NnapiBuilder nnapi, OperationType type, OperandRef in, int... dimensions) {
        if (!isFloat(in)) {
            return null;
        }
        OperandRef rows = band(nnapi, in, dimensions);
        return switch (type) {
            case REDUCE_SUM -> {
                int count = 1;
                for (int d : dimensions) {
                    count *= in.dims()[d];
                }
                yield nnapi.mul(nnapi.mean(in, dimensions), count);
            }
            case REDUCE_MAX -> rows == null ? null : largest(nnapi, rows, in, dimensions);
            case REDUCE_MIN -> rows == null ? null : nnapi.mul(largest(nnapi, nnapi.mul(rows, -1), in, dimensions), -1);
            default -> null;
        };
    }

    private static OperandRef largest(NnapiBuilder nnapi, OperandRef rows, OperandRef in, int... dimensions) {
        return back(nnapi, nnapi.windows().pool(OperationType.MAX_POOL_2D, rows, whole(rows)), in, dimensions);
    }

    /** The tensor as images whose pixels are what is reduced; null unless the dimensions are neighbours. */
    private static OperandRef band(NnapiBuilder nnapi, OperandRef in, int... dimensions) {
        int[] sorted = dimensions.clone();
        Arrays.sort(sorted);
        int first = sorted[0];
        int last = sorted[sorted.length - 1];
        if (last - first != sorted.length - 1) {
            return null;
        }
        int[] dims = in.dims();
        if (first == 1 && last == 2 && dims.length == NnapiBuilder.MAX_RANK) {
            return in;
        }
        return nnapi.reshape(
                in,
                Shapes.product(dims, 0, first),
                Shapes.product(dims, first, last + 1),
                1,
                Shapes.product(dims, last + 1, dims.length));
    }

    private static LoweringFrame whole(OperandRef image) {
        return LoweringFrame.of(new int[] {image.dims()[1], image.dims()[2]}, new int[0], new int[2], new int[] {1});
    }

    private static OperandRef back(NnapiBuilder nnapi, OperandRef made, OperandRef in, int... dimensions) {
        int[] dims = in.dims().clone();
        for (int d : dimensions) {
            dims[d] = 1;
        }
        return nnapi.reshape(made, dims);
    }

    // Arrangement.

    /** By joining the tensor with constants. */
    static OperandRef pad(NnapiBuilder nnapi, OperandRef in, int[] before, int[] after, double value) {
        if (!isFloat(in) && value != 0) {
            return null;
        }
        OperandRef out = in;
        for (int d = 0; d < before.length; d++) {
            List<OperandRef> parts = new ArrayList<>();
            if (before[d] > 0) {
                parts.add(nnapi.filled(in, resized(out.dims(), d, before[d]), value));
            }
            parts.add(out);
            if (after[d] > 0) {
                parts.add(nnapi.filled(in, resized(out.dims(), d, after[d]), value));
            }
            out = nnapi.concatenate(parts, d);
        }
        return out;
    }

    private static int[] resized(int[] dims, int dimension, int size) {
        int[] out = dims.clone();
        out[dimension] = size;
        return out;
    }

    /** By joining the tensor with itself. */
    static OperandRef tile(NnapiBuilder nnapi, OperandRef in, int... multiples) {
        if (!isFloat(in) && !in.isQuantized()) {
            return null;
        }
        OperandRef out = in;
        for (int d = multiples.length - 1; d >= 0; d--) {
            if (multiples[d] > 1) {
                List<OperandRef> parts = new ArrayList<>();
                for (int i = 0; i < multiples[d]; i++) {
                    parts.add(out);
                }
                out = nnapi.concatenate(parts, d);
            }
        }
        return out;
    }

    /** EMBEDDING_LOOKUP, which picks rows. */
    static OperandRef gather(NnapiBuilder nnapi, OperandRef in, int dimension, OperandRef indices) {
        if (!isFloat(in) || indices.type() != OperandType.TENSOR_INT32) {
            return null;
        }
        int[] dims = in.dims();
        int outer = Shapes.product(dims, 0, dimension);
        int inner = Shapes.product(dims, dimension + 1, dims.length);
        if (indices.rank() != 1) {
            return null;
        }
        int[] made = resized(dims, dimension, indices.dims()[0]);
        if (outer == 1) {
            return nnapi.reshape(nnapi.lookUp(nnapi.reshape(in, dims[dimension], inner), indices), made);
        }
        OperandRef rows = nnapi.transpose(nnapi.reshape(in, outer, dims[dimension], inner), 1, 0, 2);
        OperandRef picked = nnapi.reshape(
                nnapi.lookUp(nnapi.reshape(rows, dims[dimension], outer * inner), indices),
                made[dimension],
                outer,
                inner);
        return nnapi.reshape(nnapi.transpose(picked, 1, 0, 2), made);
    }

    /** By a convolution whose window has one weight that is not 0; or, of the last dimension, by a matrix. */
    static OperandRef slice(NnapiBuilder nnapi, OperandRef in, int dimension, int begin, int end, int step) {
        if (!isFloat(in)) {
            return null;
        }
        int[] dims = in.dims();
        int size = dims[dimension];
        int count = (end - begin + step - 1) / step;
        int outer = Shapes.product(dims, 0, dimension);
        int inner = Shapes.product(dims, dimension + 1, dims.length);
        if (inner == 1) {
            if (size > MOST_COLUMNS) {
                return null;
            }
            int[] from = new int[count];
            for (int i = 0; i < count; i++) {
                from[i] = begin + i * step;
            }
            return nnapi.reshape(picked(nnapi, nnapi.reshape(in, outer, size), from), resized(dims, dimension, count));
        }
        int window = size - (count - 1) * step;
        float[] weights = new float[Math.multiplyExact(window, inner)];
        Arrays.fill(weights, begin * inner, (begin + 1) * inner, 1);
        LoweringFrame frame =
                new LoweringFrame(new LoweringFrame.Axis(window, step, 0, 0, 1), new LoweringFrame.Axis(1, 1, 0, 0, 1));
        OperandRef image = nnapi.reshape(in, outer, size, 1, inner);
        OperandRef made = nnapi.windows()
                .convolution(image, nnapi.floats(weights, 1, window, 1, inner), nnapi.zeros(inner), frame, 1, true);
        return nnapi.reshape(made, resized(dims, dimension, count));
    }

    /** Column i of the result is column {@code from[i]}. */
    private static OperandRef picked(NnapiBuilder nnapi, OperandRef rows, int... from) {
        int size = rows.dims()[1];
        float[] matrix = new float[from.length * size];
        for (int i = 0; i < from.length; i++) {
            matrix[i * size + from[i]] = 1;
        }
        return nnapi.fullyConnected(rows, nnapi.floats(matrix, from.length, size), nnapi.zeros(from.length));
    }

    /** Moves of the last dimensions among each other, by a matrix, as far as that is small. */
    static OperandRef transpose(NnapiBuilder nnapi, OperandRef in, int... order) {
        int kept = 0;
        while (kept < order.length && order[kept] == kept) {
            kept++;
        }
        int[] dims = in.dims();
        int size = Shapes.product(dims, kept, dims.length);
        if (!isFloat(in) || size > MOST_COLUMNS) {
            return null;
        }
        int[] to = Arrays.stream(order).map(d -> dims[d]).toArray();
        int[] own = dims.clone();
        Arrays.fill(own, 0, kept, 1);
        int[] from = Arrays.stream(ElementGather.numbers(0, own)
                        .permute(order)
                        .contiguous()
                        .toLongArray())
                .mapToInt(Math::toIntExact)
                .toArray();
        return nnapi.reshape(picked(nnapi, nnapi.reshape(in, Shapes.product(dims, 0, kept), size), from), to);
    }

    /** Along a dimension that is not the last of a matrix. */
    static OperandRef softmax(NnapiBuilder nnapi, OperandRef in, int dimension) {
        int[] dims = in.dims();
        int last = dims.length - 1;
        if (dimension == last) {
            return nnapi.reshape(nnapi.softmax(nnapi.reshape(in, Shapes.product(dims, 0, last), dims[last]), 1), dims);
        }
        int[] order = LoweringContext.identity(dims.length);
        order[dimension] = last;
        order[last] = dimension;
        return nnapi.transpose(nnapi.softmax(nnapi.transpose(in, order), last), order);
    }

    /** Each pixel several times, where the sizes are multiples. */
    static OperandRef nearest(NnapiBuilder nnapi, OperandRef image, int height, int width) {
        int[] dims = image.dims();
        if (height % dims[1] != 0 || width % dims[2] != 0) {
            return null;
        }
        OperandRef columns = nnapi.reshape(image, dims[0] * dims[1], dims[2], 1, dims[3]);
        OperandRef wide = nnapi.tile(columns, 1, 1, width / dims[2], 1);
        OperandRef rows = nnapi.reshape(wide, dims[0], dims[1], 1, width * dims[3]);
        return nnapi.reshape(nnapi.tile(rows, 1, 1, height / dims[1], 1), dims[0], height, width, dims[3]);
    }
}
