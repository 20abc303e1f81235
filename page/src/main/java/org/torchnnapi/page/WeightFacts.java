package org.torchnnapi.page;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** What a page says of a tensor that is part of a model: type, shape, range and histogram. */
final class WeightFacts {
    private static final int BINS = 32;
    /** Elements looked at; of larger tensors so many, evenly spread. */
    private static final long SAMPLES = 65_536;

    private WeightFacts() {}

    static Map<String, Object> of(String name, Tensor tensor) {
        Quantization quantization = tensor.quantization();
        boolean numbers = !tensor.dtype().isComplex() && tensor.dtype() != DType.BOOL;
        return of(name, type(tensor), tensor.numel(), numbers ? i -> value(tensor, quantization, i) : null);
    }

    private static double value(Tensor tensor, Quantization quantization, long index) {
        double stored = tensor.getDouble(index);
        return quantization instanceof Quantization.PerTensor q ? (stored - q.zeroPoint()) * q.scale() : stored;
    }

    /** A tensor's type and shape, and how it is quantized. */
    static String type(Tensor tensor) {
        String text = tensor.dtype().torchName() + Arrays.toString(tensor.sizes());
        if (tensor.quantization() instanceof Quantization.PerTensor q) {
            return text + ", scale " + (float) q.scale() + ", zero point " + q.zeroPoint();
        }
        if (tensor.quantization() instanceof Quantization.PerChannel q) {
            return text + ", scales of " + q.scales().length + " channels along dimension " + q.axis()
                    + " (the histogram is of the stored numbers)";
        }
        return text;
    }

    /** @param values by index; null if they are no numbers to draw */
    static Map<String, Object> of(String name, String type, long count, LongToDoubleFunction values) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", name);
        facts.put("type", type);
        facts.put("elements", count);
        if (values == null || count == 0) {
            return facts;
        }
        long step = Math.max(1, count / SAMPLES);
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        double sum = 0;
        double squares = 0;
        int looked = 0;
        int odd = 0;
        for (long i = 0; i < count; i += step) {
            double value = values.applyAsDouble(i);
            if (!Double.isFinite(value)) {
                odd++;
                continue;
            }
            least = Math.min(least, value);
            most = Math.max(most, value);
            sum += value;
            squares += value * value;
            looked++;
        }
        if (odd > 0) {
            facts.put("notFinite", odd);
        }
        if (looked == 0) {
            return facts;
        }
        int[] bins = new int[BINS];
        for (long i = 0; i < count; i += step) {
            double value = values.applyAsDouble(i);
            if (Double.isFinite(value)) {
                bins[most > least ? Math.min(BINS - 1, (int) ((value - least) / (most - least) * BINS)) : 0]++;
            }
        }
        double mean = sum / looked;
        facts.put("least", (float) least);
        facts.put("most", (float) most);
        facts.put("mean", (float) mean);
        facts.put("deviation", (float) Math.sqrt(Math.max(0, squares / looked - mean * mean)));
        facts.put("histogram", bins);
        if (step > 1) {
            facts.put("sampled", looked);
        }
        return facts;
    }
}
