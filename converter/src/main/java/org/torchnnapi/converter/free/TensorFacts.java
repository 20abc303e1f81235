package org.torchnnapi.converter.free;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * What is known of a tensor before it is computed.
 *
 * @param shape        sizes, all fixed
 * @param quantization null unless the dtype is quantized
 */
public record TensorFacts(DType dtype, int[] shape, Quantization quantization) {
    public TensorFacts {
        shape = shape.clone();
    }

    static TensorFacts of(Tensor tensor) {
        return new TensorFacts(tensor.dtype(), tensor.sizes(), tensor.quantization());
    }

    /** The sizes; a copy. */
    @Override
    public int[] shape() {
        return shape.clone();
    }

    public int rank() {
        return shape.length;
    }

    public int size(int dimension) {
        return shape[dimension];
    }

    /** Number of elements. */
    long count() {
        long product = 1;
        for (int size : shape) {
            product *= size;
        }
        return product;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorFacts f && f.dtype == dtype && Arrays.equals(f.shape, shape)
            && java.util.Objects.equals(f.quantization, quantization);
    }

    @Override
    public int hashCode() {
        return 31 * dtype.hashCode() + Arrays.hashCode(shape);
    }

    /** For reports, for example {@code float32[1, 3, 8, 8]}. */
    @Override
    public String toString() {
        return dtype.torchName() + Arrays.stream(shape).mapToObj(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
    }
}
