package org.torchnnapi.testkit.captured;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * Compares answers: equal structure and types; whole numbers, text and truth exactly, real ones within what their type
 * allows.
 *
 * @param typesOnly whether elements and numbers may differ, as random ones do
 * @param slack the part of the largest element that others may be off where that is more than usual
 * @param special whether a zero must have the same sign, and what is 0 or next to it be so
 */
record CapturedComparison(boolean typesOnly, double slack, boolean special) {
    /** A part of the largest element that others may be off, whatever their own size. */
    private static final double OF_LARGEST = 1e-5;

    private static final double FLOAT = 1.3e-4;
    private static final String UNWRITTEN = "sparse tensor";

    /** What is wrong, in one line, or null. */
    String compare(Object expected, Object actual, String place) {
        if (expected instanceof CapturedValues.Opaque opaque) {
            if (opaque.text().equals(UNWRITTEN) && actual instanceof Tensor) {
                // Of another layout, such as MKL-DNN's, which has no written form: a tensor is all that can be asked
                // for.
                return null;
            }
            if (actual instanceof Tensor tensor
                    && opaque.text().equals("dtype torch." + tensor.dtype().torchName())) {
                // Of a type that the files have no form for, as complex halves once had none.
                return null;
            }
            boolean plain = actual == null
                    || actual instanceof Tensor
                    || actual instanceof Number
                    || actual instanceof String
                    || actual instanceof Boolean
                    || actual instanceof ScriptList
                    || actual instanceof ScriptTuple
                    || actual instanceof ScriptDict;
            return plain ? differ(expected, actual, place) : null;
        }
        if (expected instanceof Tensor want) {
            return actual instanceof Tensor got ? tensors(want, got, place) : differ(expected, actual, place);
        }
        if (expected instanceof ScriptList want) {
            return actual instanceof ScriptList got
                    ? items(want.items(), got.items(), place)
                    : differ(expected, actual, place);
        }
        if (expected instanceof ScriptTuple want) {
            return actual instanceof ScriptTuple got
                    ? items(want.items(), got.items(), place)
                    : differ(expected, actual, place);
        }
        if (expected instanceof ScriptDict want) {
            return actual instanceof ScriptDict got ? dicts(want, got, place) : differ(expected, actual, place);
        }
        if (typesOnly) {
            return expected == null
                    ? actual == null ? null : differ(null, actual, place)
                    : expected.getClass().isInstance(actual) ? null : differ(expected, actual, place);
        }
        boolean same;
        if (expected instanceof Double want) {
            same = actual instanceof Double got && close(want, got, FLOAT, 0);
        } else if (expected instanceof Complex want) {
            double largest = Math.max(Math.abs(want.real()), Math.abs(want.imaginary()));
            same = actual instanceof Complex got
                    && close(want.real(), got.real(), FLOAT, largest * OF_LARGEST)
                    && close(want.imaginary(), got.imaginary(), FLOAT, largest * OF_LARGEST);
        } else if (expected instanceof TorchDevice want) {
            same = actual instanceof TorchDevice got && got.type().equals(want.type());
        } else {
            same = expected == null ? actual == null : expected.equals(actual);
        }
        return same ? null : differ(expected, actual, place);
    }

