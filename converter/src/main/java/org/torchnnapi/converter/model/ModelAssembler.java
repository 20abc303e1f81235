package org.torchnnapi.converter.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Collects the operands, constants and operations of an NNAPI model in the order in which lowerings ask for them; that
 * order is the order in the serialized model. Equal immediate values share an operand; weights never do.
 */
public final class ModelAssembler {
    /** A constant operand: {@code bytes} for an immediate value, or {@code buffer}, an index into the weights. */
    public record Constant(int operand, byte[] bytes, int buffer) {}

    /** One operation; operand indexes. */
    public record AssembledOperation(OperationType type, int[] inputs, int[] outputs) {}

    private record ImmediateKey(OperandType type, List<Integer> dimensions, ByteBuffer bytes) {}

    private final List<TensorOperand> operands = new ArrayList<>();
    private final List<Constant> constants = new ArrayList<>();
    private final List<AssembledOperation> operations = new ArrayList<>();
    private final List<SourceRange> places = new ArrayList<>();
    private SourceRange place = SourceRange.NONE;
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Integer> inputs = new ArrayList<>();
    private final List<Integer> outputs = new ArrayList<>();
    private final Map<ImmediateKey, Integer> immediates = new HashMap<>();
    private final List<OutputTemplate> templates = new ArrayList<>();
    private final Map<Integer, ChannelQuantization> channels = new LinkedHashMap<>();
    private final Map<Integer, ModelAssembler> models = new LinkedHashMap<>();
    private final List<ByteForm> byteForms = new ArrayList<>();

    /** The operations whose results are returned or read by others so used; all of a model that returns none. */
    public BitSet usedOperations() {
        BitSet read = new BitSet();
        outputs.forEach(read::set);
        BitSet used = new BitSet();
        if (outputs.isEmpty()) {
            // It was made to see whether NNAPI takes its operations.
            used.set(0, operations.size());
            return used;
        }
        for (int i = operations.size() - 1; i >= 0; i--) {
            AssembledOperation operation = operations.get(i);
            if (Arrays.stream(operation.outputs).anyMatch(read::get)) {
                used.set(i);
                Arrays.stream(operation.inputs).forEach(read::set);
            }
        }
        return used;
    }

    /** The same model without operations and operands that nothing reads, whose sizes must be known. */
    public ModelAssembler pruned() {
        BitSet kept = usedOperations();
        BitSet used = new BitSet();
        inputs.forEach(used::set);
        outputs.forEach(used::set);
        kept.stream().mapToObj(operations::get).forEach(operation -> {
            Arrays.stream(operation.inputs).forEach(used::set);
            Arrays.stream(operation.outputs).forEach(used::set);
        });
        ModelAssembler out = new ModelAssembler();
        int[] to = new int[operands.size()];
        for (int id = used.nextSetBit(0); id >= 0; id = used.nextSetBit(id + 1)) {
            to[id] = out.add(operands.get(id));
        }
        for (Constant constant : constants) {
            if (used.get(constant.operand)) {
                out.addConstant(to[constant.operand], constant, this);
            }
        }
        for (int i = kept.nextSetBit(0); i >= 0; i = kept.nextSetBit(i + 1)) {
            AssembledOperation operation = operations.get(i);
            out.at(places.get(i));
            out.operation(
                    operation.type,
                    Arrays.stream(operation.outputs).map(id -> to[id]).toArray(),
                    Arrays.stream(operation.inputs).map(id -> to[id]).toArray());
        }
        channels.forEach((id, quantization) -> {
            if (used.get(id)) {
                out.channels.put(to[id], quantization);
            }
        });
        models.forEach((id, inner) -> {
            if (used.get(id)) {
                out.models.put(to[id], inner);
            }
        });
        inputs.forEach(id -> out.addInput(to[id]));
        outputs.forEach(id -> out.addOutput(to[id]));
        out.templates.addAll(templates);
        out.byteForms.addAll(byteForms);
        return out;
    }

