package org.torchnnapi.torchscript.interp;

import org.torchnnapi.torchscript.aten.OperatorKernel;
import org.torchnnapi.torchscript.ir.Node;

/** Operators. */
final class KernelSteps {
    private KernelSteps() {
    }

    static class Kernel extends Step {
        private final int[] inputs;
        private final int[] outputs;
        private final OperatorKernel kernel;

        Kernel(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
            super(node);
            this.inputs = inputs;
            this.outputs = outputs;
            this.kernel = kernel;
        }

        @Override
        int run(Frame frame, int at) {
            Object[] slots = frame.slots;
            Object[] arguments = new Object[inputs.length];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = slots[inputs[i]];
            }
            OperatorHook hook = frame.execution.hook;
            Object result = hook == null ? kernel.call(arguments) : hook.call(node, kernel, arguments);
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
    static final class Unknown extends Step {
        Unknown(Node node) {
            super(node);
        }

        @Override
        int run(Frame frame, int at) {
            Object reason = node.attribute("unresolved");
            throw new OperatorException(node, (reason == null ? "unknown operator" : reason)
                + " (expected: an operator this runtime has)", null);
        }
    }
}
