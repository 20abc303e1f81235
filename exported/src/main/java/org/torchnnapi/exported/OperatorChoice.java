package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;

/**
 * The overload that a node means.
 *
 * @param kind the operator, for example {@code aten::add}
 */
record OperatorChoice(String kind, FunctionSchema schema) {
    private static final String PREFIX = "torch.ops.";
    /** Begins names of operators that give sizes as symbols, which TorchScript has without it. */
    private static final String SYMBOLIC = "sym_";

    /**
     * @param place for error messages
     * @param target such as {@code torch.ops.aten.add.Tensor}
     * @param named the arguments that are given
     * @throws ArchiveException if there is no such operator, or it has no such arguments
     */
    static OperatorChoice of(GraphEmitter emitter, Json place, String target, Map<String, Json> named) {
        String[] parts =
                target.startsWith(PREFIX) ? target.substring(PREFIX.length()).split("\\.", -1) : new String[0];
        if (parts.length != 3) {
            throw place.error("torch.ops.NAMESPACE.OPERATOR.OVERLOAD");
        }
        String name = parts[0] + "::" + parts[1];
        String kind = parts[1].startsWith(SYMBOLIC) && emitter.schemas(name).isEmpty()
                ? parts[0] + "::" + parts[1].substring(SYMBOLIC.length())
                : name;
        String overload = parts[2].equals("default") ? "" : parts[2];
        FunctionSchema schema = named(emitter, kind, overload, named.size());
        if (schema == null) {
            throw new ArchiveException(place.place() + ": " + target + " (expected: an operator that this library has"
                    + (emitter.schemas(kind).isEmpty()
                            ? "; one of a library of its own has to be written in PyTorch's operators before exporting)"
                            : ", with one of the overloads "
                                    + emitter.schemas(kind).stream()
                                            .map(FunctionSchema::fullName)
                                            .collect(Streams.toList())
                                    + ")"));
        }
        // The layout of results is this library's, for which only this one is always possible.
        if (schema.fullName().equals("aten::view")) {
            kind = "aten::reshape";
            schema = named(emitter, kind, "", named.size());
            rename(named, "size", "shape");
        }
        for (String argument : named.keySet()) {
            if (schema.indexOf(argument) < 0) {
                throw new ArchiveException(place.place() + ": " + target + " with an argument " + argument
                        + " (expected: those of " + schema + ")");
            }
        }
        return new OperatorChoice(kind, withNumbers(emitter, kind, schema, named));
    }

    private static void rename(Map<String, Json> named, String from, String to) {
        Json value = named.remove(from);
        if (value != null) {
            named.put(to, value);
        }
    }

    private static FunctionSchema named(GraphEmitter emitter, String kind, String overload, int given) {
        for (FunctionSchema schema : emitter.schemas(kind)) {
            if (schema.overload().equals(overload)) {
                return schema;
            }
        }
        return emitter.operators().derived(kind, overload, given);
    }

    /**
     * The overload that takes numbers where they are given for tensors: a number takes part in type promotion as one.
     */
    private static FunctionSchema withNumbers(
            GraphEmitter emitter, String kind, FunctionSchema schema, Map<String, Json> named) {
        List<String> numbers = new ArrayList<>();
        for (Map.Entry<String, Json> argument : named.entrySet()) {
            Type formal =
                    schema.arguments().get(schema.indexOf(argument.getKey())).type();
            if (TypeRelations.unwrapOptional(formal) == Type.Basic.TENSOR
                    && ArgumentReader.isNumber(argument.getValue())) {
                numbers.add(argument.getKey());
            }
        }
        if (numbers.isEmpty()) {
            return schema;
        }
        for (FunctionSchema other : emitter.schemas(kind)) {
            if (takes(other, schema, numbers, named)) {
                return other;
            }
        }
        return schema;
    }

    private static boolean takes(
            FunctionSchema other, FunctionSchema schema, List<String> numbers, Map<String, Json> named) {
        for (String argument : named.keySet()) {
            int index = other.indexOf(argument);
            if (index < 0) {
                return false;
            }
            Type type =
                    TypeRelations.unwrapOptional(other.arguments().get(index).type());
            Type wanted = TypeRelations.unwrapOptional(
                    schema.arguments().get(schema.indexOf(argument)).type());
            if (numbers.contains(argument) ? type != Type.Basic.NUMBER : !type.equals(wanted)) {
                return false;
            }
        }
        return other.arguments().stream()
                .allMatch(argument -> argument.hasDefault() || named.containsKey(argument.name()));
    }
}
