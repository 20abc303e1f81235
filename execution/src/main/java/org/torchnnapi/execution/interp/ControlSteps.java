package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptFuture;

/** Steps of branches and loops. */
final class ControlSteps {
    private ControlSteps() {}

    /** Goes on, or to {@code otherwise} if the condition is false. */
    static final class Branch extends GraphStep {
        int otherwise;
        private final int condition;

        Branch(Node node, int condition) {
            super(node);
            this.condition = condition;
        }

        @Override
        int run(SlotFrame frame, int at) {
            return (Boolean) frame.slots[condition] ? at + 1 : otherwise;
        }
    }

    static final class Jump extends GraphStep {
        int target;

        Jump(Node node) {
            super(node);
        }

        @Override
        int run(SlotFrame frame, int at) {
            return target;
        }
    }

    /** Copies values, all at once. */
    static final class Move extends GraphStep {
        private final int[] from;
        private final int[] to;

        Move(Node node, int[] from, int[] to) {
            super(node);
            this.from = from;
            this.to = to;
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object[] slots = frame.slots;
            if (from.length == 1) {
                slots[to[0]] = slots[from[0]];
            } else if (from.length > 1) {
                Object[] values = new Object[from.length];
                for (int i = 0; i < values.length; i++) {
                    values[i] = slots[from[i]];
                }
                for (int i = 0; i < values.length; i++) {
                    slots[to[i]] = values[i];
                }
            }
            return at + 1;
        }
    }

    static final class LoopStart extends GraphStep {
        private final int counter;

        LoopStart(Node node, int counter) {
            super(node);
            this.counter = counter;
        }

        @Override
        int run(SlotFrame frame, int at) {
            frame.slots[counter] = 0L;
            return at + 1;
        }
    }

    /** Enters the body while the condition holds and trips are left. */
    static final class LoopHead extends GraphStep {
        int exit;
        private final int counter;
        private final int count;
        private final int condition;
        private final int index;

        LoopHead(Node node, int counter, int count, int condition, int index) {
            super(node);
            this.counter = counter;
            this.count = count;
            this.condition = condition;
            this.index = index;
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object[] slots = frame.slots;
            if ((Long) slots[counter] >= (Long) slots[count] || !(Boolean) slots[condition]) {
                return exit;
            }
            slots[index] = slots[counter];
            return at + 1;
        }
    }

    /** Back to the head; the place where a run that takes too long can be interrupted. */
    static final class LoopEnd extends GraphStep {
        int head;
        private final int counter;

        LoopEnd(Node node, int counter) {
            super(node);
            this.counter = counter;
        }

        @Override
        int run(SlotFrame frame, int at) {
            InterpretedRun.checkInterrupt();
            frame.slots[counter] = (Long) frame.slots[counter] + 1;
            return head;
        }
    }

    /** The forked block has run; its result becomes a future. */
    static final class Fork extends GraphStep {
        private final int result;
        private final int output;

        Fork(Node node, int result, int output) {
            super(node);
            this.result = result;
            this.output = output;
        }

        @Override
        int run(SlotFrame frame, int at) {
            frame.execution.acts(node);
            frame.slots[output] = new ScriptFuture(frame.slots[result]);
            return at + 1;
        }
    }
}
