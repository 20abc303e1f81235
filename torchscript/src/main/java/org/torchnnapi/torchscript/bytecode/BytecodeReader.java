package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeParser;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** The value tree of a {@code bytecode.pkl} to functions. */
final class BytecodeReader {
    static final int MIN_VERSION = 4;
    static final int MAX_VERSION = 9;
    private static final int MAX_ARGUMENTS = 1 << 16;

    private final Function<String, Type> types;
    private final Function<Object, Object> values;

    /** @param values makes runtime values of constants' trees */
    BytecodeReader(Function<String, Type> types, Function<Object, Object> values) {
        this.types = types;
        this.values = values;
    }

    /** Names of the functions, which must be known before their bodies can be read. */
    static List<String> names(Object tree) {
        ScriptTuple all = tuple(tree, "byte code");
        if (all.size() == 0
                || !(all.get(0) instanceof Long version)
                || version < MIN_VERSION
                || version > MAX_VERSION) {
            throw new BytecodeException("byte code version: " + (all.size() == 0 ? "none" : all.get(0)) + " (expected: "
                    + MIN_VERSION + " to " + MAX_VERSION + ")");
        }
        List<String> names = new ArrayList<>();
        for (Object item : all.items().subList(1, all.size())) {
            names.add(text(item(tuple(item, "function"), 0, "function"), "function name"));
        }
        return names;
    }

    /** @param index of the function, counted from 0 */
    BytecodeFunction function(Object tree, int index) {
        ScriptTuple function = tuple(tuple(tree, "byte code").get(index + 1), "function");
        String name = text(item(function, 0, "function"), "function name");
        ScriptTuple body = tuple(item(function, 1, name), name);
        List<Instruction> code = new ArrayList<>();
        for (Object instruction : table(body, "instructions", name)) {
            ScriptTuple parts = tuple(instruction, "instruction of " + name);
            code.add(new Instruction(
                    text(item(parts, 0, name), "opcode"),
                    integer(item(parts, 1, name)),
                    integer(item(parts, 2, name))));
        }
        List<BytecodeFunction.OperatorName> operators = new ArrayList<>();
        for (Object operator : table(body, "operators", name)) {
            ScriptTuple parts = tuple(operator, "operator of " + name);
            operators.add(new BytecodeFunction.OperatorName(
                    text(item(parts, 0, name), "operator"),
                    text(item(parts, 1, name), "overload"),
                    parts.size() > 2 && parts.get(2) != null ? integer(parts.get(2)) : -1));
        }
        Object[] constants = table(body, "constants", name).stream().map(values).toArray();
        List<Type> typeTable = table(body, "types", name).stream()
                .map(text -> type(text(text, "type")))
                .collect(Streams.toList());
        return new BytecodeFunction(
                name,
                code,
                operators,
                Arrays.asList(constants),
                typeTable,
                function.size() > 2 && function.get(2) != null ? schema(name, function.get(2)) : schema(name, code));
    }

    /**
     * Early files say no more of a method than what its code tells: it begins by storing its arguments, the object
     * first.
     */
    private FunctionSchema schema(String name, List<Instruction> code) {
        Instruction first = code.isEmpty() ? null : code.get(0);
        int count = first != null && first.op().equals("STOREN") ? first.n() : 1;
        if (count < 1 || count > MAX_ARGUMENTS) {
            throw new BytecodeException(name + ": " + count + " arguments (expected: 1 to " + MAX_ARGUMENTS + ")");
        }
        Type owner = types.apply(name.substring(0, Math.max(0, name.lastIndexOf('.'))));
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Type type = i == 0 && owner != null ? owner : Type.Basic.ANY;
            arguments.add(new FunctionSchema.Argument(
                    i == 0 ? "self" : "argument_" + i, type, false, false, null, false, null));
        }
        return new FunctionSchema(
                name.substring(name.lastIndexOf('.') + 1),
                "",
                arguments,
                List.of(new FunctionSchema.Argument("", Type.Basic.ANY, false, false, null, false, null)),
                false);
    }

    private FunctionSchema schema(String name, Object tree) {
        ScriptTuple schema = tuple(tree, "schema of " + name);
        String plain = name.substring(name.lastIndexOf('.') + 1);
        return new FunctionSchema(
                plain, "", arguments(schema, "arguments", name), arguments(schema, "returns", name), false);
    }

    private List<FunctionSchema.Argument> arguments(ScriptTuple schema, String key, String name) {
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        for (Object item : table(schema, key, name)) {
            ScriptTuple argument = tuple(item, "argument of " + name);
            Object value = field(argument, "default_value", name);
            Type type = type(text(field(argument, "type", name), "argument type"));
            // The file writes None both for no default and for the default None, which only optional arguments have.
            boolean hasDefault = value != null || type instanceof Type.OptionalType;
            arguments.add(new FunctionSchema.Argument(
                    text(field(argument, "name", name), "argument name"),
                    type,
                    false,
                    hasDefault,
                    value == null ? null : values.apply(value),
                    false,
                    null));
        }
        return arguments;
    }

    /** Types that the file alone cannot explain, such as named tuples, are taken for anything. */
    private Type type(String text) {
        try {
            return TypeParser.parse(text, types);
        } catch (IllegalArgumentException e) {
            return Type.Basic.ANY;
        }
    }

    private static List<Object> table(ScriptTuple pairs, String key, String name) {
        return tuple(field(pairs, key, name), key + " of " + name).items();
    }

    /** The value of a key in a tuple of pairs. */
    private static Object field(ScriptTuple pairs, String key, String name) {
        for (Object pair : pairs.items()) {
            if (pair instanceof ScriptTuple p && p.size() == 2 && key.equals(p.get(0))) {
                return p.get(1);
            }
        }
        throw new BytecodeException(name + ": no " + key + " (expected: a pair with that name)");
    }

    private static Object item(ScriptTuple tuple, int index, String what) {
        if (index >= tuple.size()) {
            throw new BytecodeException(
                    what + ": a tuple of " + tuple.size() + " (expected: more than " + index + " parts)");
        }
        return tuple.get(index);
    }

    private static ScriptTuple tuple(Object tree, String what) {
        if (tree instanceof ScriptTuple tuple) {
            return tuple;
        }
        throw new BytecodeException(what + ": " + kind(tree) + " (expected: a tuple)");
    }

    private static String text(Object tree, String what) {
        if (tree instanceof String text) {
            return text;
        }
        throw new BytecodeException(what + ": " + kind(tree) + " (expected: a string)");
    }

    private static int integer(Object tree) {
        if (tree instanceof Long value && value == (int) (long) value) {
            return (int) (long) value;
        }
        throw new BytecodeException("operand: " + kind(tree) + " (expected: a number of 32 bits)");
    }

    private static String kind(Object tree) {
        return tree == null ? "None" : tree.getClass().getSimpleName();
    }
}
