package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.Tensor;

/** Is given what the operations of a model's NNAPI parts write, to compare it with something. */
@FunctionalInterface
public interface NnapiObserver {
    /**
     * What one operation wrote.
     *
     * @param operation of the part's model, whose numbers its operands are
     * @param output the operand that it wrote
     * @param value of that operand, in NNAPI's order of dimensions; null for a type that tensors do not have
     */
    record Written(Operation operation, int output, Tensor value) {}

    /**
     * A run of a part ended, on the thread that called it.
     *
     * @param model the part's
     * @param inputs what the model's inputs were, in NNAPI's order of dimensions
     * @param values all that was written, in the operations' order
     */
    void ran(Model model, List<Tensor> inputs, List<Written> values);
}
