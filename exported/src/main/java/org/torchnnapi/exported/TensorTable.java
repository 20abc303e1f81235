package org.torchnnapi.exported;

import org.torchnnapi.tensor.Tensor;

/** Tensors by name, read when they are asked for. */
interface TensorTable {
    /**
     * @return the tensor, the same each time; null if there is none of that name
     * @throws org.torchnnapi.torchscript.format.ArchiveException if it is damaged
     */
    Tensor find(String name);
}
