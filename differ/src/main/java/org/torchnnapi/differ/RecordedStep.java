package org.torchnnapi.differ;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Something that computed a tensor: an operator, or an operation of an NNAPI part, with the activation behind it.
 *
 * @param operator such as {@code aten::conv2d} or {@code CONV_2D}
 * @param range where it stands; {@link SourceRange#NONE} for an NNAPI operation
 * @param value what it gave, or the activation behind it
 * @param nodes the operator and the activation; none for an NNAPI operation
 * @param arguments of these nodes, as they were called
 * @param operations the NNAPI operation and the activation; none for an operator
 * @param number which of the run's steps of this operator and place it is, from 1; 0 if it is the only one
 */
public record RecordedStep(
        String operator,
        SourceRange range,
        Tensor value,
        List<Node> nodes,
        List<Object[]> arguments,
        List<NnapiOperation> operations,
        int number) {
    private static final String RESULT = "result";

    /**
     * An operation of an NNAPI part.
     *
     * @param given what its operands were, by their numbers, but for constants
     */
    record NnapiOperation(Model model, Operation operation, Map<Integer, Tensor> given) {}

    static RecordedStep of(Node node, Tensor value, Object... arguments) {
        return new RecordedStep(
                node.kind(), node.range(), value, List.of(node), List.<Object[]>of(arguments), List.of(), 0);
    }

    static RecordedStep of(NnapiOperation operation, Tensor value) {
        return new RecordedStep(
                operation.operation().type().name(),
                SourceRange.NONE,
                value,
                List.of(),
                List.of(),
                List.of(operation),
                0);
    }

    /** What {@code forward} returned, as a step. */
    static RecordedStep result(Tensor tensor) {
        return new RecordedStep(RESULT, SourceRange.NONE, tensor, List.of(), List.of(), List.of(), 0);
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
        return new RecordedStep(operator, range, value, nodes, arguments, operations, which);
    }

    boolean isNnapi() {
        return !operations.isEmpty();
    }

    RecordedStep followedBy(RecordedStep activation) {
        return new RecordedStep(
                operator,
                range,
                activation.value,
                joined(nodes, activation.nodes),
                joined(arguments, activation.arguments),
                joined(operations, activation.operations),
                number);
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        List<T> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }
}
