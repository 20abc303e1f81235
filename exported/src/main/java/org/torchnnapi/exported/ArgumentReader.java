package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Values of the arguments that programs write, whose kinds follow the value and not what the operator asks for. */
final class ArgumentReader {
    private final GraphEmitter emitter;
    private final Function<Json, Value> names;

    /** @param names the value of a name */
    ArgumentReader(GraphEmitter emitter, Function<Json, Value> names) {
        this.emitter = emitter;
        this.names = names;
    }

    /** Whether an argument is a number and no tensor; a truth value is none. */
    static boolean isNumber(Json argument) {
        return switch (argument.union().tag()) {
            case "as_int", "as_float", "as_sym_int", "as_sym_float", "as_complex" -> true;
            default -> false;
        };
    }

    /** Whether an argument is a truth value and no tensor. */
    static boolean isTruth(Json argument) {
        return argument.has("as_bool") || argument.has("as_sym_bool");
    }

    /**
     * Adds nodes for an argument.
     *
     * @param formal the type that is asked for; null for the argument's own
     */
    Value value(Json argument, Type formal) {
        Json.Tagged tagged = argument.union();
        Type wanted = formal == null ? null : TypeRelations.unwrapOptional(formal);
        Value value = plain(argument, tagged, wanted);
        if (wanted == null) {
            return value;
        }
        if (value.type() instanceof ClassType type && type.kind() == ClassType.Kind.MODULE) {
            throw argument.error("a plain tensor, or one that this one of a class of its own keeps; call "
                    + "run_decompositions() on the program before saving it");
        }
        Value fitted = fitted(value, wanted);
        if (!accepts(fitted.type(), formal)) {
            throw new ArchiveException(
                    argument.place() + ": a " + fitted.type().text() + " (expected: a " + formal.text() + ")");
        }
        return fitted;
    }

    /** A list whose items may all be None where some may is one of those. */
    private static boolean accepts(Type actual, Type formal) {
        return TypeRelations.hasVariables(formal)
                || TypeRelations.isSubtype(actual, formal)
                || TypeRelations.unwrapOptional(formal) instanceof Type.ListType wanted
                        && actual instanceof Type.ListType list
                        && TypeRelations.isSubtype(list.element(), wanted.element());
    }

    private Value plain(Json argument, Json.Tagged tagged, Type wanted) {
        Json value = tagged.value();
        switch (tagged.tag()) {
            case "as_none":
                return emitter.none();
            case "as_tensor", "as_custom_obj", "as_token":
                return names.apply(value.get("name"));
            case "as_tensors":
                return tensors(value, wanted);
            case "as_optional_tensors":
                return optionalTensors(value);
            case "as_optional_tensor":
                return value(value, null);
            case "as_nested_tensors":
                List<Value> lists = new ArrayList<>();
                value.items().forEach(inner -> lists.add(tensors(inner, null)));
                return emitter.list(Type.list(Type.Basic.TENSOR), lists);
            case "as_int":
                return number(value.integer(), wanted);
            case "as_float":
                return emitter.constant(value.real(), Type.Basic.FLOAT);
            case "as_bool":
                return wanted == Type.Basic.NUMBER
                        ? emitter.integer(value.flag() ? 1 : 0)
                        : emitter.constant(value.flag(), Type.Basic.BOOL);
            case "as_string":
                return emitter.constant(value.text(), Type.Basic.STRING);
            case "as_complex":
                return emitter.constant(
                        new Complex(value.get("real").real(), value.get("imag").real()), Type.Basic.COMPLEX);
            case "as_sym_int", "as_sym_float", "as_sym_bool":
                return symbol(value);
            case "as_ints", "as_floats", "as_bools", "as_strings", "as_int_lists", "as_float_lists":
                return literals(tagged.tag(), value, wanted);
            case "as_sym_ints", "as_sym_floats", "as_sym_bools":
                return symbols(tagged.tag(), value);
            case "as_scalar_type":
                return emitter.integer(ElementTypes.of(value).code());
            case "as_memory_format":
                return emitter.integer(ElementTypes.format(value).code());
            case "as_layout":
                return emitter.integer(ElementTypes.layout(value));
            case "as_device":
                // Whatever it was exported on, it runs here.
                return emitter.constant(TorchDevice.CPU, Type.Basic.DEVICE);
            default:
                throw argument.error("a kind of argument of PyTorch 2.5 to 2.14, not " + tagged.tag());
        }
    }

