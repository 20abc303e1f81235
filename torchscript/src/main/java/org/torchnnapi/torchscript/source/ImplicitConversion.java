package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/** An implicit conversion of a value to the type asked for; the nodes are those that PyTorch inserts. */
interface ImplicitConversion {
    /** The value as it is. */
    ImplicitConversion NONE = (emitter, value, at) -> value;

    Value emit(Emitter emitter, Value value, Position at);

    /** A cast that nothing checks, where an unknown operator leaves the type open. */
    static ImplicitConversion castTo(Type type) {
        return (emitter, value, at) -> emitter.value(Prim.UNCHECKED_CAST, List.of(value), type, at);
    }

    /**
     * How a value becomes what is wanted, or null if it cannot.
     *
     * @param convert whether conversions that change the value's kind are allowed
     */
    static ImplicitConversion of(Type actual, Type wanted, boolean convert) {
        if (TypeRelations.isSubtype(actual, wanted)) {
            return NONE;
        }
        Type target = TypeRelations.unwrapOptional(wanted);
        if (actual instanceof Type.TupleType tuple
                && target instanceof Type.ListType list
                && tuple.elements().stream().allMatch(element -> TypeRelations.isSubtype(element, list.element()))) {
            return (emitter, value, at) -> listOfTuple(emitter, value, tuple, list, at);
        }
        if (actual instanceof Type.TupleType tuple
                && target instanceof Type.TupleType other
                && other.name() == null
                && tuple.elements().size() == other.elements().size()) {
            return eachElement(tuple, other, convert);
        }
        if (!convert) {
            return null;
        }
        String kind = operator(actual, target);
        if (kind != null) {
            return (emitter, value, at) -> operator(emitter, kind, value, target, at);
        }
        if (target instanceof Type.ListType list && TypeRelations.isSubtype(actual, list.element())) {
            return (emitter, value, at) -> emitter.value(Prim.LIST_CONSTRUCT, List.of(value), list, at);
        }
        return actual == Type.Basic.ANY || isList(actual) && isList(target) && sameUpToOptional(actual, target)
                ? NONE
                : null;
    }

    /** Calls the overload that takes such a value. */
    private static Value operator(Emitter emitter, String kind, Value value, Type target, Position at) {
        Value result = emitter.value(kind, List.of(value), target, at);
        for (FunctionSchema schema : emitter.loader().overloads(kind)) {
            if (schema.arguments().size() == 1
                    && TypeRelations.isSubtype(
                            value.type(), schema.arguments().get(0).type())) {
                result.definition().schema(schema);
                break;
            }
        }
        return result;
    }

    private static ImplicitConversion eachElement(Type.TupleType actual, Type.TupleType wanted, boolean convert) {
        List<ImplicitConversion> conversions = new ArrayList<>();
        for (int i = 0; i < actual.elements().size(); i++) {
            ImplicitConversion conversion =
                    of(actual.elements().get(i), wanted.elements().get(i), convert);
            if (conversion == null) {
                return null;
            }
            conversions.add(conversion);
        }
        if (conversions.stream().allMatch(conversion -> conversion == NONE)) {
            return NONE;
        }
        return (emitter, value, at) -> {
            Node unpack = emitter.node(Prim.TUPLE_UNPACK, List.of(value), at);
            actual.elements().forEach(unpack::addOutput);
            List<Value> parts = new ArrayList<>();
            for (int i = 0; i < conversions.size(); i++) {
                parts.add(conversions.get(i).emit(emitter, unpack.output(i), at));
            }
            return emitter.value(Prim.TUPLE_CONSTRUCT, parts, wanted, at);
        };
    }

    private static String operator(Type actual, Type target) {
        if (actual == Type.Basic.TENSOR) {
            return Conversions.implicit(target);
        }
        boolean isNumber = target == Type.Basic.FLOAT || target == Type.Basic.INT || target == Type.Basic.COMPLEX;
        if (actual == Type.Basic.NUMBER && isNumber || actual == Type.Basic.INT && target == Type.Basic.FLOAT) {
            return Conversions.operator(target);
        }
        return actual == Type.Basic.STRING && target == Type.Basic.DEVICE ? "aten::device" : null;
    }

    private static boolean isList(Type type) {
        return type instanceof Type.ListType;
    }

    /** Lists of tensors and of optional tensors are the same lists at run time. */
    private static boolean sameUpToOptional(Type a, Type b) {
        return TypeRelations.isSubtype(((Type.ListType) a).element(), ((Type.ListType) b).element());
    }

    private static Value listOfTuple(
            Emitter emitter, Value value, Type.TupleType tuple, Type.ListType list, Position at) {
        Node unpack = emitter.node(Prim.TUPLE_UNPACK, List.of(value), at);
        List<Value> parts = new ArrayList<>();
        tuple.elements().forEach(element -> parts.add(unpack.addOutput(element)));
        return emitter.value(Prim.LIST_CONSTRUCT, parts, list, at);
    }
}
