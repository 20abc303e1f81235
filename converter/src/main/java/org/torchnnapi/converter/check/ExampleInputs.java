package org.torchnnapi.converter.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Inputs for a self-check where the user gave none. */
public final class ExampleInputs {
    private static final long SEED = 0x5EED;
    /** Stands for a size that is left open; large enough for a few windows of any common network. */
    private static final int OPEN_SIZE = 32;
    /** Whole numbers below this are places in most tables. */
    private static final int SMALL = 10;

    private static final int MOST = 100;

    /**
     * What numbers the inputs are; each of these is tried where models fail on those before: places beyond their
     * tables, divisions by 0.
     */
    public enum Kind {
        /** Normally distributed, or evenly distributed small integers. */
        RANDOM("random inputs"),
        /** The same, but integers are 0 or 1. */
        FEW("random inputs, whole numbers of them 0 and 1"),
        ZEROS("random inputs, whole numbers of them 0"),
        ONES("random inputs, whole numbers of them 1");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Such as {@code random inputs}. */
        public String text() {
            return text;
        }
    }

    private ExampleInputs() {}

    /** The same tensors in every run. */
    public static List<Tensor> of(List<InputSpec> specs, Kind kind) {
        return of(specs, kind, OPEN_SIZE);
    }

    /** The same, with a size in the place of those that are left open; the first dimension is 1 where it is open. */
    public static List<Tensor> of(List<InputSpec> specs, Kind kind, int openSize) {
        Random random = new Random(SEED);
        List<Tensor> out = new ArrayList<>();
        for (InputSpec spec : specs) {
            int[] shape = spec.shape();
            for (int d = 0; d < shape.length; d++) {
                shape[d] = shape[d] > 0 ? shape[d] : d == 0 ? 1 : openSize;
            }
            out.add(made(spec, shape, kind, random));
        }
        return out;
    }

    private static int whole(Kind kind, Random random, int from, int to) {
        return switch (kind) {
            case RANDOM -> from + random.nextInt(to - from);
            case FEW -> random.nextInt(2);
            case ZEROS -> 0;
            case ONES -> 1;
        };
    }

    private static Tensor made(InputSpec spec, int[] shape, Kind kind, Random random) {
        long elements = Shape.numel(shape);
        if (elements > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "input: " + spec + " where " + Arrays.toString(shape) + " is tried (expected: at most "
                            + Integer.MAX_VALUE + " elements; give the sizes, or examples of the inputs)");
        }
        int count = (int) elements;
        DType dtype = spec.dtype();
        Tensor made = Tensor.zeros(dtype, shape);
        if (dtype == DType.FLOAT32 || dtype == DType.FLOAT64) {
            Elements.DoubleWriter writer =
                    Elements.doubleWriter(dtype, made.storage().array());
            for (int i = 0; i < count; i++) {
                writer.set(i, random.nextGaussian());
            }
        } else if (dtype == DType.QUINT8) {
            random.nextBytes(made.storage().byteArray());
        } else if (dtype.isIntegral() || dtype == DType.QINT32) {
            boolean wide = dtype == DType.INT16 || dtype == DType.INT32 || dtype == DType.QINT32;
            int to = wide ? MOST : dtype == DType.BOOL ? 2 : SMALL;
            Elements.LongWriter writer =
                    Elements.longWriter(dtype, made.storage().array());
            for (int i = 0; i < count; i++) {
                writer.set(i, whole(kind, random, wide ? -MOST : 0, to));
            }
        }
        return dtype == DType.QUINT8 || dtype == DType.QINT32
                ? made.withQuantization(
                        new Quantization.PerTensor(spec.scale(), dtype == DType.QUINT8 ? spec.zeroPoint() : 0))
                : made;
    }
}
