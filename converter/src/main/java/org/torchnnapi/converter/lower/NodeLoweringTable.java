package org.torchnnapi.converter.lower;

import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Node;

/** Lowerings by node kind, one each: a second one would silently take the place of the first. */
final class NodeLoweringTable {
    /** Makes the operations of a node. */
    @FunctionalInterface
    interface Emission {
        /** @throws org.torchnnapi.converter.report.Refused if an argument is not what the operations take */
        void lower(Node node, LoweringContext context);
    }

    /** What becomes of each element. */
    @FunctionalInterface
    interface Function {
        OperandRef of(NnapiBuilder nnapi, OperandRef x);
    }

    /** What becomes of two elements at one place. */
    @FunctionalInterface
    interface Operation {
        OperandRef of(NnapiBuilder nnapi, OperandRef a, OperandRef b);
    }

    private final Map<String, NodeLowering> lowerings = new HashMap<>();

    /** Of a kind of which some nodes are refused by what is known of them. */
    void plan(String kind, NodeLowering lowering) {
        if (lowerings.putIfAbsent(kind, lowering) != null) {
            throw new IllegalStateException("lowering: " + kind + " is registered twice (expected: once)");
        }
    }

    void put(String kind, Emission emission) {
        plan(kind, (node, context) -> () -> emission.lower(node, context));
    }

    /** A function of each element of a float tensor. */
    void function(String kind, Function function) {
        put(kind, (node, context) -> Elementwise.apply(node, context, x -> function.of(context.nnapi(), x)));
    }

    /** Arithmetic of two tensors of numbers, or of one and a number. */
    void arithmetic(String kind, Operation operation) {
        plan(
                kind,
                (node, context) ->
                        Elementwise.arithmetic(node, context, (a, b) -> operation.of(context.nnapi(), a, b)));
    }

    Map<String, NodeLowering> all() {
        return Map.copyOf(lowerings);
    }
}
