package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Adds NNAPI operations, each in its shortest legal signature, and works out what they return. Images are N, H, W, C.
 */
public final class NnapiBuilder extends NnapiOperands {
    private final NnapiWindows windows = new NnapiWindows(this);

    /** @param target whose level takes what is built, or else refuses it */
    NnapiBuilder(Target target) {
        super(target);
    }

    /** Convolutions, pools and resizing. */
    NnapiWindows windows() {
        return windows;
    }

    // Element-wise operations.

    OperandRef unary(OperationType type, OperandRef in) {
        OperandRef earlier = has(type) ? null : DownlevelForms.unary(this, type, in);
        return earlier != null ? earlier : like(type, in, in.id());
    }

    /** PRELU of a slope that broadcasts. */
    OperandRef prelu(OperandRef in, OperandRef slope) {
        return has(OperationType.PRELU)
                ? like(OperationType.PRELU, in, in.id(), slope.id())
                : DownlevelForms.prelu(this, in, slope);
    }

    /** The square root of numbers that are not negative. */
    OperandRef root(OperandRef in) {
        return has(OperationType.SQRT) ? unary(OperationType.SQRT, in) : DownlevelForms.power(this, in, 0.5);
    }

    /** One divided by the square root of positive numbers. */
    OperandRef inverseRoot(OperandRef in) {
        return has(OperationType.RSQRT) ? unary(OperationType.RSQRT, in) : DownlevelForms.power(this, in, -0.5);
    }

    /** One divided by numbers from 1e-18 to 1e18. */
    OperandRef reciprocal(OperandRef in) {
        return has(OperationType.DIV) ? div(number(1), in) : DownlevelForms.power(this, in, -1);
    }

    /** The exponential of numbers that are not positive. */
    OperandRef exponential(OperandRef in) {
        return has(OperationType.EXP)
                ? unary(OperationType.EXP, in)
                : mul(unary(OperationType.LOGISTIC, in), reciprocal(unary(OperationType.LOGISTIC, mul(in, -1))));
    }

    /**
     * {@code x / (bias + alpha sum x^2)^beta}, the sum over {@code radius} neighbours on either side in the last of
     * four dimensions.
     */
    OperandRef responses(OperandRef in, int radius, double bias, double alpha, double beta) {
        return like(
                OperationType.LOCAL_RESPONSE_NORMALIZATION,
                in,
                in.id(),
                model.int32(radius),
                model.float32((float) bias),
                model.float32((float) alpha),
                model.float32((float) beta));
    }

    /** ADD, SUB, MUL or DIV. */
    OperandRef arithmetic(OperationType type, OperandRef a, OperandRef b) {
        OperandRef earlier = has(type) ? null : DownlevelForms.arithmetic(this, type, a, b);
        return earlier != null ? earlier : arithmetic(type, a, b, FuseCode.NONE, a.scale(), a.zeroPoint());
    }

    OperandRef arithmetic(OperationType type, OperandRef a, OperandRef b, int fuse, double scale, int zeroPoint) {
        return result(type, fresh(a.type(), scale, zeroPoint, broadcast(a, b)), a.id(), b.id(), model.int32(fuse));
    }

    OperandRef add(OperandRef a, OperandRef b) {
        return arithmetic(OperationType.ADD, a, b);
    }

    OperandRef add(OperandRef a, double b) {
        return add(a, number(b));
    }

    OperandRef sub(OperandRef a, OperandRef b) {
        return arithmetic(OperationType.SUB, a, b);
    }

    OperandRef mul(OperandRef a, OperandRef b) {
        return arithmetic(OperationType.MUL, a, b);
    }

    OperandRef mul(OperandRef a, double b) {
        return mul(a, number(b));
    }

    OperandRef div(OperandRef a, OperandRef b) {
        return arithmetic(OperationType.DIV, a, b);
    }

    /** MINIMUM, MAXIMUM or POW. */
    OperandRef binary(OperationType type, OperandRef a, OperandRef b) {
        OperandRef earlier = has(type) ? null : DownlevelForms.binary(this, type, a, b);
        return earlier != null
                ? earlier
                : result(type, fresh(a.type(), a.scale(), a.zeroPoint(), broadcast(a, b)), a.id(), b.id());
    }

