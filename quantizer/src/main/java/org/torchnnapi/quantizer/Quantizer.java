package org.torchnnapi.quantizer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.optimizer.FrozenModule;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;

/**
 * Quantizes trained float models: 8-bit weights and activations, in the operators that PyTorch's own flow
 * ({@code torch.ao.quantization}, engine qnnpack) would use, so that the result runs in PyTorch, here and, converted,
 * on NNAPI with the same answers. Inputs and outputs of the model stay float.
 */
public final class Quantizer {
    private static final String METHOD = "forward";
    /** Fewer inputs than this seldom show the range of activations. */
    private static final int ENOUGH = 16;

    private final ScriptModule module;
    private final FrozenModule frozen;
    private final QuantizationOptions options;
    private final QuantizationProgress progress;
    private final List<String> notes = new ArrayList<>();

    private Quantizer(ScriptModule module, QuantizationOptions options, QuantizationProgress progress) {
        this.module = module;
        this.frozen = new FrozenModule(module);
        this.options = options;
        this.progress = progress;
    }

    /** A quantized module, to be written, and what became of its layers. */
    public record Result(ModuleWriter writer, QuantizationReport report) {}

    /**
     * Quantizes {@code forward}; other methods stay float, and those that forward calls are left out. May take long:
     * each input runs through the model operator by operator, once or a few times.
     *
     * @param module in evaluation mode, with float32 weights; not changed
     * @param inputs arguments of {@code forward} like those that the model will get; may be none where
     *     {@link QuantizationOptions#dynamic}
     * @param progress is told how far it is, on the calling thread
     * @throws IllegalArgumentException if there is nothing to quantize, an input is not like the others, holds a NaN or
     *     cannot be run, a pattern of what stays float matches nothing, or an option has no effect beside
     *     {@link QuantizationOptions#dynamic}
     * @throws IOException as reading inputs does
     */
    public static Result quantize(
            ScriptModule module, CalibrationInputs inputs, QuantizationOptions options, QuantizationProgress progress)
            throws IOException {
        Quantizer quantizer = new Quantizer(module, options, progress);
        return options.dynamic() ? quantizer.dynamic(inputs) : quantizer.statical(inputs);
    }

    private Graph prepared() {
        Function method = module.method(METHOD);
        if (method == null) {
            throw new IllegalArgumentException(
                    "method: " + METHOD + " (expected: a model with it; only that is quantized)");
        }
        return Passes.prepare(module.object(), METHOD, frozen.changing());
    }

    /** What has weights and is not quantized. */
    private static String untaken(Graph graph) {
        Set<String> kinds = new TreeSet<>();
        collectWeighted(graph.block(), kinds);
        return kinds.isEmpty() ? "none to quantize" : "none to quantize but " + String.join(", ", kinds);
    }

    private static void collectWeighted(Block block, Set<String> kinds) {
        for (Node node : block.nodes()) {
            if (node.schema() != null && node.schema().indexOf("weight") >= 0) {
                kinds.add(node.kind());
            }
            node.blocks().forEach(inner -> collectWeighted(inner, kinds));
        }
    }

    /** What would have no effect is refused rather than left out silently. */
    private static void requireNothingStatic(QuantizationOptions options) {
        String given = options.observer() != ObserverKind.MINMAX
                ? "observer: " + options.observer()
                : options.equalize()
                        ? "equalize: true"
                        : options.correctBias()
                                ? "correct bias: true"
                                : options.budget() != null ? "budget: " + options.budget() : null;
        if (given != null) {
            throw new IllegalArgumentException(
                    given + " (expected: not with dynamic quantization, which observes activations as the model runs)");
        }
    }

    private Result dynamic(CalibrationInputs inputs) throws IOException {
        requireNothingStatic(options);
        Graph real = prepared();
        Calibration calibration = calibration(inputs);
        if (inputs.size() > 0) {
            Ranks.linearOfRows(real.block(), calibration.facts(real));
        }
        Graph graph = BlockCopy.of(real);
        Patterns patterns = new Patterns(options.keepFloat());
        DynamicRewriting rewriting = new DynamicRewriting(graph, patterns::matches, options.perChannel()).run();
        patterns.requireAllUsed();
        if (rewriting.replaced().isEmpty()) {
            throw new IllegalArgumentException(
                    "layers: none to quantize (expected: linear, LSTM or GRU layers of known float32 weights)");
        }
        LayerComparison comparison = LayerComparison.run(calibration, real, graph, List.of(), Map.of(), progress);
        List<QuantizationReport.Layer> layers = rewriting.replaced().stream()
                .map(name -> new QuantizationReport.Layer(name, "dynamic", Double.NaN, 0, Double.NaN, Double.NaN))
                .collect(Streams.toList());
        return result(
                graph,
                new QuantizationReport(
                        layers,
                        rewriting.kept(),
                        inputs.size(),
                        comparison.compared(),
                        comparison.outputDecibels(),
                        comparison.sameClass(),
                        comparison.rows(),
                        notes));
    }

