package org.torchnnapi.converter.partition;

import java.util.List;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * A part of the graph as NNAPI model.
 *
 * @param inputs what it takes, in the model's order
 * @param outputs what it returns
 * @param origins for each operation, the node that it was made for
 * @param rows how many rows a call takes of tensors with as many as elements decide, of which the segment computes each
 *     by itself; 0 where there are no such
 */
public record LoweredSegment(
        LoweredModel model, List<Boundary> inputs, List<Boundary> outputs, List<Node> origins, int rows) {
    /**
     * A tensor on the way into or out of an NNAPI model.
     *
     * @param value the tensor in the graph
     * @param facts what is known of it
     * @param dtype the type in which NNAPI takes it: whole numbers and truth values pass as int32
     * @param shape the shape in which NNAPI takes it: it has one dimension at least, and four at most
     * @param inRows whether these are some rows of the tensor in the graph
     */
    public record Boundary(Value value, TensorFacts facts, DType dtype, int[] shape, boolean inRows) {}

    public LoweredSegment {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        origins = List.copyOf(origins);
    }

    /** The same with tensors of so many rows, all in one call, for a module that stands in the place of its model. */
    LoweredSegment asIfOf(int number) {
        return rows == 0
                ? this
                : new LoweredSegment(model, of(inputs, number), of(outputs, number), origins, Math.max(1, number));
    }

    private static List<Boundary> of(List<Boundary> boundaries, int number) {
        return boundaries.stream()
                .map(boundary -> {
                    int[] shape = boundary.facts().shape();
                    shape[0] = number;
                    return !boundary.inRows()
                            ? boundary
                            : new Boundary(
                                    boundary.value(),
                                    new TensorFacts(boundary.facts().dtype(), shape, null),
                                    boundary.dtype(),
                                    shape,
                                    true);
                })
                .collect(Streams.toList());
    }

    /** What is known in a call for one of its nodes. */
    PartialEvaluation.Facts known(PartialEvaluation.Facts facts, Node node) {
        return rows == 0 ? facts : facts.rows().at(facts, facts.rows().of(node), rows);
    }

    /** The same for calls of so many rows, for which it was lowered. */
    LoweredSegment inRows(int number) {
        return new LoweredSegment(model, inputs, outputs, origins, number);
    }
}