    /** A value of a list of such arguments. */
    Value item(String tag, Json item) {
        return switch (tag) {
            case "as_tensor" -> names.apply(item.get("name"));
            case "as_sym_int" -> symbol(item);
            default -> emitter.integer(item.integer());
        };
    }

    private Value number(long value, Type wanted) {
        return wanted == Type.Basic.FLOAT
                ? emitter.constant((double) value, Type.Basic.FLOAT)
                : wanted == Type.Basic.BOOL ? emitter.constant(value != 0, Type.Basic.BOOL) : emitter.integer(value);
    }

    private Value tensors(Json names, Type wanted) {
        List<Value> items = new ArrayList<>();
        names.items().forEach(item -> items.add(this.names.apply(item.get("name"))));
        Type element = wanted instanceof Type.ListType list && list.element() instanceof Type.OptionalType
                ? list.element()
                : Type.Basic.TENSOR;
        return emitter.list(element, items);
    }

    private Value optionalTensors(Json entries) {
        List<Value> items = new ArrayList<>();
        entries.items().forEach(item -> items.add(value(item, null)));
        return emitter.list(Type.optional(Type.Basic.TENSOR), items);
    }

    private Value symbol(Json entry) {
        Json.Tagged tagged = entry.union();
        return switch (tagged.tag()) {
            case "as_name" -> names.apply(tagged.value());
            case "as_int" -> emitter.integer(tagged.value().integer());
            case "as_float" -> emitter.constant(tagged.value().real(), Type.Basic.FLOAT);
            case "as_bool" -> emitter.constant(tagged.value().flag(), Type.Basic.BOOL);
            default -> throw entry.error("as_name or a literal");
        };
    }

    private Value symbols(String tag, Json entries) {
        Type element = tag.equals("as_sym_ints")
                ? Type.Basic.INT
                : tag.equals("as_sym_floats") ? Type.Basic.FLOAT : Type.Basic.BOOL;
        List<Value> items = new ArrayList<>();
        for (Json entry : entries.items()) {
            items.add(fitted(symbol(entry), element));
        }
        return emitter.list(element, items);
    }

    private Value literals(String tag, Json entries, Type wanted) {
        Type element = switch (tag) {
            case "as_ints" ->
                wanted instanceof Type.ListType list && list.element() == Type.Basic.FLOAT
                        ? Type.Basic.FLOAT
                        : Type.Basic.INT;
            case "as_floats" -> Type.Basic.FLOAT;
            case "as_bools" -> Type.Basic.BOOL;
            case "as_strings" -> Type.Basic.STRING;
            case "as_int_lists" -> Type.list(Type.Basic.INT);
            default -> Type.list(Type.Basic.FLOAT);
        };
        List<Value> items = new ArrayList<>();
        for (Json entry : entries.items()) {
            items.add(
                    element instanceof Type.ListType
                            ? literals(tag.equals("as_int_lists") ? "as_ints" : "as_floats", entry, element)
                            : literal(entry, element));
        }
        return emitter.list(element, items);
    }

    private Value literal(Json entry, Type element) {
        if (element == Type.Basic.INT) {
            return emitter.integer(entry.integer());
        }
        if (element == Type.Basic.FLOAT) {
            return emitter.constant(entry.real(), Type.Basic.FLOAT);
        }
        return element == Type.Basic.BOOL
                ? emitter.constant(entry.flag(), Type.Basic.BOOL)
                : emitter.constant(entry.text(), Type.Basic.STRING);
    }

    /** The value in the type that an operator asks for, as Python's conversions of arguments make it. */
    private Value fitted(Value value, Type wanted) {
        Type actual = value.type();
        if (actual == Type.Basic.NONE || TypeRelations.isSubtype(actual, wanted)) {
            return value;
        }
        if (wanted instanceof Type.ListType list && !(actual instanceof Type.ListType)) {
            return emitter.list(list.element(), List.of(fitted(value, list.element())));
        }
        if (wanted == Type.Basic.FLOAT && (actual == Type.Basic.INT || actual == Type.Basic.BOOL)) {
            return emitter.call(Conversions.operator(Type.Basic.FLOAT), value);
        }
        if ((wanted == Type.Basic.INT || wanted == Type.Basic.NUMBER) && actual == Type.Basic.BOOL) {
            return emitter.call(Conversions.operator(Type.Basic.INT), value);
        }
        if (wanted == Type.Basic.TENSOR && actual == Type.Basic.BOOL) {
            // Without dimensions it has no say in the type of a result.
            return emitter.call("aten::tensor", value);
        }
        if (wanted == Type.Basic.TENSOR) {
            return emitter.call("prim::NumToTensor", value);
        }
        return value;
    }
}
