package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Holds arguments that are numbers or truth values at what the example has, or at their defaults where it leaves them
 * out: how many steps a decoder takes, say. That is for models of which nothing converts as long as these may be any;
 * the written code checks them.
 */
public final class ScalarSpecialization {
    private ScalarSpecialization() {}

    /**
     * @param graph its first input the module; changed
     * @param schema of the method that the graph was made of
     * @param examples of the arguments, without the module, at the end of which defaults may be left out
     * @return the arguments that are held, each with its value, as {@code steps = 6}
     */
    public static List<String> run(Graph graph, FunctionSchema schema, List<?> examples) {
        Block block = graph.block();
        Node first = block.nodes().isEmpty() ? null : block.nodes().iterator().next();
        List<String> held = new ArrayList<>();
        for (int i = 1;
                first != null
                        && i < graph.inputs().size()
                        && i < schema.arguments().size();
                i++) {
            Value input = graph.inputs().get(i);
            FunctionSchema.Argument argument = schema.arguments().get(i);
            Object value = i - 1 < examples.size()
                    ? examples.get(i - 1)
                    : argument.hasDefault() ? argument.defaultValue() : null;
            String differs = input.type() == Type.Basic.INT && value instanceof Long
                    ? "aten::ne.int"
                    : input.type() == Type.Basic.FLOAT && value instanceof Double
                            ? "aten::ne.float"
                            : input.type() == Type.Basic.BOOL && value instanceof Boolean ? "aten::ne.bool" : null;
            if (!input.isUsed() || differs == null) {
                continue;
            }
            String text = argument.name() + " = " + value;
            Value constant = block.insertBefore(first, graph.constant(value, input.type()))
                    .output();
            input.replaceAllUsesWith(constant);
            guard(
                    graph,
                    first,
                    block.insertBefore(first, call(graph, differs, input, constant))
                            .output(),
                    "argument " + argument.name() + " differs (expected: " + Objects.toString(value)
                            + ", for which the model was converted)");
            held.add(text);
        }
        return held;
    }

    private static Node call(Graph graph, String fullName, Value... inputs) {
        Node made = GraphCalls.node(graph, fullName, inputs);
        made.schema().returns().forEach(result -> made.addOutput(result.type()));
        return made;
    }

    /** An error where a truth value is true. */
    private static void guard(Graph graph, Node first, Value wrong, String message) {
        Node check = graph.create(Prim.IF).attribute(ResidualGraph.GUARD, true).addInput(wrong);
        Block raise = check.addBlock();
        check.addBlock();
        Value text = raise.append(graph.constant(message, Type.Basic.STRING)).output();
        Value none = raise.append(graph.constant(null, Type.Basic.NONE)).output();
        raise.append(call(graph, "prim::RaiseException", text, none));
        first.owner().insertBefore(first, check);
    }
}
