package org.torchnnapi.exported;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Functions of Python on numbers that are not known before a run. */
final class SymbolicArithmetic {
    /** Functions that operators have the name of. */
    private static final Set<String> OF_THEIR_NAME = Set.of(
            "_operator.add",
            "_operator.sub",
            "_operator.mul",
            "_operator.floordiv",
            "_operator.pow",
            "_operator.neg",
            "_operator.eq",
            "_operator.ne",
            "_operator.lt",
            "_operator.le",
            "_operator.gt",
            "_operator.ge",
            "math.ceil",
            "math.floor",
            "builtins.round");

    /** Functions that operators are called by the special method of: {@code __and__}. */
    private static final Set<String> OF_THEIR_METHOD =
            Set.of("_operator.and_", "_operator.or_", "_operator.lshift", "_operator.rshift");

    private static final Map<String, String> OTHERS = Map.of(
            "_operator.truediv", "aten::div",
            "_operator.mod", "aten::remainder",
            "torch.sym_float", Conversions.operator(Type.Basic.FLOAT),
            "torch.sym_int", Conversions.operator(Type.Basic.INT),
            "math.trunc", Conversions.operator(Type.Basic.INT),
            "torch.sym_not", "aten::__not__",
            "torch.sym_max", "prim::max",
            "torch.sym_min", "prim::min",
            "torch._sym_sqrt", "aten::sqrt");

    private SymbolicArithmetic() {}

    /** What a function of Python is called as an operator; null for null and for one that is none. */
    static String kind(String function) {
        if (function == null) {
            return null;
        }
        String name = function.substring(function.indexOf('.') + 1);
        return OF_THEIR_NAME.contains(function)
                ? "aten::" + name
                : OF_THEIR_METHOD.contains(function) ? "aten::__" + name.replace("_", "") + "__" : OTHERS.get(function);
    }

    /**
     * Adds a call.
     *
     * @param node it is the target of
     */
    static Value call(GraphEmitter emitter, Json node, String target, List<Value> values) {
        if (target.equals("_operator.pos") && values.size() == 1) {
            return values.get(0);
        }
        if (target.equals("torch.sym_ite") && values.size() == 3) {
            return emitter.branch(
                            emitter.truth(values.get(0)), () -> List.of(values.get(1)), () -> List.of(values.get(2)))
                    .get(0);
        }
        String kind = kind(target);
        if (kind == null) {
            throw node.get("target")
                    .error("torch.ops.NAMESPACE.OPERATOR.OVERLOAD, or a function of Python on symbols, one of "
                            + Stream.of(OF_THEIR_NAME, OF_THEIR_METHOD, OTHERS.keySet())
                                    .flatMap(Set::stream)
                                    .sorted()
                                    .collect(Streams.toList()));
        }
        Value[] arguments = values.toArray(new Value[0]);
        // Of several overloads that fit, the one with the result that the program says.
        Value exact = emitter.callOrNull(kind, resultType(node), arguments);
        return exact != null ? exact : emitter.call(kind, arguments);
    }

    private static Type resultType(Json node) {
        List<Json> outputs = node.get("outputs").items();
        String tag = outputs.size() == 1 ? outputs.get(0).union().tag() : "";
        return switch (tag) {
            case "as_sym_int" -> Type.Basic.INT;
            case "as_sym_float" -> Type.Basic.FLOAT;
            case "as_sym_bool" -> Type.Basic.BOOL;
            default -> null;
        };
    }
}
