package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Constant expressions to runtime values: defaults of parameters, values of class constants, members of enums. */
final class ConstantReader {
    /** The name under which source text finds the archive's constants, as attributes. */
    static final String TABLE = "CONSTANTS";

    private ConstantReader() {}

    /** @param type the declared type, or null */
    static Object value(CodeLoader loader, String entry, Tree.Expression expression, Type type) {
        Type wanted = type == null ? null : TypeRelations.unwrapOptional(type);
        if (expression instanceof Tree.Literal literal) {
            return literal.value() instanceof Long l && wanted == Type.Basic.FLOAT
                    ? (Object) (double) l
                    : literal.value();
        }
        if (expression instanceof Tree.ListDisplay list) {
            Type element = wanted instanceof Type.ListType t ? t.element() : null;
            List<Object> items = values(loader, entry, list.items(), element);
            return new ScriptList(
                    element != null ? element : items.isEmpty() ? Type.Basic.TENSOR : RuntimeTypes.of(items.get(0)),
                    items);
        }
        if (expression instanceof Tree.TupleDisplay tuple) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < tuple.items().size(); i++) {
                Type element =
                        wanted instanceof Type.TupleType t && i < t.elements().size()
                                ? t.elements().get(i)
                                : null;
                items.add(value(loader, entry, tuple.items().get(i), element));
            }
            return new ScriptTuple(items, null);
        }
        if (expression instanceof Tree.DictDisplay dict) {
            return dict(loader, entry, dict, wanted);
        }
        String name = TypeReader.dotted(expression);
        if (name != null) {
            return named(loader, entry, expression, name);
        }
        if (expression instanceof Tree.Call call) {
            String callee = TypeReader.dotted(call.callee());
            if ("torch.device".equals(callee)
                    && call.arguments().size() == 1
                    && call.arguments().get(0) instanceof Tree.Literal literal
                    && literal.value() instanceof String text) {
                return TorchDevice.parse(text);
            }
            if ("annotate".equals(callee) && call.arguments().size() == 2) {
                return value(
                        loader,
                        entry,
                        call.arguments().get(1),
                        TypeReader.type(loader, entry, call.arguments().get(0)));
            }
        }
        throw new SourceException(entry, expression.at(), "an expression", "a constant");
    }

    private static List<Object> values(CodeLoader loader, String entry, List<Tree.Expression> items, Type element) {
        List<Object> values = new ArrayList<>();
        for (Tree.Expression item : items) {
            values.add(value(loader, entry, item, element));
        }
        return values;
    }

    private static ScriptDict dict(CodeLoader loader, String entry, Tree.DictDisplay dict, Type wanted) {
        Type.DictType type = wanted instanceof Type.DictType t ? t : null;
        List<Object> keys = values(loader, entry, dict.keys(), type == null ? null : type.key());
        List<Object> values = values(loader, entry, dict.values(), type == null ? null : type.value());
        ScriptDict result = new ScriptDict(
                type != null ? type.key() : keys.isEmpty() ? Type.Basic.STRING : RuntimeTypes.of(keys.get(0)),
                type != null ? type.value() : values.isEmpty() ? Type.Basic.TENSOR : RuntimeTypes.of(values.get(0)));
        for (int i = 0; i < keys.size(); i++) {
            result.items().put(keys.get(i), values.get(i));
        }
        return result;
    }

    private static Object named(CodeLoader loader, String entry, Tree.Expression expression, String name) {
        if (name.startsWith(TABLE + ".c")) {
            return constant(loader, entry, expression, name);
        }
        int dot = name.lastIndexOf('.');
        if (dot > 0 && loader.type(name.substring(0, dot)) instanceof Type.EnumType type) {
            return member(entry, expression, type, name.substring(dot + 1));
        }
        throw new SourceException(entry, expression.at(), name, "a constant");
    }

    static ScriptEnum member(String entry, Tree.Expression expression, Type.EnumType type, String member) {
        int index = type.members().indexOf(member);
        if (index < 0) {
            throw new SourceException(entry, expression.at(), type.name() + "." + member, "one of " + type.members());
        }
        return new ScriptEnum(type, member, type.values().get(index));
    }

    /** @param name {@code CONSTANTS.c3} */
    static Object constant(CodeLoader loader, String entry, Tree.Expression expression, String name) {
        try {
            return loader.archive().constant(Integer.parseInt(name.substring(TABLE.length() + 2)));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new SourceException(entry, expression.at(), name, "an entry of the archive's constants");
        }
    }
}
