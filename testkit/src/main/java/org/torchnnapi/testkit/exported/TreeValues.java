package org.torchnnapi.testkit.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Runtime values of the trees in case files, and comparison with them. */
final class TreeValues {
    private final Path folder;
    private final double rtol;
    private final double atol;
    private final boolean shapesOnly;

    /** @param shapesOnly whether elements are random and not compared */
    TreeValues(Path folder, double rtol, double atol, boolean shapesOnly) {
        this.folder = folder;
        this.rtol = rtol;
        this.atol = atol;
        this.shapesOnly = shapesOnly;
    }

    Object value(JsonNode tree) {
        String kind = tree.fieldNames().next();
        JsonNode value = tree.get(kind);
        return switch (kind) {
            case "tensor" -> tensor(tree);
            case "none" -> null;
            case "bool" -> value.asBoolean();
            case "int" -> value.asLong();
            case "float" -> real(value);
            case "complex" -> new Complex(real(value.get(0)), real(value.get(1)));
            case "string" -> value.asText();
            case "list", "deque" -> new ScriptList(Type.Basic.ANY, values(value));
            case "tuple" -> new ScriptTuple(values(value), null);
            case "dict" -> {
                ScriptDict dict = new ScriptDict(Type.Basic.ANY, Type.Basic.ANY);
                for (JsonNode entry : value) {
                    dict.items().put(key(entry.get(0)), value(entry.get(1)));
                }
                yield dict;
            }
            case "namedtuple", "dataclass" -> {
                List<Object> fields = new ArrayList<>();
                for (JsonNode field : tree.get("fields")) {
                    if (kind.equals("namedtuple") || !field.get(1).has("none")) {
                        fields.add(value(field.get(1)));
                    }
                }
                yield new ScriptTuple(fields, null);
            }
            default -> throw new IllegalArgumentException("tree: " + kind + " (expected: one of FORMAT.md)");
        };
    }

    private static Object key(JsonNode key) {
        return key.isNumber() ? (Object) key.asLong() : key.asText();
    }

    private List<Object> values(JsonNode trees) {
        List<Object> values = new ArrayList<>();
        trees.forEach(tree -> values.add(value(tree)));
        return values;
    }

    private static double real(JsonNode value) {
        return switch (value.asText()) {
            case "nan" -> Double.NaN;
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> value.asDouble();
        };
    }

