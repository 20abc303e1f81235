package org.torchnnapi.converter.check;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.support.Structures;

/**
 * Inputs for further calls, made of those of the first: elements change their places, so that places stay within their
 * tables; real numbers become larger and smaller, so that they pass clamps, and change their signs, and some are 0.
 * None becomes one that NNAPI has no word on.
 */
public final class VariedInputs {
    private static final float[] FACTORS = {1, 3, -0.5f, 2, -1, 0.125f};
    /** Of so many real numbers one is 0, of either sign. */
    private static final int ZEROS = 17;
    /** What some real numbers of special inputs are, one of each kind behind the other. */
    private static final float[] SPECIAL = {
        Float.NaN, Float.POSITIVE_INFINITY, -0f, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, -Float.MIN_NORMAL / 2
    };
    /** Of so many numbers one is special, so that the others' results tell something too. */
    private static final int SPECIAL_EVERY = 3;

    /** Squares of larger numbers are no numbers of float32. */
    private static final float LARGEST_SQUARED = (float) Math.sqrt(Float.MAX_VALUE);

    private static final Operator PICK = OperatorRegistry.standard().find("aten::index_select");

    private VariedInputs() {}

    /**
     * @param call 0 for the first, whose inputs stay as they are
     * @param scaled whether real numbers grow and shrink too; a quantized model's are to stay in the ranges that it was
     *     calibrated for, as what is beyond them saturates
     */
    static List<?> of(List<?> inputs, int call, boolean scaled) {
        return call == 0
                ? inputs
                : inputs.stream()
                        .map(input -> varied(Structures.copy(input), call, scaled))
                        .collect(Streams.toList());
    }

    /** Some real numbers are none, infinite, a negative 0 or subnormal; null where there are no real numbers. */
    static List<?> special(List<?> inputs) {
        List<?> copies = inputs.stream().map(Structures::copy).collect(Streams.toList());
        int next = 0;
        for (Tensor tensor : Structures.tensors(copies)) {
            if (tensor.dtype() == DType.FLOAT32 && tensor.numel() > 0) {
                float[] elements = tensor.toFloatArray();
                for (int i = 0; i < elements.length; i += SPECIAL_EVERY) {
                    elements[i] = SPECIAL[next++ % SPECIAL.length];
                }
                tensor.copyFrom(Tensor.of(elements, tensor.sizes()));
            }
        }
        return next == 0 ? null : copies;
    }

    /**
     * The first real number of a call that NNAPI has no word on, or that NNAPI's operations may not take where several
     * stand for one of PyTorch's.
     *
     * @return null if there is none
     */
    public static Float extreme(List<?> inputs) {
        for (Tensor tensor : Structures.tensors(inputs)) {
            if (tensor.dtype().isFloating()) {
                for (float element : tensor.toFloatArray()) {
                    if (!isOrdinary(element)) {
                        return element;
                    }
                }
            }
        }
        return null;
    }

    private static boolean isOrdinary(float number) {
        float size = Math.abs(number);
        return number == 0 || size >= Float.MIN_NORMAL && size <= LARGEST_SQUARED;
    }

    private static Object varied(Object copy, int call, boolean scaled) {
        for (Tensor tensor : Structures.tensors(Collections.singletonList(copy))) {
            if (tensor.numel() > 0) {
                vary(tensor, call, scaled);
            }
        }
        return copy;
    }

    private static void vary(Tensor tensor, int call, boolean scaled) {
        int count = (int) tensor.numel();
        long[] places = new long[count];
        Arrays.setAll(places, i -> call % 2 == 1 ? count - 1 - i : (i + call) % count);
        Tensor flat = TensorViews.reshape(tensor.copy(MemoryFormat.CONTIGUOUS), count);
        Tensor picked = (Tensor) PICK.kernel().call(new Object[] {flat, 0L, Tensor.of(places, count)});
        if (scaled && tensor.dtype() == DType.FLOAT32) {
            float[] elements = picked.storage().floatArray();
            float factor = FACTORS[call % FACTORS.length];
            for (int i = 0; i < count; i++) {
                float other = factor * elements[i];
                if (i % ZEROS == call) {
                    elements[i] = Math.copySign(0, factor);
                } else if (isOrdinary(other)) {
                    elements[i] = other;
                }
            }
        }
        tensor.copyFrom(TensorViews.reshape(picked, tensor.sizes()));
    }
}