    /**
     * The models of several sizes of one graph are of different operations, or an operation has other kinds of
     * operands.
     */
    public static final class Unaligned extends Exception {
        private static final long serialVersionUID = 1;
        private final int model;
        private final int operation;

        Unaligned(int model, int operation, String found) {
            super(found, null, false, false);
            this.model = model;
            this.operation = operation;
        }

        /** The number of the model that differs from the first; 0 where several do. */
        public int model() {
            return model;
        }

        /** The number of the first operation that differs; that of the last one where results do. */
        public int operation() {
            return operation;
        }
    }

    /**
     * Models of the same operations for inputs of several sizes, made alike: operands have the same numbers in each,
     * and two places share an operand where they do in all. What differs then are dimensions and values.
     *
     * @throws Unaligned if they are not of the same operations
     */
    public static List<ModelAssembler> aligned(List<ModelAssembler> models) throws Unaligned {
        List<ModelAssembler> out =
                models.stream().map(model -> new ModelAssembler()).collect(Streams.toList());
        ModelAssembler first = models.get(0);
        int last = first.operations.size() - 1;
        for (int m = 0; m < models.size(); m++) {
            ModelAssembler model = models.get(m);
            for (int i = 0; i < Math.min(model.operations.size(), first.operations.size()); i++) {
                requireAlike(m, i, first.operations.get(i), model.operations.get(i));
            }
            if (model.operations.size() != first.operations.size()
                    || model.inputs.size() != first.inputs.size()
                    || model.outputs.size() != first.outputs.size()) {
                throw new Unaligned(
                        m, last, model.operations.size() + " operations, for other sizes " + first.operations.size());
            }
        }
        Alignment alignment = new Alignment(models, out);
        for (int i = 0; i < first.inputs.size(); i++) {
            int number = i;
            int id = alignment.together(0, model -> model.inputs.get(number));
            out.forEach(model -> model.addInput(id));
        }
        for (int i = 0; i < first.operations.size(); i++) {
            int number = i;
            AssembledOperation operation = first.operations.get(i);
            int[] inputs = new int[operation.inputs.length];
            int[] outputs = new int[operation.outputs.length];
            for (int k = 0; k < inputs.length; k++) {
                int at = k;
                inputs[k] = alignment.together(i, model -> model.operations.get(number).inputs[at]);
            }
            for (int k = 0; k < outputs.length; k++) {
                int at = k;
                outputs[k] = alignment.together(i, model -> model.operations.get(number).outputs[at]);
            }
            for (int m = 0; m < models.size(); m++) {
                out.get(m).at(models.get(m).places.get(i));
                out.get(m).operation(operation.type, outputs, inputs);
            }
        }
        for (int i = 0; i < first.outputs.size(); i++) {
            int number = i;
            int id = alignment.together(last, model -> model.outputs.get(number));
            out.forEach(model -> model.addOutput(id));
        }
        for (int m = 0; m < models.size(); m++) {
            out.get(m).templates.addAll(models.get(m).templates);
            out.get(m).byteForms.addAll(models.get(m).byteForms);
        }
        return out;
    }

    private static void requireAlike(int model, int number, AssembledOperation one, AssembledOperation other)
            throws Unaligned {
        if (one.type != other.type
                || one.inputs.length != other.inputs.length
                || one.outputs.length != other.outputs.length) {
            throw new Unaligned(
                    model,
                    number,
                    other.type + " with " + other.inputs.length + " operands, for other sizes " + one.type + " with "
                            + one.inputs.length);
        }
    }

    private List<Constant> constantsByOperand() {
        List<Constant> byOperand = new ArrayList<>(Collections.nCopies(operands.size(), null));
        constants.forEach(constant -> byOperand.set(constant.operand, constant));
        return byOperand;
    }

    /** Operands of several models, and what they are in those that are made alike. */
    private static final class Alignment {
        private final List<ModelAssembler> models;
        private final List<ModelAssembler> out;
        private final List<List<Constant>> constants;
        private final Map<List<Integer>, Integer> numbers = new HashMap<>();

