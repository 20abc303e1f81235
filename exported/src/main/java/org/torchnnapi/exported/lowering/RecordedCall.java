package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SourceRange;

/** A call of an operator that a program will have. */
final class RecordedCall {
    /** What the names of operators that take graphs begin with. */
    static final String HIGHER_ORDER = "higher_order.";

    private final String target;
    private final List<FunctionSchema.Argument> formals;
    private List<Object> arguments;
    private final SourceRange place;
    private final boolean lasts;
    /** A tensor, a list of tensors, a number or null each. */
    private List<Object> results = List.of();

    private String name;

    /**
     * @param target namespace, name and, but of those that take graphs, overload, with dots between, without a prefix
     * @param arguments as {@link ArgumentWriter} takes them
     * @param lasts whether it does something beside its results
     */
    RecordedCall(
            String target,
            List<FunctionSchema.Argument> formals,
            List<Object> arguments,
            SourceRange place,
            boolean lasts) {
        this.target = target;
        this.formals = formals;
        this.arguments = arguments;
        this.place = place;
        this.lasts = lasts;
    }

    void results(List<Object> made) {
        results = made;
    }

    String target() {
        return target;
    }

    List<Object> arguments() {
        return arguments;
    }

    SourceRange place() {
        return place;
    }

    /** Puts others in the places of arguments. */
    void replaceArguments(UnaryOperator<Object> change) {
        List<Object> changed = new ArrayList<>();
        arguments.forEach(argument -> changed.add(change.apply(argument)));
        arguments = changed;
    }

    /** Visits the numbers that follow from open sizes among what it takes. */
    void eachNumber(Consumer<GraphNumber> visitor) {
        eachNumber(arguments, visitor);
    }

    static void eachNumber(List<?> values, Consumer<GraphNumber> visitor) {
        for (Object value : values) {
            if (value instanceof GraphNumber number) {
                visitor.accept(number);
            } else if (value instanceof List<?> list) {
                eachNumber(list, visitor);
            }
        }
    }

    /** The number that it gives, or null. */
    GraphNumber number() {
        return results.size() == 1 && results.get(0) instanceof GraphNumber number ? number : null;
    }

    /** Adds what has to be imported in Python before the program is loaded. */
    void imports(Set<String> modules) {
        String module = TodaysOperators.IMPORTS.get(target.substring(0, target.indexOf('.')));
        if (module != null) {
            modules.add(module);
        }
        eachGraph(graph -> graph.calls().forEach(call -> call.imports(modules)));
    }

    /** Whether it is a function of Python on numbers. */
    private boolean isPython() {
        return target.startsWith("_operator.") || target.startsWith("torch.");
    }

    private boolean isHigherOrder() {
        return target.startsWith(HIGHER_ORDER);
    }

    /** Visits the graphs that it takes. */
    void eachGraph(Consumer<SubGraph> visitor) {
        for (Object argument : arguments) {
            if (argument instanceof SubGraph graph) {
                visitor.accept(graph);
            }
        }
    }

    boolean lasts() {
        return lasts;
    }

    void eachArgument(Consumer<GraphTensor> visitor) {
        each(arguments, visitor);
    }

    void eachResult(Consumer<GraphTensor> visitor) {
        each(results, visitor);
    }

    private static void each(List<?> values, Consumer<GraphTensor> visitor) {
        for (Object value : values) {
            if (value instanceof GraphTensor tensor) {
                visitor.accept(tensor);
            } else if (value instanceof List<?> list) {
                each(list, visitor);
            }
        }
    }

    /** Whether it gives one tensor, which then has the name of the node. */
    boolean isSingle() {
        return results.size() == 1 && results.get(0) instanceof GraphTensor && !isHigherOrder();
    }

    /** The operator's name, without what it is in and its overload. */
    String operator() {
        String[] parts = target.split("\\.");
        return parts[parts.length - (isHigherOrder() || isPython() ? 1 : 2)];
    }

    /** @param given to the node, which nothing else has, but its one result */
    void name(String given) {
        name = given;
    }

    /** @param classNames of modules by path */
    Map<String, Object> json(Map<String, String> classNames) {
        List<Object> outputs = new ArrayList<>();
        for (Object result : results) {
            if (result instanceof List<?> list) {
                List<Object> names = new ArrayList<>();
                list.forEach(item -> names.add(((GraphTensor) item).named()));
                outputs.add(JsonText.object("as_tensors", names));
            } else {
                outputs.add(ArgumentWriter.plain(result));
            }
        }
        return JsonText.object(
                "target",
                isPython() ? target : "torch.ops." + target,
                "inputs",
                inputs(),
                "outputs",
                outputs,
                "metadata",
                metadata(classNames),
                "is_hop_single_tensor_return",
                isHigherOrder() ? false : null,
                "name",
                name);
    }

    /** All up to the last that is not left at its default, so that positions stay; those by name where they differ. */
    private List<Object> inputs() {
        int positions = 0;
        for (int i = 0; i < arguments.size(); i++) {
            if (!formals.get(i).keywordOnly() && !isDefault(i)) {
                positions = i + 1;
            }
        }
        List<Object> inputs = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            boolean byName = formals.get(i).keywordOnly();
            if (byName ? !isDefault(i) : i < positions) {
                inputs.add(JsonText.object(
                        "name",
                        formals.get(i).name(),
                        "arg",
                        ArgumentWriter.of(formals.get(i), arguments.get(i)),
                        "kind",
                        byName ? 2 : 1));
            }
        }
        return inputs;
    }

    private boolean isDefault(int index) {
        FunctionSchema.Argument formal = formals.get(index);
        return formal.hasDefault() && Objects.equals(formal.defaultValue(), arguments.get(index));
    }

    private Map<String, Object> metadata(Map<String, String> classNames) {
        Map<String, Object> metadata = JsonText.object();
        SourceRange.Python python = place.python();
        if (python != null) {
            metadata.put(
                    "stack_trace",
                    "  File \"" + python.file() + "\", line " + python.line() + ", in forward\n    " + python.text()
                            + "\n");
        } else if (place.file() != null) {
            metadata.put("stack_trace", "  File \"" + place.file() + "\", line " + place.line() + ", in forward\n");
        }
        StringJoiner modules = new StringJoiner(";");
        for (int end = 0; end >= 0; ) {
            String path = place.module().substring(0, end);
            modules.add("L__self__" + path.replace('.', '_') + "," + path + ","
                    + classNames.getOrDefault(path, "torch.nn.Module"));
            end = end == place.module().length() ? -1 : place.module().indexOf('.', end + 1);
            end = end < 0 && !path.equals(place.module()) ? place.module().length() : end;
        }
        metadata.put("nn_module_stack", modules.toString());
        return metadata;
    }
}
