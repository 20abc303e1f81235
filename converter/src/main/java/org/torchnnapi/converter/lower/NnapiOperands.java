package org.torchnnapi.converter.lower;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.support.TensorBytes;

/** The operands of an NNAPI model in the making: what comes in, constants, each once, and what operations compute. */
abstract class NnapiOperands {
    /** NNAPI's tensors have at most so many dimensions. */
    public static final int MAX_RANK = 4;

    final Target target;
    public final ModelAssembler model = new ModelAssembler();
    private final Map<Tensor, Map<List<Integer>, OperandRef>> constants = new IdentityHashMap<>();
    private final Map<List<Integer>, OperandRef> zeros = new HashMap<>();
    /** By type and sizes, as most constants of a model have no like in these: their elements are not looked at. */
    private final Map<List<Object>, List<Stored>> stored = new HashMap<>();
    /** Operands of whole numbers that float32 holds exactly. */
    private final Set<Integer> exact = new HashSet<>();

    /** A constant that the model has. */
    private static final class Stored {
        private final Tensor tensor;
        private OperandRef term;
        /** Found once there is another of its type and sizes. */
        private Integer fingerprint;

        Stored(Tensor tensor) {
            this.tensor = tensor;
        }

        boolean isEqual(Stored other) {
            return fingerprint() == other.fingerprint() && TensorBytes.areEqual(tensor, other.tensor);
        }

        private int fingerprint() {
            if (fingerprint == null) {
                fingerprint = TensorBytes.fingerprint(tensor);
            }
            return fingerprint;
        }
    }

    /** @param target whose level takes what is built, or else refuses it */
    NnapiOperands(Target target) {
        this.target = target;
    }

    Target target() {
        return target;
    }

    public ModelAssembler model() {
        return model;
    }

    /**
     * Whether the level knows an operation. Where it does not, {@link NnapiBuilder} makes the same of others, as far as
     * there is a way.
     */
    public boolean has(OperationType type) {
        return target.has(type);
    }

    /** Whether the level knows an operation with an input of this name. */
    public boolean has(OperationType type, String input) {
        return target.has(type, input);
    }

    public OperandRef input(TensorOperand operand) {
        int id = model.add(operand);
        model.addInput(id);
        int[] dims = operand.layout().toNnapi(operand.shape());
        return new OperandRef(id, operand.type(), dims, operand.scale(), operand.zeroPoint(), false);
    }

    /** A new tensor for an operation to compute. */
    final OperandRef fresh(OperandType type, double scale, int zeroPoint, int... dims) {
        if (dims.length > MAX_RANK) {
            throw new Refused("NNAPI's tensors have few dimensions", Arrays.toString(dims), "at most " + MAX_RANK);
        }
        int id = model.add(new TensorOperand(type, dims, OperandLayout.CONTIGUOUS, scale, zeroPoint));
        return new OperandRef(id, type, dims.clone(), scale, zeroPoint, false);
    }

    /**
     * A constant; int64 numbers become int32.
     *
     * @param order the constant's dimensions in the order in which NNAPI shall have them
     */
    OperandRef constant(Tensor tensor, int... order) {
        List<Integer> key = Arrays.stream(order).boxed().collect(Streams.toList());
        return constants
                .computeIfAbsent(tensor, t -> new HashMap<>())
                .computeIfAbsent(key, k -> stored(order.length == 0 ? tensor : tensor.permute(order)));
    }

    final OperandRef stored(Tensor view) {
        Tensor dense = OperandTypes.narrowed(view).arranged();
        if (dense.offset() != 0 || dense.storage().length() != dense.numel()) {
            dense = dense.copy(MemoryFormat.CONTIGUOUS);
        }
        int[] dims = Shapes.dims(dense.sizes());
        double scale = dense.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
        int zeroPoint = dense.quantization() instanceof Quantization.PerTensor q ? q.zeroPoint() : 0;
        List<Object> geometry = new ArrayList<>(List.of(dense.dtype()));
        Arrays.stream(dense.sizes()).forEach(geometry::add);
        List<Stored> alike = stored.computeIfAbsent(geometry, k -> new ArrayList<>());
        Stored made = new Stored(dense);
        for (Stored other : alike) {
            if (made.isEqual(other)) {
                return other.term;
            }
        }
        OperandType type = OperandTypes.of(dense.dtype());
        if (dense.quantization() != null && !(dense.quantization() instanceof Quantization.PerTensor)) {
            throw new Refused(
                    "constants are quantized per tensor", "a tensor quantized per channel", "one scale and zero point");
        }
        int id = model.addWeight(new TensorOperand(type, dims, OperandLayout.CONSTANT, scale, zeroPoint), dense);
        if (dense.dtype() == DType.INT32
                && Arrays.stream(dense.storage().intArray()).allMatch(v -> Math.abs((long) v) < WholeNumbers.EXACT)) {
            exact.add(id);
        }
        made.term = new OperandRef(id, type, dims, scale, zeroPoint, true);
        alike.add(made);
        return made.term;
    }

