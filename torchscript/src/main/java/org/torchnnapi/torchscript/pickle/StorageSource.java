package org.torchnnapi.torchscript.pickle;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;

/** Where the tensors of a pickle find their elements. */
@FunctionalInterface
public interface StorageSource {
    /**
     * The storage with that key; the same object each time.
     *
     * @param length number of elements the pickle claims
     * @throws org.torchnnapi.torchscript.format.ArchiveException if there is none of that key, type and length
     */
    Storage load(DType dtype, String key, long length);
}
