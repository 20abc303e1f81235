package org.torchnnapi.execution.interp;

import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.ImageCopies;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::contiguous}. */
final class ContiguousStep extends ReusingStep {
    private final int input;
    private final int format;

    ContiguousStep(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
        super(node, inputs, outputs, kernel);
        input = inputs[0];
        format = inputs[1];
    }

    @Override
    Tensor make(Object[] slots, ImageCopies.Memory memory) {
        return slots[input] instanceof Tensor tensor
                ? ImageCopies.contiguous(tensor, MemoryFormat.ofCode((Long) slots[format]), memory)
                : null;
    }
}
