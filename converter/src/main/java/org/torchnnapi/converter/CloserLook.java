package org.torchnnapi.converter;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.partition.Divergence;
import org.torchnnapi.converter.partition.NativeOptions;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.TimeLimit;
import org.torchnnapi.torchscript.ir.Graph;

/**
 * Why a converted module's results differ. Where each operation of the segments agrees with the original on what the
 * original gives it, and so does the TorchScript around them, other results are no error if the original's own differ
 * as much once its inputs and weights change by their last bits.
 */
final class CloserLook {
    /** It runs the model, or parts of it, about so often. */
    private static final int RUNS = 10;

    private final ScriptModule module;
    private final String method;
    private final ConversionOptions options;
    private final ScriptRuntime runtime;
    private final List<String> notes;

    /**
     * @param module the original
     * @param notes receives what was found
     */
    CloserLook(
            ScriptModule module, String method, ConversionOptions options, ScriptRuntime runtime, List<String> notes) {
        this.module = module;
        this.method = method;
        this.options = options;
        this.runtime = runtime;
        this.notes = notes;
    }

    /**
     * Looks into one call.
     *
     * @param wrong the refusal of it
     * @param graph makes the original's, prepared as it was for the conversion
     * @param samples arguments of the call
     * @param returned what the converted module returned
     * @return the refusal with what was found, or null where it is no error
     */
    Refusal at(Refusal wrong, Supplier<Graph> graph, List<?> samples, List<Tensor> returned, NativeOptions how) {
        SelfCheck.Bound bound = options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL;
        Divergence found;
        String unsteady = null;
        Duration time = options.checkLimit().multipliedBy(RUNS);
        TimeLimit limit = new TimeLimit(time);
        try (limit) {
            found = Divergence.find(graph.get(), module, method, samples, how, runtime, bound);
            if (found.node() == null && found.rest() == null) {
                unsteady = SelfCheck.unsteady(module, method, List.of(samples), returned, Map.of(), bound);
            }
        } catch (RuntimeException unsuited) {
            return hasNoRoom(unsuited)
                    ? withoutRoom(wrong, unsuited)
                    : !limit.isOver()
                            ? wrong
                            : wrong.and(
                                    "looking for the operation that differs took more than " + time.toMillis() / 1000.0
                                            + " s",
                                    wrong.where(),
                                    "give smaller inputs, or more time for the self-check; it can be turned off");
        } catch (OutOfMemoryError full) {
            return withoutRoom(wrong, full);
        }
        if (found.node() != null) {
            return wrong.and(
                    "the first operation that differs is " + found.node().kind() + ": " + found.text(),
                    found.node().range(),
                    wrong.advice());
        }
        if (found.rest() != null) {
            return wrong.and(
                    "each NNAPI part agrees on the original's values, what is around them does not: " + found.rest(),
                    wrong.where(),
                    wrong.advice());
        }
        if (unsteady == null) {
            return wrong;
        }
        notes.add(differing(wrong.found(), unsteady) + "; " + found.text()
                + " and the TorchScript around agree with the original on the original's values");
        return null;
    }

    /** A note on results that differ as the original's own do. */
    static String differing(String found, String own) {
        return "self-check: the results differ (" + found
                + "), as the original's own do where its inputs and weights change by their last bits (" + own + ")";
    }

    private static boolean hasNoRoom(Throwable failure) {
        return failure instanceof MemoryException || failure.getCause() != null && hasNoRoom(failure.getCause());
    }

    private static Refusal withoutRoom(Refusal wrong, Throwable full) {
        return wrong.and(
                "whether its operations are right is not known, as memory ran out: " + full.getMessage(),
                wrong.where(),
                "give Java a larger heap; the self-check can be turned off");
    }
}
