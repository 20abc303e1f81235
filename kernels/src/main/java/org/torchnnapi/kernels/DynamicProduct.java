package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.DynamicProductKernel;
import org.torchnnapi.kernels.internal.DynamicSpec;

/**
 * A matrix product of rows of bytes, whose parameters come with them, and constant bytes, with floats for a result:
 * exact sums of {@code (input - zero point) * (weight - zero point)}, each as a float times the product of the two
 * scales as floats, plus bias, all rounded to float. That is what dynamically quantized layers of PyTorch do.
 */
public final class DynamicProduct {
    private final DynamicSpec spec;
    private final DynamicProductKernel kernel;

    private DynamicProduct(DynamicSpec spec) {
        this.spec = spec;
        kernel = DynamicKernels.chosen().product(spec);
    }

    /**
     * Packs the weights.
     *
     * @param weights {@code [outputs][inputs]}; less their zero points they must be signed bytes
     * @param scales of the weights, one for all outputs or one each
     * @param bias one an output, or null for none
     * @param relu whether negative results become 0
     */
    public static DynamicProduct plan(
            int inputs, int outputs, QuantizedWeights weights, float[] scales, float[] bias, boolean relu) {
        Check.atLeast("inputs", inputs, 1);
        Check.atLeast("outputs", outputs, 1);
        Check.length("weights", weights.values().length, (long) inputs * outputs);
        if (weights.zeroPoints().length != 1) {
            Check.length("weight zero points", weights.zeroPoints().length, outputs);
        }
        if (scales.length != 1) {
            Check.length("weight scales", scales.length, outputs);
        }
        if (bias != null) {
            Check.length("bias", bias.length, outputs);
        }
        byte[] centred = new byte[weights.values().length];
        for (int i = 0; i < centred.length; i++) {
            int value = weights.centred(i, i / inputs);
            centred[i] = (byte) value;
            if (centred[i] != value) {
                throw new IllegalArgumentException(
                        "weight less its zero point: " + value + " (expected: within [-128, 127])");
            }
        }
        float[] each = new float[outputs];
        for (int o = 0; o < outputs; o++) {
            each[o] = scales[scales.length == 1 ? 0 : o];
        }
        return new DynamicProduct(new DynamicSpec(
                inputs, outputs, centred, each, bias == null ? new float[outputs] : bias.clone(), relu));
    }

    /** Bytes that a row of so many inputs takes: whole groups of four. */
    public static int rowBytes(int inputs) {
        return Math.addExact(inputs, 3) & ~3;
    }

    public int inputs() {
        return spec.inputs();
    }

    public int outputs() {
        return spec.outputs();
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /**
     * Does units [begin, end) of all rows.
     *
     * @param in {@code [rows][rowBytes]}, unsigned, as {@link DynamicQuantization#quantize} writes them
     * @param out {@code [rows][outputs]}
     */
    public void run(
            byte[] in,
            int inOffset,
            int rows,
            DynamicQuantization quantization,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, (long) rows * rowBytes(spec.inputs()));
        Check.room("output", out.length, outOffset, (long) rows * spec.outputs());
        Check.range(begin, end, kernel.units());
        if (rows > 0 && begin < end) {
            kernel.run(in, inOffset, rows, quantization.scale(), quantization.zeroPoint(), out, outOffset, begin, end);
        }
    }
}
