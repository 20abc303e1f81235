package org.torchnnapi.converter.report;

import java.util.List;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Why NNAPI does not compute something, wherever that stands.
 *
 * @param rule the rule that was broken
 * @param found what the model has
 * @param expected what the rule allows
 * @param advice what the user can do, or nothing
 */
public record Reason(String rule, String found, String expected, String advice) {
    /** Where there is nothing to advise. */
    public Reason(String rule, String found, String expected) {
        this(rule, found, expected, "");
    }

    /** What no lowering is there for. */
    public static Reason unknownOperator(String kind) {
        return new Reason(
                "no NNAPI operation for this operator",
                kind,
                "one of those that torch-nnapi operators --converts lists");
    }

    /** @param operands what the node works on */
    public Refusal of(Node node, List<String> operands) {
        return new Refusal(node.kind(), node.range(), operands, rule, found, expected, advice);
    }

    /** @param place {@code model} or {@code segment} */
    public Refusal of(String place, SourceRange where) {
        return new Refusal(place, where, List.of(), rule, found, expected, advice);
    }
}
