package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.program.Op;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** What lowerings write: tensors without elements, and the operations that compute them. */
public interface Lowered {
    /** Whether a value is a tensor whose elements differ from call to call; all others are as they will always be. */
    boolean varies(Object value);

    /** What the operator's own kernel makes of other arguments; enough for operators that only look at geometry. */
    Object kernel(Object... args);

    /**
     * The result of an operation.
     *
     * @param geometry a tensor of {@link #tensor}; it stands for the result from now on
     * @param inputs tensors that vary, or constants
     * @return {@code geometry}
     * @throws IllegalArgumentException if the operation does not take such inputs
     * @throws NotLoweredException if its result is not of that type and shape, or programs have no such values
     */
    Tensor compute(Op op, Tensor geometry, Tensor... inputs);

    /** Another tensor with the elements, in the order of its own dimensions, that {@code source} has. */
    Tensor same(Tensor geometry, Tensor source);

    /** Volumes {@code [N, C, D, H, W]} as a batch of their slices {@code [N * D, C, H, W]}. */
    Tensor slices(Tensor volumes);

    /** Whether volumes are there as slices already. */
    boolean isSliced(Tensor volumes);

    /** A batch of slices {@code [N * D, C, H, W]} as that many volumes; operators that take slices do not notice. */
    Tensor volumes(Tensor slices, int count);

    /** A new tensor without elements. */
    static Tensor tensor(DType type, Quantization quantization, int[] sizes, int[] strides) {
        long last = 0;
        for (int d = 0; d < sizes.length; d++) {
            last += (long) (sizes[d] - 1) * strides[d];
        }
        return new Tensor(Storage.withoutData(type, last + 1), 0, sizes, strides, quantization);
    }

    /** A new row-major tensor without elements. */
    static Tensor tensor(DType type, Quantization quantization, int... sizes) {
        return tensor(type, quantization, sizes, Shape.contiguousStrides(sizes));
    }

    /** A new dense tensor without elements. */
    static Tensor tensor(DType type, Quantization quantization, MemoryFormat format, int... sizes) {
        return tensor(type, quantization, sizes, Shape.strides(format, sizes));
    }
}