    /** A truth value of one element. */
    OperandRef truth(boolean value) {
        return truths(new boolean[] {value}, 1);
    }

    /** Constant truth values. */
    OperandRef truths(boolean[] values, int... dims) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        return stored(Tensor.of(DType.BOOL, bytes, dims));
    }

    /** IF or WHILE, whose results are like {@code results}. */
    List<OperandRef> control(OperationType type, List<Integer> inputs, List<OperandRef> results) {
        List<OperandRef> out = new ArrayList<>();
        for (OperandRef like : results) {
            out.add(fresh(like.type(), like.scale(), like.zeroPoint(), like.dims()));
        }
        model.operation(
                type,
                out.stream().mapToInt(OperandRef::id).toArray(),
                inputs.stream().mapToInt(Integer::intValue).toArray());
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
    OperandRef channels(Tensor bytes, float[] scales, int dimension, int... order) {
        Tensor dense = bytes.permute(order).arranged();
        TensorOperand operand = new TensorOperand(
                OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, dense.sizes(), OperandLayout.CONSTANT, 0, 0);
        int id = model.addWeight(operand, dense, new ChannelQuantization(dimension, scales));
        return new OperandRef(id, operand.type(), dense.sizes(), 0, 0, true);
    }

    OperandRef floats(float[] values, int... dims) {
        return stored(Tensor.of(values, dims));
    }

    /** A bias of zeros for {@code channels} outputs. */
    OperandRef zeros(int channels) {
        return zeros.computeIfAbsent(List.of(channels), key -> floats(new float[channels], channels));
    }

    /** Real numbers one after the other. */
    OperandRef iota(int first, int... dims) {
        float[] all = new float[Shapes.product(dims, 0, dims.length)];
        for (int i = 0; i < all.length; i++) {
            all[i] = first + i;
        }
        return floats(all, dims);
    }

    /** A constant of one value, of the type and quantization of another tensor. */
    OperandRef filled(OperandRef like, int[] dims, double value) {
        if (!like.isQuantized()) {
            return filled(like.type(), value, dims);
        }
        byte[] stored = new byte[Shapes.product(dims, 0, dims.length)];
        Arrays.fill(stored, (byte) (like.zeroPoint() + Math.round(value / like.scale())));
        return stored(Tensor.of(DType.QUINT8, stored, dims)
                .withQuantization(new Quantization.PerTensor(like.scale(), like.zeroPoint())));
    }

    /** The same of a type without a scale; what is no whole number is cut off, or true. */
    OperandRef filled(OperandType type, double value, int... dims) {
        int count = Shapes.product(dims, 0, dims.length);
        switch (type) {
            case TENSOR_BOOL8 -> {
                boolean[] truths = new boolean[count];
                Arrays.fill(truths, value != 0);
                return truths(truths, dims);
            }
            case TENSOR_INT32 -> {
                int[] whole = new int[count];
                Arrays.fill(whole, Math.toIntExact((long) value));
                return stored(Tensor.of(whole, dims));
            }
            default -> {
                float[] reals = new float[count];
                Arrays.fill(reals, (float) value);
                return floats(reals, dims);
            }
        }
    }

    /** The elements of a constant of real numbers. */
    float[] values(OperandRef constant) {
        for (ModelAssembler.Constant known : model.constants()) {
            if (known.operand() == constant.id()) {
                return known.bytes() == null
                        ? model.weights().get(known.buffer()).contiguous().toFloatArray()
                        : new float[] {
                            ByteBuffer.wrap(known.bytes())
                                    .order(ByteOrder.LITTLE_ENDIAN)
                                    .getFloat(0)
                        };
            }
        }
        throw new IllegalArgumentException("term: " + constant + " (expected: a constant)");
    }

    /** A number that broadcasts with any tensor. */
    OperandRef number(double value) {
        return number(value, 1);
    }

    /** The same in so many dimensions. */
    OperandRef number(double value, int rank) {
        int[] ones = Shapes.widened(rank);
        return new OperandRef(model.number((float) value, ones), OperandType.TENSOR_FLOAT32, ones, 0, 0, true);
    }

    /** Whether float32 holds the whole numbers of a tensor exactly, whatever the inputs. */
    boolean isExact(OperandRef term) {
        return exact.contains(term.id());
    }

    /** Says of whole numbers that float32 holds them exactly. */
    public OperandRef exact(OperandRef term) {
        exact.add(term.id());
        return term;
    }

    /** The same for what only picks from {@code from}. */
    final OperandRef exactAs(OperandRef from, OperandRef made) {
        return isExact(from) ? exact(made) : made;
    }

    /** An operation whose result has the type and dimensions of {@code in}. */
    OperandRef like(OperationType type, OperandRef in, int... inputs) {
        return result(type, fresh(in.type(), in.scale(), in.zeroPoint(), in.dims()), inputs);
    }

    /** An operation with one result. */
    final OperandRef result(OperationType type, OperandRef out, int... inputs) {
        model.operation(type, out.id(), inputs);
        return out;
    }
}