    private Calibration calibration(CalibrationInputs inputs) {
        return new Calibration(module, METHOD, inputs);
    }

    private Result statical(CalibrationInputs inputs) throws IOException {
        Graph graph = prepared();
        if (inputs.size() == 0) {
            throw new IllegalArgumentException(
                    "calibration inputs: 0 (expected: at least 1, better 100 like those that the model will get)");
        }
        if (inputs.size() < ENOUGH) {
            notes.add("calibrated on " + Strings.counted(inputs.size(), "input")
                    + " only: values that none of them has are cut off (better: 100 like those that the "
                    + "model will get)");
        }
        Calibration calibration = calibration(inputs);
        if (Ranks.fix(graph, calibration.facts(graph))) {
            Passes.simplify(graph);
            Passes.fold(graph);
        }
        Ranks.linearOfRows(graph.block(), calibration.facts(graph));
        int folded = Normalizations.fold(graph);
        DeadCode.run(graph);
        if (folded > 0) {
            notes.add(folded + " batch normalizations folded into linear layers and transposed convolutions");
        }
        if (options.equalize()) {
            int pairs = Equalization.run(graph);
            DeadCode.run(graph);
            notes.add(pairs + " pairs of layers equalized");
        }
        QuantizationPatterns finder = new QuantizationPatterns(graph, calibration.facts(graph));
        Patterns patterns = new Patterns(options.keepFloat());
        List<QuantizedPart> parts = finder.find(part -> patterns.matches(part.node()));
        patterns.requireAllUsed();
        if (parts.stream().noneMatch(part -> part.role() == QuantizedPart.Role.PRODUCT)) {
            throw new IllegalArgumentException("layers: " + untaken(graph)
                    + " (expected: convolutions of one or two dimensions or linear layers, of known float32 weights "
                    + "outside of loops, that no pattern keeps float)");
        }
        Map<Value, Observer> observers = calibration.observe(graph, finder.candidates(), options.observer(), progress);
        Map<Node, Tensor> shifts = options.correctBias()
                ? BiasCorrection.run(calibration, graph, parts, options.perChannel(), progress)
                : Map.of();
        return withinBudget(graph, calibration, finder, parts, observers, shifts, patterns);
    }

    private Result withinBudget(
            Graph graph,
            Calibration calibration,
            QuantizationPatterns finder,
            List<QuantizedPart> all,
            Map<Value, Observer> observers,
            Map<Node, Tensor> shifts,
            Patterns patterns)
            throws IOException {
        Set<Node> costly = new LinkedHashSet<>();
        List<QuantizedPart> parts = all;
        while (true) {
            Rewriting rewriting = new Rewriting(graph, observers, shifts, options.perChannel()).run(parts);
            int asked = parts.size();
            parts = rewriting.replaced();
            LayerComparison comparison =
                    LayerComparison.run(calibration, graph, rewriting.graph(), parts, rewriting.produced(), progress);
            Double budget = options.budget();
            if (budget == null || comparison.outputDecibels() >= budget) {
                if (parts.size() < asked) {
                    notes.add(Strings.counted(asked - parts.size(), "sum")
                            + " of terms that are so much smaller or greater that PyTorch has no quantized form: "
                            + "computed in float");
                }
                return result(rewriting.graph(), report(calibration, parts, rewriting, comparison, finder, costly));
            }
            if (costly.isEmpty()) {
                requireWithinReach(graph, calibration, finder, parts, observers, shifts, patterns, comparison);
            }
            costly.add(least(parts, comparison::own).node());
            parts = finder.find(part -> costly.contains(part.node()) || patterns.matches(part.node()));
            if (parts.stream().noneMatch(part -> part.role() == QuantizedPart.Role.PRODUCT)) {
                throw outOfReach(comparison);
            }
        }
    }

