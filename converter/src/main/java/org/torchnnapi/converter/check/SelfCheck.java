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
    /** The same where NNAPI may compute in float16. */
    private static final double RELAXED_FRACTION = 3e-2;
    /** Quantized models round after every layer; their results may differ by this fraction of the largest magnitude. */
    private static final double QUANTIZED_FRACTION = 0.1;

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
            double fraction = quantized ? QUANTIZED_FRACTION : relaxed ? RELAXED_FRACTION : REAL_FRACTION;
            double[] a = Quantize.real(want);
            double[] b = Quantize.real(got);
            double largest = Arrays.stream(a).filter(Double::isFinite).map(Math::abs).max().orElse(0);
            double quantum = want.quantization() instanceof Quantization.PerTensor q ? 2 * q.scale() : 0;
            double allowed = Math.max(fraction * Math.max(largest, 1e-3), quantum);
            for (int k = 0; k < a.length; k++) {
                boolean same = a[k] == b[k] || Double.isNaN(a[k]) && Double.isNaN(b[k]);
                double difference = same ? 0 : Math.abs(a[k] - b[k]);
                if (!(difference <= allowed)) {
                    return new Result(false, "output " + i + " element " + k + " is " + b[k] + " (expected: " + a[k] + " within " + allowed + ")");
                }
                worst = Math.max(worst, difference);
            }
        }
        return new Result(true, "largest difference " + worst);
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
