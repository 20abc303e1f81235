package org.torchnnapi.converter.compare;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Something that computed a tensor: an operator, or an operation of an NNAPI part, with the activation behind it.
 *
 * @param operator such as {@code aten::conv2d} or {@code CONV_2D}
 * @param range    where it stands; {@link SourceRange#NONE} for an NNAPI operation
 * @param value    what it gave, or the activation behind it
 * @param nodes    the operator and the activation; none for an NNAPI operation
 * @param arguments of these nodes, as they were called
 */
public record RecordedStep(String operator, SourceRange range, Tensor value, List<Node> nodes, List<Object[]> arguments) {
    private static final String RESULT = "result";

    /** What {@code forward} returned, as a step. */
    static RecordedStep result(Tensor tensor) {
        return new RecordedStep(RESULT, SourceRange.NONE, tensor, List.of(), List.of());
    }

    /** Path of its module and operator, or line of Python. */
    public String name() {
        if (nodes.isEmpty()) {
            return operator.equals(RESULT) ? RESULT : operator + " (NNAPI)";
        }
        return range.module().isEmpty() ? operator + " at " + range : range.module() + " (" + operator + ")";
    }

    boolean isNnapi() {
        return nodes.isEmpty() && !operator.equals(RESULT);
    }

    RecordedStep followedBy(RecordedStep activation) {
        List<Node> both = new ArrayList<>(nodes);
        both.addAll(activation.nodes);
        List<Object[]> all = new ArrayList<>(arguments);
        all.addAll(activation.arguments);
        return new RecordedStep(operator, range, activation.value, both, all);
    }
}
