package org.torchnnapi.converter.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ScriptModule;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Runs the original and the converted module on the same inputs and compares what they return. */
public final class SelfCheck {
    /** Allowed difference of real results, as a fraction of the largest expected magnitude. */
    private static final double REAL_FRACTION = 1e-3;
    /** Results below this are noise. */
    private static final double SMALLEST = 1e-3;
    /** The same where NNAPI may compute in float16. */
    private static final double RELAXED_FRACTION = 3e-2;
    /**
     * Quantized models round after every layer, and deep ones amplify it; the root mean square of the differences may be
     * this fraction of that of the results. Confused dimensions or weights give differences as large as the results.
     */
    private static final double QUANTIZED_FRACTION = 0.3;

    /**
     * The outcome.
     *
     * @param agrees whether the results agree
     * @param text   the largest difference, or what differs
     */
    public record Result(boolean agrees, String text) {
    }

    private SelfCheck() {
    }

    /**
     * @param inputs          arguments of the original
     * @param convertedInputs arguments of the converted module, which may want them quantized
     * @param quantized       whether the models compute with quantized numbers
     * @throws RuntimeException if either cannot run
     */
    public static Result compare(ScriptModule original, String method, List<Tensor> inputs, ScriptModule converted,
                                 List<Tensor> convertedInputs, boolean quantized, boolean relaxed) {
        List<Tensor> expected = tensors(original.call(method, copies(inputs)));
        List<Tensor> actual = tensors(converted.call("forward", copies(convertedInputs)));
        if (expected.size() != actual.size()) {
            return new Result(false, actual.size() + " results (expected: " + expected.size() + ")");
        }
        double worst = 0;
        for (int i = 0; i < expected.size(); i++) {
            Tensor want = expected.get(i);
            Tensor got = actual.get(i);
            if (!Arrays.equals(want.sizes(), got.sizes())) {
                return new Result(false, "output " + i + " has shape " + Arrays.toString(got.sizes()) + " (expected: "
                    + Arrays.toString(want.sizes()) + ")");
            }
            double[] a = Quantize.real(want);
            double[] b = Quantize.real(got);
            double quantum = want.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
            Result wrong = quantized ? squares(i, a, b, quantum) : elements(i, a, b, relaxed ? RELAXED_FRACTION : REAL_FRACTION);
            if (wrong != null) {
                return wrong;
            }
            for (int k = 0; k < a.length; k++) {
                worst = Math.max(worst, difference(a[k], b[k]));
            }
        }
        return new Result(true, "largest difference " + worst);
    }

    private static Result elements(int output, double[] want, double[] got, double fraction) {
        double largest = Arrays.stream(want).filter(Double::isFinite).map(Math::abs).max().orElse(0);
        double allowed = fraction * Math.max(largest, SMALLEST);
        for (int k = 0; k < want.length; k++) {
            if (!(difference(want[k], got[k]) <= allowed)) {
                return new Result(false, "output " + output + " element " + k + " is " + got[k] + " (expected: " + want[k] + " within " + allowed + ")");
            }
        }
        return null;
    }

    private static Result squares(int output, double[] want, double[] got, double quantum) {
        double differences = 0;
        double results = 0;
        for (int k = 0; k < want.length; k++) {
            double difference = difference(want[k], got[k]);
            differences += difference * difference;
            results += want[k] * want[k];
        }
        double rms = Math.sqrt(differences / Math.max(1, want.length));
        double allowed = Math.max(QUANTIZED_FRACTION * Math.sqrt(results / Math.max(1, want.length)), Math.max(quantum, SMALLEST));
        return rms <= allowed ? null : new Result(false, "output " + output + " differs by " + rms + " on average (expected: at most " + allowed + ")");
    }

    private static double difference(double want, double got) {
        return want == got || Double.isNaN(want) && Double.isNaN(got) ? 0 : Math.abs(want - got);
    }

    private static Object[] copies(List<Tensor> inputs) {
        return inputs.stream().map(input -> input.copy(input.isContiguous(MemoryFormat.CHANNELS_LAST) && !input.isContiguous()
            ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CONTIGUOUS)).toArray();
    }

    private static List<Tensor> tensors(Object value) {
        if (value instanceof Tensor tensor) {
            return List.of(tensor);
        }
        List<Tensor> out = new ArrayList<>();
        List<Object> items = value instanceof ScriptTuple tuple ? tuple.items() : ((ScriptList) value).items();
        for (Object item : items) {
            out.add((Tensor) item);
        }
        return out;
    }
}
