package org.torchnnapi.converter.free;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.FuseCode;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.lower.OperandLayout;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.converter.lower.TensorOperand;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/** Adds NNAPI operations, each in its shortest legal signature, and works out what they return. Images are N, H, W, C. */
final class NetBuilder {
    /** NNAPI's tensors have at most so many dimensions. */
    static final int MAX_RANK = 4;

    private final Target target;
    private final ModelAssembler model = new ModelAssembler(false);
    private final Map<Tensor, Map<List<Integer>, Term>> constants = new IdentityHashMap<>();
    private final Map<List<Integer>, Term> zeros = new HashMap<>();
    /** Operands of whole numbers that float32 holds exactly. */
    private final Set<Integer> exact = new HashSet<>();

    /** @param target whose level takes what is built, or else refuses it */
    NetBuilder(Target target) {
        this.target = target;
    }

    Target target() {
        return target;
    }

    ModelAssembler model() {
        return model;
    }

    /** Whether the level knows an operation. Where it does not, the methods of this class build the same of others, as far as there is a way. */
    boolean has(OperationType type) {
        return target.has(type);
    }

    /** Whether the level knows an operation with an input of this name. */
    boolean has(OperationType type, String input) {
        return target.has(type, input);
    }

    // Operands.

    Term input(TensorOperand operand) {
        int id = model.add(operand);
        model.addInput(id);
        int[] dims = operand.layout().toNnapi(operand.shape());
        return new Term(id, operand.type(), dims, operand.scale(), operand.zeroPoint(), false);
    }

    /** A new tensor for an operation to compute. */
    private Term fresh(OperandType type, double scale, int zeroPoint, int... dims) {
        if (dims.length > MAX_RANK) {
            throw new Refused("NNAPI's tensors have few dimensions", Arrays.toString(dims), "at most " + MAX_RANK, "");
        }
        int id = model.add(new TensorOperand(type, dims, OperandLayout.CONTIGUOUS, scale, zeroPoint));
        return new Term(id, type, dims.clone(), scale, zeroPoint, false);
    }

    /**
     * A constant; int64 numbers become int32.
     *
     * @param order the constant's dimensions in the order in which NNAPI shall have them
     */
    Term constant(Tensor tensor, int... order) {
        List<Integer> key = Arrays.stream(order).boxed().collect(Streams.toList());
        return constants.computeIfAbsent(tensor, t -> new HashMap<>()).computeIfAbsent(key, k -> stored(order.length == 0 ? tensor : tensor.permute(order)));
    }

    private Term stored(Tensor view) {
        Tensor dense = OperandTypes.narrowed(view).arranged();
        if (dense.offset() != 0 || dense.storage().length() != dense.numel()) {
            dense = dense.copy(org.torchnnapi.tensor.MemoryFormat.CONTIGUOUS);
        }
        int[] dims = dense.rank() > MAX_RANK ? Shapes.folded(dense.sizes()) : Scope.boxed(dense.sizes());
        double scale = dense.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
        int zeroPoint = dense.quantization() instanceof Quantization.PerTensor q ? q.zeroPoint() : 0;
        OperandType type = OperandTypes.of(dense.dtype());
        if (dense.quantization() != null && !(dense.quantization() instanceof Quantization.PerTensor)) {
            throw new Refused("constants are quantized per tensor", "a tensor quantized per channel", "one scale and zero point", "");
        }
        int id = model.addWeight(new TensorOperand(type, dims, OperandLayout.CONSTANT, scale, zeroPoint), dense);
        if (dense.dtype() == DType.INT32 && Arrays.stream(dense.storage().intArray()).allMatch(v -> Math.abs((long) v) < WholeNumbers.EXACT)) {
            exact.add(id);
        }
        return new Term(id, type, dims, scale, zeroPoint, true);
    }

    /** A truth value of one element. */
    Term truth(boolean value) {
        return truths(new boolean[] {value}, 1);
    }

