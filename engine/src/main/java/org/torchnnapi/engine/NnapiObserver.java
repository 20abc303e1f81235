package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;

/** Is given what the operations of a model's NNAPI parts write, to compare it with something. */
@FunctionalInterface
public interface NnapiObserver {
    /**
     * What one operation wrote.
     *
     * @param type   the operation
     * @param inputs operands that it read, by their numbers in the part
     * @param output the operand that it wrote
     * @param value  of that operand, in NNAPI's order of dimensions; null for a type that tensors do not have
     */
    record Written(OperationType type, List<Integer> inputs, int output, Tensor value) {
    }

    /** A run of a part ended, on the thread that called it; all that was written, in the operations' order. */
    void ran(List<Written> values);
}
