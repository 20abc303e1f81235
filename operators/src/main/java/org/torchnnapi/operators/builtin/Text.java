package org.torchnnapi.operators.builtin;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Values as TorchScript's {@code str}, {@code print} and {@code format} write them; whole floats as {@code 3.}. */
public final class Text {
    private static final int MAX_DEPTH = 100;

    private Text() {}

    public static String of(Object value) {
        return of(value, 0);
    }

    private static String of(Object value, int depth) {
        if (depth > MAX_DEPTH) {
            return "..";
        }
        if (value == null) {
            return "None";
        }
        if (value instanceof Boolean b) {
            return b ? "True" : "False";
        }
        if (value instanceof Double d) {
            return number(d);
        }
        if (value instanceof Complex c) {
            return number(c.real()) + (c.imaginary() < 0 ? "-" : "+") + number(Math.abs(c.imaginary())) + "j";
        }
        if (value instanceof ScriptList list) {
            return "[" + join(list.items(), depth) + "]";
        }
        if (value instanceof ScriptTuple tuple) {
            return "(" + join(tuple.items(), depth) + (tuple.size() == 1 ? ",)" : ")");
        }
        if (value instanceof ScriptDict dict) {
            List<String> parts = new ArrayList<>();
            dict.items().forEach((key, item) -> parts.add(of(key, depth + 1) + ": " + of(item, depth + 1)));
            return "{" + String.join(", ", parts) + "}";
        }
        if (value instanceof Tensor tensor) {
            return TensorText.of(tensor);
        }
        if (value instanceof ScriptEnum member) {
            return "Enum<" + member.type().name() + "." + member.member() + ">";
        }
        return value.toString();
    }

    private static String join(Collection<Object> items, int depth) {
        return String.join(", ", items.stream().map(item -> of(item, depth + 1)).collect(Streams.toList()));
    }

    /** Up to 17 significant digits without trailing zeros. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (Math.abs(value) < 1e10 && value == Math.rint(value)) {
            return (value == 0 && 1 / value < 0 ? "-0" : String.valueOf((long) value)) + ".";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(17, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -5 && exponent < 17) {
            return rounded.stripTrailingZeros().toPlainString();
        }
        String digits = rounded.unscaledValue().abs().toString().replaceAll("0+$", "");
        return (value < 0 ? "-" : "")
                + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    /** {@code "{} of {}".format(a, b)}. */
    static String format(String pattern, List<Object> values) {
        StringBuilder out = new StringBuilder();
        int from = 0;
        int used = 0;
        for (int at = pattern.indexOf("{}"); at >= 0; at = pattern.indexOf("{}", from)) {
            if (used == values.size()) {
                throw new IllegalArgumentException("Too few arguments for format string: " + pattern);
            }
            out.append(pattern, from, at).append(of(values.get(used++)));
            from = at + 2;
        }
        return out.append(pattern, from, pattern.length()).toString();
    }

    /** {@code "%d items" % n}. */
    static String percentFormat(String pattern, List<Object> values) {
        StringBuilder out = new StringBuilder();
        int used = 0;
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at++);
            if (c != '%') {
                out.append(c);
                continue;
            }
            if (at == pattern.length()) {
                throw new IllegalArgumentException("Incomplete format specifier in: " + pattern);
            }
            char key = pattern.charAt(at++);
            if (key == '%') {
                out.append('%');
            } else if (used == values.size()) {
                throw new IllegalArgumentException("Too few arguments for format string: " + pattern);
            } else {
                out.append(keyed(key, values.get(used++)));
            }
        }
        if (used < values.size()) {
            throw new IllegalArgumentException("Too many arguments for format string: " + pattern);
        }
        return out.toString();
    }

    private static String character(Object value) {
        if (value instanceof Long n) {
            return String.valueOf((char) (long) n);
        }
        if (value instanceof String text && text.length() == 1) {
            return text;
        }
        throw new IllegalArgumentException("%c requires an int or char for formatting, but got " + of(value));
    }

    private static String keyed(char key, Object value) {
        return switch (key) {
            case 'd', 'i' ->
                String.valueOf(value instanceof Double d ? (long) (double) d : PythonNumbers.integer(value));
            case 'f', 'F' -> String.format(Locale.ROOT, "%.6f", PythonNumbers.real(value));
            case 'e', 'E' -> String.format(Locale.ROOT, "%.6" + key, PythonNumbers.real(value));
            case 'c' -> character(value);
            case 's' -> of(value);
            default ->
                throw new IllegalArgumentException("The specifier %" + key
                        + " is not supported in TorchScript format strings" + " (expected: one of d i f F e E c s)");
        };
    }
}
