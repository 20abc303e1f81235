package org.torchnnapi.execution.interp;

import java.util.concurrent.CancellationException;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;

/** A compiled graph. The first slots are the arguments; constants stand in the template of the slots already. */
final class InstructionList {
    private final Function function;
    private final GraphStep[] steps;
    private final Object[] template;
    private final int parameters;
    private final int[] results;
    private final Regions regions;

    /** Of a graph alone. */
    InstructionList(GraphStep[] steps, Object[] template, int parameters, int[] results, Regions regions) {
        this(null, steps, template, parameters, results, regions);
    }

    private InstructionList(
            Function function, GraphStep[] steps, Object[] template, int parameters, int[] results, Regions regions) {
        this.function = function;
        this.steps = steps;
        this.template = template;
        this.parameters = parameters;
        this.results = results;
        this.regions = regions;
    }

    /** The same steps as those of a function whose representative's graph this is of. */
    InstructionList of(Function owner) {
        return new InstructionList(owner, steps, template, parameters, results, regions);
    }

    Regions regions() {
        return regions;
    }

    int parameters() {
        return parameters;
    }

    Object[] newSlots() {
        return template.clone();
    }

    /** Runs on slots whose first are filled with the arguments; several results come as {@code Object[]}. */
    Object run(Object[] slots, InterpretedRun execution) {
        execution.enter(function);
        SlotFrame frame = new SlotFrame(slots, execution);
        int at = 0;
        try {
            while (at < steps.length) {
                int behind = execution.runner == null ? at : runRegion(slots, at, execution.runner);
                if (behind != at) {
                    at = behind;
                    continue;
                }
                GraphStep step = steps[at];
                if (execution.runner != null && step instanceof KernelSteps.Kernel && execution.runner.measures()) {
                    long start = System.nanoTime();
                    at = step.run(frame, at);
                    execution.runner.measured(step.node.kind(), System.nanoTime() - start);
                } else {
                    at = step.run(frame, at);
                }
                step.release(slots);
            }
        } catch (ScriptException e) {
            e.addPlace(place(steps[at].node));
            throw e;
        } catch (SourceException e) {
            throw e;
        } catch (CancellationException e) {
            // An operator that noticed the interrupt itself.
            InterpretedRun.checkInterrupt();
            throw e;
        } catch (RuntimeException e) {
            SourceRange place = place(steps[at].node);
            OperatorException wrapped = new OperatorException(steps[at].node, place, message(e), e);
            wrapped.addPlace(place);
            throw wrapped;
        } catch (OutOfMemoryError e) {
            SourceRange place = place(steps[at].node);
            MemoryException told = new MemoryException("what the operator keeps meanwhile", e);
            OperatorException wrapped = new OperatorException(steps[at].node, place, told.getMessage(), told);
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

    /** The step behind the region that begins at a step, if it ran; otherwise the same step. */
    private int runRegion(Object[] slots, int at, RegionRunner runner) {
        RegionRunner.Outcome outcome = RegionRunner.Outcome.DIVIDED;
        while (outcome == RegionRunner.Outcome.DIVIDED) {
            Region region = regions.at(at);
            if (region == null) {
                return at;
            }
            outcome = runner.run(region, slots);
            if (outcome == RegionRunner.Outcome.RAN) {
                region.release(slots);
                return region.end();
            }
        }
        return at;
    }

    private SourceRange place(Node node) {
        return function == null ? node.range() : function.range(node);
    }

    private static String message(RuntimeException e) {
        if (e instanceof ArithmeticException
                && e.getMessage() != null
                && e.getMessage().endsWith(" overflow")) {
            return "sizes or numbers: beyond " + (e.getMessage().startsWith("long") ? "64" : "32")
                    + " bits (expected: smaller arguments)";
        }
        return e.getMessage() == null || e instanceof ClassCastException || e instanceof NullPointerException
                ? "a value of the wrong type (" + e + ")"
                : e.getMessage();
    }
}
