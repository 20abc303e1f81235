package org.torchnnapi.torchscript.ir;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.Tensor;

/** Writes graphs as PyTorch does, with unique value names and, if asked for, where each node comes from. */
public final class GraphPrinter {
    private final boolean ranges;
    private final StringBuilder out = new StringBuilder();
    private final Map<Value, String> names = new IdentityHashMap<>();
    private final Set<String> taken = new HashSet<>();
    private int next;

    private GraphPrinter(boolean ranges) {
        this.ranges = ranges;
    }

    /** The graph without source places. */
    public static String print(Graph graph) {
        return print(graph, false);
    }

    /** @param ranges whether each line ends in a comment with its source place */
    public static String print(Graph graph, boolean ranges) {
        GraphPrinter printer = new GraphPrinter(ranges);
        printer.out
                .append("graph(")
                .append(graph.inputs().stream().map(printer::declare).collect(Collectors.joining(",\n      ")))
                .append("):\n");
        printer.body(graph.block(), "  ");
        return printer.out
                .append("  return (")
                .append(printer.use(graph.outputs()))
                .append(")\n")
                .toString();
    }

    private void body(Block block, String indent) {
        for (Node node : block.nodes()) {
            String outputs = node.outputs().stream().map(this::declare).collect(Collectors.joining(", "));
            out.append(indent).append(outputs).append(" = ").append(node.kind());
            if (!node.attributes().isEmpty()) {
                out.append(node.attributes().entrySet().stream()
                        .map(e -> e.getKey() + "=" + attribute(e.getValue()))
                        .collect(Collectors.joining(", ", "[", "]")));
            }
            out.append('(').append(use(node.inputs())).append(')');
            if (ranges) {
                out.append(" # ").append(node.range());
            }
            out.append('\n');
            for (int i = 0; i < node.blocks().size(); i++) {
                Block inner = node.blocks().get(i);
                out.append(indent)
                        .append("  block")
                        .append(i)
                        .append('(')
                        .append(inner.parameters().stream().map(this::declare).collect(Collectors.joining(", ")))
                        .append("):\n");
                body(inner, indent + "    ");
                out.append(indent)
                        .append("    -> (")
                        .append(use(inner.results()))
                        .append(")\n");
            }
        }
    }

    private static String attribute(Object value) {
        if (value instanceof Tensor) {
            return "<Tensor>";
        }
        if (value instanceof String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
        }
        if (value instanceof Function function) {
            return function.qualifiedName();
        }
        return String.valueOf(value);
    }

    private String declare(Value value) {
        return name(value) + " : " + value.type().text();
    }

    private String use(List<Value> values) {
        return values.stream().map(this::name).collect(Collectors.joining(", "));
    }

    private String name(Value value) {
        return names.computeIfAbsent(value, v -> "%" + fresh(v.name()));
    }

    private String fresh(String base) {
        String name;
        int number = 1;
        do {
            name = base == null ? String.valueOf(next++) : base + "." + number++;
        } while (!taken.add(name));
        return name;
    }
}
