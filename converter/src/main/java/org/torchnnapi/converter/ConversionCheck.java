package org.torchnnapi.converter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.torchnnapi.converter.check.CompiledParts;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.Structures;
import org.torchnnapi.converter.check.TimeLimit;
import org.torchnnapi.converter.free.Divergence;
import org.torchnnapi.converter.free.FreeOptions;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.lower.TensorOperand;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.split.QuantizedCore;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Runs what a conversion makes beside the original and compares, in no more time and memory than it must: neither holds packed weights while the other
 * runs. For one conversion and one thread.
 */
final class ConversionCheck {
    /** What the comparison of results says begins so. */
    private static final String RESULT = "output ";
    /** Looking into a failed check runs the model, or parts of it, about so often. */
    private static final int RUNS_OF_A_CLOSER_LOOK = 10;
    /** Bytes of packed weights that are worth a collection. */
    private static final long LARGE = 64L << 20;
    /** Sizes for what is left open, tried in this order, beside the one that the check begins with. */
    private static final int[] FURTHER_SIZES = {41, 48, 64};

    private final ScriptModule module;
    private final String method;
    private final ConversionOptions options;
    private final InputSource source;
    private final ScriptRuntime runtime;
    private final List<String> notes;
    /** What the converted module returned. */
    private List<Tensor> returned = List.of();

    /**
     * @param module the original
     * @param source its inputs
     * @param notes  receives what was found
     */
    ConversionCheck(ScriptModule module, String method, ConversionOptions options, InputSource source, ScriptRuntime runtime, List<String> notes) {
        this.module = module;
        this.method = method;
        this.options = options;
        this.source = source;
        this.runtime = runtime;
        this.notes = notes;
    }

    /**
     * Runs both.
     *
     * @param archive makes the converted module's archive of a top folder
     * @param core    what was cut off, or null
     * @param dynamic whether the original quantizes the inputs of some layers as it goes
     * @return a refusal if the converted module cannot run, returns something else than the original, or either runs too long; otherwise null
     */
    Refusal run(List<LoweredModel> models, Function<String, ArchiveWriter> archive, QuantizedCore core, boolean dynamic) {
        try (TimeLimit limit = new TimeLimit(options.checkLimit())) {
            Refusal wrong = compared(models, archive, core, dynamic);
            return wrong == null || !limit.isOver() ? wrong : late();
        }
    }

