package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What is known of a method's arguments by examples of them: tensors have the examples' shapes, containers as many
 * items, and what may be None is None or not as in the examples, which the made graph checks. Numbers, truth values and
 * texts may differ in each run.
 */
final class ExampleArguments {
    private final ResidualGraph residual;
    private final WideningState widening;
    private final BiFunction<Value, Object, AbstractValue> open;

    ExampleArguments(ResidualGraph residual, WideningState widening, BiFunction<Value, Object, AbstractValue> open) {
        this.residual = residual;
        this.widening = widening;
        this.open = open;
    }

    /**
     * @param examples without the module; where there are fewer than inputs, the rest is not known, and None where it
     *     may be
     */
    Map<Value, AbstractValue> read(List<Value> inputs, List<?> examples) {
        Map<Value, AbstractValue> known = new IdentityHashMap<>();
        int at = 0;
        for (Value input : inputs) {
            if (at == 0 && known.isEmpty() && input.type() instanceof ClassType) {
                known.put(input, new AbstractValue.Open(input, null));
                continue;
            }
            Object example = at < examples.size()
                    ? examples.get(at)
                    : input.type() instanceof Type.OptionalType ? null : Missing.ARGUMENT;
            known.put(
                    input,
                    input.isUsed()
                            ? read(input, example, "argument " + (input.name() == null ? at : input.name()), input)
                            : new AbstractValue.Open(input, null));
            at++;
        }
        return known;
    }

    private enum Missing {
        ARGUMENT
    }

    private AbstractValue read(Value value, Object example, String name, Value input) {
        if (value.type() instanceof Type.OptionalType) {
            if (example == null) {
                residual.require(
                        residual.isGiven(value),
                        name + " is given (expected: None, as in the example that the model was converted for)");
                return new Known(null);
            }
            if (example instanceof Tensor || Structures.isContainer(example)) {
                residual.require(
                        residual.isNone(value),
                        name + " is None (expected: a value, as in the example that the model was converted for)");
                return read(residual.given(value), example, name, input);
            }
            return new AbstractValue.Open(value, null);
        }
        boolean tensors = value.type() == Type.Basic.TENSOR;
        if (Structures.isContainer(example) && tensors
                || example instanceof Tensor
                        && (value.type() instanceof Type.ListType
                                || value.type() instanceof Type.TupleType
                                || value.type() instanceof Type.DictType)) {
            throw new IllegalArgumentException(
                    name + " is a " + RuntimeTypes.of(example).text() + " (expected: a "
                            + value.type().text() + ")");
        }
        if (example instanceof Tensor tensor) {
            return open.apply(
                    value,
                    tensor.copy(
                            tensor.isContiguous(MemoryFormat.CHANNELS_LAST) && !tensor.isContiguous()
                                    ? MemoryFormat.CHANNELS_LAST
                                    : MemoryFormat.CONTIGUOUS));
        }
        if (widening.isOpen(input) || !Structures.isContainer(example)) {
            return new AbstractValue.Open(value, null);
        }
        if (example instanceof ScriptDict dict && value.type() instanceof Type.DictType type) {
            return dict(value, dict, type, name, input);
        }
        List<Object> examples = example instanceof ScriptList list
                ? list.items()
                : example instanceof ScriptTuple tuple ? tuple.items() : List.of();
        List<Value> parts = examples.isEmpty() ? List.of() : residual.unpack(value, examples.size());
        if (parts.isEmpty()) {
            Value length = residual.length(value);
            residual.require(residual.differ(length, 0), name + " has items (expected: none, as in the example)");
        }
        List<AbstractValue> items = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            items.add(read(parts.get(i), examples.get(i), name + "[" + i + "]", input));
        }
        Object container = example instanceof ScriptList list
                ? new ScriptList(list.elementType(), items)
                : new ScriptTuple(
                        items, value.type() instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null);
        return new Held(container, value.type(), input, residual.current());
    }

    private AbstractValue dict(Value value, ScriptDict example, Type.DictType type, String name, Value input) {
        if (type.key() != Type.Basic.STRING && type.key() != Type.Basic.INT) {
            return new AbstractValue.Open(value, null);
        }
        Value length = residual.length(value);
        residual.require(
                residual.differ(length, example.items().size()),
                name + " has other keys (expected: those of the example that the model was converted for)");
        ScriptDict items = new ScriptDict(type.key(), type.value());
        example.items().forEach((k, item) -> {
            Value read = residual.item(value, k);
            items.items().put(k, read(read, item, name + "[" + k + "]", input));
        });
        return new Held(items, type, input, residual.current());
    }
}