    private String items(List<Object> expected, List<Object> actual, String place) {
        if (expected.size() != actual.size()) {
            return place + ": expected " + expected.size() + " elements, actual " + actual.size();
        }
        for (int i = 0; i < actual.size(); i++) {
            String wrong = compare(expected.get(i), actual.get(i), place + "[" + i + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Python's equality of dicts does not ask for an order; keys that are tensors can only be told by their place. */
    private String dicts(ScriptDict expected, ScriptDict actual, String place) {
        List<Map.Entry<Object, Object>> want = new ArrayList<>(expected.items().entrySet());
        List<Map.Entry<Object, Object>> got = new ArrayList<>(actual.items().entrySet());
        if (want.size() != got.size()) {
            return place + ": expected " + want.size() + " entries, actual " + got.size();
        }
        for (int i = 0; i < want.size(); i++) {
            Object key = want.get(i).getKey();
            Object value = got.get(i).getValue();
            if (actual.items().containsKey(key)) {
                value = actual.items().get(key);
            } else {
                String wrong = compare(key, got.get(i).getKey(), place + " key " + i);
                if (wrong != null) {
                    return wrong;
                }
            }
            String wrong = compare(want.get(i).getValue(), value, place + "[" + show(key) + "]");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private String tensors(Tensor expected, Tensor actual, String place) {
        if (expected.dtype() != actual.dtype() || !Arrays.equals(expected.sizes(), actual.sizes())) {
            return differ(expected, actual, place);
        }
        if (typesOnly) {
            return null;
        }
        if (!sameQuantization(expected.quantization(), actual.quantization())) {
            return place + ": expected " + expected.quantization() + ", actual " + actual.quantization();
        }
        Tensor want = expected.dtype().isComplex() ? parts(expected) : expected;
        Tensor got = expected.dtype().isComplex() ? parts(actual) : actual;
        boolean real = want.dtype().isFloating();
        double tolerance = tolerance(want.dtype());
        double largest = 0;
        for (long i = 0; real && i < want.numel(); i++) {
            double size = Math.abs(want.getDouble(i));
            largest = Double.isFinite(size) ? Math.max(largest, size) : largest;
        }
        double anywhere = largest * Math.max(Math.min(tolerance, OF_LARGEST), slack);
        long bad = 0;
        String first = null;
        for (long i = 0; i < want.numel(); i++) {
            if (real
                    ? !close(want.getDouble(i), got.getDouble(i), tolerance, anywhere)
                            || special && !sameNextToZero(want.getDouble(i), got.getDouble(i), want.dtype())
                    : want.getLong(i) != got.getLong(i)) {
                bad++;
                first = first != null
                        ? first
                        : "element " + i + ": expected " + want.getDouble(i) + ", actual " + got.getDouble(i);
            }
        }
        return bad == 0
                ? null
                : place + " " + expected + ": " + bad + " of " + want.numel() + " elements differ, first " + first;
    }

    /** Whether zeros are of one sign, and what comes for a subnormal number is within a tenth of it. */
    private static boolean sameNextToZero(double want, double got, DType type) {
        double smallest = switch (type) {
            case FLOAT64 -> Double.MIN_NORMAL;
            case FLOAT16 -> 0x1p-14;
            default -> Float.MIN_NORMAL;
        };
        if (want == 0) {
            return got != 0 || 1 / want == 1 / got;
        }
        return !(Math.abs(want) < smallest) || Math.abs(want - got) <= 0.1 * Math.abs(want);
    }

    private static double tolerance(DType type) {
        return switch (type) {
            case FLOAT64 -> 1e-7;
            case FLOAT16 -> 2e-3;
            case BFLOAT16 -> 1.6e-2;
            default -> FLOAT;
        };
    }

    private static boolean sameQuantization(Quantization a, Quantization b) {
        if (a instanceof Quantization.PerTensor x && b instanceof Quantization.PerTensor y) {
            return close(x.scale(), y.scale(), 1e-6, 0) && x.zeroPoint() == y.zeroPoint();
        }
        if (a instanceof Quantization.PerChannel x && b instanceof Quantization.PerChannel y) {
            return x.axis() == y.axis() && allClose(x.scales(), y.scales()) && allClose(x.zeroPoints(), y.zeroPoints());
        }
        return a == null && b == null;
    }

    private static boolean allClose(double[] a, double[] b) {
        boolean close = a.length == b.length;
        for (int i = 0; close && i < a.length; i++) {
            close = close(a[i], b[i], 1e-6, 1e-6);
        }
        return close;
    }

    /** Real and imaginary parts as the last dimension. */
    private static Tensor parts(Tensor complex) {
        Tensor dense = complex.copy(MemoryFormat.CONTIGUOUS);
        int[] sizes = Arrays.copyOf(dense.sizes(), dense.rank() + 1);
        sizes[dense.rank()] = 2;
        return Tensor.of(dense.dtype().part(), dense.storage().array(), sizes);
    }

    private static boolean close(double want, double got, double relative, double absolute) {
        return want == got
                || Double.isNaN(want) && Double.isNaN(got)
                || Double.isFinite(want)
                        && Double.isFinite(got)
                        && Math.abs(want - got) <= Math.max(absolute, relative * Math.abs(want));
    }

    private static String differ(Object expected, Object actual, String place) {
        return place + ": expected " + show(expected) + ", actual " + show(actual);
    }

    private static String show(Object value) {
        return value == null ? "None" : value instanceof String text ? "\"" + text + "\"" : value.toString();
    }
}
