package org.torchnnapi.torchscript.interp;

import org.torchnnapi.torchscript.source.SourceException;

/**
 * A compiled graph. The first slots are the arguments; constants stand in the template of the slots already.
 */
final class Program {
    private final String name;
    private final Step[] steps;
    private final Object[] template;
    private final int parameters;
    private final int[] results;

    Program(String name, Step[] steps, Object[] template, int parameters, int[] results) {
        this.name = name;
        this.steps = steps;
        this.template = template;
        this.parameters = parameters;
        this.results = results;
    }

    int parameters() {
        return parameters;
    }

    Object[] newSlots() {
        return template.clone();
    }

    /** Runs on slots whose first are filled with the arguments; several results come as {@code Object[]}. */
    Object run(Object[] slots, Execution execution) {
        execution.enter(name);
        Frame frame = new Frame(slots, execution);
        int at = 0;
        try {
            while (at < steps.length) {
                Step step = steps[at];
                at = step.run(frame, at);
                step.release(slots);
            }
        } catch (ScriptException e) {
            e.addPlace(steps[at].node.range());
            throw e;
        } catch (SourceException e) {
            throw e;
        } catch (RuntimeException e) {
            OperatorException wrapped = new OperatorException(steps[at].node, message(e), e);
            wrapped.addPlace(steps[at].node.range());
            throw wrapped;
        } finally {
            execution.leave();
        }
        frame.end();
        if (results.length == 1) {
            return slots[results[0]];
        }
        Object[] out = new Object[results.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = slots[results[i]];
        }
        return out;
    }

    private static String message(RuntimeException e) {
        return e.getMessage() == null || e instanceof ClassCastException || e instanceof NullPointerException
            ? "a value of the wrong type (" + e + ")" : e.getMessage();
    }
}