    /** A comparison or a logical operation. */
    OperandRef test(OperationType type, OperandRef a, OperandRef b) {
        return result(type, fresh(OperandType.TENSOR_BOOL8, 0, 0, broadcast(a, b)), a.id(), b.id());
    }

    /** SELECT; all three of one shape. */
    OperandRef select(OperandRef condition, OperandRef yes, OperandRef no) {
        return like(OperationType.SELECT, yes, condition.id(), yes.id(), no.id());
    }

    /** CAST; truth values, which it does not take, by comparison and by choice. */
    public OperandRef cast(OperandRef in, OperandType type) {
        if (in.type() == type) {
            return in;
        }
        if (type == OperandType.TENSOR_BOOL8) {
            return test(OperationType.NOT_EQUAL, in, filled(in.type(), 0, 1));
        }
        if (in.type() == OperandType.TENSOR_BOOL8) {
            int[] ones = Shapes.widened(in.rank());
            return exact(select(in, tile(filled(type, 1, ones), in.dims()), tile(filled(type, 0, ones), in.dims())));
        }
        return result(OperationType.CAST, fresh(type, 0, 0, in.dims()), in.id());
    }

    OperandRef quantize(OperandRef in, double scale, int zeroPoint) {
        return result(
                OperationType.QUANTIZE, fresh(OperandType.TENSOR_QUANT8_ASYMM, scale, zeroPoint, in.dims()), in.id());
    }

    OperandRef dequantize(OperandRef in) {
        return result(OperationType.DEQUANTIZE, fresh(OperandType.TENSOR_FLOAT32, 0, 0, in.dims()), in.id());
    }

    /** An element-wise operation whose result has a quantization of its own. */
    OperandRef requantized(OperationType type, OperandRef in, double scale, int zeroPoint) {
        return result(type, fresh(in.type(), scale, zeroPoint, in.dims()), in.id());
    }

    private static int[] broadcast(OperandRef a, OperandRef b) {
        return broadcast(a.dims(), b.dims());
    }

    /** The sizes that both broadcast to. */
    static int[] broadcast(int[] a, int[] b) {
        int[] left = Shapes.widened(Math.max(a.length, b.length), a);
        int[] right = Shapes.widened(left.length, b);
        for (int d = 0; d < left.length; d++) {
            if (left[d] != right[d] && left[d] != 1 && right[d] != 1) {
                throw new Refused(
                        "sizes must be equal, or one of them 1",
                        Arrays.toString(a) + " and " + Arrays.toString(b),
                        "shapes that broadcast");
            }
            left[d] = left[d] == 1 ? right[d] : left[d];
        }
        return left;
    }

    // Arrangement.

    OperandRef reshape(OperandRef in, int... dims) {
        if (Arrays.equals(in.dims(), dims)) {
            return in;
        }
        if (isWhole(in)) {
            return expanded(in, dims);
        }
        ModelAssembler.AssembledOperation made = model.latest(in.id());
        OperandRef out = fresh(in.type(), in.scale(), in.zeroPoint(), dims);
        if (made != null && made.type() == OperationType.RESHAPE) {
            return result(OperationType.RESHAPE, out, made.inputs()[0], model.vector(dims));
        }
        if (made != null && made.type() == OperationType.MEAN && isWithoutReduced(in, made, dims)) {
            return result(OperationType.MEAN, out, made.inputs()[0], made.inputs()[1], model.int32(0));
        }
        return result(OperationType.RESHAPE, out, in.id(), model.vector(dims));
    }

    /** Whether dimensions are those of a mean but for the reduced ones, which it can drop itself. */
    private boolean isWithoutReduced(OperandRef in, ModelAssembler.AssembledOperation mean, int... dims) {
        TensorOperand from = model.operand(mean.inputs()[0]);
        if (from.rank() != in.rank()) {
            return false;
        }
        int[] axes = model.numbers(mean.inputs()[1]);
        int[] left = IntStream.range(0, in.rank())
                .filter(d -> Arrays.stream(axes).noneMatch(axis -> axis == d))
                .map(d -> in.dims()[d])
                .toArray();
        return Arrays.equals(left, dims);
    }

