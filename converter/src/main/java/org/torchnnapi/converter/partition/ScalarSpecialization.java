package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
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
            boolean scalar = input.type() == Type.Basic.INT && value instanceof Long
                    || input.type() == Type.Basic.FLOAT && value instanceof Double
                    || input.type() == Type.Basic.BOOL && value instanceof Boolean;
            if (!input.isUsed() || !scalar) {
                continue;
            }
            String text = argument.name() + " = " + value;
            NodeBuilder before = NodeBuilder.of(graph, node -> block.insertBefore(first, node));
            Value constant = before.constant(value);
            input.replaceAllUsesWith(constant);
            before.check(
                            before.differ(input, constant),
                            "argument " + argument.name() + " differs (expected: " + value
                                    + ", for which the model was converted)")
                    .attribute(ResidualGraph.GUARD, true);
            held.add(text);
        }
        return held;
    }
}
