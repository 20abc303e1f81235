package org.torchnnapi.torchscript.print;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Runtime values as expressions; what has no text, such as a tensor, becomes an entry of the constants. */
final class LiteralPrinter {
    private static final String ESCAPED = "\\'\"\u0007\b\f\n\r\t\u000b";
    private static final String ESCAPES = "\\'\"abfnrtv";

    private final ConstantTable constants;
    private final Function<Type, String> types;

    /** @param types writes a type and notes the classes in it */
    LiteralPrinter(ConstantTable constants, Function<Type, String> types) {
        this.constants = constants;
        this.types = types;
    }

    String text(Object value) {
        if (value == null) {
            return "None";
        }
        if (value instanceof Boolean b) {
            return b ? "True" : "False";
        }
        if (value instanceof Long number) {
            return number.toString();
        }
        if (value instanceof Double number) {
            return NumberText.of(number);
        }
        if (value instanceof Complex number) {
            return complex(number);
        }
        if (value instanceof String text && isAscii(text)) {
            return quoted(text);
        }
        if (value instanceof TorchDevice device) {
            return "torch.device(" + quoted(device.toString()) + ")";
        }
        if (value instanceof ScriptEnum member) {
            return types.apply(member.type()) + "." + member.member();
        }
        if (value instanceof ScriptList list) {
            String items = list(list.items(), "[", "]");
            return list.items().isEmpty() || !followsFromMembers(list.elementType())
                    ? annotated(Type.list(list.elementType()), items)
                    : items;
        }
        if (value instanceof ScriptDict dict) {
            String items = entries(dict.items());
            boolean open = dict.items().isEmpty()
                    || !followsFromMembers(dict.keyType())
                    || !followsFromMembers(dict.valueType());
            return open ? annotated(new Type.DictType(dict.keyType(), dict.valueType()), items) : items;
        }
        if (value instanceof ScriptTuple tuple) {
            return (tuple.type() == null ? "" : types.apply(RuntimeTypes.of(tuple)))
                    + list(tuple.items(), "(", tuple.size() == 1 ? ",)" : ")");
        }
        if (value instanceof CustomObject) {
            types.apply(RuntimeTypes.of(value));
        }
        return "CONSTANTS.c" + constants.number(value);
    }

    String annotated(Type type, String text) {
        return "annotate(" + types.apply(type) + ", " + text + ")";
    }

    /** Whether the type of a list or dictionary is that of what is in it, however it was declared. */
    static boolean followsFromMembers(Type element) {
        return !(element instanceof Type.OptionalType
                || element instanceof Type.UnionType
                || element == Type.Basic.ANY
                || element == Type.Basic.NUMBER
                || element instanceof ClassType type && type.kind() == ClassType.Kind.INTERFACE
                || element instanceof Type.TupleType tuple
                        && tuple.elements().stream().anyMatch(part -> !followsFromMembers(part)));
    }

    private String list(Collection<Object> items, String open, String close) {
        StringJoiner text = new StringJoiner(", ", open, close);
        items.forEach(item -> text.add(text(item)));
        return text.toString();
    }

    private String entries(Map<Object, Object> items) {
        StringJoiner text = new StringJoiner(", ", "{", "}");
        items.forEach((key, value) -> text.add(text(key) + ": " + text(value)));
        return text.toString();
    }

    /** A sum of two literals; the sign of the imaginary part stands for the plus. */
    private static String complex(Complex number) {
        String imaginary = NumberText.of(number.imaginary());
        return NumberText.of(number.real()) + (imaginary.startsWith("-") ? "" : "+") + imaginary + "j";
    }

    static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            int escape = ESCAPED.indexOf((char) (b & 0xff));
            if (escape >= 0) {
                out.append('\\').append(ESCAPES.charAt(escape));
            } else if (b >= 0x20 && b < 0x7f) {
                out.append((char) b);
            } else {
                out.append('\\')
                        .append((char) ('0' + (b >> 6 & 3)))
                        .append((char) ('0' + (b >> 3 & 7)))
                        .append((char) ('0' + (b & 7)));
            }
        }
        return out.append('"').toString();
    }
}
