package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.lower.MultiplyAdds;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.operators.passes.Unpacking;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts a graph for inputs of fixed shapes, as far as NNAPI can compute it.
 *
 * @param module the converted module, or null
 * @param segments its NNAPI models
 * @param coverage how much of the model they compute
 * @param levels what the releases of NNAPI would compute, if that was asked for
 * @param whole null unless NNAPI computes all of the model
 * @param refusals why the rest stays TorchScript, or why there is no module: where there is neither, there is nothing
 *     to compute
 * @param unpaid whether NNAPI could compute products that do not pay
 * @param checked what the file checks of whole numbers that enter NNAPI, in words
 */
public record NativePipeline(
        ScriptObject module,
        List<LoweredSegment> segments,
        Coverage coverage,
        List<LevelCoverage> levels,
        WholeModel whole,
        List<Refusal> refusals,
        boolean unpaid,
        List<String> checked) {
    static final String MUST_RUN = "the model must run on inputs of these shapes";

    /** Whether the model ran on the samples. */
    public boolean ran() {
        return refusals.stream().noneMatch(refusal -> refusal.rule().equals(MUST_RUN));
    }

    /**
     * @param graph frozen and inlined, its first input the module; changed
     * @param original the module
     * @param method the name of the method that the graph was made of
     * @param samples arguments of the shapes to convert for
     */
    public static NativePipeline convert(
            Graph graph,
            ScriptObject original,
            String method,
            List<?> samples,
            NativeOptions options,
            ScriptRuntime runtime) {
        Divided divided;
        try {
            divided = divide(graph, samples, original, options);
        } catch (RuntimeException e) {
            return refused(List.of(Refusal.ofModel(
                    MUST_RUN, e.getMessage(), "a model that runs", "give inputs that the model takes as examples")));
        }
        GraphPartition division = divided.division();
        List<LevelCoverage> levels = options.compares() ? levels(graph, divided.facts(), options, division) : List.of();
        if (division.segments().isEmpty()) {
            return new NativePipeline(
                    null, List.of(), Coverage.NONE, levels, null, division.refusals(), division.unpaid(), List.of());
        }
        Coverage coverage = coverage(division, divided.facts());
        List<LoweredSegment> segments = division.segments();
        List<LoweredModel> models = segments.stream().map(LoweredSegment::model).collect(Streams.toList());
        List<String> checked = checked(division);
        Map<Value, GuardEmitter.Asked> asked =
                GuardEmitter.of(graph, samples, division, divided.facts().sources());
        WholeModel whole = division.isWhole(graph)
                ? WholeModel.of(
                        graph, segments.get(0), original.type().method(method).schema())
                : null;
        try {
            ScriptObject module = DelegateRewriter.module(
                    graph,
                    division,
                    SegmentModules.of(
                            models,
                            options.preference(),
                            options.relaxed(),
                            runtime,
                            options.weights(),
                            DelegateRewriter.firstPart(original)),
                    original,
                    method,
                    options,
                    asked);
            return new NativePipeline(
                    module, segments, coverage, levels, whole, division.refusals(), division.unpaid(), checked);
        } catch (IllegalStateException e) {
            return refused(List.of(new Refusal(
                    "model",
                    SourceRange.NONE,
                    List.of(),
                    "the divided model must be a legal one",
                    String.valueOf(e.getMessage()),
                    "a legal graph",
                    "please report this model")));
        } catch (Refused e) {
            return refused(List.of(new Refusal(
                    "model", SourceRange.NONE, List.of(), e.getMessage(), e.found(), e.expected(), e.advice())));
        }
    }

    /** A graph as it is divided, and what is known of its values. */
    record Divided(GraphPartition division, PartialEvaluation.Facts facts) {}

    /** Specialises and divides a graph; operators that NNAPI lacks are said in others first. */
    static Divided divide(Graph graph, List<?> samples, ScriptObject module, NativeOptions options) {
        return divide(graph, samples, module, options, SizeTrial.NONE);
    }

    /** The same as one of several trials of sizes. */
    static Divided divide(Graph graph, List<?> samples, ScriptObject module, NativeOptions options, SizeTrial trial) {
        Unpacking.run(graph);
        PartialEvaluation.Facts facts = specialised(graph, samples, module, trial, Set.of());
        Set<Value> images = options.channelsLast().stream()
                .map(argument -> graph.inputs().get(argument + 1))
                .collect(Collectors.toSet());
        ListParts.run(graph, facts.tensors());
        GraphPartition division =
                GraphPartitioner.of(graph, facts, options.cost(), options.target(), images, trial.step(graph));
        // What NNAPI has no operation for it may have operations for, in others, or in what those are made of.
        for (Set<Node> refused = division.refused();
                DequantizeFallback.run(refused, facts)
                        | ChannelReals.run(refused, facts)
                        | ComplexNumbers.run(graph, refused, facts)
                        | Decompose.run(graph, allBut(refused));
                refused = division.refused()) {
            division.undo();
            facts = specialised(graph, samples, module, trial, facts.sources().arguments());
            ListParts.run(graph, facts.tensors());
            division = GraphPartitioner.of(graph, facts, options.cost(), options.target(), images, trial.step(graph));
        }
        return new Divided(division, facts);
    }

    /** Whatever was not refused is kept. */
    private static Predicate<Node> allBut(Set<Node> refused) {
        return node -> !refused.contains(node);
    }

    private static NativePipeline refused(List<Refusal> refusals) {
        return new NativePipeline(null, List.of(), Coverage.NONE, List.of(), null, refusals, false, List.of());
    }

    static List<String> checked(GraphPartition division) {
        return division.checked().entrySet().stream()
                .map(entry -> DelegateRewriter.named(entry.getKey()) + ": "
                        + entry.getValue().text())
                .distinct()
                .collect(Streams.toList());
    }

    /** What each release would compute that has operations of its own. */
    static List<LevelCoverage> levels(
            Graph graph, PartialEvaluation.Facts facts, NativeOptions options, GraphPartition division) {
        List<LevelCoverage> levels = new ArrayList<>();
        for (FeatureLevel level : FeatureLevel.values()) {
            if (FeatureLevel.V1_3.includes(level)) {
                boolean same = FeatureLevel.min(options.target().level(), FeatureLevel.V1_3) == level;
                GraphPartition own = same
                        ? division
                        : GraphPartitioner.of(
                                graph, facts, options.cost(), options.target().withLevel(level));
                Map<String, Integer> lacking = new HashMap<>();
                own.refused().forEach(node -> lacking.merge(node.kind(), 1, Integer::sum));
                levels.add(new LevelCoverage(level, coverage(own, facts), lacking));
                if (!same) {
                    own.undo();
                }
            }
        }
        return levels;
    }

    /**
     * Specialises, and once more where what became known let passes make new values.
     *
     * @param sources of shapes that became part of the graph before
     */
    private static PartialEvaluation.Facts specialised(
            Graph graph, List<?> samples, ScriptObject module, SizeTrial trial, Set<Value> sources) {
        if (MaskedBranches.run(graph)) {
            Passes.simplify(graph, module);
        }
        PartialEvaluation.Facts facts = PartialEvaluation.run(graph, samples, module, trial.step(graph));
        Set<Value> before = values(graph);
        MaskedBranches.run(graph);
        Passes.simplify(graph, module);
        Passes.fold(graph);
        Set<Value> after = values(graph);
        after.removeAll(before);
        PartialEvaluation.Facts latest =
                after.isEmpty() ? facts : PartialEvaluation.run(graph, samples, module, trial.step(graph));
        latest.sources().addAll(facts.sources().arguments());
        latest.sources().addAll(sources);
        return latest;
    }

    private static Set<Value> values(Graph graph) {
        Set<Value> values = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(graph.block(), values);
        return values;
    }

    private static void collect(Block block, Set<Value> values) {
        for (Node node : block.nodes()) {
            if (!node.is("prim::Constant")) {
                values.addAll(node.outputs());
            }
            node.blocks().forEach(inner -> collect(inner, values));
        }
    }

    static Coverage coverage(GraphPartition division, PartialEvaluation.Facts facts) {
        int operators = 0;
        int all = 0;
        long products = 0;
        long allProducts = 0;
        int openProducts = 0;
        for (GraphPartition.Division divided : division.divisions()) {
            for (Node node : divided.block().nodes()) {
                if (GraphPartitioner.isNeutral(node) || !node.blocks().isEmpty() || node.is("prim::RaiseException")) {
                    continue;
                }
                boolean taken = division.taken().contains(node);
                // Of rows whose number is not known those of one call count.
                LoweredSegment segment =
                        taken ? divided.segments().get(divided.stages().get(node)) : null;
                long work = MultiplyAdds.of(node, segment == null ? facts : segment.known(facts, node));
                all++;
                allProducts += work;
                openProducts += !taken && MultiplyAdds.isOpen(node, facts) ? 1 : 0;
                if (taken) {
                    operators++;
                    products += work;
                }
            }
        }
        return new Coverage(division.segments().size(), operators, all, products, allProducts, openProducts);
    }
}
