package org.torchnnapi.torchscript.pickle;

import org.torchnnapi.tensor.Storage;

/** Takes the storages of the tensors that a pickle refers to. */
@FunctionalInterface
public interface StorageSink {
    /** The key of a storage, for example {@code 0}; called once for each storage object. */
    String keyOf(Storage storage);
}
