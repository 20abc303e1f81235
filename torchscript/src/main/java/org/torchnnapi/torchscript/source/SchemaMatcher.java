package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/**
 * Fits the arguments of a call to a schema. As in PyTorch, overloads are tried in their order, first as the arguments
 * stand, then with implicit conversions (tensors and numbers of open type to the wanted number, text to a device).
 */
final class SchemaMatcher {
    /** An argument of a fitted call: a value and how to convert it, or a default. */
    private record Input(Value value, ImplicitConversion conversion, FunctionSchema.Argument argument) {}

    /** A fitted call, of which nothing has been emitted yet. */
    static final class Match {
        private final FunctionSchema schema;
        private final List<Input> inputs;
        private final Map<String, Type> variables;

        private Match(FunctionSchema schema, List<Input> inputs, Map<String, Type> variables) {
            this.schema = schema;
            this.inputs = inputs;
            this.variables = variables;
        }

        FunctionSchema schema() {
            return schema;
        }

        /** Emits conversions and default constants; the values are in schema order. */
        List<Value> emit(Emitter emitter, Position at) {
            List<Value> values = new ArrayList<>();
            for (Input input : inputs) {
                if (input.value() == null) {
                    FunctionSchema.Argument argument = input.argument();
                    Type type = argument.defaultValue() == null ? Type.Basic.NONE : constantType(argument);
                    values.add(emitter.constant(argument.defaultValue(), type, at));
                } else {
                    values.add(input.conversion().emit(emitter, input.value(), at));
                }
            }
            return values;
        }

        private Type constantType(FunctionSchema.Argument argument) {
            Type type = TypeRelations.unwrapOptional(argument.type());
            return type == Type.Basic.NUMBER || TypeRelations.hasVariables(type)
                    ? RuntimeTypes.of(argument.defaultValue())
                    : type;
        }

        List<Type> results() {
            List<Type> results = new ArrayList<>(schema.returns().size());
            for (FunctionSchema.Argument result : schema.returns()) {
                results.add(TypeRelations.substitute(result.type(), variables));
            }
            return results;
        }
    }

    private final Emitter emitter;
    private Supplier<String> mismatch = () -> "";

    SchemaMatcher(Emitter emitter) {
        this.emitter = emitter;
    }

    /** Why the last schema tried did not fit. */
    String mismatch() {
        return mismatch.get();
    }

    /** The first schema that fits, or null. */
    Match match(List<FunctionSchema> schemas, List<Value> arguments, Map<String, Value> keywords) {
        Match match = schemas.size() == 1 ? null : match(schemas, arguments, keywords, false);
        return match != null ? match : match(schemas, arguments, keywords, true);
    }

    /** @param convert whether implicit conversions are allowed */
    Match match(List<FunctionSchema> schemas, List<Value> arguments, Map<String, Value> keywords, boolean convert) {
        for (FunctionSchema schema : schemas) {
            Match match = match(schema, arguments, keywords, convert, schemas.size() == 1);
            if (match != null) {
                return match;
            }
        }
        return null;
    }

    private Match match(
            FunctionSchema schema, List<Value> arguments, Map<String, Value> keywords, boolean convert, boolean only) {
        List<Input> inputs = new ArrayList<>();
        Map<String, Type> variables = new HashMap<>();
        int used = 0;
        int usedKeywords = 0;
        for (FunctionSchema.Argument argument : schema.arguments()) {
            Value value = null;
            if (!argument.keywordOnly() && used < arguments.size()) {
                value = arguments.get(used++);
                if (keywords.containsKey(argument.name())) {
                    return fail(() -> "argument " + argument.name() + " is given twice");
                }
            } else if (keywords.containsKey(argument.name())) {
                value = keywords.get(argument.name());
                usedKeywords++;
            }
            if (value == null) {
                if (!argument.hasDefault()) {
                    return fail(() -> "argument " + argument.name() + " is missing");
                }
                inputs.add(new Input(null, null, argument));
                continue;
            }
            // Saved code writes conversions of tensors out, and self decides what an operator is.
            boolean mayConvert = convert && (only || !inputs.isEmpty() || value.type() != Type.Basic.TENSOR);
            ImplicitConversion conversion = fit(argument, value.type(), variables, mayConvert);
            if (conversion == null && convert && (isOpen(value) || only && emitter.unresolved())) {
                conversion = ImplicitConversion.castTo(TypeRelations.substitute(argument.type(), variables));
            }
            if (conversion == null) {
                Type found = value.type();
                return fail(() -> "argument " + argument.name() + " is " + found.text() + ", not "
                        + argument.type().text());
            }
            inputs.add(new Input(value, conversion, argument));
        }
        if (used < arguments.size() && !schema.isVararg()) {
            int taken = used;
            return fail(() -> arguments.size() + " positional arguments, not " + taken);
        }
        for (Value rest : arguments.subList(used, arguments.size())) {
            inputs.add(new Input(rest, ImplicitConversion.NONE, null));
        }
        if (usedKeywords < keywords.size()) {
            List<String> names = new ArrayList<>(keywords.keySet());
            schema.arguments().forEach(argument -> names.remove(argument.name()));
            return fail(() -> "argument " + names + " is unknown");
        }
        return new Match(schema, inputs, Collections.unmodifiableMap(variables));
    }

    /** @param reason as text, which is seldom asked for */
    private Match fail(Supplier<String> reason) {
        mismatch = reason;
        return null;
    }

    private ImplicitConversion fit(
            FunctionSchema.Argument argument, Type actual, Map<String, Type> variables, boolean convert) {
        Type formal = argument.type();
        if (TypeRelations.hasVariables(formal)) {
            Map<String, Type> attempt = new HashMap<>(variables);
            if (!TypeRelations.bind(formal, actual, attempt)) {
                return null;
            }
            variables.putAll(attempt);
            formal = TypeRelations.substitute(formal, variables);
        }
        return ImplicitConversion.of(actual, formal, convert);
    }

    /** {@code value} as a {@code wanted}, with implicit conversions; fails if it is no such thing. */
    Value convert(Value value, Type wanted, Position at, String what) {
        // What nothing is known about is not made a list of itself.
        ImplicitConversion conversion = ImplicitConversion.of(value.type(), wanted, !isOpen(value));
        if (conversion == null && (isOpen(value) || emitter.unresolved())) {
            conversion = ImplicitConversion.castTo(wanted);
        }
        if (conversion == null) {
            throw emitter.error(at, what + " of type " + value.type().text(), wanted.text());
        }
        return conversion.emit(emitter, value, at);
    }

    /** Whether nothing is known about a value, because an operator without schema made it. */
    static boolean isOpen(Value value) {
        return value.definition() != null && value.definition().attributes().containsKey(CallBuilder.UNRESOLVED);
    }
}
