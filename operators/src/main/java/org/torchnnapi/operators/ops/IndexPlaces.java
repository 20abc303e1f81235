package org.torchnnapi.operators.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Where the elements are that index tensors mean; masks become positions first.
 *
 * @param dims the indexed dimensions, rising
 * @param positions row-major numbers of elements of those dimensions
 * @param shape the common shape of the indices, which takes the place of those dimensions
 * @param front where in the result that shape begins: at the first of them if they are neighbours, else at 0
 */
public record IndexPlaces(int[] dims, int[] positions, int[] shape, int front) {
    /**
     * @param sizes of the indexed tensor
     * @param given one index or null for each dimension; those behind may be missing
     * @throws IndexOutOfBoundsException if there is no such element, or no such dimension
     */
    public static IndexPlaces of(int[] sizes, List<Tensor> given) {
        List<Tensor> indices = positions(sizes, given);
        if (indices.size() > sizes.length) {
            throw new IndexOutOfBoundsException(
                    "too many indices for tensor of dimension " + sizes.length + " (got " + indices.size() + ")");
        }
        int[] dims = new int[indices.size()];
        int[] shape = {};
        int count = 0;
        for (int d = 0; d < dims.length; d++) {
            if (indices.get(d) != null) {
                if (!indices.get(d).dtype().isIntegral()) {
                    throw new IndexOutOfBoundsException("tensors used as indices must be long, byte or bool tensors");
                }
                shape = BroadcastShapes.shape(shape, indices.get(d).sizes());
                dims[count++] = d;
            }
        }
        dims = Arrays.copyOf(dims, count);
        int[] positions = new int[Tensors.count(shape)];
        for (int d : dims) {
            long[] at = Elements.longs(BroadcastShapes.expand(indices.get(d), shape));
            for (int i = 0; i < positions.length; i++) {
                positions[i] = positions[i] * sizes[d] + position(at[i], sizes[d]);
            }
        }
        boolean neighbours = count > 0 && dims[count - 1] - dims[0] == count - 1;
        return new IndexPlaces(dims, positions, shape, neighbours ? dims[0] : 0);
    }

    private static List<Tensor> positions(int[] sizes, List<Tensor> given) {
        List<Tensor> indices = new ArrayList<>();
        for (Tensor index : given) {
            if (index != null && (index.dtype() == DType.BOOL || index.dtype() == DType.UINT8)) {
                int from = indices.size();
                for (int d = 0; d < index.rank(); d++) {
                    if (from + d >= sizes.length || index.sizes()[d] != sizes[from + d]) {
                        throw new IndexOutOfBoundsException(
                                "The shape of the mask " + Arrays.toString(index.sizes()) + " at index " + d
                                        + " does not match the shape of the indexed tensor " + Arrays.toString(sizes));
                    }
                }
                indices.addAll(TensorCompare.columns(index));
            } else {
                indices.add(index);
            }
        }
        return indices;
    }

    /** One position inside a dimension, counted from the start. */
    static int position(long index, int size) {
        if (index < -size || index >= size) {
            throw new IndexOutOfBoundsException("index " + index + " is out of bounds for dimension with size " + size);
        }
        return (int) (index < 0 ? index + size : index);
    }

    /** Whether it is among the indexed dimensions. */
    boolean indexes(int d) {
        return Arrays.binarySearch(dims, d) >= 0;
    }
}