    /** Constant truth values. */
    Term truths(boolean[] values, int... dims) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        return stored(Tensor.of(DType.BOOL, bytes, dims));
    }

    /** IF or WHILE, whose results are like {@code results}. */
    List<Term> control(OperationType type, List<Integer> inputs, List<Term> results) {
        List<Term> out = new java.util.ArrayList<>();
        for (Term like : results) {
            out.add(fresh(like.type(), like.scale(), like.zeroPoint(), like.dims()));
        }
        model.operation(type, out.stream().mapToInt(Term::id).toArray(), inputs.stream().mapToInt(Integer::intValue).toArray());
        return out;
    }

    /** Whether the file is for this library's runtime, which takes all of NNAPI. */
    boolean isForOwnRuntime() {
        return target.ownRuntime();
    }

    /**
     * Weights of signed bytes with a scale a channel.
     *
     * @param dimension of the dimensions as ordered, the one that has the scales
     */
    Term channels(Tensor bytes, float[] scales, int dimension, int... order) {
        Tensor dense = bytes.permute(order).arranged();
        TensorOperand operand = new TensorOperand(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, dense.sizes(), OperandLayout.CONSTANT, 0, 0);
        int id = model.addWeight(operand, dense, new ChannelQuantization(dimension, scales));
        return new Term(id, operand.type(), dense.sizes(), 0, 0, true);
    }

    Term floats(float[] values, int... dims) {
        return stored(Tensor.of(values, dims));
    }

    /** A bias of zeros for {@code channels} outputs. */
    Term zeros(int channels) {
        return zeros.computeIfAbsent(List.of(channels), key -> floats(new float[channels], channels));
    }

    /** A constant of one value, of the type and quantization of another tensor. */
    Term filled(Term like, int[] dims, double value) {
        int count = 1;
        for (int dim : dims) {
            count = Math.multiplyExact(count, dim);
        }
        if (like.isQuantized()) {
            byte[] stored = new byte[count];
            Arrays.fill(stored, (byte) (like.zeroPoint() + Math.round(value / like.scale())));
            return stored(Tensor.of(DType.QUINT8, stored, dims).withQuantization(new Quantization.PerTensor(like.scale(), like.zeroPoint())));
        }
        float[] values = new float[count];
        Arrays.fill(values, (float) value);
        return floats(values, dims);
    }

    /** The elements of a constant of real numbers. */
    float[] values(Term constant) {
        for (ModelAssembler.Constant known : model.constants()) {
            if (known.operand() == constant.id()) {
                return known.bytes() == null ? model.weights().get(known.buffer()).contiguous().toFloatArray()
                    : new float[] {ByteBuffer.wrap(known.bytes()).order(ByteOrder.LITTLE_ENDIAN).getFloat(0)};
            }
        }
        throw new IllegalArgumentException("term: " + constant + " (expected: a constant)");
    }

    /** A number that broadcasts with any tensor. */
    Term number(double value) {
        return new Term(model.number((float) value), OperandType.TENSOR_FLOAT32, new int[] {1}, 0, 0, true);
    }

    /** Whether float32 holds the whole numbers of a tensor exactly, whatever the inputs. */
    boolean isExact(Term term) {
        return exact.contains(term.id());
    }

    /** Says of whole numbers that float32 holds them exactly. */
    Term exact(Term term) {
        exact.add(term.id());
        return term;
    }

    /** The same for what only picks from {@code from}. */
    private Term exactAs(Term from, Term made) {
        return isExact(from) ? exact(made) : made;
    }

    // Element-wise operations.

    Term unary(OperationType type, Term in) {
        Term earlier = has(type) ? null : EarlierForms.unary(this, type, in);
        return earlier != null ? earlier : like(type, in, in.id());
    }

    /** PRELU of a slope that broadcasts. */
    Term prelu(Term in, Term slope) {
        return has(OperationType.PRELU) ? like(OperationType.PRELU, in, in.id(), slope.id()) : EarlierForms.prelu(this, in, slope);
    }

    /** The square root of numbers that are not negative. */
    Term root(Term in) {
        return has(OperationType.SQRT) ? unary(OperationType.SQRT, in) : EarlierForms.power(this, in, 0.5);
    }

    /** One divided by the square root of positive numbers. */
    Term inverseRoot(Term in) {
        return has(OperationType.RSQRT) ? unary(OperationType.RSQRT, in) : EarlierForms.power(this, in, -0.5);
    }

    /** One divided by numbers from 1e-18 to 1e18. */
    Term reciprocal(Term in) {
        return has(OperationType.DIV) ? div(number(1), in) : EarlierForms.power(this, in, -1);
    }

    /** The exponential of numbers that are not positive. */
    Term exponential(Term in) {
        return has(OperationType.EXP) ? unary(OperationType.EXP, in)
            : mul(unary(OperationType.LOGISTIC, in), reciprocal(unary(OperationType.LOGISTIC, mul(in, -1))));
    }

    /** {@code x / (bias + alpha sum x^2)^beta}, the sum over {@code radius} neighbours on either side in the last of four dimensions. */
    Term responses(Term in, int radius, double bias, double alpha, double beta) {
        return like(OperationType.LOCAL_RESPONSE_NORMALIZATION, in, in.id(), model.int32(radius), model.float32((float) bias), model.float32((float) alpha),
            model.float32((float) beta));
    }

    /** An operation whose result has the type and dimensions of {@code in}. */
    Term like(OperationType type, Term in, int... inputs) {
        return result(type, fresh(in.type(), in.scale(), in.zeroPoint(), in.dims()), inputs);
    }

    private Term result(OperationType type, Term out, int... inputs) {
        model.operation(type, out.id(), inputs);
        return out;
    }

    /** ADD, SUB, MUL or DIV. */
    Term arithmetic(OperationType type, Term a, Term b) {
        Term earlier = has(type) ? null : EarlierForms.arithmetic(this, type, a, b);
        return earlier != null ? earlier : result(type, fresh(a.type(), a.scale(), a.zeroPoint(), broadcast(a, b)), a.id(), b.id(), model.int32(FuseCode.NONE));
    }

    Term arithmetic(OperationType type, Term a, Term b, int fuse, double scale, int zeroPoint) {
        return result(type, fresh(a.type(), scale, zeroPoint, broadcast(a, b)), a.id(), b.id(), model.int32(fuse));
    }

    Term add(Term a, Term b) {
        return arithmetic(OperationType.ADD, a, b);
    }

    Term add(Term a, double b) {
        return add(a, number(b));
    }

    Term sub(Term a, Term b) {
        return arithmetic(OperationType.SUB, a, b);
    }

    Term mul(Term a, Term b) {
        return arithmetic(OperationType.MUL, a, b);
    }

    Term mul(Term a, double b) {
        return mul(a, number(b));
    }

    Term div(Term a, Term b) {
        return arithmetic(OperationType.DIV, a, b);
    }

    /** MINIMUM, MAXIMUM or POW. */
    Term binary(OperationType type, Term a, Term b) {
        Term earlier = has(type) ? null : EarlierForms.binary(this, type, a, b);
        return earlier != null ? earlier : result(type, fresh(a.type(), a.scale(), a.zeroPoint(), broadcast(a, b)), a.id(), b.id());
    }

    /** A comparison or a logical operation. */
    Term test(OperationType type, Term a, Term b) {
        return result(type, fresh(OperandType.TENSOR_BOOL8, 0, 0, broadcast(a, b)), a.id(), b.id());
    }

    /** SELECT; all three of one shape. */
    Term select(Term condition, Term yes, Term no) {
        return result(OperationType.SELECT, fresh(yes.type(), yes.scale(), yes.zeroPoint(), yes.dims()), condition.id(), yes.id(), no.id());
    }

    /** CAST; truth values, which it does not take, by comparison and by choice. */
    Term cast(Term in, OperandType type) {
        if (in.type() == type) {
            return in;
        }
        if (type == OperandType.TENSOR_BOOL8) {
            return test(OperationType.NOT_EQUAL, in, single(in.type(), 0, 1));
        }
        if (in.type() == OperandType.TENSOR_BOOL8) {
            int[] ones = new int[in.rank()];
            Arrays.fill(ones, 1);
            return exact(select(in, tile(single(type, 1, ones), in.dims()), tile(single(type, 0, ones), in.dims())));
        }
        return result(OperationType.CAST, fresh(type, 0, 0, in.dims()), in.id());
    }

    private Term single(OperandType type, int value, int... dims) {
        return type == OperandType.TENSOR_FLOAT32 ? floats(new float[] {value}, dims) : stored(Tensor.of(new int[] {value}, dims));
    }

    Term quantize(Term in, double scale, int zeroPoint) {
        return result(OperationType.QUANTIZE, fresh(OperandType.TENSOR_QUANT8_ASYMM, scale, zeroPoint, in.dims()), in.id());
    }

    Term dequantize(Term in) {
        return result(OperationType.DEQUANTIZE, fresh(OperandType.TENSOR_FLOAT32, 0, 0, in.dims()), in.id());
    }

    /** An element-wise operation whose result has a quantization of its own. */
    Term requantized(OperationType type, Term in, double scale, int zeroPoint) {
        return result(type, fresh(in.type(), scale, zeroPoint, in.dims()), in.id());
    }

    static int[] broadcast(Term a, Term b) {
        int rank = Math.max(a.rank(), b.rank());
        int[] out = new int[rank];
        for (int d = 0; d < rank; d++) {
            int i = d - rank + a.rank() < 0 ? 1 : a.dims()[d - rank + a.rank()];
            int j = d - rank + b.rank() < 0 ? 1 : b.dims()[d - rank + b.rank()];
            if (i != j && i != 1 && j != 1) {
                throw new Refused("sizes must be equal, or one of them 1", a + " and " + b, "shapes that broadcast", "");
            }
            out[d] = i == 1 ? j : i;
        }
        return out;
    }

    // Arrangement.

    Term reshape(Term in, int... dims) {
        if (Arrays.equals(in.dims(), dims)) {
            return in;
        }
        if (isWhole(in)) {
            return expanded(in, dims);
        }
        return result(OperationType.RESHAPE, fresh(in.type(), in.scale(), in.zeroPoint(), dims), in.id(), model.vector(dims));
    }

    /** The same tensor once more, as NNAPI returns no input and nothing twice. */
    Term copy(Term in) {
        if (in.type() == OperandType.TENSOR_BOOL8) {
            return test(OperationType.LOGICAL_OR, in, in);
        }
        if (in.type() == OperandType.TENSOR_INT32) {
            return exactAs(in, binary(OperationType.MAXIMUM, in, in));
        }
        return result(OperationType.RESHAPE, fresh(in.type(), in.scale(), in.zeroPoint(), in.dims()), in.id(), model.vector(in.dims()));
    }

    /** Dimension i of the result is dimension {@code order[i]}; moves of dimensions of 1 cost no work. */
    Term transpose(Term in, int... order) {
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
        Term earlier = has(OperationType.TRANSPOSE) ? null : EarlierForms.transpose(this, in, order);
        if (earlier != null) {
            return earlier;
        }
        return result(OperationType.TRANSPOSE, fresh(in.type(), in.scale(), in.zeroPoint(), dims), in.id(), model.vector(order));
    }

    /** RESHAPE, TRANSPOSE and others take real numbers only. */
    private static boolean isWhole(Term in) {
        return in.type() == OperandType.TENSOR_INT32 || in.type() == OperandType.TENSOR_BOOL8;
    }

    /** Whole numbers or truth values under other dimensions: EXPAND_DIMS adds those of 1 to whole numbers. */
    private Term expanded(Term in, int... dims) {
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
        Term out = in;
        for (int d = 0; d < dims.length; d++) {
            if (d >= out.rank() || out.dims()[d] != dims[d]) {
                int[] longer = new int[out.rank() + 1];
                System.arraycopy(out.dims(), 0, longer, 0, d);
                longer[d] = 1;
                System.arraycopy(out.dims(), d, longer, d + 1, out.rank() - d);
                out = exactAs(in, result(OperationType.EXPAND_DIMS, fresh(in.type(), 0, 0, longer), out.id(), model.int32(d)));
            }
        }
        return out;
    }

    /** Elements {@code begin} to before {@code end} of one dimension, {@code step} apart. */
    Term slice(Term in, int dimension, int begin, int end, int step) {
        if (begin == 0 && end == in.dims()[dimension] && step == 1) {
            return in;
        }
        int[] dims = in.dims().clone();
        dims[dimension] = (end - begin + step - 1) / step;
        int[] begins = new int[in.rank()];
        begins[dimension] = begin;
        if (step == 1 && in.type() == OperandType.TENSOR_INT32) {
            return exactAs(in, result(OperationType.SLICE, fresh(in.type(), 0, 0, dims), in.id(), model.vector(begins), model.vector(dims)));
        }
        if (isWhole(in)) {
            return WholeNumbers.moved(this, in, x -> slice(x, dimension, begin, end, step));
        }
        Term earlier = has(OperationType.STRIDED_SLICE) ? null : EarlierForms.slice(this, in, dimension, begin, end, step);
        if (earlier != null) {
            return earlier;
        }
        int[] ends = in.dims().clone();
        int[] steps = new int[in.rank()];
        Arrays.fill(steps, 1);
        ends[dimension] = end;
        steps[dimension] = step;
        return result(OperationType.STRIDED_SLICE, fresh(in.type(), in.scale(), in.zeroPoint(), dims), in.id(), model.vector(begins),
            model.vector(ends), model.vector(steps), model.int32(0), model.int32(0), model.int32(0));
    }

    Term concatenate(List<Term> parts, int dimension) {
        return concatenate(parts, dimension, parts.get(0).scale(), parts.get(0).zeroPoint());
    }

    /** A quantized tensor in another scale: the sum of it and 0. */
    private Term scaled(Term in, double scale, int zeroPoint) {
        if (in.scale() == scale && in.zeroPoint() == zeroPoint) {
            return in;
        }
        int[] ones = new int[in.rank()];
        Arrays.fill(ones, 1);
        return arithmetic(OperationType.ADD, in, filled(in, ones, 0), FuseCode.NONE, scale, zeroPoint);
    }

    Term concatenate(List<Term> given, int dimension, double scale, int zeroPoint) {
        List<Term> parts = given;
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
        dims[dimension] = parts.stream().mapToInt(part -> part.dims()[dimension]).sum();
        int[] inputs = new int[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            inputs[i] = parts.get(i).id();
        }
        inputs[parts.size()] = model.int32(dimension);
        return result(OperationType.CONCATENATION, fresh(parts.get(0).type(), scale, zeroPoint, dims), inputs);
    }

    /** Adds {@code before[d]} and {@code after[d]} elements of one value. */
    Term pad(Term in, int[] before, int[] after, double value) {
        if (isWhole(in)) {
            return WholeNumbers.moved(this, in, x -> pad(x, before, after, value));
        }
        int[] dims = in.dims().clone();
        int[] amounts = new int[2 * dims.length];
        for (int d = 0; d < dims.length; d++) {
            dims[d] += before[d] + after[d];
            amounts[2 * d] = before[d];
            amounts[2 * d + 1] = after[d];
        }
        boolean later = value == 0 ? !has(OperationType.PAD) || in.zeroPoint() != 0 && !target.has(OperationType.PAD, "zeroPoint")
            : !has(OperationType.PAD_V2);
        Term earlier = later ? EarlierForms.pad(this, in, before, after, value) : null;
        if (earlier != null) {
            return earlier;
        }
        int operand = model.tensor(amounts, dims.length, 2);
        Term out = fresh(in.type(), in.scale(), in.zeroPoint(), dims);
        if (value == 0) {
            return result(OperationType.PAD, out, in.id(), operand);
        }
        if (in.isQuantized()) {
            throw new Refused("quantized tensors are padded with 0", String.valueOf(value), "0", "");
        }
        return result(OperationType.PAD_V2, out, in.id(), operand, model.float32((float) value));
    }

    Term tile(Term in, int... multiples) {
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
        Term earlier = has(OperationType.TILE) ? null : EarlierForms.tile(this, in, multiples);
        if (earlier != null) {
            return earlier;
        }
        return exactAs(in, result(OperationType.TILE, fresh(in.type(), in.scale(), in.zeroPoint(), dims), in.id(), model.vector(multiples)));
    }

    /** Rows of {@code in} along one dimension, picked by a vector of int32. */
    Term gather(Term in, int dimension, Term indices) {
        if (in.type() == OperandType.TENSOR_BOOL8) {
            return WholeNumbers.moved(this, in, x -> gather(x, dimension, indices));
        }
        Term earlier = has(OperationType.GATHER) ? null : EarlierForms.gather(this, in, dimension, indices);
        if (earlier != null) {
            return earlier;
        }
        int[] dims = new int[in.rank() - 1 + indices.rank()];
        System.arraycopy(in.dims(), 0, dims, 0, dimension);
        System.arraycopy(indices.dims(), 0, dims, dimension, indices.rank());
        System.arraycopy(in.dims(), dimension + 1, dims, dimension + indices.rank(), in.rank() - dimension - 1);
        return exactAs(in, result(OperationType.GATHER, fresh(in.type(), in.scale(), in.zeroPoint(), dims), in.id(), model.int32(dimension), indices.id()));
    }

    /** Rows of a matrix. */
    Term lookUp(Term rows, Term indices) {
        return result(OperationType.EMBEDDING_LOOKUP, fresh(rows.type(), rows.scale(), rows.zeroPoint(), indices.dims()[0], rows.dims()[1]), indices.id(), rows.id());
    }

    Term indices(int... values) {
        Term made = new Term(model.vector(values), OperandType.TENSOR_INT32, new int[] {values.length}, 0, 0, true);
        return Arrays.stream(values).allMatch(v -> Math.abs((long) v) < WholeNumbers.EXACT) ? exact(made) : made;
    }

    /** The {@code count} largest of the last dimension in falling order, and their places. */
    Term[] largest(Term in, int count) {
        int[] dims = in.dims().clone();
        dims[dims.length - 1] = count;
        Term values = fresh(in.type(), in.scale(), in.zeroPoint(), dims);
        Term places = fresh(OperandType.TENSOR_INT32, 0, 0, dims);
        model.operation(OperationType.TOPK_V2, new int[] {values.id(), places.id()}, new int[] {in.id(), model.int32(count)});
        return new Term[] {values, exact(places)};
    }

    // Reductions; dimensions stay, with size 1.

    Term mean(Term in, int... dimensions) {
        Term earlier = has(OperationType.MEAN) ? null : EarlierForms.mean(this, in, dimensions);
        return earlier != null ? earlier : result(OperationType.MEAN, reduced(in, dimensions), in.id(), model.vector(dimensions), model.int32(1));
    }

    /** REDUCE_SUM, REDUCE_MAX, REDUCE_MIN or REDUCE_PROD. */
    Term reduce(OperationType type, Term in, int... dimensions) {
        Term earlier = has(type) ? null : EarlierForms.reduce(this, type, in, dimensions);
        return earlier != null ? earlier : result(type, reduced(in, dimensions), in.id(), model.vector(dimensions), model.bool(true));
    }

    private Term reduced(Term in, int... dimensions) {
        int[] dims = in.dims().clone();
        for (int d : dimensions) {
            dims[d] = 1;
        }
        return fresh(in.type(), in.scale(), in.zeroPoint(), dims);
    }

    /** ARGMAX or ARGMIN, which drop the dimension; the result is int32. */
    Term position(OperationType type, Term in, int dimension) {
        int[] dims = new int[Math.max(1, in.rank() - 1)];
        Arrays.fill(dims, 1);
        for (int d = 0, at = 0; d < in.rank(); d++) {
            if (d != dimension) {
                dims[at++] = in.dims()[d];
            }
        }
        return exact(result(type, fresh(OperandType.TENSOR_INT32, 0, 0, dims), in.id(), model.int32(dimension)));
    }

    Term softmax(Term in, int dimension) {
        boolean lastOfShort = dimension == in.rank() - 1 && (in.rank() == 2 || in.rank() == MAX_RANK);
        if (!lastOfShort && !target.has(OperationType.SOFTMAX, "axis")) {
            return EarlierForms.softmax(this, in, dimension);
        }
        int beta = model.float32(1);
        return lastOfShort ? like(OperationType.SOFTMAX, in, in.id(), beta) : like(OperationType.SOFTMAX, in, in.id(), beta, model.int32(dimension));
    }

    Term logSoftmax(Term in, int dimension) {
        return like(OperationType.LOG_SOFTMAX, in, in.id(), model.float32(1), model.int32(dimension));
    }

    // Products and windows.

    /** {@code in x weights^T + bias} of matrices. */
    Term fullyConnected(Term in, Term weights, Term bias, double scale, int zeroPoint) {
        return result(OperationType.FULLY_CONNECTED, fresh(in.type(), scale, zeroPoint, in.dims()[0], weights.dims()[0]), in.id(), weights.id(), bias.id(),
            model.int32(FuseCode.NONE));
    }

    /**
     * CONV_2D, DEPTHWISE_CONV_2D (weights (1, height, width, out)) or GROUPED_CONV_2D, whichever the groups ask for.
     *
     * @param weights (out, height, width, in / groups)
     */
    Term convolution(Term image, Term weights, Term bias, Frame frame, int groups, boolean depthwise, int fuse, double scale, int zeroPoint) {
        int channels = weights.dims()[depthwise ? 3 : 0];
        Term out = fresh(image.type(), scale, zeroPoint, image.dims()[0], frame.rows().count(image.dims()[1]), frame.columns().count(image.dims()[2]), channels);
        Operands inputs = new Operands(image.id(), weights.id(), bias.id());
        inputs.add(frame.columns().before(), frame.columns().after(), frame.rows().before(), frame.rows().after());
        inputs.add(frame.columns().stride(), frame.rows().stride());
        boolean dilated = frame.isDilated();
        if (dilated && !target.has(OperationType.CONV_2D, "dilationWidth") || groups != 1 && !has(OperationType.GROUPED_CONV_2D)) {
            Term earlier = dilated ? EarlierWindows.dilated(this, image, weights, bias, frame, depthwise)
                : EarlierWindows.grouped(this, image, weights, bias, frame, groups);
            if (earlier != null) {
                return earlier;
            }
        }
        OperationType type = OperationType.CONV_2D;
        if (depthwise) {
            type = OperationType.DEPTHWISE_CONV_2D;
            inputs.add(channels / image.dims()[3]);
        } else if (groups != 1) {
            type = OperationType.GROUPED_CONV_2D;
            inputs.add(groups);
        }
        inputs.add(fuse);
        if (type == OperationType.GROUPED_CONV_2D || dilated) {
            inputs.flag(false);
        }
        if (dilated) {
            inputs.add(frame.columns().dilation(), frame.rows().dilation());
        }
        return result(type, out, inputs.ids());
    }

    /** @param weights (out, height, width, in) */
    Term transposedConvolution(Term image, Term weights, Term bias, Frame frame, double scale, int zeroPoint) {
        Term earlier = has(OperationType.TRANSPOSE_CONV_2D) ? null : EarlierWindows.transposed(this, image, weights, bias, frame);
        if (earlier != null) {
            return earlier;
        }
        Term out = fresh(image.type(), scale, zeroPoint, image.dims()[0], frame.rows().extent(image.dims()[1]), frame.columns().extent(image.dims()[2]),
            weights.dims()[0]);
        Operands inputs = new Operands(image.id(), weights.id(), bias.id());
        inputs.add(frame.columns().before(), frame.columns().after(), frame.rows().before(), frame.rows().after());
        inputs.add(frame.columns().stride(), frame.rows().stride(), FuseCode.NONE);
        inputs.flag(false);
        return result(OperationType.TRANSPOSE_CONV_2D, out, inputs.ids());
    }

    /** The pixels of each block by themselves, one batch for each place in a block; {@code padding} is top, bottom, left and right. */
    Term spaceToBatch(Term image, int[] block, int[] padding) {
        int[] dims = image.dims();
        Term out = fresh(image.type(), image.scale(), image.zeroPoint(), dims[0] * block[0] * block[1], (dims[1] + padding[0] + padding[1]) / block[0],
            (dims[2] + padding[2] + padding[3]) / block[1], dims[3]);
        return result(OperationType.SPACE_TO_BATCH_ND, out, image.id(), model.vector(block), model.tensor(padding, 2, 2));
    }

    /** What {@link #spaceToBatch} took apart. */
    Term batchToSpace(Term image, int... block) {
        int[] dims = image.dims();
        Term out = fresh(image.type(), image.scale(), image.zeroPoint(), dims[0] / (block[0] * block[1]), dims[1] * block[0], dims[2] * block[1], dims[3]);
        return result(OperationType.BATCH_TO_SPACE_ND, out, image.id(), model.vector(block));
    }

    /** AVERAGE_POOL_2D, which does not count padding, or MAX_POOL_2D. */
    Term pool(OperationType type, Term image, Frame frame) {
        Term out = fresh(image.type(), image.scale(), image.zeroPoint(), image.dims()[0], frame.rows().count(image.dims()[1]),
            frame.columns().count(image.dims()[2]), image.dims()[3]);
        Operands inputs = new Operands(image.id());
        inputs.add(frame.columns().before(), frame.columns().after(), frame.rows().before(), frame.rows().after());
        inputs.add(frame.columns().stride(), frame.rows().stride(), frame.columns().kernel(), frame.rows().kernel(), FuseCode.NONE);
        return result(type, out, inputs.ids());
    }

    /** RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR to a size in pixels. */
    Term resize(OperationType type, Term image, int height, int width, boolean alignCorners, boolean halfPixels) {
        boolean repeats = type == OperationType.RESIZE_NEAREST_NEIGHBOR && !has(type) && !alignCorners && !halfPixels;
        Term earlier = repeats ? EarlierForms.nearest(this, image, height, width) : null;
        if (earlier != null) {
            return earlier;
        }
        Term out = fresh(image.type(), image.scale(), image.zeroPoint(), image.dims()[0], height, width, image.dims()[3]);
        Operands inputs = new Operands(image.id());
        inputs.add(width, height);
        if (alignCorners || halfPixels || type == OperationType.RESIZE_NEAREST_NEIGHBOR) {
            inputs.flag(false);
        }
        if (alignCorners || halfPixels) {
            inputs.flag(alignCorners);
            inputs.flag(halfPixels);
        }
        return result(type, out, inputs.ids());
    }

    /**
     * ROI_ALIGN.
     *
     * @param regions corners (x1, y1, x2, y2), in pixels of what is {@code scale} times as large as the image
     * @param images  the number of each region's image
     * @param samples in each direction of an output pixel, 0 for as many as it covers
     */
    Term regions(Term image, Term regions, Term images, int height, int width, double scale, int samples) {
        Term out = fresh(image.type(), image.scale(), image.zeroPoint(), regions.dims()[0], height, width, image.dims()[3]);
        Operands inputs = new Operands(image.id(), regions.id(), images.id());
        inputs.add(height, width);
        inputs.append(model.float32((float) scale));
        inputs.append(model.float32((float) scale));
        inputs.add(samples, samples);
        inputs.flag(false);
        return result(OperationType.ROI_ALIGN, out, inputs.ids());
    }

    /** Collects the operands of an operation. */
    private final class Operands {
        private int[] ids;

        Operands(int... tensors) {
            ids = tensors;
        }

        void add(int... values) {
            for (int value : values) {
                append(model.int32(value));
            }
        }

        void flag(boolean value) {
            append(model.bool(value));
        }

        private void append(int id) {
            ids = Arrays.copyOf(ids, ids.length + 1);
            ids[ids.length - 1] = id;
        }

        int[] ids() {
            return ids;
        }
    }
}
