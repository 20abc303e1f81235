package org.torchnnapi.execution.tracing.lower;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.WeightsOrigin;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Streams;

/**
 * The elements of a float32 tensor in row-major order; those that lie in a file in that order stay there until they are
 * packed.
 */
final class TensorWeights implements Weights {
    private final Tensor tensor;
    private final WeightsOrigin origin;

    TensorWeights(Tensor tensor) {
        this.tensor = tensor;
        origin = origin(tensor);
    }

    /** The memory of a tensor, how often it was written to, and which part of it the tensor is. */
    static WeightsOrigin origin(Tensor tensor) {
        return WeightsOrigin.of(
                tensor.storage(),
                tensor.storage().writes(),
                tensor.offset(),
                list(tensor.sizes()),
                list(tensor.strides()));
    }

    private static List<Integer> list(int[] numbers) {
        return Arrays.stream(numbers).boxed().collect(Streams.toList());
    }

    @Override
    public int length() {
        return Math.toIntExact(tensor.numel());
    }

    @Override
    public float[] values() {
        return elements().values();
    }

    @Override
    public FloatBuffer view() {
        return elements().view();
    }

    private Weights elements() {
        Storage storage = tensor.storage();
        if (storage.heapBytes() > 0 || storage.dtype() != DType.FLOAT32 || !tensor.isContiguous()) {
            return Weights.of(Support.values(tensor));
        }
        ByteBuffer bytes = storage.view();
        int from = bytes.position() + tensor.offset() * Float.BYTES;
        return Weights.stored(Buffers.slice(bytes, from, length() * Float.BYTES).order(bytes.order()));
    }

    @Override
    public WeightsOrigin origin() {
        return origin;
    }
}