    /**
     * The same for sizes that are left open: on the first sizes, then on others, then on the first again. Where the first call decides, or leaves something
     * behind for the next, the file is loaded for each.
     *
     * @param first   arguments of the sizes that the file's NNAPI models are of
     * @param further arguments of others, of which nothing was made
     * @param graph   makes the original's, for {@link #closer}, which looks at sizes for which results differ
     */
    Refusal run(List<LoweredModel> models, Function<String, ArchiveWriter> archive, boolean dynamic, List<?> first, List<? extends List<?>> further, Supplier<Graph> graph,
                FreeOptions how) {
        List<Differing> differing = new ArrayList<>();
        try (TimeLimit limit = new TimeLimit(options.checkLimit())) {
            Refusal wrong = comparedOpen(models, archive, dynamic, first, further, differing);
            if (wrong != null) {
                return limit.isOver() ? late() : wrong;
            }
        }
        for (Differing run : differing) {
            Refusal wrong = closer(wrong("for inputs of sizes " + sizes(run.inputs) + " " + run.text), graph, run.inputs, run.returned, how);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** What a converted module returned that the original does not. */
    private record Differing(List<?> inputs, List<Tensor> returned, String text) {
    }

    private static String sizes(List<?> inputs) {
        return Structures.tensors(inputs).stream().map(tensor -> Arrays.toString(tensor.sizes())).collect(Collectors.joining(", "));
    }

    private Refusal late() {
        return new Refusal("model", SourceRange.NONE, List.of(), "the self-check must end in time",
            "the model and its conversion ran for " + options.checkLimit().toMillis() / 1000.0 + " s", "less",
            "give smaller inputs, or more time for the self-check; it can be turned off");
    }

    /** @param differing receives the first calls of sizes for which numbers differ, which may be no error */
    private Refusal comparedOpen(List<LoweredModel> models, Function<String, ArchiveWriter> archive, boolean dynamic, List<?> first, List<? extends List<?>> further,
                                 List<Differing> differing) {
        boolean reloads = source.specs().stream().flatMapToInt(spec -> Arrays.stream(spec.shape())).noneMatch(size -> size < 0);
        SelfCheck.Bound bound = bound(models, dynamic);
        Map<String, String> found = new LinkedHashMap<>();
        Set<String> devices = new TreeSet<>();
        List<List<?>> runs = new ArrayList<>(List.of(first));
        runs.addAll(further);
        if (!reloads) {
            runs.add(first);
        }
        try (WrittenModule written = WrittenModule.of(new Conversion(models, false, archive, null))) {
            ScriptModule converted = null;
            for (List<?> inputs : runs) {
                String sizes = sizes(inputs);
                List<List<Tensor>> expected;
                try {
                    expected = calls(inputs);
                } catch (RuntimeException e) {
                    return wrong("on inputs of sizes " + sizes + " the original fails: " + e.getMessage());
                }
                if (converted == null || reloads || expected.size() > 1) {
                    close(converted);
                    converted = ScriptModule.of(written.again(), runtime);
                }
                Differing before = differing.stream().filter(run -> run.inputs == inputs).findFirst().orElse(null);
                for (int call = 0; call < expected.size(); call++) {
                    List<Tensor> actual = SelfCheck.run(converted, method, inputs);
                    SelfCheck.Result result = SelfCheck.compare(before != null && call == 0 ? before.returned : expected.get(call), actual, bound);
                    if (!result.agrees() && before == null && call == 0 && bound != SelfCheck.Bound.QUANTIZED && result.text().startsWith(RESULT)) {
                        differing.add(new Differing(inputs, SelfCheck.apart(actual), result.text()));
                        break;
                    }
                    if (!result.agrees()) {
                        return wrong("for inputs of sizes " + sizes + (call > 0 ? ", called again," : "") + " " + result.text());
                    }
                    if (call == 0 && before == null) {
                        found.putIfAbsent(sizes, result.text());
                    }
                }
                devices.addAll(new CompiledParts(converted.object()).devices());
            }
            close(converted);
        } catch (RuntimeException e) {
            return wrong("it fails: " + e.getMessage());
        }
        if (!found.isEmpty()) {
            notes.add("self-check passed on " + String.join(", ", devices) + " with " + (source.example() != null ? "the example, and its elements in other sizes" : "random inputs")
                + ": " + found.entrySet().stream().map(run -> run.getKey() + ": " + run.getValue()).collect(Collectors.joining("; ")));
        }
        return null;
    }

    private static void close(ScriptModule converted) {
        if (converted != null) {
            new CompiledParts(converted.object()).close();
        }
    }

    private SelfCheck.Bound bound(List<LoweredModel> models, boolean dynamic) {
        boolean quantized = dynamic || models.stream().flatMap(model -> model.model().operands().stream()).anyMatch(TensorOperand::isQuantized);
        return quantized ? SelfCheck.Bound.QUANTIZED : options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL;
    }

    private Refusal compared(List<LoweredModel> models, Function<String, ArchiveWriter> archive, QuantizedCore core, boolean dynamic) {
        boolean random = source.example() == null;
        List<?> inputs = source.example();
        String kind = options.example() != null ? "the given example" : "the first bundled inputs";
        List<List<Tensor>> expected = null;
        Refusal failing = null;
        for (ExampleInputs.Kind made : ExampleInputs.Kind.values()) {
            if (random) {
                inputs = ExampleInputs.of(source.specs(), made);
                kind = made.text();
            }
            try {
                expected = calls(inputs);
                break;
            } catch (RuntimeException e) {
                failing = failing != null ? failing : new Refusal("model", SourceRange.NONE, List.of(), "the self-check runs the original",
                    "on " + kind + " it fails: " + e.getMessage(), "a model that runs", random ? "give inputs that the model takes as examples; the self-check can be turned off" : "");
                if (!random) {
                    break;
                }
            }
        }
        if (expected == null) {
            return failing;
        }
        boolean quantizesOutside = core != null && options.mode() == ConversionMode.FULL;
        SelfCheck.Result result;
        String devices;
        long weights = models.stream().flatMap(model -> model.model().weights().stream()).mapToLong(weight -> Converter.bytes(weight.storage())).sum();
        try (WrittenModule written = WrittenModule.of(new Conversion(models, false, archive, null))) {
            if (weights > LARGE) {
                // Weights that were arranged to be written leave the heap before as many are packed.
                System.gc();
            }
            ScriptModule converted = ScriptModule.of(written.archive(), runtime);
            List<?> given = quantizesOutside ? core.quantized(Structures.tensors(inputs)) : inputs;
            List<Tensor> actual;
            List<Tensor> later = null;
            try (CompiledParts parts = new CompiledParts(converted.object())) {
                actual = SelfCheck.run(converted, method, given);
                devices = String.join(", ", parts.devices());
                if (expected.size() > 1) {
                    actual = SelfCheck.apart(actual);
                    later = SelfCheck.run(converted, method, given);
                }
            }
            returned = actual;
            SelfCheck.Bound bound = bound(models, dynamic);
            result = SelfCheck.compare(expected.get(0), actual, bound);
            if (bound == SelfCheck.Bound.QUANTIZED && !result.agrees()) {
                result = meant(result, inputs, actual);
            }
            SelfCheck.Result second = later == null || !result.agrees() ? null : SelfCheck.compare(expected.get(1), later, bound);
            if (second != null && !second.agrees()) {
                return wrong("called again, with what the first call left, " + second.text());
            }
        } catch (RuntimeException e) {
            return wrong("it fails: " + e.getMessage());
        }
        if (weights > LARGE) {
            // What was packed, and the written file's mapped pages, before as many are arranged to be written again.
            System.gc();
        }
        if (!result.agrees()) {
            return wrong(result.text());
        }
        Refusal further = random ? further(models, archive, core, dynamic) : null;
        if (further != null) {
            return further;
        }
        noteDtypes(expected.get(0), returned);
        notes.add("self-check passed on " + devices + " with " + kind + ": " + result.text());
        return null;
    }

    /** Compares for another size in the place of those that are left open, where there are such and the original takes it; the file is loaded anew. */
    private Refusal further(List<LoweredModel> models, Function<String, ArchiveWriter> archive, QuantizedCore core, boolean dynamic) {
        for (int size : source.hasOpenSizes() ? FURTHER_SIZES : new int[0]) {
            List<Tensor> inputs = ExampleInputs.of(source.specs(), ExampleInputs.Kind.RANDOM, size);
            List<Tensor> expected;
            try {
                expected = expected(inputs);
            } catch (RuntimeException unsuited) {
                continue;
            }
            try (WrittenModule written = WrittenModule.of(new Conversion(models, false, archive, null))) {
                ScriptModule converted = ScriptModule.of(written.archive(), runtime);
                List<Tensor> actual;
                try (CompiledParts parts = new CompiledParts(converted.object())) {
                    actual = SelfCheck.run(converted, method, core != null && options.mode() == ConversionMode.FULL ? core.quantized(inputs) : inputs);
                }
                SelfCheck.Bound bound = bound(models, dynamic);
                SelfCheck.Result result = SelfCheck.compare(expected, actual, bound);
                if (!result.agrees() && bound == SelfCheck.Bound.QUANTIZED) {
                    result = SelfCheck.compare(SelfCheck.runAsMeant(module, method, inputs), actual, bound);
                }
                if (!result.agrees()) {
                    return wrong("for open sizes of " + size + " " + result.text());
                }
                notes.add("self-check passed for open sizes of " + size + " too: " + result.text());
            } catch (RuntimeException e) {
                return wrong("for open sizes of " + size + " it fails: " + e.getMessage());
            }
            return null;
        }
        return null;
    }

    /** PyTorch's converter leaves out what changes the dtype of a result alone; models that it would convert keep its bytes. */
    private void noteDtypes(List<Tensor> expected, List<Tensor> actual) {
        for (int i = 0; i < expected.size() && options.mode() == ConversionMode.NONE; i++) {
            if (expected.get(i).dtype() != actual.get(i).dtype()) {
                notes.add("result " + i + " is " + actual.get(i).dtype().torchName() + ", where the original's is " + expected.get(i).dtype().torchName()
                    + ": PyTorch's own converter makes it so");
            }
        }
    }

    /** Compares quantized results that differ from the original's with what its operators mean, where PyTorch computes something else. */
    private SelfCheck.Result meant(SelfCheck.Result differing, List<?> inputs, List<Tensor> actual) {
        SelfCheck.Result result = SelfCheck.compare(SelfCheck.runAsMeant(module, method, inputs), actual, SelfCheck.Bound.QUANTIZED);
        if (!result.agrees()) {
            return differing;
        }
        notes.add("PyTorch 1.13's QNNPACK gives other answers here for channels-last: where it limits quantized tensors (relu6, hardtanh, clamp), elements change places; the "
            + "converted model computes what the operators mean (against PyTorch's answers: " + differing.text() + ")");
        return result;
    }

    /** What the original returns. */
    private List<Tensor> expected(List<?> inputs) {
        return original(once -> SelfCheck.runOriginal(once, method, inputs));
    }

    /** The same, called once, or twice where it keeps something between calls. */
    private List<List<Tensor>> calls(List<?> inputs) {
        return original(once -> SelfCheck.runOriginalTwice(once, method, inputs));
    }

    /** The converted module, which packs as many weights, finds the memory free that the original's took. */
    private <T> T original(Function<ScriptModule, T> run) {
        ScriptModule once = module.withOwnPrograms();
        T results = run.apply(once);
        if (once.programMemory().weights() > LARGE) {
            once = null;
            // Memory outside the heap goes with the objects that hold it, of which the heap has few.
            System.gc();
        }
        return results;
    }

    private Refusal wrong(String found) {
        return new Refusal("model", SourceRange.NONE, source.specs().stream().map(InputSpec::toString).collect(Streams.toList()),
            "the converted model must return what the original returns", found, "equal results",
            "please report this model; the self-check can be turned off");
    }

    /**
     * Looks into a failed check. Where each operation of the segments agrees with the original on what the original gives it, and so does the TorchScript
     * around them, other results are no error if the original comes to the same ones from what the segments return, or if its own differ as much once its inputs
     * change by their last bits.
     *
     * @param graph   makes the original's, prepared as it was for the conversion
     * @param samples what it was divided by
     * @return the refusal with what was found, or null
     */
    Refusal closer(Refusal wrong, Supplier<Graph> graph, List<?> samples, FreeOptions how) {
        return wrong.found().startsWith(RESULT) ? closer(wrong, graph, samples, returned, how) : wrong;
    }

    private Refusal closer(Refusal wrong, Supplier<Graph> graph, List<?> samples, List<Tensor> returned, FreeOptions how) {
        SelfCheck.Bound bound = options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL;
        Divergence found;
        Duration time = options.checkLimit().multipliedBy(RUNS_OF_A_CLOSER_LOOK);
        TimeLimit limit = new TimeLimit(time);
        try (limit) {
            found = Divergence.find(graph.get(), module, method, samples, returned, how, runtime, bound);
        } catch (RuntimeException unsuited) {
            return hasNoRoom(unsuited) ? withoutRoom(wrong, unsuited) : !limit.isOver() ? wrong
                : new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; looking for the operation that differs took more than "
                    + time.toMillis() / 1000.0 + " s", wrong.expected(), "give smaller inputs, or more time for the self-check; it can be turned off");
        } catch (OutOfMemoryError full) {
            return withoutRoom(wrong, full);
        }
        if (found.node() != null) {
            return new Refusal(wrong.node(), found.node().range(), wrong.operands(), wrong.rule(), wrong.found() + "; the first operation that differs is "
                + found.node().kind() + ": " + found.text(), wrong.expected(), wrong.advice());
        }
        if (found.rest() != null) {
            return new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; each NNAPI part agrees on the original's values, what is "
                + "around them does not: " + found.rest(), wrong.expected(), wrong.advice());
        }
        String unsteady = found.follows() ? null : SelfCheck.unsteady(module, method, samples, bound);
        if (unsteady == null && !found.follows()) {
            return wrong;
        }
        notes.add("self-check: the results differ (" + wrong.found() + "), as the original's own do " + (found.follows() ? "where NNAPI's rounding comes into what it does "
            + "with the values of its NNAPI parts" : "where its inputs change by their last bits (" + unsteady + ")") + "; " + found.text()
            + " and the TorchScript around agree with the original on the original's values");
        return null;
    }

    private static boolean hasNoRoom(Throwable failure) {
        return failure instanceof MemoryException || failure.getCause() != null && hasNoRoom(failure.getCause());
    }

    private static Refusal withoutRoom(Refusal wrong, Throwable full) {
        return new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; whether its operations are right is not known, as memory ran out: "
            + full.getMessage(), wrong.expected(), "give Java a larger heap; the self-check can be turned off");
    }
}
