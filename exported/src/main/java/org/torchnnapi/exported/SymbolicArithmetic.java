package org.torchnnapi.exported;

import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Functions of Python on numbers that are not known before a run. */
final class SymbolicArithmetic {
    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("_operator.add", "aten::add"),
            Map.entry("_operator.sub", "aten::sub"),
            Map.entry("_operator.mul", "aten::mul"),
            Map.entry("_operator.floordiv", "aten::floordiv"),
            Map.entry("_operator.truediv", "aten::div"),
            Map.entry("_operator.mod", "aten::remainder"),
            Map.entry("_operator.pow", "aten::pow"),
            Map.entry("_operator.neg", "aten::neg"),
            Map.entry("_operator.eq", "aten::eq"),
            Map.entry("_operator.ne", "aten::ne"),
            Map.entry("_operator.lt", "aten::lt"),
            Map.entry("_operator.le", "aten::le"),
            Map.entry("_operator.gt", "aten::gt"),
            Map.entry("_operator.ge", "aten::ge"),
            Map.entry("_operator.and_", "aten::__and__"),
            Map.entry("_operator.or_", "aten::__or__"),
            Map.entry("_operator.lshift", "aten::__lshift__"),
            Map.entry("_operator.rshift", "aten::__rshift__"),
            Map.entry("torch.sym_float", "aten::Float"),
            Map.entry("torch.sym_int", "aten::Int"),
            Map.entry("torch.sym_not", "aten::__not__"),
            Map.entry("torch.sym_max", "prim::max"),
            Map.entry("torch.sym_min", "prim::min"),
            Map.entry("torch._sym_sqrt", "aten::sqrt"),
            Map.entry("math.trunc", "aten::Int"),
            Map.entry("math.ceil", "aten::ceil"),
            Map.entry("math.floor", "aten::floor"),
            Map.entry("builtins.round", "aten::round"));

    private SymbolicArithmetic() {}

    /** What a function of Python is called as an operator; null for null and for one that is none. */
    static String kind(String function) {
        return function == null ? null : KINDS.get(function);
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
        String kind = KINDS.get(target);
        if (kind == null) {
            throw node.get("target")
                    .error("torch.ops.NAMESPACE.OPERATOR.OVERLOAD, or a function of Python on symbols, one of "
                            + KINDS.keySet().stream().sorted().collect(Streams.toList()));
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
