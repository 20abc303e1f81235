package org.torchnnapi.torchscript.pickle;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Elements of 4 bits as files have them: two in a byte, the first in the low bits. In memory each has a byte. */
public final class NibbleStorage {
    private NibbleStorage() {}

    /**
     * A storage of a file with a byte for each element.
     *
     * @param packed of {@link DType#QUINT4X2}, as long as the file has bytes of it
     * @throws IllegalArgumentException if the tensor is a view, or longer than the storage
     */
    public static Storage unpack(Storage packed, int offset, int[] sizes, int[] strides) {
        long count = Shape.numel(sizes);
        if (offset != 0 || !Arrays.equals(strides, Shape.contiguousStrides(sizes))) {
            throw new IllegalArgumentException("tensor of quint4x2: offset " + offset + ", strides "
                    + Arrays.toString(strides) + " (expected: 0 and " + Arrays.toString(Shape.contiguousStrides(sizes))
                    + ", as PyTorch has no views of 4-bit elements)");
        }
        if (count > 2L * packed.length()) {
            throw new IllegalArgumentException("tensor of quint4x2: " + count + " elements in " + packed.length()
                    + " bytes (expected: at most two a byte)");
        }
        byte[] bytes = packed.byteArray();
        byte[] elements = new byte[Math.toIntExact(count)];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = (byte) (i % 2 == 0 ? bytes[i / 2] & 0xF : bytes[i / 2] >> 4 & 0xF);
        }
        return Storage.of(DType.QUINT4X2, elements);
    }

    /** The bytes that a file has of a tensor of 4-bit elements. */
    public static Storage pack(Tensor tensor) {
        byte[] bytes = new byte[(int) ((tensor.numel() + 1) / 2)];
        for (int i = 0; i < tensor.numel(); i++) {
            bytes[i / 2] |= (byte) (tensor.getLong(i) << i % 2 * 4);
        }
        return Storage.of(DType.QUINT4X2, bytes);
    }
}
