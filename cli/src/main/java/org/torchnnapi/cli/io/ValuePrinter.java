package org.torchnnapi.cli.io;

import java.util.Locale;
import java.util.StringJoiner;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Runtime values for reading: tensors with shape, range and first elements. */
public final class ValuePrinter {
    private static final int SHOWN = 8;

    private ValuePrinter() {}

    public static String of(Object value) {
        if (value == null) {
            return "None";
        }
        if (value instanceof Tensor tensor) {
            return tensor(tensor);
        }
        if (value instanceof ScriptTuple tuple) {
            StringJoiner text = new StringJoiner(",\n ", "(", ")");
            tuple.items().forEach(item -> text.add(of(item)));
            return text.toString();
        }
        if (value instanceof ScriptList list) {
            StringJoiner text = new StringJoiner(",\n ", "[", "]");
            list.items().forEach(item -> text.add(of(item)));
            return text.toString();
        }
        if (value instanceof ScriptDict dict) {
            StringJoiner text = new StringJoiner(",\n ", "{", "}");
            dict.items().forEach((key, item) -> text.add(of(key) + ": " + of(item)));
            return text.toString();
        }
        if (value instanceof String string) {
            return '"' + string + '"';
        }
        return value.toString();
    }

    private static String tensor(Tensor tensor) {
        long count = tensor.numel();
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        double sum = 0;
        StringJoiner first = new StringJoiner(", ", "[", count > SHOWN ? ", ..]" : "]");
        for (long i = 0; i < count; i++) {
            double element = real(tensor, i);
            min = Math.min(min, element);
            max = Math.max(max, element);
            sum += element;
            if (i < SHOWN) {
                first.add(number(element));
            }
        }
        String range =
                count == 0 ? "empty" : "min " + number(min) + ", max " + number(max) + ", mean " + number(sum / count);
        return tensor + " " + first + " " + range;
    }

    private static double real(Tensor tensor, long index) {
        double element = tensor.getDouble(index);
        return tensor.quantization() instanceof Quantization.PerTensor q
                ? (element - q.zeroPoint()) * q.scale()
                : element;
    }

    /** A number with six digits that count, whole ones as such. */
    public static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.6g", value);
    }
}