        Alignment(List<ModelAssembler> models, List<ModelAssembler> out) {
            this.models = models;
            this.out = out;
            constants = models.stream().map(ModelAssembler::constantsByOperand).collect(Streams.toList());
        }

        /** The number, in all that is made, of the operand that stands at a place of each of the models. */
        int together(int operation, ToIntFunction<ModelAssembler> place) throws Unaligned {
            List<Integer> ids = models.stream().map(place::applyAsInt).collect(Streams.toList());
            Integer known = numbers.get(ids);
            if (known != null) {
                return known;
            }
            TensorOperand like = models.get(0).operands.get(ids.get(0));
            Constant constantLike = constants.get(0).get(ids.get(0));
            for (int m = 0; m < models.size(); m++) {
                TensorOperand operand = models.get(m).operands.get(ids.get(m));
                Constant constant = constants.get(m).get(ids.get(m));
                boolean alike = operand.type() == like.type()
                        && operand.rank() == like.rank()
                        && operand.layout() == like.layout()
                        && operand.scale() == like.scale()
                        && operand.zeroPoint() == like.zeroPoint()
                        && byteCount(constant) == byteCount(constantLike);
                if (!alike) {
                    throw new Unaligned(0, operation, operand.text() + ", for other sizes " + like.text());
                }
                ModelAssembler made = out.get(m);
                int id = made.add(operand);
                if (constant != null) {
                    made.addConstant(id, constant, models.get(m));
                }
            }
            int id = numbers.size();
            numbers.put(ids, id);
            return id;
        }

        /** Of immediate values; -1 of weights, and -2 where there is no constant. */
        private static int byteCount(Constant constant) {
            return constant == null ? -2 : constant.bytes == null ? -1 : constant.bytes.length;
        }
    }

    /** A constant that another model has, and its weight. */
    private void addConstant(int id, Constant constant, ModelAssembler from) {
        boolean isWeight = constant.bytes == null;
        constants.add(new Constant(id, constant.bytes, isWeight ? weights.size() : -1));
        if (isWeight) {
            weights.add(from.weights.get(constant.buffer));
        }
    }

    /** Where the operations that follow come from. */
    public void at(SourceRange origin) {
        place = origin;
    }

    /** Says that operations which were added compute a function in a form of its own. */
    public void note(ByteForm form) {
        byteForms.add(form);
    }

    /** Functions that are computed in forms of their own, as often as there are such. */
    public List<ByteForm> byteForms() {
        return Collections.unmodifiableList(byteForms);
    }

    /** Where each operation comes from. */
    public List<SourceRange> places() {
        return Collections.unmodifiableList(places);
    }

    public TensorOperand operand(int id) {
        return operands.get(id);
    }

    public List<TensorOperand> operands() {
        return Collections.unmodifiableList(operands);
    }

    public List<Constant> constants() {
        return Collections.unmodifiableList(constants);
    }

    public List<AssembledOperation> operations() {
        return Collections.unmodifiableList(operations);
    }

    /**
     * Tensors of the constant operands that are not immediate, by buffer number; behind them those of the models that
     * operands stand for.
     */
    public List<Tensor> weights() {
        if (models.isEmpty()) {
            return Collections.unmodifiableList(weights);
        }
        List<Tensor> all = new ArrayList<>(weights);
        models.values().forEach(inner -> all.addAll(inner.weights()));
        return Collections.unmodifiableList(all);
    }

    /** How many weights are this model's own. */
    public int ownWeights() {
        return weights.size();
    }

    public List<Integer> inputs() {
        return Collections.unmodifiableList(inputs);
    }

    public List<Integer> outputs() {
        return Collections.unmodifiableList(outputs);
    }

    /** What the module allocates, by output. */
    public List<OutputTemplate> templates() {
        return Collections.unmodifiableList(templates);
    }

    public void addTemplate(OutputTemplate template) {
        templates.add(template);
    }

    public int add(TensorOperand operand) {
        operands.add(operand);
        return operands.size() - 1;
    }

    public void addInput(int operand) {
        inputs.add(operand);
    }

    public void addOutput(int operand) {
        outputs.add(operand);
    }