    /**
     * An input that comes in as a list, with the dimensions that it has in the model: earlier Androids pick rows by
     * lists of places, and reshape no whole numbers. {@link #asList} gives the list back; no other operation of theirs
     * takes it.
     */
    public OperandRef asGiven(OperandRef list, int... dims) {
        return new OperandRef(list.id(), list.type(), dims, list.scale(), list.zeroPoint(), false);
    }

    /** The list that a tensor came in as, or else the tensor. */
    OperandRef asList(OperandRef in) {
        boolean listed = in.rank() > 1
                && in.type() == OperandType.TENSOR_INT32
                && model.operand(in.id()).rank() == 1;
        return listed
                ? new OperandRef(
                        in.id(),
                        in.type(),
                        model.operand(in.id()).shape().clone(),
                        in.scale(),
                        in.zeroPoint(),
                        in.isConstant())
                : in;
    }

    /** The same tensor once more, as NNAPI returns no input and nothing twice. */
    public OperandRef copy(OperandRef in) {
        if (in.type() == OperandType.TENSOR_BOOL8) {
            return test(OperationType.LOGICAL_OR, in, in);
        }
        if (in.type() == OperandType.TENSOR_INT32) {
            return exactAs(in, binary(OperationType.MAXIMUM, in, in));
        }
        return result(
                OperationType.RESHAPE,
                fresh(in.type(), in.scale(), in.zeroPoint(), in.dims()),
                in.id(),
                model.vector(in.dims()));
    }

    /** Dimension i of the result is dimension {@code order[i]}; moves of dimensions of 1 cost no work. */
    OperandRef transpose(OperandRef in, int... order) {
        int[] dims = new int[order.length];
        int last = -1;
        boolean moves = false;
        for (int i = 0; i < order.length; i++) {
            dims[i] = in.dims()[order[i]];
            if (dims[i] != 1) {
                moves |= order[i] < last;
                last = order[i];
            }
        }
        if (!moves) {
            return reshape(in, dims);
        }
        if (isWhole(in)) {
            return WholeNumbers.moved(this, in, x -> transpose(x, order));
        }
        OperandRef earlier = has(OperationType.TRANSPOSE) ? null : DownlevelForms.transpose(this, in, order);
        if (earlier != null) {
            return earlier;
        }
        return result(
                OperationType.TRANSPOSE,
                fresh(in.type(), in.scale(), in.zeroPoint(), dims),
                in.id(),
                model.vector(order));
    }

    /** RESHAPE, TRANSPOSE and others take real numbers only. */
    private static boolean isWhole(OperandRef in) {
        return in.type() == OperandType.TENSOR_INT32 || in.type() == OperandType.TENSOR_BOOL8;
    }

    /** Whole numbers or truth values under other dimensions: EXPAND_DIMS adds those of 1 to whole numbers. */
    private OperandRef expanded(OperandRef in, int... dims) {
        int added = 0;
        for (int d = 0; d < dims.length; d++) {
            boolean same = d - added < in.rank() && dims[d] == in.dims()[d - added];
            added += same ? 0 : 1;
            if (!same && dims[d] != 1) {
                return WholeNumbers.moved(this, in, x -> reshape(x, dims));
            }
        }
        if (dims.length - added != in.rank() || in.type() != OperandType.TENSOR_INT32 || in.isConstant()) {
            return WholeNumbers.moved(this, in, x -> reshape(x, dims));
        }
        OperandRef out = in;
        for (int d = 0; d < dims.length; d++) {
            if (d >= out.rank() || out.dims()[d] != dims[d]) {
                int[] longer = new int[out.rank() + 1];
                System.arraycopy(out.dims(), 0, longer, 0, d);
                longer[d] = 1;
                System.arraycopy(out.dims(), d, longer, d + 1, out.rank() - d);
                out = exactAs(
                        in,
                        result(OperationType.EXPAND_DIMS, fresh(in.type(), 0, 0, longer), out.id(), model.int32(d)));
            }
        }
        return out;
    }

