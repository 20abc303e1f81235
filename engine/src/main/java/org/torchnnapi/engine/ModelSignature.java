package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.SourceException;

/**
 * What a method takes and gives, as far as its file tells: names and types of its arguments, and the elements and sizes
 * of tensors where a {@code .pt2} declares them or they go straight to an NNAPI model, and come from one. Immutable.
 *
 * @param method its name
 * @param inputs its arguments, in order
 * @param outputs its result; of a tuple each of the items
 */
public record ModelSignature(String method, List<ValueInfo> inputs, List<ValueInfo> outputs) {
    /** Copies the lists. */
    public ModelSignature {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * Reads what a module says, without running any of it.
     *
     * @throws IllegalArgumentException if there is no such method
     * @throws ModelException if its code cannot be read
     */
    public static ModelSignature of(ScriptModule module, String method) {
        try {
            return read(module, method);
        } catch (SourceException | BytecodeException e) {
            throw new ModelException(e);
        }
    }

    private static ModelSignature read(ScriptModule module, String method) {
        Function function = defined(module, method);
        List<ValueInfo> inputs = inputs(function.schema());
        List<ValueInfo> outputs = outputs(function.schema());
        PassedOperands operands = PassedOperands.of(module.object(), function);
        for (int i = 0; i < inputs.size(); i++) {
            inputs.set(i, operands.input(i, inputs.get(i)));
        }
        for (int i = 0; i < outputs.size(); i++) {
            outputs.set(i, operands.output(i, outputs.get(i)));
        }
        DeclaredInputs declared = module.declaredInputs(method);
        if (declared != null) {
            declare(inputs, declared);
        }
        return new ModelSignature(method, inputs, outputs);
    }

    private static Function defined(ScriptModule module, String method) {
        Function function = module.method(method);
        if (function == null) {
            throw new IllegalArgumentException("method: " + method + " (expected: one of "
                    + module.object().type().methods().stream()
                            .map(Function::name)
                            .collect(Streams.toList()) + ")");
        }
        return function;
    }

    private static List<ValueInfo> inputs(FunctionSchema schema) {
        List<ValueInfo> inputs = new ArrayList<>();
        // The first is the module.
        for (FunctionSchema.Argument formal :
                schema.arguments().subList(1, schema.arguments().size())) {
            inputs.add(ValueInfo.of(formal.name(), formal.type().text(), formal.hasDefault()));
        }
        return inputs;
    }

    private static List<ValueInfo> outputs(FunctionSchema schema) {
        List<ValueInfo> outputs = new ArrayList<>();
        Type type = schema.returns().get(0).type();
        if (type instanceof Type.TupleType tuple) {
            List<Type> items = tuple.elements();
            for (int i = 0; i < items.size(); i++) {
                String name =
                        tuple.fields().isEmpty() ? "output" + i : tuple.fields().get(i);
                outputs.add(ValueInfo.of(name, items.get(i).text(), false));
            }
        } else if (type != Type.Basic.NONE) {
            outputs.add(ValueInfo.of("output", type.text(), false));
        }
        return outputs;
    }

    private static boolean isTensor(ValueInfo value) {
        return value.type().equals(Type.Basic.TENSOR.text());
    }

    /**
     * A file declares the tensors alone, in order, also those within lists and dicts: where there are such, which is
     * which is not known.
     */
    private static void declare(List<ValueInfo> inputs, DeclaredInputs declared) {
        boolean within = inputs.stream()
                .anyMatch(input -> !isTensor(input) && input.type().matches(".*\\b(Tensor|Any)\\b.*"));
        Iterator<DeclaredInputs.Input> tensors = declared.tensors().iterator();
        if (within
                || declared.tensors().size()
                        != inputs.stream().filter(ModelSignature::isTensor).count()) {
            return;
        }
        for (int i = 0; i < inputs.size(); i++) {
            if (isTensor(inputs.get(i))) {
                DeclaredInputs.Input input = tensors.next();
                inputs.set(i, inputs.get(i).withTensor(input.dtype(), list(input.shape()), false));
            }
        }
    }

    /** The same, with elements and sizes of an example where they are not known otherwise. */
    ModelSignature withExample(List<Object> arguments) {
        List<ValueInfo> all = new ArrayList<>(inputs);
        for (int i = 0; i < Math.min(all.size(), arguments.size()); i++) {
            if (all.get(i).sizes() == null && arguments.get(i) instanceof Tensor tensor) {
                all.set(i, all.get(i).withTensor(tensor.dtype(), list(tensor.sizes()), true));
            }
        }
        return new ModelSignature(method, all, outputs);
    }

    static List<Integer> list(int[] sizes) {
        return Arrays.stream(sizes).boxed().collect(Streams.toList());
    }

    /** Whether there is a tensor among the inputs of which no sizes are known. */
    boolean lacksSizes() {
        return inputs.stream().anyMatch(input -> isTensor(input) && input.sizes() == null);
    }

    /**
     * Compares the names that a caller gives with those of a method's inputs.
     *
     * @throws InputNamesException if one is unknown, or one that has no default is missing
     */
    static void checkNames(ScriptModule module, String method, Map<String, ?> given) {
        List<ValueInfo> inputs = inputs(defined(module, method).schema());
        List<String> known = inputs.stream().map(ValueInfo::name).collect(Streams.toList());
        List<String> unknown =
                given.keySet().stream().filter(name -> !known.contains(name)).collect(Streams.toList());
        List<String> missing = inputs.stream()
                .filter(input -> !input.optional() && !given.containsKey(input.name()))
                .map(ValueInfo::name)
                .collect(Streams.toList());
        if (!unknown.isEmpty() || !missing.isEmpty()) {
            throw new InputNamesException(method, unknown, missing, known);
        }
    }

    /** For people: lines for inputs and outputs that each end with a newline. */
    public String toText() {
        return lines("input", inputs) + lines("output", outputs);
    }

    private static String lines(String what, List<ValueInfo> values) {
        return values.stream().map(value -> what + " " + value.text() + "\n").collect(Collectors.joining());
    }
}
