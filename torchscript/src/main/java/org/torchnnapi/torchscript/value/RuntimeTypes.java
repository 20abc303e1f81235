package org.torchnnapi.torchscript.value;

import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;

/** Types of runtime values. */
public final class RuntimeTypes {
    private RuntimeTypes() {}

    /** The type of a value. */
    public static Type of(Object value) {
        if (value == null) {
            return Type.Basic.NONE;
        }
        if (value instanceof Tensor || value instanceof NestedTensor) {
            return Type.Basic.TENSOR;
        }
        if (value instanceof Long) {
            return Type.Basic.INT;
        }
        if (value instanceof Double) {
            return Type.Basic.FLOAT;
        }
        if (value instanceof Boolean) {
            return Type.Basic.BOOL;
        }
        if (value instanceof String) {
            return Type.Basic.STRING;
        }
        if (value instanceof Complex) {
            return Type.Basic.COMPLEX;
        }
        if (value instanceof TorchDevice) {
            return Type.Basic.DEVICE;
        }
        if (value instanceof ScriptList list) {
            return Type.list(list.elementType());
        }
        if (value instanceof ScriptDict dict) {
            return new Type.DictType(dict.keyType(), dict.valueType());
        }
        if (value instanceof ScriptTuple tuple) {
            return tuple.type() != null
                    ? tuple.type()
                    : Type.TupleType.of(
                            tuple.items().stream().map(RuntimeTypes::of).collect(Streams.toList()));
        }
        if (value instanceof ScriptObject object) {
            return object.type();
        }
        if (value instanceof ScriptEnum member) {
            return member.type();
        }
        if (value instanceof CustomObject object) {
            return ClassType.custom(object.type().qualifiedName());
        }
        return value instanceof ScriptFuture future ? new Type.FutureType(of(future.result())) : Type.Basic.ANY;
    }

    /** Whether a value is of a type; a list or dict is, if its declared element types are. */
    public static boolean isInstance(Object value, Type type) {
        if (type == Type.Basic.ANY) {
            return true;
        }
        if (type instanceof Type.OptionalType optional) {
            return value == null || isInstance(value, optional.element());
        }
        if (type instanceof Type.UnionType union) {
            return union.members().stream().anyMatch(member -> isInstance(value, member));
        }
        if (value instanceof ScriptFuture) {
            return type instanceof Type.FutureType;
        }
        if (value instanceof ScriptTuple tuple && type instanceof Type.TupleType wanted) {
            return isTuple(tuple, wanted);
        }
        return TypeRelations.isSubtype(of(value), type);
    }

    private static boolean isTuple(ScriptTuple tuple, Type.TupleType wanted) {
        List<Type> elements = wanted.elements();
        if (elements.size() != tuple.size()
                || wanted.name() != null
                        && (tuple.type() == null
                                || !wanted.name().equals(tuple.type().name()))) {
            return false;
        }
        for (int i = 0; i < elements.size(); i++) {
            if (!isInstance(tuple.get(i), elements.get(i))) {
                return false;
            }
        }
        return true;
    }
}