    /**
     * An image whose channels become squares of {@code block} by {@code block} pixels, those of one pixel of the result
     * last.
     */
    OperandRef depthToSpace(OperandRef in, int block) {
        int[] d = in.dims();
        return result(
                OperationType.DEPTH_TO_SPACE,
                fresh(in.type(), in.scale(), in.zeroPoint(), d[0], d[1] * block, d[2] * block, d[3] / (block * block)),
                in.id(),
                model.int32(block));
    }

    /** An image whose squares of {@code block} by {@code block} pixels become channels, those of one pixel last. */
    OperandRef spaceToDepth(OperandRef in, int block) {
        int[] d = in.dims();
        return result(
                OperationType.SPACE_TO_DEPTH,
                fresh(in.type(), in.scale(), in.zeroPoint(), d[0], d[1] / block, d[2] / block, d[3] * block * block),
                in.id(),
                model.int32(block));
    }

    /** Elements {@code begin} to before {@code end} of one dimension, {@code step} apart. */
    OperandRef slice(OperandRef in, int dimension, int begin, int end, int step) {
        if (begin == 0 && end == in.dims()[dimension] && step == 1) {
            return in;
        }
        int[] dims = in.dims().clone();
        dims[dimension] = (end - begin + step - 1) / step;
        int[] begins = new int[in.rank()];
        begins[dimension] = begin;
        if (step == 1 && in.type() == OperandType.TENSOR_INT32) {
            return exactAs(
                    in,
                    result(
                            OperationType.SLICE,
                            fresh(in.type(), 0, 0, dims),
                            in.id(),
                            model.vector(begins),
                            model.vector(dims)));
        }
        if (isWhole(in)) {
            return WholeNumbers.moved(this, in, x -> slice(x, dimension, begin, end, step));
        }
        OperandRef earlier =
                has(OperationType.STRIDED_SLICE) ? null : DownlevelForms.slice(this, in, dimension, begin, end, step);
        if (earlier != null) {
            return earlier;
        }
        int[] ends = in.dims().clone();
        int[] steps = Shapes.widened(in.rank());
        ends[dimension] = end;
        steps[dimension] = step;
        return result(
                OperationType.STRIDED_SLICE,
                fresh(in.type(), in.scale(), in.zeroPoint(), dims),
                in.id(),
                model.vector(begins),
                model.vector(ends),
                model.vector(steps),
                model.int32(0),
                model.int32(0),
                model.int32(0));
    }

    /** Some of a tensor's first dimension, of constants as constants. */
    OperandRef rows(OperandRef in, int from, int count) {
        return model.constants().stream()
                .filter(known -> known.operand() == in.id() && known.bytes() == null)
                .findFirst()
                .map(known -> stored(Convolutions.rows(model.weights().get(known.buffer()), from, count)))
                .orElseGet(() -> slice(in, 0, from, from + count, 1));
    }

    OperandRef concatenate(List<OperandRef> parts, int dimension) {
        return concatenate(parts, dimension, parts.get(0).scale(), parts.get(0).zeroPoint());
    }

    /** A quantized tensor in another scale: the sum of it and 0. */
    OperandRef scaled(OperandRef in, double scale, int zeroPoint) {
        if (in.scale() == scale && in.zeroPoint() == zeroPoint) {
            return in;
        }
        return arithmetic(
                OperationType.ADD, in, filled(in, Shapes.widened(in.rank()), 0), FuseCode.NONE, scale, zeroPoint);
    }

