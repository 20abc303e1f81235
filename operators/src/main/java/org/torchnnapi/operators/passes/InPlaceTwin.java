package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Inlining;

/** The operator that computes what an in-place one writes: {@code relu} of {@code relu_}. */
record InPlaceTwin(Operator operator) {
    private static final FunctionSchema TYPE_AS =
            OperatorRegistry.standard().find("aten::type_as").schema();

    /** Null for a node that has none. */
    static InPlaceTwin of(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null
                || !schema.name().endsWith("_")
                || schema.name().endsWith("__")
                || schema.arguments().isEmpty()
                || !schema.arguments().get(0).mutated()
                || OperatorTrait.SHARES.of(node)
                || schema.arguments().stream().filter(Argument::mutated).count() != 1) {
            return null;
        }
        String name = schema.name().substring(0, schema.name().length() - 1);
        for (Operator operator : OperatorRegistry.standard().overloads(name)) {
            if (takesTheSame(operator.schema(), schema)) {
                return new InPlaceTwin(operator);
            }
        }
        return null;
    }

    private static boolean takesTheSame(FunctionSchema a, FunctionSchema b) {
        if (a.arguments().size() != b.arguments().size() || a.isMutating()) {
            return false;
        }
        for (int i = 0; i < a.arguments().size(); i++) {
            if (!a.arguments().get(i).type().equals(b.arguments().get(i).type())
                    || !a.arguments().get(i).name().equals(b.arguments().get(i).name())) {
                return false;
            }
        }
        return true;
    }

    /** Whether the in-place operator changes how a tensor is seen, and not what is in it: {@code squeeze_}. */
    boolean changesView() {
        return OperatorTrait.VIEW.of(operator.schema()) || operator.schema().isView();
    }

    /**
     * Puts the operator before a node.
     *
     * @param arguments those of the in-place operator
     * @param typed whether the result is to have the first argument's type, whatever types the others have
     */
    Value before(Node place, List<Value> arguments, boolean typed) {
        Node node = place.graph()
                .create(operator.schema().name())
                .schema(operator.schema())
                .range(place.range());
        arguments.forEach(node::addInput);
        place.owner().insertBefore(place, node);
        Value result = node.addOutput(Type.Basic.TENSOR);
        if (OperatorTrait.ONLY_COMPOSITE.of(operator.schema())) {
            result = Inlining.before(node, operator.decomposition().graph(), block -> {})
                    .get(0);
            node.destroy();
        }
        return typed && mayChangeType(arguments) ? call(place, TYPE_AS, List.of(result, arguments.get(0))) : result;
    }

    private boolean mayChangeType(List<Value> arguments) {
        FunctionSchema schema = operator.schema();
        long tensors = arguments.stream()
                .filter(argument -> argument.type() == Type.Basic.TENSOR)
                .count();
        return !OperatorTrait.KEEPS_SHAPE.of(schema)
                && !OperatorTrait.ONLY_COMPOSITE.of(schema)
                && !changesView()
                && (tensors > 1 || OperatorTrait.JUMPS.of(schema));
    }

    /** Puts a call with one result, a tensor, before a node. */
    static Value call(Node place, FunctionSchema schema, List<Value> arguments) {
        Node node = place.graph().create(schema.name()).schema(schema).range(place.range());
        new ArrayList<>(arguments).forEach(node::addInput);
        place.owner().insertBefore(place, node);
        return node.addOutput(Type.Basic.TENSOR);
    }
}
