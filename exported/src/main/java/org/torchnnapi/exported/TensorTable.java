package org.torchnnapi.exported;

import java.util.Map;
import org.torchnnapi.tensor.Tensor;

/** Tensors by name, read when they are asked for. */
interface TensorTable {
    /**
     * @return the tensor, the same each time; null if there is none of that name
     * @throws org.torchnnapi.torchscript.format.ArchiveException if it is damaged
     */
    Tensor find(String name);

    /**
     * The tensors that stand for one of a class of its own.
     *
     * @return by the names of its attributes; null if the tensor is of no such class
     * @throws org.torchnnapi.torchscript.format.ArchiveException if it is damaged
     */
    Map<String, Tensor> parts(String name);
}
