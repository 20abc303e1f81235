package org.torchnnapi.converter.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Inputs for a self-check where the user gave none. */
public final class ExampleInputs {
    private static final long SEED = 0x5EED;
    /** Stands for a size that is left open; large enough for a few windows of any common network. */
    private static final int OPEN_SIZE = 32;
    /** Whole numbers below this are places in most tables. */
    private static final int SMALL = 10;

    private ExampleInputs() {
    }

    /** The same tensors in every run: normally distributed, or evenly distributed small integers. */
    public static List<Tensor> random(List<InputSpec> specs) {
        Random random = new Random(SEED);
        List<Tensor> out = new ArrayList<>();
        for (InputSpec spec : specs) {
            int[] shape = spec.shape();
            for (int d = 0; d < shape.length; d++) {
                shape[d] = shape[d] > 0 ? shape[d] : d == 0 ? 1 : OPEN_SIZE;
            }
            out.add(random(spec, shape, random));
        }
        return out;
    }

    private static Tensor random(InputSpec spec, int[] shape, Random random) {
        int count = Math.toIntExact(Shape.numel(shape));
        switch (spec.dtype()) {
            case FLOAT32 -> {
                float[] values = new float[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (float) random.nextGaussian();
                }
                return Tensor.of(values, shape);
            }
            case QUINT8 -> {
                byte[] values = new byte[count];
                random.nextBytes(values);
                return Tensor.of(DType.QUINT8, values, shape).withQuantization(new Quantization.PerTensor(spec.scale(), spec.zeroPoint()));
            }
            case INT16 -> {
                short[] values = new short[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (short) (random.nextInt(200) - 100);
                }
                return Tensor.of(DType.INT16, values, shape);
            }
            case INT32, QINT32 -> {
                int[] values = new int[count];
                for (int i = 0; i < count; i++) {
                    values[i] = random.nextInt(200) - 100;
                }
                Tensor plain = new Tensor(Storage.of(spec.dtype(), values), 0, shape, Shape.contiguousStrides(shape), null);
                return spec.dtype().isQuantized() ? plain.withQuantization(new Quantization.PerTensor(spec.scale(), 0)) : plain;
            }
            case INT64 -> {
                return Tensor.of(random.longs(count, 0, SMALL).toArray(), shape);
            }
            case FLOAT64 -> {
                return Tensor.of(DType.FLOAT64, random.doubles(count, -1, 1).toArray(), shape);
            }
            case BOOL, UINT8, INT8 -> {
                byte[] values = new byte[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (byte) random.nextInt(spec.dtype() == DType.BOOL ? 2 : SMALL);
                }
                return Tensor.of(spec.dtype(), values, shape);
            }
            default -> {
                return Tensor.zeros(spec.dtype(), shape);
            }
        }
    }
}
