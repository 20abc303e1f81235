package org.torchnnapi.execution.interp;

import java.util.stream.IntStream;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Operators. */
final class KernelSteps {
    private static final int[] NONE = {};

    private KernelSteps() {}

    static class Kernel extends GraphStep {
        private final int[] inputs;
        private final int[] outputs;
        private final OperatorKernel kernel;
        /** Which arguments it writes to. */
        private final int[] written;

        Kernel(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
            super(node);
            this.inputs = inputs;
            this.outputs = outputs;
            this.kernel = kernel;
            this.written = node.schema() == null || !node.schema().isMutating()
                    ? NONE
                    : IntStream.range(0, inputs.length)
                            .filter(i -> node.schema().arguments().get(i).mutated())
                            .toArray();
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object[] slots = frame.slots;
            Object[] arguments = new Object[inputs.length];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = slots[inputs[i]];
            }
            OperatorHook hook = frame.execution.hook;
            Object result = hook == null ? kernel.call(arguments) : hook.call(node, kernel, arguments);
            for (int i : written) {
                if (arguments[i] instanceof Tensor t) {
                    t.storage().written();
                }
            }
            if (outputs.length == 1) {
                slots[outputs[0]] = result;
            } else if (outputs.length > 1) {
                Object[] results = (Object[]) result;
                for (int i = 0; i < outputs.length; i++) {
                    slots[outputs[i]] = results[i];
                }
            }
            return at + 1;
        }
    }

    /** An operator that nobody knows; the program runs up to it. */
    static final class Unknown extends GraphStep {
        Unknown(Node node) {
            super(node);
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object reason = node.attribute("unresolved");
            throw new IllegalStateException(
                    (reason == null ? "unknown operator" : reason) + " (expected: an operator this runtime has)");
        }
    }
}
