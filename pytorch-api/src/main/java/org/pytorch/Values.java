package org.pytorch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** IValues to runtime values of TorchScript and back. */
final class Values {
    private Values() {}

    /**
     * @param memory of tensors; null for new memory
     * @throws IllegalArgumentException for a null value
     */
    static Object toRuntime(IValue value, ArgumentMemory memory) {
        if (value == null) {
            throw new IllegalArgumentException("IValue: null (expected: a value; None is IValue.optionalNull())");
        }
        return switch (value.kind()) {
            case NULL -> null;
            case TENSOR -> TensorValues.toRuntime(value.toTensor(), memory);
            case BOOL -> value.toBool();
            case LONG -> value.toLong();
            case DOUBLE -> value.toDouble();
            case STRING -> value.toStr();
            case TUPLE -> new ScriptTuple(each(value.toTuple(), memory), null);
            case BOOL_LIST -> bools(value.toBoolList());
            case LONG_LIST -> ScriptList.ofInts(value.toLongList());
            case DOUBLE_LIST -> doubles(value.toDoubleList());
            case TENSOR_LIST -> tensors(value.toTensorList(), memory);
            case LIST -> {
                List<Object> items = each(value.toList(), memory);
                yield new ScriptList(items.isEmpty() ? Type.Basic.TENSOR : RuntimeTypes.of(items.get(0)), items);
            }
            case DICT_STRING_KEY -> dict(Type.Basic.STRING, value.toDictStringKey(), memory);
            case DICT_LONG_KEY -> dict(Type.Basic.INT, value.toDictLongKey(), memory);
        };
    }

    /** @throws IllegalArgumentException for a value that no IValue can hold */
    static IValue fromRuntime(Object value) {
        if (value == null) {
            return IValue.optionalNull();
        }
        if (value instanceof org.torchnnapi.tensor.Tensor tensor) {
            return IValue.from(TensorValues.fromRuntime(tensor));
        }
        if (value instanceof Boolean b) {
            return IValue.from(b);
        }
        if (value instanceof Long l) {
            return IValue.from(l);
        }
        if (value instanceof Double d) {
            return IValue.from(d);
        }
        if (value instanceof String s) {
            return IValue.from(s);
        }
        if (value instanceof ScriptTuple tuple) {
            return IValue.tupleFrom(
                    tuple.items().stream().map(Values::fromRuntime).toArray(IValue[]::new));
        }
        if (value instanceof ScriptList list) {
            return list(list);
        }
        if (value instanceof ScriptDict dict) {
            return dict(dict);
        }
        throw new IllegalArgumentException(
                "Unsupported IValue type " + RuntimeTypes.of(value).text());
    }

    /**
     * Every tensor of an argument, in tuples, lists and dicts too, with the one it was made of; before a call, which
     * may change containers.
     */
    static void eachTensor(Object argument, IValue input, BiConsumer<org.torchnnapi.tensor.Tensor, Tensor> visitor) {
        switch (input.kind()) {
            case TENSOR -> visitor.accept((org.torchnnapi.tensor.Tensor) argument, input.toTensor());
            case TUPLE -> each(((ScriptTuple) argument).items(), input.toTuple(), visitor);
            case LIST -> each(((ScriptList) argument).items(), input.toList(), visitor);
            case TENSOR_LIST -> {
                Tensor[] tensors = input.toTensorList();
                for (int i = 0; i < tensors.length; i++) {
                    visitor.accept(
                            (org.torchnnapi.tensor.Tensor)
                                    ((ScriptList) argument).items().get(i),
                            tensors[i]);
                }
            }
            case DICT_STRING_KEY ->
                input.toDictStringKey()
                        .forEach((key, value) ->
                                eachTensor(((ScriptDict) argument).items().get(key), value, visitor));
            case DICT_LONG_KEY ->
                input.toDictLongKey()
                        .forEach((key, value) ->
                                eachTensor(((ScriptDict) argument).items().get(key), value, visitor));
            default -> {
                // Numbers and text are copied.
            }
        }
    }

    private static void each(
            List<Object> arguments, IValue[] inputs, BiConsumer<org.torchnnapi.tensor.Tensor, Tensor> visitor) {
        for (int i = 0; i < inputs.length; i++) {
            eachTensor(arguments.get(i), inputs[i], visitor);
        }
    }

    private static List<Object> each(IValue[] values, ArgumentMemory memory) {
        List<Object> out = new ArrayList<>(values.length);
        for (IValue value : values) {
            out.add(toRuntime(value, memory));
        }
        return out;
    }

    private static ScriptList bools(boolean[] values) {
        ScriptList list = new ScriptList(Type.Basic.BOOL);
        for (boolean value : values) {
            list.items().add(value);
        }
        return list;
    }

    private static ScriptList doubles(double[] values) {
        ScriptList list = new ScriptList(Type.Basic.FLOAT);
        for (double value : values) {
            list.items().add(value);
        }
        return list;
    }

    private static ScriptList tensors(Tensor[] values, ArgumentMemory memory) {
        ScriptList list = new ScriptList(Type.Basic.TENSOR);
        for (Tensor value : values) {
            list.items().add(TensorValues.toRuntime(value, memory));
        }
        return list;
    }

    private static ScriptDict dict(Type keyType, Map<?, IValue> map, ArgumentMemory memory) {
        Type valueType = Type.Basic.TENSOR;
        Map<Object, Object> entries = new LinkedHashMap<>();
        for (Map.Entry<?, IValue> entry : map.entrySet()) {
            Object value = toRuntime(entry.getValue(), memory);
            if (entries.isEmpty()) {
                valueType = RuntimeTypes.of(value);
            }
            entries.put(entry.getKey(), value);
        }
        ScriptDict dict = new ScriptDict(keyType, valueType);
        dict.items().putAll(entries);
        return dict;
    }

    private static IValue list(ScriptList list) {
        List<Object> items = list.items();
        Type element = list.elementType();
        if (element == Type.Basic.BOOL) {
            boolean[] out = new boolean[items.size()];
            for (int i = 0; i < out.length; i++) {
                out[i] = (Boolean) items.get(i);
            }
            return IValue.listFrom(out);
        }
        if (element == Type.Basic.INT) {
            return IValue.listFrom(list.toLongs());
        }
        if (element == Type.Basic.FLOAT) {
            return IValue.listFrom(
                    items.stream().mapToDouble(item -> (Double) item).toArray());
        }
        if (element == Type.Basic.TENSOR) {
            return IValue.listFrom(items.stream()
                    .map(item -> TensorValues.fromRuntime((org.torchnnapi.tensor.Tensor) item))
                    .toArray(Tensor[]::new));
        }
        return IValue.listFrom(items.stream().map(Values::fromRuntime).toArray(IValue[]::new));
    }

    private static IValue dict(ScriptDict dict) {
        if (dict.keyType() == Type.Basic.STRING) {
            return IValue.dictStringKeyFrom(entries(dict, key -> (String) key));
        }
        if (dict.keyType() == Type.Basic.INT) {
            return IValue.dictLongKeyFrom(entries(dict, key -> (Long) key));
        }
        throw new IllegalArgumentException(
                "Unsupported IValue-Dict key type " + dict.keyType().text());
    }

    private static <K> Map<K, IValue> entries(ScriptDict dict, Function<Object, K> key) {
        Map<K, IValue> out = new LinkedHashMap<>();
        dict.items().forEach((k, v) -> out.put(key.apply(k), fromRuntime(v)));
        return out;
    }
}
