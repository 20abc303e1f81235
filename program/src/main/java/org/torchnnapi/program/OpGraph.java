package org.torchnnapi.program;

import java.util.List;

/**
 * Operations over values, each value computed before it is used. Values are known by their index.
 *
 * @param nodes in an order in which they can run
 */
public record OpGraph(List<Value> values, List<Node> nodes, int[] inputs, int[] outputs) {
    /**
     * @param constant its {@code float[]}, {@code int[]} or {@code byte[]} as declared; null unless it is a constant
     * @param storage how an input is given and an output is wanted; else null
     */
    public record Value(ValueType type, Object constant, ImageStorage storage) {}

    /** One operation with the values it takes and the one it makes. */
    public record Node(Op op, int[] inputs, int output) {}

    public ValueType type(int value) {
        return values.get(value).type();
    }
}
