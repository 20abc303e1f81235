package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Compares runtime values with those of a case file.
 *
 * @param atol absolute tolerance of floating elements
 * @param rtol tolerance of floating elements relative to the expected value
 * @param quanta steps by which quantized elements may differ
 * @param mismatchFraction part of the elements of a quantized tensor that may differ
 * @param rtols by element type, where it is another than {@code rtol}
 */
record ResultComparison(double atol, double rtol, int quanta, double mismatchFraction, Map<String, Double> rtols) {
    private static final double SCALAR_ATOL = 1e-5;
    private static final double SCALAR_RTOL = 1e-4;

    ResultComparison(double atol, double rtol, int quanta, double mismatchFraction) {
        this(atol, rtol, quanta, mismatchFraction, Map.of());
    }

    /** The tolerance of a case. */
    static ResultComparison of(JsonNode tolerance) {
        Map<String, Double> rtols = new HashMap<>();
        tolerance
                .path("rtols")
                .properties()
                .forEach(type -> rtols.put(type.getKey(), type.getValue().asDouble()));
        return new ResultComparison(
                tolerance.path("atol").asDouble(1e-5),
                tolerance.path("rtol").asDouble(1e-4),
                tolerance.path("quanta").asInt(0),
                tolerance.path("mismatch_fraction").asDouble(0),
                rtols);
    }

    /** What is wrong, in one line, or null. */
    String compare(JsonNode expected, Object actual, Path folder, String place) {
        String kind = expected.path("kind").asText();
        switch (kind) {
            case "tensor":
                return actual instanceof Tensor tensor
                        ? tensors(CaseValues.tensor(expected, folder), tensor, place)
                        : kinds(place, "a tensor", actual);
            case "tuple":
                return actual instanceof ScriptTuple tuple
                        ? items(expected, tuple.items(), folder, place)
                        : kinds(place, "a tuple", actual);
            case "list":
                return actual instanceof ScriptList list
                        ? items(expected, list.items(), folder, place)
                        : kinds(place, "a list", actual);
            case "dict":
                return actual instanceof ScriptDict dict
                        ? dict(expected, dict, folder, place)
                        : kinds(place, "a dict", actual);
            case "float":
                double want = CaseValues.number(expected.path("value"));
                return actual instanceof Double got && close(want, got, SCALAR_ATOL, SCALAR_RTOL)
                        ? null
                        : kinds(place, want, actual);
            case "complex":
                Complex wanted = (Complex) CaseValues.value(expected, folder, null);
                return actual instanceof Complex got
                                && close(wanted.real(), got.real(), SCALAR_ATOL, SCALAR_RTOL)
                                && close(wanted.imaginary(), got.imaginary(), SCALAR_ATOL, SCALAR_RTOL)
                        ? null
                        : kinds(place, wanted, actual);
            default:
                Object exact = CaseValues.value(expected, folder, null);
                return exact == null
                        ? actual == null ? null : kinds(place, "None", actual)
                        : exact.equals(actual) ? null : kinds(place, exact, actual);
        }
    }