    OperandRef concatenate(List<OperandRef> given, int dimension, double scale, int zeroPoint) {
        List<OperandRef> parts = given;
        if (parts.size() == 1) {
            return parts.get(0);
        }
        if (isWhole(parts.get(0))) {
            return WholeNumbers.moved(this, parts, real -> concatenate(real, dimension));
        }
        if (parts.get(0).isQuantized() && !target.has(OperationType.CONCATENATION, "scales")) {
            parts = parts.stream().map(part -> scaled(part, scale, zeroPoint)).collect(Streams.toList());
        }
        int[] dims = parts.get(0).dims().clone();
        dims[dimension] =
                parts.stream().mapToInt(part -> part.dims()[dimension]).sum();
        int[] inputs = new int[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            inputs[i] = parts.get(i).id();
        }
        inputs[parts.size()] = model.int32(dimension);
        return result(OperationType.CONCATENATION, fresh(parts.get(0).type(), scale, zeroPoint, dims), inputs);
    }

    /** Adds {@code before[d]} and {@code after[d]} elements of one value. */
    OperandRef pad(OperandRef in, int[] before, int[] after, double value) {
        if (isWhole(in)) {
            return WholeNumbers.padded(this, in, value, (x, by) -> pad(x, before, after, by));
        }
        int[] dims = in.dims().clone();
        int[] amounts = new int[2 * dims.length];
        for (int d = 0; d < dims.length; d++) {
            dims[d] += before[d] + after[d];
            amounts[2 * d] = before[d];
            amounts[2 * d + 1] = after[d];
        }
        boolean later = value == 0
                ? !has(OperationType.PAD) || in.zeroPoint() != 0 && !target.has(OperationType.PAD, "zeroPoint")
                : !has(OperationType.PAD_V2);
        OperandRef earlier = later ? DownlevelForms.pad(this, in, before, after, value) : null;
        if (earlier != null) {
            return earlier;
        }
        int operand = model.tensor(amounts, dims.length, 2);
        OperandRef out = fresh(in.type(), in.scale(), in.zeroPoint(), dims);
        if (value == 0) {
            return result(OperationType.PAD, out, in.id(), operand);
        }
        if (in.isQuantized()) {
            throw new IllegalArgumentException("pad: " + value + " in a quantized tensor (expected: 0)");
        }
        return result(OperationType.PAD_V2, out, in.id(), operand, model.float32((float) value));
    }

    OperandRef tile(OperandRef in, int... multiples) {
        if (Arrays.stream(multiples).allMatch(m -> m == 1)) {
            return in;
        }
        int[] dims = in.dims().clone();
        for (int d = 0; d < dims.length; d++) {
            dims[d] = Math.multiplyExact(dims[d], multiples[d]);
        }
        if (in.type() == OperandType.TENSOR_BOOL8) {
            return WholeNumbers.moved(this, in, x -> tile(x, multiples));
        }
        OperandRef earlier = has(OperationType.TILE) ? null : DownlevelForms.tile(this, in, multiples);
        if (earlier != null) {
            return earlier;
        }
        return exactAs(
                in,
                result(
                        OperationType.TILE,
                        fresh(in.type(), in.scale(), in.zeroPoint(), dims),
                        in.id(),
                        model.vector(multiples)));
    }

    /** Rows of {@code in} along one dimension, picked by a vector of int32. */
    OperandRef gather(OperandRef in, int dimension, OperandRef indices) {
        if (in.type() == OperandType.TENSOR_BOOL8) {
            return WholeNumbers.moved(this, in, x -> gather(x, dimension, indices));
        }
        OperandRef earlier = has(OperationType.GATHER) ? null : DownlevelForms.gather(this, in, dimension, indices);
        if (earlier != null) {
            return earlier;
        }
        int[] dims = new int[in.rank() - 1 + indices.rank()];
        System.arraycopy(in.dims(), 0, dims, 0, dimension);
        System.arraycopy(indices.dims(), 0, dims, dimension, indices.rank());
        System.arraycopy(in.dims(), dimension + 1, dims, dimension + indices.rank(), in.rank() - dimension - 1);
        return exactAs(
                in,
                result(
                        OperationType.GATHER,
                        fresh(in.type(), in.scale(), in.zeroPoint(), dims),
                        in.id(),
                        model.int32(dimension),
                        indices.id()));
    }

    /** Rows of a matrix. */
    OperandRef lookUp(OperandRef rows, OperandRef indices) {
        return result(
                OperationType.EMBEDDING_LOOKUP,
                fresh(rows.type(), rows.scale(), rows.zeroPoint(), indices.dims()[0], rows.dims()[1]),
                indices.id(),
                rows.id());
    }

