package org.torchnnapi.execution.interp;

import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.ImageCopies;
import org.torchnnapi.tensor.SpareArrays;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * An operator whose result, such as the image that a converted model gives its NNAPI part, lies in the same memory at
 * every run if nothing refers to it after the run: that of its own program or, where it is the result of that, of a
 * caller.
 */
abstract class ReusingStep extends KernelSteps.Kernel {
    private final int output;
    private int runs;
    /** Null until it is known. */
    private volatile Escapes.Fate fate;

    private final SpareArrays spare = new SpareArrays();

    ReusingStep(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
        super(node, inputs, outputs, kernel);
        output = outputs[0];
    }

    /** The result, in that memory where it needs any; null for arguments that the operator itself should take. */
    abstract Tensor make(Object[] slots, ImageCopies.Memory memory);

    @Override
    final int run(SlotFrame frame, int at) {
        Escapes.Fate known = fate;
        Tensor made = known == null || known == Escapes.Fate.ANYTHING || frame.execution.hook != null
                ? null
                : make(frame.slots, (dtype, length) -> {
                    Storage storage = spare.allocate(dtype, length);
                    frame.lend(new SlotFrame.Lent(storage, spare), known);
                    return storage;
                });
        if (made == null) {
            int next = super.run(frame, at);
            decide(frame);
            return next;
        }
        frame.slots[output] = made;
        return at + 1;
    }

    /** At the second run, once: the first should be over soon. */
    private synchronized void decide(SlotFrame frame) {
        if (runs < 2 && ++runs == 2) {
            fate = frame.execution.interpreter.fate(node.output());
        }
    }
}