    /** A constant operand whose data is a weight of the converted module. */
    public int addWeight(TensorOperand operand, Tensor data) {
        int id = add(operand);
        constants.add(new Constant(id, null, weights.size()));
        weights.add(data);
        return id;
    }

    /** A weight with a scale a channel, of signed bytes. */
    public int addWeight(TensorOperand operand, Tensor data, ChannelQuantization quantization) {
        int id = addWeight(operand, data);
        channels.put(id, quantization);
        return id;
    }

    /**
     * An operand that stands for a model, which is complete. Its weights become weights of this model, behind those
     * that are there.
     */
    public int model(ModelAssembler inner) {
        int id = add(new TensorOperand(OperandType.SUBGRAPH, new int[0], OperandLayout.SCALAR_OR_VECTOR, 0, 0));
        models.put(id, inner);
        return id;
    }

    /** The scales of operands that have one a channel. */
    public Map<Integer, ChannelQuantization> channels() {
        return Collections.unmodifiableMap(channels);
    }

    /** The models that operands stand for. */
    public Map<Integer, ModelAssembler> models() {
        return Collections.unmodifiableMap(models);
    }

    /** Whether the model has what only this library's runtime takes. */
    public boolean needsOwnRuntime() {
        return !channels.isEmpty() || !models.isEmpty();
    }

    public int int32(int value) {
        return immediate(OperandType.INT32, bytes(4).putInt(0, value).array());
    }

    public int float32(float value) {
        return immediate(OperandType.FLOAT32, bytes(4).putFloat(0, value).array());
    }

    /** A float32 tensor of one element, whose dimensions are of 1. */
    public int number(float value, int... ones) {
        return immediate(OperandType.TENSOR_FLOAT32, bytes(4).putFloat(0, value).array(), ones);
    }

    public int bool(boolean value) {
        return immediate(OperandType.BOOL, new byte[] {(byte) (value ? 1 : 0)});
    }

    /** The latest operation, if it computes an operand; null if it does not. */
    public AssembledOperation latest(int operand) {
        AssembledOperation last = operations.isEmpty() ? null : operations.get(operations.size() - 1);
        return last != null && last.outputs[0] == operand ? last : null;
    }

    /** The numbers of an int32 vector that is written where it is used. */
    public int[] numbers(int vector) {
        for (Constant constant : constants) {
            if (constant.operand == vector && constant.bytes != null) {
                int[] values = new int[constant.bytes.length / Integer.BYTES];
                ByteBuffer.wrap(constant.bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asIntBuffer()
                        .get(values);
                return values;
            }
        }
        throw new IllegalArgumentException("operand: " + vector + " (expected: a vector)");
    }

    /** An int32 vector. */
    public int vector(int... values) {
        return tensor(values, values.length);
    }

    /** An int32 tensor with the given dimensions. */
    public int tensor(int[] values, int... dimensions) {
        ByteBuffer data = bytes(4 * values.length);
        for (int value : values) {
            data.putInt(value);
        }
        return immediate(OperandType.TENSOR_INT32, data.array(), dimensions);
    }

    /** A constant of these little-endian bytes that is written where it is used. */
    public int immediate(OperandType type, byte[] bytes, int... dimensions) {
        ImmediateKey key = new ImmediateKey(
                type, Arrays.stream(dimensions).boxed().collect(Streams.toList()), ByteBuffer.wrap(bytes));
        return immediates.computeIfAbsent(key, k -> {
            int id = add(new TensorOperand(type, dimensions, OperandLayout.SCALAR_OR_VECTOR, 0, 0));
            constants.add(new Constant(id, bytes, -1));
            return id;
        });
    }

    public void operation(OperationType type, int output, int... operationInputs) {
        operation(type, new int[] {output}, operationInputs);
    }

    /** An operation with several results. */
    public void operation(OperationType type, int[] operationOutputs, int[] operationInputs) {
        operations.add(new AssembledOperation(type, operationInputs.clone(), operationOutputs.clone()));
        places.add(place);
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    }
}
