package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * A compiled graph. The first slots are the arguments; constants stand in the template of the slots already.
 */
final class Program {
    private final Function function;
    private final Step[] steps;
    private final Object[] template;
    private final int parameters;
    private final int[] results;

    /** Of a graph alone. */
    Program(Step[] steps, Object[] template, int parameters, int[] results) {
        this(null, steps, template, parameters, results);
    }

    private Program(Function function, Step[] steps, Object[] template, int parameters, int[] results) {
        this.function = function;
        this.steps = steps;
        this.template = template;
        this.parameters = parameters;
        this.results = results;
    }

    /** The same steps as those of a function whose representative's graph this is of. */
    Program of(Function owner) {
        return new Program(owner, steps, template, parameters, results);
    }

    int parameters() {
        return parameters;
    }

    Object[] newSlots() {
        return template.clone();
    }

    /** Runs on slots whose first are filled with the arguments; several results come as {@code Object[]}. */
    Object run(Object[] slots, Execution execution) {
        execution.enter(function);
        Frame frame = new Frame(slots, execution);
        int at = 0;
        try {
            while (at < steps.length) {
                Step step = steps[at];
                at = step.run(frame, at);
                step.release(slots);
            }
        } catch (ScriptException e) {
            e.addPlace(place(steps[at].node));
            throw e;
        } catch (SourceException e) {
            throw e;
        } catch (RuntimeException e) {
            SourceRange place = place(steps[at].node);
            OperatorException wrapped = new OperatorException(steps[at].node, place, message(e), e);
            wrapped.addPlace(place);
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

    private SourceRange place(Node node) {
        return function == null ? node.range() : function.range(node);
    }

    private static String message(RuntimeException e) {
        return e.getMessage() == null || e instanceof ClassCastException || e instanceof NullPointerException
            ? "a value of the wrong type (" + e + ")" : e.getMessage();
    }
}