    private String items(JsonNode expected, List<Object> actual, Path folder, String place) {
        JsonNode items = expected.path("items");
        if (items.size() != actual.size()) {
            return place + ": expected " + items.size() + " elements, actual " + actual.size();
        }
        for (int i = 0; i < actual.size(); i++) {
            String wrong = compare(items.get(i), actual.get(i), folder, place + "[" + i + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private String dict(JsonNode expected, ScriptDict actual, Path folder, String place) {
        if (expected.path("items").size() != actual.items().size()) {
            return place + ": expected " + expected.path("items").size() + " entries, actual "
                    + actual.items().size();
        }
        for (JsonNode entry : expected.path("items")) {
            Object key = CaseValues.value(entry.get(0), folder, null);
            if (!actual.items().containsKey(key)) {
                return place + ": expected key " + key + ", actual keys "
                        + actual.items().keySet();
            }
            String wrong = compare(entry.get(1), actual.items().get(key), folder, place + "[" + key + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** What is wrong with a tensor, or null. */
    String tensors(Tensor expected, Tensor actual, String place) {
        if (expected.dtype() != actual.dtype() || !Arrays.equals(expected.sizes(), actual.sizes())) {
            return place + ": expected " + expected + ", actual " + actual;
        }
        if (expected.dtype().isQuantized()) {
            if (!sameQuantization(expected.quantization(), actual.quantization())) {
                return place + ": expected " + expected.quantization() + ", actual " + actual.quantization();
            }
            return quantized(expected, actual, place);
        }
        Tensor want = expected.dtype().isComplex() ? parts(expected) : expected;
        Tensor got = expected.dtype().isComplex() ? parts(actual) : actual;
        boolean floating = expected.dtype().isFloating() || expected.dtype().isComplex();
        double relative = rtols.getOrDefault(expected.dtype().torchName(), rtol);
        long bad = 0;
        double worst = -1;
        String shown = null;
        for (long i = 0; i < want.numel(); i++) {
            boolean equal = floating
                    ? close(want.getDouble(i), got.getDouble(i), atol, relative)
                    : want.getLong(i) == got.getLong(i);
            if (!equal) {
                bad++;
                double difference = Math.abs(want.getDouble(i) - got.getDouble(i));
                if (shown == null || difference > worst) {
                    worst = difference;
                    shown = "element " + i + ": expected " + want.getDouble(i) + ", actual " + got.getDouble(i);
                }
            }
        }
        return bad == 0
                ? null
                : place + " " + expected + ": " + bad + " of " + want.numel() + " elements differ, worst " + shown;
    }

    private String quantized(Tensor expected, Tensor actual, String place) {
        long bad = 0;
        long worst = 0;
        long at = 0;
        for (long i = 0; i < expected.numel(); i++) {
            long difference = Math.abs(expected.getLong(i) - actual.getLong(i));
            if (difference != 0) {
                bad++;
            }
            if (difference > worst) {
                worst = difference;
                at = i;
            }
        }
        if (worst <= quanta && bad <= mismatchFraction * expected.numel()) {
            return null;
        }
        return place + " " + expected + ": " + bad + " of " + expected.numel() + " elements differ (allowed: fraction "
                + mismatchFraction + ", " + quanta + " steps), worst element " + at + ": expected "
                + expected.getLong(at) + ", actual " + actual.getLong(at);
    }

    static boolean sameQuantization(Quantization a, Quantization b) {
        if (a == null && b == null) {
            return true;
        }
        if (a instanceof Quantization.PerTensor x && b instanceof Quantization.PerTensor y) {
            return close(x.scale(), y.scale(), 0, 1e-6) && x.zeroPoint() == y.zeroPoint();
        }
        if (a instanceof Quantization.PerChannel x
                && b instanceof Quantization.PerChannel y
                && x.scales().length == y.scales().length
                && x.axis() == y.axis()) {
            for (int i = 0; i < x.scales().length; i++) {
                if (!close(x.scales()[i], y.scales()[i], 0, 1e-6)
                        || !close(x.zeroPoints()[i], y.zeroPoints()[i], 1e-6, 1e-6)) {
                    return false;
                }
            }
            return true;
        }
        return false;
    }

    /** Real and imaginary parts as the last dimension. */
    private static Tensor parts(Tensor complex) {
        Tensor dense = complex.copy(MemoryFormat.CONTIGUOUS);
        int[] sizes = Arrays.copyOf(dense.sizes(), dense.rank() + 1);
        sizes[dense.rank()] = 2;
        return Tensor.of(dense.dtype().part(), dense.storage().array(), sizes);
    }

    private static boolean close(double want, double got, double atol, double rtol) {
        return want == got
                || Double.isNaN(want) && Double.isNaN(got)
                || !Double.isInfinite(want)
                        && !Double.isInfinite(got)
                        && Math.abs(want - got) <= atol + rtol * Math.abs(want);
    }

    private static String kinds(String place, Object expected, Object actual) {
        String shown = actual == null
                ? "None"
                : actual instanceof String || actual instanceof Number || actual instanceof Boolean
                        ? actual.toString()
                        : actual.getClass().getSimpleName();
        return place + ": expected " + expected + ", actual " + shown;
    }
}
