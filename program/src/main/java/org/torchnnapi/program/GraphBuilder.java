package org.torchnnapi.program;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.op.ReshapeOp;

/**
 * Builds a graph from its inputs to its outputs. Every method checks at once, so that a caller that may do something
 * else instead can catch {@link IllegalArgumentException} and go on.
 */
public final class GraphBuilder {
    private final List<OpGraph.Value> values = new ArrayList<>();
    private final List<OpGraph.Node> nodes = new ArrayList<>();
    private final List<Integer> inputs = new ArrayList<>();
    private final List<Integer> outputs = new ArrayList<>();

    public GraphBuilder() {}

    /** An input, the next of {@link Run#execute}'s. */
    public int input(ValueType type, ImageStorage storage) {
        requireSuited(type, storage);
        inputs.add(values.size());
        return value(type, null, storage);
    }

    /** A constant, as declared; the array is kept, not copied, and must not change. */
    public int constant(ValueType type, float[] data) {
        return constant(type, data, type.isFloat(), data.length);
    }

    /** A constant, as declared; the array is kept, not copied, and must not change. */
    public int constant(ValueType type, int[] data) {
        return constant(type, data, type.element().store() == ArrayType.INTS, data.length);
    }

    /** A constant of quantized bytes or of flags, as declared; the array is kept, not copied, and must not change. */
    public int constant(ValueType type, byte[] data) {
        return constant(type, data, type.element().store() == ArrayType.BYTES, data.length);
    }

    private int constant(ValueType type, Object data, boolean suited, int length) {
        if (!suited || type.count() != length) {
            throw new IllegalArgumentException("constant: " + length + " elements in "
                    + data.getClass().getSimpleName() + " (expected: those of " + type + ")");
        }
        return value(type, data, null);
    }

    /**
     * Appends an operation.
     *
     * @return its result
     * @throws IllegalArgumentException if it does not take such values
     */
    public int add(Op op, int... operands) {
        List<ValueType> types = new ArrayList<>(operands.length);
        for (int operand : operands) {
            types.add(type(operand));
        }
        ValueType result = op.result(types);
        int output = value(result, null, null);
        nodes.add(new OpGraph.Node(op, operands.clone(), output));
        return output;
    }

    /** The type of a value made so far. */
    public ValueType type(int value) {
        if (value < 0 || value >= values.size()) {
            throw new IllegalArgumentException("value: " + value + " (expected: 0 to " + (values.size() - 1) + ")");
        }
        return values.get(value).type();
    }

    /** How many nodes the graph has so far. */
    public int nodes() {
        return nodes.size();
    }

    /** Whether a value is a constant. */
    public boolean isConstant(int value) {
        type(value);
        return values.get(value).constant() != null;
    }

    /**
     * An output, the next of {@link Run#execute}'s. Inputs and constants may be outputs, and a value may be several.
     */
    public void output(int value, ImageStorage storage) {
        requireSuited(type(value), storage);
        OpGraph.Value named = values.get(value);
        if (named.storage() != null && named.storage() != storage) {
            output(add(new ReshapeOp(named.type().shape()), value), storage);
            return;
        }
        values.set(value, new OpGraph.Value(named.type(), named.constant(), storage));
        outputs.add(value);
    }

    /** The graph as it is now; the builder may go on. */
    public OpGraph build() {
        return new OpGraph(List.copyOf(values), List.copyOf(nodes), toArray(inputs), toArray(outputs));
    }

    private int value(ValueType type, Object constant, ImageStorage storage) {
        values.add(new OpGraph.Value(type, constant, storage));
        return values.size() - 1;
    }

    private static void requireSuited(ValueType type, ImageStorage storage) {
        if (storage != ImageStorage.DECLARED && type.rank() != 4) {
            throw new IllegalArgumentException(
                    "storage of " + type + ": " + storage + " (expected: DECLARED unless the rank is 4)");
        }
        if (storage.isBlocked()) {
            throw new IllegalArgumentException("storage of " + type + ": " + storage + " (expected: one of "
                    + Arrays.asList(ImageStorage.DECLARED, ImageStorage.CHANNELS_LAST, ImageStorage.CHANNELS_FIRST)
                    + ")");
        }
    }

    private static int[] toArray(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
