package org.torchnnapi.converter.partial;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * What is known of a tensor before it is computed.
 *
 * @param shape sizes, all fixed
 * @param quantization null unless the dtype is quantized
 * @param order the order in which the dimensions of a quantized tensor lie in memory, the outermost first, where it is
 *     dense and not row-major, else null
 */
public record TensorFacts(DType dtype, int[] shape, Quantization quantization, int[] order) {
    public TensorFacts {
        shape = shape.clone();
        order = order == null ? null : order.clone();
    }

    public TensorFacts(DType dtype, int[] shape, Quantization quantization) {
        this(dtype, shape, quantization, null);
    }

    public static TensorFacts of(Tensor tensor) {
        boolean matters = tensor.dtype().isQuantized() && !tensor.isContiguous() && MemoryOrder.isDense(tensor);
        return new TensorFacts(
                tensor.dtype(), tensor.sizes(), tensor.quantization(), matters ? MemoryOrder.order(tensor) : null);
    }

    /** The sizes; a copy. */
    @Override
    public int[] shape() {
        return shape.clone();
    }

    /** The order in memory; a copy, or null. */
    @Override
    public int[] order() {
        return order == null ? null : order.clone();
    }

    public int rank() {
        return shape.length;
    }

    public int size(int dimension) {
        return shape[dimension];
    }

    /** Number of elements. */
    public long count() {
        long product = 1;
        for (int size : shape) {
            product *= size;
        }
        return product;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorFacts f
                && f.dtype == dtype
                && Arrays.equals(f.shape, shape)
                && Objects.equals(f.quantization, quantization)
                && Arrays.equals(f.order, order);
    }

    @Override
    public int hashCode() {
        return 31 * dtype.hashCode() + Arrays.hashCode(shape);
    }

    /** For reports, for example {@code float32[1, 3, 8, 8]}. */
    @Override
    public String toString() {
        return text(dtype) + (quantization instanceof Quantization.PerChannel ? " per channel" : "");
    }

    private String text(DType type) {
        return type.torchName()
                + Arrays.stream(shape).mapToObj(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
    }

    /** The refusal of quantized tensors of another type, or with more than one scale. */
    public Refused asQuantized() {
        return new Refused(
                "NNAPI computes on quantized tensors of bytes without sign, with one scale and zero point",
                toString(),
                text(DType.QUINT8));
    }
}
