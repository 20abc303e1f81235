package org.torchnnapi.converter.free;

import java.util.List;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * A part of the graph as NNAPI model.
 *
 * @param inputs  what it takes, in the model's order
 * @param outputs what it returns
 * @param origins for each operation, the node that it was made for
 */
public record LoweredSegment(LoweredModel model, List<Boundary> inputs, List<Boundary> outputs, List<Node> origins) {
    /**
     * A tensor on the way into or out of an NNAPI model.
     *
     * @param value the tensor in the graph
     * @param facts what is known of it
     * @param dtype the type in which NNAPI takes it: whole numbers and truth values pass as int32
     * @param shape the shape in which NNAPI takes it: it has one dimension at least, and four at most
     */
    public record Boundary(Value value, TensorFacts facts, DType dtype, int[] shape) {
    }

    public LoweredSegment {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        origins = List.copyOf(origins);
    }
}
