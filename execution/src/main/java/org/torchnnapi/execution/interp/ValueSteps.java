package org.torchnnapi.execution.interp;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.support.TensorLists;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Nodes with one output whose operation depends on the node's own types or attributes. */
final class ValueSteps {
    /** From the inputs to the output. */
    interface Operation {
        Object apply(Object[] inputs);
    }

    interface Maker {
        Operation operation(Node node);
    }

    interface Registrar {
        void add(String kind, Maker maker);
    }

    private ValueSteps() {}

    static void register(Registrar registrar) {
        registrar.add(Prim.LIST_CONSTRUCT, node -> {
            Type element = element(node.output().type());
            return in -> new ScriptList(element, Arrays.asList(in));
        });
        registrar.add(Prim.TUPLE_CONSTRUCT, node -> {
            Type.TupleType named = node.output().type() instanceof Type.TupleType t && t.name() != null ? t : null;
            return in -> new ScriptTuple(Arrays.asList(in), named);
        });
        registrar.add(Prim.DICT_CONSTRUCT, ValueSteps::dict);
        registrar.add(Prim.TUPLE_INDEX, node -> in -> {
            ScriptTuple tuple = (ScriptTuple) in[0];
            long index = (Long) in[1];
            return tuple.get(checkedIndex(index < 0 ? index + tuple.size() : index, tuple.size()));
        });
        registrar.add(Prim.TUPLE_SLICE, node -> {
            int from = ((Number) node.attribute("beg")).intValue();
            int to = ((Number) node.attribute("end")).intValue();
            return in -> new ScriptTuple(((ScriptTuple) in[0]).items().subList(from, to), null);
        });
        registrar.add(Prim.UNCHECKED_CAST, node -> in -> in[0]);
        registrar.add(Prim.UNINITIALIZED, node -> in -> null);
        registrar.add(Prim.IS_INSTANCE, node -> {
            List<?> types = (List<?>) node.attribute("types");
            return in -> types.stream().anyMatch(type -> RuntimeTypes.isInstance(in[0], (Type) type));
        });
        registrar.add(Prim.ENUM_NAME, node -> in -> ((ScriptEnum) in[0]).member());
        registrar.add(Prim.ENUM_VALUE, node -> in -> ((ScriptEnum) in[0]).value());
        registrar.add(Prim.TO_LIST, node -> {
            Type type = node.output().type();
            return in -> TensorLists.of((Tensor) in[0], type);
        });
    }

    private static int checkedIndex(long index, int size) {
        if (index < 0 || index >= size) {
            throw new IllegalArgumentException("tuple index: " + index + " (expected: 0 to " + (size - 1) + ")");
        }
        return (int) index;
    }

    private static Type element(Type type) {
        return TypeRelations.unwrapOptional(type) instanceof Type.ListType list ? list.element() : Type.Basic.ANY;
    }

    private static Operation dict(Node node) {
        Type.DictType type = TypeRelations.unwrapOptional(node.output().type()) instanceof Type.DictType t
                ? t
                : new Type.DictType(Type.Basic.ANY, Type.Basic.ANY);
        return in -> {
            ScriptDict dict = new ScriptDict(type.key(), type.value());
            for (int i = 0; i + 1 < in.length; i += 2) {
                dict.items().put(in[i], in[i + 1]);
            }
            return dict;
        };
    }

    static final class Computed extends GraphStep {
        private final int[] inputs;
        private final int output;
        private final Operation operation;

        Computed(Node node, int[] inputs, int output, Operation operation) {
            super(node);
            this.inputs = inputs;
            this.output = output;
            this.operation = operation;
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object[] arguments = new Object[inputs.length];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = frame.slots[inputs[i]];
            }
            Object value = operation.apply(arguments);
            if (frame.execution.hook != null) {
                frame.execution.hook.made(node, value);
            }
            frame.slots[output] = value;
            return at + 1;
        }
    }
}
