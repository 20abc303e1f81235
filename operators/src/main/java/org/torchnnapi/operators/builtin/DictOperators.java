package org.torchnnapi.operators.builtin;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Operators on {@code Dict[K, V]}, one overload for each key type, as in PyTorch. */
public final class DictOperators implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.MOVES_ITEMS);
        for (String key : new String[] {"str", "int", "bool", "float", "complex", "Tensor"}) {
            access(r, key, "Dict(" + key + ", t)");
            change(r, key, "Dict(" + key + ", t)");
        }
        r.op("aten::dict() -> Dict(str, Tensor)", in -> new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR));
    }

    private static void access(Registrar r, String key, String dict) {
        r.op("aten::len.Dict_" + key + "(" + dict + " self) -> int", in ->
                (long) items(in[0]).size());
        r.op(
                "aten::keys." + key + "(" + dict + " self) -> " + key + "[](*)",
                in -> new ScriptList(dict(in[0]).keyType(), items(in[0]).keySet()));
        r.op(
                "aten::values." + key + "(" + dict + " self) -> t[](*)",
                in -> new ScriptList(dict(in[0]).valueType(), items(in[0]).values()));
        r.op("aten::items." + key + "(" + dict + " self) -> ((" + key + ", t)[])", in -> {
            ScriptList pairs = new ScriptList(
                    Type.TupleType.of(List.of(dict(in[0]).keyType(), dict(in[0]).valueType())));
            items(in[0]).forEach((k, v) -> pairs.items().add(ScriptTuple.of(k, v)));
            return pairs;
        });
        r.op(
                "aten::__contains__." + key + "(" + dict + " dict, " + key + " key) -> bool",
                in -> items(in[0]).containsKey(in[1]));
        r.op("aten::__getitem__.Dict_" + key + "(" + dict + " self, " + key + " key) -> t(*)", in -> {
            Object value = items(in[0]).get(in[1]);
            return value == null && !items(in[0]).containsKey(in[1]) ? missing(in[1]) : value;
        });
        r.op(
                "aten::get." + key + "(" + dict + " self, " + key + " key) -> t(*)?",
                in -> items(in[0]).get(in[1]));
        r.op(
                "aten::get.default_" + key + "(" + dict + " self, " + key + " key, t default_value) -> t(*)",
                in -> items(in[0]).containsKey(in[1]) ? items(in[0]).get(in[1]) : in[2]);
        r.op("aten::copy.Dict_" + key + "(" + dict + " self) -> " + dict, in -> copy(in[0]));
        r.op("aten::dict.Dict_" + key + "(" + dict + " self) -> " + dict, in -> copy(in[0]));
        r.op("aten::dict." + key + "((" + key + ", t)[] inputs) -> " + dict, in -> {
            Type element = ((ScriptList) in[0]).elementType();
            List<Type> types =
                    element instanceof Type.TupleType tuple && tuple.elements().size() == 2
                            ? tuple.elements()
                            : List.of(Type.Basic.ANY, Type.Basic.ANY);
            ScriptDict made = new ScriptDict(types.get(0), types.get(1));
            for (Object pair : ((ScriptList) in[0]).items()) {
                made.items().put(((ScriptTuple) pair).get(0), ((ScriptTuple) pair).get(1));
            }
            return made;
        });
    }

    private static void change(Registrar r, String key, String dict) {
        String self = "(" + dict + "(a!) self";
        r.op("aten::_set_item." + key + "(" + dict + "(a!) l, " + key + " idx, t v) -> ()", in -> {
            items(in[0]).put(in[1], in[2]);
            return null;
        });
        r.op("aten::setdefault." + key + self + ", " + key + " key, t default_value) -> t(*)", in -> {
            if (!items(in[0]).containsKey(in[1])) {
                items(in[0]).put(in[1], in[2]);
            }
            return items(in[0]).get(in[1]);
        });
        r.op("aten::Delete.Dict_" + key + self + ", " + key + " key) -> ()", in -> {
            removed(in[0], in[1]);
            return null;
        });
        r.op("aten::pop.Dict_" + key + self + ", " + key + " key) -> t(*)", in -> removed(in[0], in[1]));
        r.op(
                "aten::pop.Dict_default_" + key + self + ", " + key + " key, t default_value) -> t(*)",
                in -> items(in[0]).containsKey(in[1]) ? removed(in[0], in[1]) : in[2]);
        r.op("aten::popitem." + key + self + ") -> ((" + key + ", t))", in -> popItem(in[0]));
        r.op("aten::clear." + key + self + ") -> ()", in -> {
            items(in[0]).clear();
            return null;
        });
        r.op("aten::update." + key + self + ", " + dict + " to_add) -> ()", in -> {
            items(in[0]).putAll(copy(in[1]).items());
            return null;
        });
    }

    private static ScriptTuple popItem(Object dict) {
        // The first, as PyTorch takes it, where Python takes the last.
        Iterator<Map.Entry<Object, Object>> all = items(dict).entrySet().iterator();
        if (!all.hasNext()) {
            throw new IllegalArgumentException("popitem(): dictionary is empty");
        }
        Map.Entry<Object, Object> first = all.next();
        ScriptTuple pair = ScriptTuple.of(first.getKey(), first.getValue());
        items(dict).remove(pair.get(0));
        return pair;
    }

    private static Object removed(Object dict, Object key) {
        return items(dict).containsKey(key) ? items(dict).remove(key) : missing(key);
    }

    private static Object missing(Object key) {
        throw new IllegalArgumentException("KeyError: " + Text.of(key));
    }

    private static ScriptDict dict(Object value) {
        return (ScriptDict) value;
    }

    private static Map<Object, Object> items(Object value) {
        return ((ScriptDict) value).items();
    }

    private static ScriptDict copy(Object value) {
        ScriptDict copy = new ScriptDict(dict(value).keyType(), dict(value).valueType());
        copy.items().putAll(items(value));
        return copy;
    }
}