    OperandRef indices(int... values) {
        OperandRef made =
                new OperandRef(model.vector(values), OperandType.TENSOR_INT32, new int[] {values.length}, 0, 0, true);
        return Arrays.stream(values).allMatch(v -> Math.abs((long) v) < WholeNumbers.EXACT) ? exact(made) : made;
    }

    /** The {@code count} largest of the last dimension in falling order, and their places. */
    OperandRef[] largest(OperandRef in, int count) {
        int[] dims = in.dims().clone();
        dims[dims.length - 1] = count;
        OperandRef values = fresh(in.type(), in.scale(), in.zeroPoint(), dims);
        OperandRef places = fresh(OperandType.TENSOR_INT32, 0, 0, dims);
        model.operation(
                OperationType.TOPK_V2, new int[] {values.id(), places.id()}, new int[] {in.id(), model.int32(count)});
        return new OperandRef[] {values, exact(places)};
    }

    // Reductions; dimensions stay, with size 1.

    OperandRef mean(OperandRef in, int... dimensions) {
        OperandRef earlier = has(OperationType.MEAN) ? null : DownlevelForms.mean(this, in, dimensions);
        return earlier != null
                ? earlier
                : result(
                        OperationType.MEAN, reduced(in, dimensions), in.id(), model.vector(dimensions), model.int32(1));
    }

    /** REDUCE_SUM, REDUCE_MAX, REDUCE_MIN or REDUCE_PROD. */
    OperandRef reduce(OperationType type, OperandRef in, int... dimensions) {
        OperandRef earlier = has(type) ? null : DownlevelForms.reduce(this, type, in, dimensions);
        return earlier != null
                ? earlier
                : result(type, reduced(in, dimensions), in.id(), model.vector(dimensions), model.bool(true));
    }

    private OperandRef reduced(OperandRef in, int... dimensions) {
        int[] dims = in.dims().clone();
        for (int d : dimensions) {
            dims[d] = 1;
        }
        return fresh(in.type(), in.scale(), in.zeroPoint(), dims);
    }

    /** ARGMAX or ARGMIN, which drop the dimension; the result is int32. */
    OperandRef position(OperationType type, OperandRef in, int dimension) {
        int[] dims = IntStream.range(0, in.rank())
                .filter(d -> d != dimension)
                .map(d -> in.dims()[d])
                .toArray();
        OperandRef made = fresh(OperandType.TENSOR_INT32, 0, 0, LoweringContext.boxed(dims));
        return exact(result(type, made, in.id(), model.int32(dimension)));
    }

    OperandRef softmax(OperandRef in, int dimension) {
        boolean lastOfShort = dimension == in.rank() - 1 && (in.rank() == 2 || in.rank() == MAX_RANK);
        if (!lastOfShort && !target.has(OperationType.SOFTMAX, "axis")) {
            return DownlevelForms.softmax(this, in, dimension);
        }
        int beta = model.float32(1);
        return lastOfShort
                ? like(OperationType.SOFTMAX, in, in.id(), beta)
                : like(OperationType.SOFTMAX, in, in.id(), beta, model.int32(dimension));
    }

    OperandRef logSoftmax(OperandRef in, int dimension) {
        return like(OperationType.LOG_SOFTMAX, in, in.id(), model.float32(1), model.int32(dimension));
    }

    // Products.

    /** {@code in x weights^T + bias} of matrices. */
    OperandRef fullyConnected(OperandRef in, OperandRef weights, OperandRef bias) {
        return fullyConnected(in, weights, bias, 0, 0);
    }

    OperandRef fullyConnected(OperandRef in, OperandRef weights, OperandRef bias, double scale, int zeroPoint) {
        return result(
                OperationType.FULLY_CONNECTED,
                fresh(in.type(), scale, zeroPoint, in.dims()[0], weights.dims()[0]),
                in.id(),
                weights.id(),
                bias.id(),
                model.int32(FuseCode.NONE));
    }
}