    /** The product with the least of something. */
    private static QuantizedPart least(List<QuantizedPart> parts, ToDoubleFunction<QuantizedPart> what) {
        return parts.stream()
                .filter(part -> part.role() == QuantizedPart.Role.PRODUCT)
                .min(Comparator.comparingDouble(what))
                .get();
    }

    /** Layers are given up one by one, each with a run of all inputs; whether the last one is enough is tried first. */
    private void requireWithinReach(
            Graph graph,
            Calibration calibration,
            QuantizationPatterns finder,
            List<QuantizedPart> all,
            Map<Value, Observer> observers,
            Map<Node, Tensor> shifts,
            Patterns patterns,
            LayerComparison before)
            throws IOException {
        Node last = least(all, part -> -before.own(part)).node();
        Set<Node> others = new HashSet<>();
        all.stream()
                .filter(part -> part.role() == QuantizedPart.Role.PRODUCT && part.node() != last)
                .forEach(part -> others.add(part.node()));
        List<QuantizedPart> parts = finder.find(part -> others.contains(part.node()) || patterns.matches(part.node()));
        Rewriting rewriting = new Rewriting(graph, observers, shifts, options.perChannel()).run(parts);
        LayerComparison comparison = LayerComparison.run(
                calibration, graph, rewriting.graph(), rewriting.replaced(), rewriting.produced(), progress);
        if (comparison.outputDecibels() < options.budget()) {
            throw outOfReach(comparison);
        }
    }

    private IllegalArgumentException outOfReach(LayerComparison comparison) {
        return new IllegalArgumentException("budget: " + options.budget()
                + " dB, which no quantized layer keeps (expected: less; with one layer quantized the model has "
                + QuantizationReport.decibels(comparison.outputDecibels()) + ")");
    }

    private QuantizationReport report(
            Calibration calibration,
            List<QuantizedPart> parts,
            Rewriting rewriting,
            LayerComparison comparison,
            QuantizationPatterns finder,
            Set<Node> costly) {
        List<QuantizationReport.Layer> layers = new ArrayList<>();
        for (QuantizedPart part : parts) {
            if (part.isObserved()) {
                Quantization.PerTensor q =
                        rewriting.parameters().get(part.outputs().get(0));
                layers.add(new QuantizationReport.Layer(
                        part.name(),
                        rewriting
                                .produced()
                                .get(part.outputs().get(0))
                                .definition()
                                .kind(),
                        q.scale(),
                        q.zeroPoint(),
                        comparison.decibels(part),
                        comparison.own(part)));
            }
        }
        List<String> kept = new ArrayList<>();
        for (QuantizedPart part : finder.candidates()) {
            if (part.role() == QuantizedPart.Role.PRODUCT
                    && parts.stream().noneMatch(other -> other.node() == part.node())) {
                kept.add(part.name()
                        + (costly.contains(part.node()) ? ": it loses too much for the budget" : ": as asked"));
            }
        }
        return new QuantizationReport(
                layers,
                kept,
                calibration.size(),
                comparison.compared(),
                comparison.outputDecibels(),
                comparison.sameClass(),
                comparison.rows(),
                List.copyOf(notes));
    }

    private Result result(Graph graph, QuantizationReport report) {
        frozen.graph(METHOD, graph);
        // A helper that forward calls would bring its float weights along.
        frozen.calledBy(METHOD).forEach(frozen::without);
        return new Result(frozen.writer(), report);
    }

    /** What stays float because its module's path or its operator matches. */
    private static final class Patterns {
        private final List<String> texts;
        private final List<Pattern> patterns;
        private final Set<String> unused;

        Patterns(List<String> texts) {
            this.texts = texts;
            this.patterns = texts.stream()
                    .map(text -> Pattern.compile(
                            ("\\Q" + text + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q")))
                    .collect(Streams.toList());
            this.unused = new LinkedHashSet<>(texts);
        }

        boolean matches(Node node) {
            boolean found = false;
            for (int i = 0; i < patterns.size(); i++) {
                if (patterns.get(i).matcher(node.range().module()).matches()
                        || patterns.get(i).matcher(node.kind()).matches()) {
                    unused.remove(texts.get(i));
                    found = true;
                }
            }
            return found;
        }

        void requireAllUsed() {
            if (!unused.isEmpty()) {
                throw new IllegalArgumentException("keep float: " + String.join(", ", unused)
                        + " matches nothing that could be quantized (expected: a pattern of "
                        + "paths of modules or of operators, such as features.0* or aten::add)");
            }
        }
    }
}
