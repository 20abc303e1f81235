package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * What a method did with the elements of its tensors, in order. Values are numbered as they come; an operator that
 * writes to a tensor makes a new value.
 */
final class Recording {
    /** Where a value comes from. */
    sealed interface Origin {}

    /** @param number of the tensor among all in the arguments */
    record Argument(int number) implements Origin {}

    /** @param tensor whose elements never change */
    record Constant(Tensor tensor) implements Origin {}

    /** An operation of a program. */
    record Computed(Node node, Op op, int[] inputs) implements Origin {}

    /** A tensor in the result of a call; all of one call have the same {@code call}. */
    record Called(Call call) implements Origin {}

    /**
     * An operator left to its kernel.
     *
     * @param arguments with {@link Placed} in place of tensors that vary
     * @param results as the kernel gives them, with {@link Placed} in place of tensors
     * @param part the node of the recorded region that it is of
     */
    record Call(Node node, OperatorKernel kernel, Object[] arguments, Object results, int part) {}

    /** A tensor: the elements of a value, lying so. */
    record Placed(int value, TensorGeometry geometry) {}

    private final List<Origin> origins = new ArrayList<>();
    private final List<TensorGeometry> geometries = new ArrayList<>();
    private final List<ValueType> types = new ArrayList<>();
    private final List<NodeCall> calls = new ArrayList<>();
    private NodeCall current;

    /** Tells which call of the method makes the values to come. */
    void begin(NodeCall call) {
        current = call;
    }

    /**
     * @param geometry of the tensor that has the value first
     * @param type null if no program can have it
     */
    int add(Origin origin, TensorGeometry geometry, ValueType type) {
        origins.add(origin);
        geometries.add(geometry);
        types.add(type);
        calls.add(current);
        return origins.size() - 1;
    }

    int size() {
        return origins.size();
    }

    Origin origin(int value) {
        return origins.get(value);
    }

    /** The method's call that made a value; null of arguments. */
    NodeCall call(int value) {
        return calls.get(value);
    }

    TensorGeometry geometry(int value) {
        return geometries.get(value);
    }

    ValueType type(int value) {
        return types.get(value);
    }
}
