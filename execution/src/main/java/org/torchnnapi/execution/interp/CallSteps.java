package org.torchnnapi.execution.interp;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Calls of functions and methods. */
final class CallSteps {
    private CallSteps() {}

    /** Loads arguments and lets go of those needed no more, so that the callee alone decides how long they live. */
    private abstract static class Call extends GraphStep {
        private final int[] inputs;
        private final int[] outputs;
        /** Of the result; null until it is asked for. */
        private volatile Escapes.Fate fate;

        Call(Node node, int[] inputs, int[] outputs) {
            super(node);
            this.inputs = inputs;
            this.outputs = outputs;
        }

        final Object argument(SlotFrame frame, int index) {
            return frame.slots[inputs[index]];
        }

        final Object run(SlotFrame frame, InstructionList program) {
            if (program.parameters() != inputs.length) {
                throw new IllegalArgumentException(
                        "arguments: " + inputs.length + " (expected: " + program.parameters() + ")");
            }
            Object[] slots = program.newSlots();
            load(frame, slots);
            Object result = program.run(slots, frame.execution);
            if (frame.execution.leaving != null && outputs.length == 1) {
                takeOver(frame, frame.execution.leaving);
            }
            return result;
        }

        private void takeOver(SlotFrame frame, List<SlotFrame.Lent> leaving) {
            if (fate == null) {
                fate = frame.execution.interpreter.fate(node.output());
            }
            leaving.forEach(memory -> frame.lend(memory, fate));
        }

        final Object[] arguments(SlotFrame frame, int from) {
            Object[] all = new Object[inputs.length];
            load(frame, all);
            return Arrays.copyOfRange(all, from, all.length);
        }

        private void load(SlotFrame frame, Object[] target) {
            for (int i = 0; i < inputs.length; i++) {
                target[i] = frame.slots[inputs[i]];
            }
            for (int slot : dead) {
                frame.slots[slot] = null;
            }
        }

        final int finish(SlotFrame frame, Object result, int at) {
            if (outputs.length == 1) {
                frame.slots[outputs[0]] = result;
            }
            return at + 1;
        }
    }

    static final class OfFunction extends Call {
        private final Function function;
        private InstructionList program;

        OfFunction(Node node, int[] inputs, int[] outputs) {
            super(node, inputs, outputs);
            this.function = (Function) node.attribute("function");
        }

        @Override
        int run(SlotFrame frame, int at) {
            InstructionList known = program;
            if (known == null) {
                known = frame.execution.interpreter.program(function);
                program = known;
            }
            return finish(frame, run(frame, known), at);
        }
    }

    /** The method is that of the object's own class, which may be narrower than the declared one. */
    static final class Method extends Call {
        private record Found(ClassType type, InstructionList program) {}

        private final String name;
        private Found found;

        Method(Node node, int[] inputs, int[] outputs) {
            super(node, inputs, outputs);
            this.name = (String) node.attribute("name");
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object object = argument(frame, 0);
            if (object instanceof CustomObject custom) {
                frame.execution.acts(node);
                Object[] arguments = arguments(frame, 1);
                Object result = custom.type().call(custom.payload(), name, arguments);
                for (int i = 0; i < arguments.length; i++) {
                    if (arguments[i] instanceof Tensor t && custom.type().mayWriteTo(name, i)) {
                        t.storage().written();
                    }
                }
                return finish(frame, result, at);
            }
            ScriptObject owner = (ScriptObject) object;
            Found known = found;
            if (known == null || known.type() != owner.type()) {
                known = new Found(owner.type(), frame.execution.interpreter.program(owner.type(), name));
                found = known;
            }
            return finish(frame, run(frame, known.program()), at);
        }
    }

    /** {@code __enter__} and {@code __exit__} of {@code with}; the latter takes three Nones. */
    static final class Context extends Call {
        private final String name;
        private final int nones;

        Context(Node node, int[] inputs, int[] outputs, String name, int nones) {
            super(node, inputs, outputs);
            this.name = name;
            this.nones = nones;
        }

        @Override
        int run(SlotFrame frame, int at) {
            ScriptObject owner = (ScriptObject) argument(frame, 0);
            InstructionList program = frame.execution.interpreter.program(owner.type(), name);
            if (program.parameters() != nones + 1) {
                throw new IllegalArgumentException(
                        name + ": " + program.parameters() + " parameters (expected: " + (nones + 1) + ")");
            }
            Object[] slots = program.newSlots();
            slots[0] = owner;
            return finish(frame, program.run(slots, frame.execution), at);
        }
    }
}
