package org.torchnnapi.converter;

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
import org.torchnnapi.converter.check.VariedInputs;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.partition.NativeOptions;
import org.torchnnapi.converter.partition.QuantizedCore;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.tensor.platform.TimeLimit;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Runs what a conversion makes beside the original and compares, in no more time and memory than it must: neither holds
 * packed weights while the other runs. For one conversion and one thread.
 */
final class ConversionCheck {
    /** What the comparison of results says begins so. */
    private static final String RESULT = "output ";
    /** Bytes of packed weights that are worth a collection. */
    private static final long LARGE = 64L << 20;
    /** So often a module is called that keeps nothing between calls, with other inputs each. */
    private static final int CALLS = 3;

    private final ScriptModule module;
    private final String method;
    private final ConversionOptions options;
    private final InputSource source;
    private final ScriptRuntime runtime;
    private final List<String> notes;
    /** Calls whose results differ, which may be no error. */
    private final List<Differing> differing = new ArrayList<>();
    /** Functions that the models compute in forms of their own. */
    private Set<ByteForm> forms = Set.of();
    /** Whether the original quantizes the inputs of some layers as it goes. */
    private boolean dynamic;

    /**
     * @param module the original
     * @param source its inputs
     * @param notes receives what was found
     */
    ConversionCheck(
            ScriptModule module,
            String method,
            ConversionOptions options,
            InputSource source,
            ScriptRuntime runtime,
            List<String> notes) {
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
     * @param core what quantizes before the converted module is called, or null
     * @param quantizesAsItGoes whether the original quantizes the inputs of some layers as it goes
     * @return a refusal if the converted module cannot run, returns something else than the original, or either runs
     *     too long; otherwise null
     */
    Refusal run(
            List<LoweredModel> models,
            Function<String, ArchiveWriter> archive,
            QuantizedCore core,
            boolean quantizesAsItGoes) {
        forms = forms(models);
        dynamic = quantizesAsItGoes;
        try (TimeLimit limit = new TimeLimit(options.checkLimit())) {
            Refusal wrong = compared(models, archive, core);
            return wrong == null || !limit.isOver() ? wrong : late();
        }
    }

    /**
     * The same for sizes that are left open: on the first sizes, then on others, then on the first again. Where the
     * first call decides, or leaves something behind for the next, the file is loaded for each.
     *
     * @param first arguments of what was converted, of the sizes that the file's NNAPI models are of
     * @param further arguments of others, of which nothing was made
     * @param graph makes the original's, for {@link #closer}, which looks at sizes for which results differ
     */
    Refusal run(
            List<LoweredModel> models,
            Function<String, ArchiveWriter> archive,
            QuantizedCore core,
            boolean quantizesAsItGoes,
            List<?> first,
            List<? extends List<?>> further,
            Supplier<Graph> graph,
            NativeOptions how) {
        forms = forms(models);
        dynamic = quantizesAsItGoes;
        try (TimeLimit limit = new TimeLimit(options.checkLimit())) {
            Refusal wrong = comparedOpen(models, archive, core, first, further);
            if (wrong != null) {
                return limit.isOver() ? late() : wrong;
            }
        }
        return closer(graph, how);
    }

    private static Set<ByteForm> forms(List<LoweredModel> models) {
        return models.stream()
                .flatMap(model -> model.model().byteForms().stream())
                .filter(form -> form.differing() > 0)
                .collect(Collectors.toSet());
    }

    /** What a converted module returned that the original does not. */
    private record Differing(List<?> inputs, List<Tensor> returned, String text) {}

    private static String sizes(List<?> inputs) {
        return Structures.tensors(inputs).stream()
                .map(tensor -> Arrays.toString(tensor.sizes()))
                .collect(Collectors.joining(", "));
    }

    private Refusal late() {
        return Refusal.ofModel(
                "the self-check must end in time",
                "the model and its conversion ran for " + options.checkLimit().toMillis() / 1000.0 + " s",
                "less",
                "give smaller inputs, or more time for the self-check; it can be turned off");
    }

    private Refusal comparedOpen(
            List<LoweredModel> models,
            Function<String, ArchiveWriter> archive,
            QuantizedCore core,
            List<?> first,
            List<? extends List<?>> further) {
        boolean reloads = source.specs().stream()
                .flatMapToInt(spec -> Arrays.stream(spec.shape()))
                .noneMatch(size -> size < 0);
        SelfCheck.Bound bound = bound(models);
        Map<String, String> found = new LinkedHashMap<>();
        Set<String> devices = new TreeSet<>();
        List<List<?>> runs = new ArrayList<>(List.of(first));
        runs.addAll(further);
        if (!reloads) {
            runs.add(first);
        }
        try (WrittenModule written = WrittenModule.of(new Conversion(models, archive, null))) {
            ScriptModule converted = null;
            for (List<?> taken : runs) {
                List<?> inputs = core == null ? taken : core.real(taken);
                String sizes = sizes(inputs);
                SelfCheck.Calls expected;
                try {
                    expected = calls(inputs, 1, bound);
                } catch (RuntimeException e) {
                    return wrong("on inputs of sizes " + sizes + " the original fails: " + e.getMessage());
                }
                if (converted == null || reloads || expected.isStateful()) {
                    close(converted);
                    converted = ScriptModule.of(written.again(), runtime);
                }
                Differing before = differing.stream()
                        .filter(run -> run.inputs == inputs)
                        .findFirst()
                        .orElse(null);
                for (int call = 0; call < expected.inputs().size(); call++) {
                    SelfCheck.Outcome actual = SelfCheck.call(
                            converted, method, quantized(core, expected.inputs().get(call)));
                    SelfCheck.Result result = before != null && call == 0
                            ? SelfCheck.compare(before.returned, actual.results(), bound)
                            : SelfCheck.compare(expected.outcomes().get(call), actual, bound);
                    if (!result.agrees()
                            && before == null
                            && call == 0
                            && bound != SelfCheck.Bound.QUANTIZED
                            && result.text().startsWith(RESULT)) {
                        differing.add(new Differing(
                                inputs, actual.results(), "for inputs of sizes " + sizes + " " + result.text()));
                        break;
                    }
                    if (!result.agrees()) {
                        return wrong(
                                "for inputs of sizes " + sizes + (call > 0 ? ", called again," : "") + " "
                                        + result.text(),
                                all(expected.inputs()));
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
            notes.add("self-check passed on " + String.join(", ", devices) + " with "
                    + (source.example() != null ? "the example, and its elements in other sizes" : "random inputs")
                    + ": "
                    + found.entrySet().stream()
                            .map(run -> run.getKey() + ": " + run.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return null;
    }

    private static void close(ScriptModule converted) {
        if (converted != null) {
            new CompiledParts(converted.object()).close();
        }
    }

    private SelfCheck.Bound bound(List<LoweredModel> models) {
        boolean quantized = dynamic
                || models.stream()
                        .flatMap(model -> model.model().operands().stream())
                        .anyMatch(TensorOperand::isQuantized);
        return quantized
                ? SelfCheck.Bound.QUANTIZED
                : options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL;
    }

    private Refusal compared(List<LoweredModel> models, Function<String, ArchiveWriter> archive, QuantizedCore core) {
        boolean random = source.example() == null;
        List<?> inputs = source.example();
        String kind = options.example() != null ? "the given example" : "the first bundled inputs";
        SelfCheck.Calls expected = null;
        Refusal failing = null;
        for (ExampleInputs.Kind made : ExampleInputs.Kind.values()) {
            if (random) {
                inputs = ExampleInputs.of(source.specs(), made);
                kind = made.text();
            }
            try {
                expected = calls(inputs, CALLS, bound(models));
                break;
            } catch (RuntimeException e) {
                failing = failing != null
                        ? failing
                        : new Refusal(
                                "model",
                                SourceRange.NONE,
                                List.of(),
                                "the self-check runs the original",
                                "on " + kind + " it fails: " + e.getMessage(),
                                "a model that runs",
                                random
                                        ? "give inputs that the model takes as examples; the self-check can be "
                                                + "turned off"
                                        : "");
                if (!random) {
                    break;
                }
            }
        }
        if (expected == null) {
            return failing;
        }
        Ran ran;
        Verdict verdict;
        long weights = models.stream()
                .flatMap(model -> model.model().weights().stream())
                .mapToLong(weight -> LoweredModelReport.bytes(weight.storage()))
                .sum();
        try (WrittenModule written = WrittenModule.of(new Conversion(models, archive, null))) {
            if (weights > LARGE) {
                // Weights that were arranged to be written leave the heap before as many are packed.
                System.gc();
            }
            ran = ran(ScriptModule.of(written.archive(), runtime), expected, core);
            verdict = verdict(expected, ran, bound(models), core != null);
        } catch (RuntimeException e) {
            return wrong("it fails: " + e.getMessage());
        }
        if (weights > LARGE) {
            // What was packed, and the written file's mapped pages, before as many are arranged to be written again.
            System.gc();
        }
        if (verdict.wrong != null || verdict.excused || !differing.isEmpty()) {
            return verdict.wrong;
        }
        int calls = ran.outcomes.size();
        notes.add("self-check passed on " + ran.devices + " with " + kind
                + (calls > 1 ? ", then " + Strings.counted(calls - 1, "call") + " with others" : "")
                + ": " + verdict.first.text());
        if (ran.special != null) {
            notes.add("with NaN, infinities or subnormal numbers among the inputs results differ, as NNAPI leaves open "
                    + "what becomes of them: " + ran.special);
        }
        return null;
    }

    /**
     * What the converted module made of the original's calls.
     *
     * @param outcomes fewer than calls where the file refused the inputs of one
     * @param state what it keeps afterwards in the original's places
     * @param special how the results of a call with special numbers differ; null if they do not
     */
    private record Ran(List<SelfCheck.Outcome> outcomes, Map<String, Tensor> state, String devices, String special) {}

    private static List<?> quantized(QuantizedCore outside, List<?> inputs) {
        return outside == null ? inputs : outside.quantized(inputs);
    }

    /** @param outside what quantizes the inputs before the call; null where the file does */
    private Ran ran(ScriptModule converted, SelfCheck.Calls expected, QuantizedCore outside) {
        List<SelfCheck.Outcome> outcomes = new ArrayList<>();
        try (CompiledParts parts = new CompiledParts(converted.object())) {
            for (List<?> each : expected.inputs()) {
                try {
                    outcomes.add(SelfCheck.call(converted, method, quantized(outside, each)));
                } catch (ScriptException refused) {
                    if (outcomes.isEmpty() || expected.isStateful() || !isOfFile(refused)) {
                        throw refused;
                    }
                    notes.add("self-check: on other inputs the file refuses what the original takes: "
                            + refused.getMessage());
                    break;
                }
            }
            return new Ran(
                    outcomes,
                    SelfCheck.state(converted, expected.state().keySet()),
                    String.join(", ", parts.devices()),
                    expected.special() == null ? null : special(converted, expected.special()));
        }
    }

    /** How results differ where numbers are special; null where they do not, or the file refuses such inputs. */
    private String special(ScriptModule converted, SelfCheck.Special special) {
        try {
            SelfCheck.Result result = SelfCheck.compare(
                    special.outcome().results(),
                    SelfCheck.call(converted, method, special.inputs()).results(),
                    SelfCheck.Bound.REAL);
            return result.agrees() ? null : result.text();
        } catch (ScriptException refused) {
            return isOfFile(refused) ? null : "it fails: " + refused.getMessage();
        }
    }

    /**
     * How calls compare.
     *
     * @param first how the first one does
     * @param wrong a difference that is an error; null if there is none, or it is to be looked into
     * @param excused whether there is a difference that was looked into, and is no error
     */
    private record Verdict(SelfCheck.Result first, Refusal wrong, boolean excused) {}

    /** @param resultsAlone whether arguments are others, as they are quantized before the call */
    private Verdict verdict(SelfCheck.Calls expected, Ran ran, SelfCheck.Bound bound, boolean resultsAlone) {
        SelfCheck.Result first = null;
        for (int call = 0; call < ran.outcomes.size(); call++) {
            List<?> inputs = expected.inputs().get(call);
            SelfCheck.Outcome want = expected.outcomes().get(call);
            SelfCheck.Outcome made = ran.outcomes.get(call);
            boolean later = call > 0 && expected.isStateful();
            SelfCheck.Result own = resultsAlone
                    ? SelfCheck.compare(want.results(), made.results(), bound)
                    : SelfCheck.compare(want, made, bound);
            if (bound == SelfCheck.Bound.QUANTIZED && !own.agrees() && !later) {
                own = meant(own, inputs, made.results());
            }
            first = call == 0 ? own : first;
            if (own.agrees()) {
                continue;
            }
            String text = (later
                            ? "called again, with what " + (call == 1 ? "the first call" : call + " calls") + " left, "
                            : call == 0 ? "" : "on other inputs, ")
                    + own.text();
            boolean looked = own.text().startsWith(RESULT) && bound != SelfCheck.Bound.QUANTIZED;
            if (later) {
                List<List<?>> calls = expected.inputs().subList(0, call + 1);
                return excused(first, text, calls, looked ? unsteady(calls, made, Map.of(), bound) : null);
            }
            if (!looked) {
                return new Verdict(first, wrong(text, inputs), false);
            }
            differing.add(new Differing(inputs, made.results(), text));
        }
        SelfCheck.Result kept = SelfCheck.compare(expected.state(), ran.state, bound);
        int calls = ran.outcomes.size();
        return kept.agrees()
                ? new Verdict(first, null, false)
                : excused(
                        first,
                        "after " + calls + " calls, " + kept.text(),
                        expected.inputs(),
                        bound == SelfCheck.Bound.QUANTIZED
                                ? null
                                : unsteady(expected.inputs(), ran.outcomes.get(calls - 1), ran.state, bound));
    }

    private String unsteady(
            List<List<?>> calls, SelfCheck.Outcome last, Map<String, Tensor> state, SelfCheck.Bound bound) {
        return SelfCheck.unsteady(module, method, calls, last.results(), state, bound);
    }

    /** @param unsteady how the original's own results differ as much; null if they do not */
    private Verdict excused(SelfCheck.Result first, String found, List<List<?>> calls, String unsteady) {
        if (unsteady == null) {
            return new Verdict(first, wrong(found, all(calls)), false);
        }
        notes.add(CloserLook.differing(found, unsteady));
        return new Verdict(first, null, true);
    }

    /** Whether an error is one that the file raises for inputs that it does not take: it says what it expects. */
    private static boolean isOfFile(ScriptException refused) {
        return refused.getMessage().contains(" (expected: ");
    }

    /**
     * Compares quantized results that differ from the original's with what its operators mean, where PyTorch computes
     * something else.
     */
    private SelfCheck.Result meant(SelfCheck.Result differing, List<?> inputs, List<Tensor> actual) {
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.runAsMeant(module, method, inputs, forms), actual, SelfCheck.Bound.QUANTIZED);
        if (!result.agrees()) {
            return differing;
        }
        notes.add((dynamic
                        ? "dynamically quantized layers round what comes in by more than results may differ; the "
                                + "converted model computes what they are of the numbers themselves"
                        : "PyTorch 1.13's QNNPACK gives other answers here for channels-last: where it limits "
                                + "quantized tensors (relu6, hardtanh, clamp), elements change places; the "
                                + "converted model computes what the operators mean")
                + " (against PyTorch's answers: " + differing.text() + ")");
        return result;
    }

    /** What the original returns, called so often, or oftener where it keeps something between calls. */
    private SelfCheck.Calls calls(List<?> inputs, int least, SelfCheck.Bound bound) {
        return original(once -> SelfCheck.callOriginal(once, method, inputs, least, bound, forms));
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
        return wrong(
                "the converted model must return what the original returns",
                found,
                "equal results",
                "please report this model; the self-check can be turned off");
    }

    private static List<?> all(List<List<?>> calls) {
        return calls.stream().flatMap(List::stream).collect(Streams.toList());
    }

    /** Results that differ. */
    private Refusal wrong(String found, List<?> inputs) {
        Float extreme = VariedInputs.extreme(inputs);
        return extreme == null
                ? wrong(found)
                : wrong(
                        "NNAPI leaves open what becomes of NaN, infinities, subnormal numbers, and of what overflows "
                                + "in between",
                        "the inputs have " + extreme + ", and " + found,
                        "ordinary numbers",
                        "give examples of such inputs; the self-check can be turned off");
    }

    private Refusal wrong(String rule, String found, String expected, String advice) {
        return new Refusal(
                "model",
                SourceRange.NONE,
                source.specs().stream().map(InputSpec::toString).collect(Streams.toList()),
                rule,
                found,
                expected,
                advice);
    }

    /**
     * Looks into calls whose results differ.
     *
     * @param graph makes the original's, prepared as it was for the conversion
     * @return the refusal with what was found, or null
     */
    Refusal closer(Supplier<Graph> graph, NativeOptions how) {
        CloserLook look = new CloserLook(module, method, options, runtime, notes);
        for (Differing call : differing) {
            Refusal wrong = look.at(wrong(call.text, call.inputs), graph, call.inputs, call.returned, how);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }
}
