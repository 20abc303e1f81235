package org.torchnnapi.cli.io;

import java.util.Random;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Inputs of random numbers, the same for the same seed on every machine. */
public final class RandomTensors {
    private static final long MAX_ELEMENTS = 1L << 28;

    private RandomTensors() {}

    /** Normal numbers for floating types, bytes over their range, small non-negative integers otherwise. */
    public static Tensor like(InputSpec spec, Random random) {
        Tensor tensor = empty(spec);
        Object array = tensor.storage().array();
        if (array instanceof float[] a) {
            for (int i = 0; i < a.length; i++) {
                a[i] = (float) random.nextGaussian();
            }
        } else if (array instanceof double[] a) {
            for (int i = 0; i < a.length; i++) {
                a[i] = random.nextGaussian();
            }
        } else if (array instanceof byte[] a) {
            random.nextBytes(a);
            if (spec.dtype() == DType.BOOL) {
                for (int i = 0; i < a.length; i++) {
                    a[i] &= 1;
                }
            }
        } else if (array instanceof short[] a) {
            for (int i = 0; i < a.length; i++) {
                a[i] = spec.dtype().isFloating()
                        ? Half.fromFloat((float) random.nextGaussian())
                        : (short) random.nextInt(100);
            }
        } else if (array instanceof int[] a) {
            for (int i = 0; i < a.length; i++) {
                a[i] = random.nextInt(10);
            }
        } else {
            long[] a = (long[]) array;
            for (int i = 0; i < a.length; i++) {
                a[i] = random.nextInt(10);
            }
        }
        return tensor;
    }

    /**
     * As {@link #like}, of what a user asks for.
     *
     * @throws CommandFailure if a size is left open, which is for converting: some other size would stand for it unseen
     */
    public static Tensor asked(InputSpec spec, Random random) {
        for (int size : spec.shape()) {
            if (size <= 0) {
                throw new CommandFailure("input: " + spec
                        + " leaves a size open (expected: every size, 1 or more; convert leaves sizes open "
                        + "where all inputs are tensors, and .npy files may be empty)");
            }
        }
        return like(spec, random);
    }

    /** As {@link #like}, with elements that are stored as 0. */
    public static Tensor zeros(InputSpec spec) {
        return empty(spec);
    }

    private static Tensor empty(InputSpec spec) {
        int[] shape = spec.shape();
        double elements = 1;
        for (int i = 0; i < shape.length; i++) {
            // An open size needs some value; 1 is legal for every operator.
            shape[i] = shape[i] <= 0 ? 1 : shape[i];
            elements *= shape[i];
        }
        if (elements > MAX_ELEMENTS) {
            throw new CommandFailure("input: " + spec + " (expected: at most " + MAX_ELEMENTS + " elements)");
        }
        Tensor tensor = Tensor.empty(
                spec.dtype(), spec.channelsLast() ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CONTIGUOUS, shape);
        return spec.dtype().isQuantized()
                ? tensor.withQuantization(new Quantization.PerTensor(spec.scale(), spec.zeroPoint()))
                : tensor;
    }
}
