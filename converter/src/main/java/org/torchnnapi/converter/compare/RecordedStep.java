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
 * @param number   which of the run's steps of this operator and place it is, from 1; 0 if it is the only one
 */
public record RecordedStep(String operator, SourceRange range, Tensor value, List<Node> nodes, List<Object[]> arguments, int number) {
    private static final String RESULT = "result";

    /** What {@code forward} returned, as a step. */
    static RecordedStep result(Tensor tensor) {
        return new RecordedStep(RESULT, SourceRange.NONE, tensor, List.of(), List.of(), 0);
    }

    /** Path of its module and operator, or line of Python; of several that have these in common, which one. */
    public String name() {
        if (operator.equals(RESULT)) {
            return RESULT;
        }
        String counted = number > 0 ? operator + " #" + number : operator;
        if (nodes.isEmpty()) {
            return counted + " (NNAPI)";
        }
        return range.module().isEmpty() ? counted + " at " + range : range.module() + " (" + counted + ")";
    }

    RecordedStep numbered(int which) {
        return new RecordedStep(operator, range, value, nodes, arguments, which);
    }

    boolean isNnapi() {
        return nodes.isEmpty() && !operator.equals(RESULT);
    }

    RecordedStep followedBy(RecordedStep activation) {
        List<Node> both = new ArrayList<>(nodes);
        both.addAll(activation.nodes);
        List<Object[]> all = new ArrayList<>(arguments);
        all.addAll(activation.arguments);
        return new RecordedStep(operator, range, activation.value, both, all, number);
    }
}
