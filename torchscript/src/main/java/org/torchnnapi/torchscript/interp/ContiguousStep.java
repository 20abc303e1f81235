package org.torchnnapi.torchscript.interp;

import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.SpareArrays;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorKernel;
import org.torchnnapi.torchscript.aten.support.ImageCopies;
import org.torchnnapi.torchscript.ir.Node;

/**
 * {@code aten::contiguous}. A copy that nothing refers to after the run, such as the image that a converted model gives its NNAPI part, lies
 * in the same memory at every run.
 */
final class ContiguousStep extends KernelSteps.Kernel {
    private final int input;
    private final int format;
    private final int output;
    private int runs;
    /** Null as long as no copy may be overwritten. */
    private volatile SpareArrays spare;

    ContiguousStep(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
        super(node, inputs, outputs, kernel);
        input = inputs[0];
        format = inputs[1];
        output = outputs[0];
    }

    @Override
    int run(Frame frame, int at) {
        SpareArrays memory = spare;
        if (memory == null || frame.execution.hook != null || !(frame.slots[input] instanceof Tensor tensor)) {
            int next = super.run(frame, at);
            decide(frame);
            return next;
        }
        MemoryFormat wanted = MemoryFormat.ofCode((Long) frame.slots[format]);
        frame.slots[output] = ImageCopies.contiguous(tensor, wanted, (dtype, length) -> {
            Storage storage = memory.allocate(dtype, length);
            frame.lend(storage, memory);
            return storage;
        });
        return at + 1;
    }

    /** At the second run, once: the first should be over soon. */
    private synchronized void decide(Frame frame) {
        if (runs < 2 && ++runs == 2 && !frame.execution.interpreter.mayOutliveRun(node.output())) {
            spare = new SpareArrays();
        }
    }
}
