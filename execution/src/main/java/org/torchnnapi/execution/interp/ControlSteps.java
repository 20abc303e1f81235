package org.torchnnapi.execution.interp;

import java.util.Arrays;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptFuture;

/** Steps of branches and loops. */
final class ControlSteps {
    private ControlSteps() {}

    /** A step that a hook may stand in for. */
    abstract static class Replaceable extends GraphStep {
        /** Of the whole program. */
        GraphStep[] steps;

        Replaceable(Node node) {
            super(node);
        }

        /** Runs a stretch of steps on slots of its own, and gives what is in some of them then. */
        final Object[] part(SlotFrame frame, Object[] slots, int from, int to, int[] results, OperatorHook hook) {
            SlotFrame inner = new SlotFrame(slots, new InterpretedRun(frame.execution.interpreter, hook, null));
            for (int at = from; at < to; ) {
                GraphStep step = steps[at];
                at = step.run(inner, at);
                step.release(slots);
            }
            return values(slots, results);
        }

        static Object[] values(Object[] slots, int[] from) {
            Object[] values = new Object[from.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = slots[from[i]];
            }
            return values;
        }

        static void put(Object[] slots, int[] to, Object[] values) {
            for (int i = 0; i < to.length; i++) {
                slots[to[i]] = values[i];
            }
        }
    }

    /** Goes on, or to {@code otherwise} if the condition is false. */
    static final class Branch extends Replaceable {
        int otherwise;
        int end;
        private final int condition;
        private final int[] outputs;

        Branch(Node node, int condition, int[] outputs) {
            super(node);
            this.condition = condition;
            this.outputs = outputs;
        }

        @Override
        int run(SlotFrame frame, int at) {
            OperatorHook hook = frame.execution.hook;
            Object[] results = hook == null
                    ? null
                    : hook.branch(node, way(frame, at + 1, otherwise - 1), way(frame, otherwise, end));
            if (results != null) {
                put(frame.slots, outputs, results);
                return end;
            }
            return (Boolean) frame.slots[condition] ? at + 1 : otherwise;
        }

        private OperatorHook.Part way(SlotFrame frame, int from, int to) {
            return (carried, hook) -> part(frame, frame.slots.clone(), from, to, outputs, hook);
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
    static final class LoopHead extends Replaceable {
        int exit;
        private final int counter;
        private final int count;
        private final int condition;
        private final int index;
        /** The condition, and what is carried. */
        private final int[] variables;

        LoopHead(Node node, int counter, int count, int index, int[] variables) {
            super(node);
            this.counter = counter;
            this.count = count;
            this.condition = variables[0];
            this.index = index;
            this.variables = variables;
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object[] slots = frame.slots;
            OperatorHook hook = frame.execution.hook;
            if (hook != null) {
                int[] carried = Arrays.copyOfRange(variables, 1, variables.length);
                long rounds = (Long) slots[counter];
                long left = (Long) slots[count] - rounds;
                Object[] last = hook.loop(node, rounds, left, values(slots, carried), (given, inner) -> {
                    Object[] own = slots.clone();
                    put(own, carried, given);
                    own[index] = own[counter];
                    return part(frame, own, at + 1, exit - 1, variables, inner);
                });
                if (last != null) {
                    put(slots, carried, last);
                    return exit;
                }
            }
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