    private Tensor tensor(JsonNode tree) {
        DType type = DType.ofName(tree.get("dtype").asText());
        DType stored =
                tree.has("stored_as") ? DType.ofName(tree.get("stored_as").asText()) : type;
        try {
            Tensor tensor = Npy.read(folder.resolve(tree.get("tensor").asText()), stored);
            return tensor.dtype() == type ? tensor : converted(tensor, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Tensor converted(Tensor tensor, DType type) {
        for (Operator operator : OperatorRegistry.standard().overloads("aten::to")) {
            if (operator.schema().overload().equals("dtype")) {
                return (Tensor) operator.kernel().call(new Object[] {tensor, (long) type.code(), false, false, null});
            }
        }
        throw new IllegalStateException("aten::to.dtype is missing");
    }

    /** What differs, in one line; null if nothing does. */
    String compare(JsonNode tree, Object actual, String place) {
        String kind = tree.fieldNames().next();
        JsonNode value = tree.get(kind);
        switch (kind) {
            case "tensor":
                return actual instanceof Tensor tensor
                        ? tensors(tensor(tree), tensor, place)
                        : other(place, "a tensor", actual);
            case "list", "deque", "tuple":
                List<?> items = actual instanceof ScriptList list
                        ? list.items()
                        : actual instanceof ScriptTuple tuple ? tuple.items() : null;
                boolean fits = kind.equals("tuple") ? actual instanceof ScriptTuple : actual instanceof ScriptList;
                return fits && items.size() == value.size()
                        ? each(value, items, place)
                        : other(place, kind + " of " + value.size(), actual);
            case "dict":
                return actual instanceof ScriptDict dict ? dict(value, dict, place) : other(place, "a dict", actual);
            case "namedtuple", "dataclass":
                return fields(tree.get("fields"), actual, place);
            case "float":
                return actual instanceof Double got && close(real(value), got)
                        ? null
                        : other(place, real(value), actual);
            default:
                Object wanted = value(tree);
                return wanted == null
                        ? actual == null ? null : other(place, "None", actual)
                        : wanted.equals(actual) ? null : other(place, wanted, actual);
        }
    }

    private String each(JsonNode trees, List<?> actual, String place) {
        for (int i = 0; i < trees.size(); i++) {
            String wrong = compare(trees.get(i), actual.get(i), place + "[" + i + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private String dict(JsonNode entries, ScriptDict actual, String place) {
        List<Object> keys = new ArrayList<>();
        entries.forEach(entry -> keys.add(key(entry.get(0))));
        if (!keys.equals(new ArrayList<>(actual.items().keySet()))) {
            return other(place, "keys " + keys, actual.items().keySet());
        }
        for (JsonNode entry : entries) {
            Object key = key(entry.get(0));
            String wrong = compare(entry.get(1), actual.items().get(key), place + "[" + key + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Fields of a dataclass that are None may be left out. */
    private String fields(JsonNode fields, Object actual, String place) {
        if (!(actual instanceof ScriptTuple tuple) || tuple.type() == null) {
            return other(place, "something with names", actual);
        }
        for (JsonNode field : fields) {
            int index = tuple.type().fields().indexOf(field.get(0).asText());
            String wrong = index < 0
                    ? field.get(1).has("none")
                            ? null
                            : other(
                                    place,
                                    "a field " + field.get(0),
                                    tuple.type().fields())
                    : compare(
                            field.get(1),
                            tuple.get(index),
                            place + "." + field.get(0).asText());
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private String tensors(Tensor wanted, Tensor actual, String place) {
        if (wanted.dtype() != actual.dtype() || !java.util.Arrays.equals(wanted.sizes(), actual.sizes())) {
            return place + ": expected " + wanted + ", actual " + actual;
        }
        if (shapesOnly) {
            return null;
        }
        boolean exact = !wanted.dtype().isFloating() && !wanted.dtype().isComplex();
        long bad = 0;
        double worst = 0;
        Tensor want = wanted.dtype().isComplex() ? converted(wanted, DType.COMPLEX128) : wanted;
        Tensor got = actual.dtype().isComplex() ? converted(actual, DType.COMPLEX128) : actual;
        double[] a = elements(want);
        double[] b = elements(got);
        for (int i = 0; i < a.length; i++) {
            if (exact ? a[i] != b[i] : !close(a[i], b[i])) {
                bad++;
                worst = Math.max(worst, Math.abs(a[i] - b[i]));
            }
        }
        return bad == 0
                ? null
                : place + " " + wanted + ": " + bad + " of " + a.length + " elements differ, at most by " + worst;
    }

    private static double[] elements(Tensor tensor) {
        if (tensor.dtype().isComplex()) {
            Tensor dense = tensor.contiguous();
            double[] all = dense.storage().doubleArray();
            return java.util.Arrays.copyOfRange(all, 2 * dense.offset(), 2 * dense.offset() + 2 * (int) dense.numel());
        }
        double[] elements = new double[(int) tensor.numel()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = tensor.getDouble(i);
        }
        return elements;
    }

    private boolean close(double want, double got) {
        return want == got
                || Double.isNaN(want) && Double.isNaN(got)
                || !Double.isInfinite(want)
                        && !Double.isInfinite(got)
                        && Math.abs(want - got) <= atol + rtol * Math.abs(want);
    }

    private static String other(String place, Object expected, Object actual) {
        String shown = actual == null
                ? "None"
                : actual instanceof Tensor
                                || actual instanceof Number
                                || actual instanceof Boolean
                                || actual instanceof List
                        ? actual.toString()
                        : actual.getClass().getSimpleName() + " " + actual;
        return place + ": expected " + expected + ", actual "
                + (shown.length() > 200 ? shown.substring(0, 200) : shown);
    }
}
