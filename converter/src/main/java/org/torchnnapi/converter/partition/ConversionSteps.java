package org.torchnnapi.converter.partition;

import static org.torchnnapi.converter.partition.PassResult.*;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.partial.ArgumentSources;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.operators.passes.MaskedBranches;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** What the passes of {@link ConversionPipeline} do that have more to put together than a class to call. */
final class ConversionSteps {
    private ConversionSteps() {}

    static void freeze(ConversionState state) {
        Set<String> changing =
                RetainedMembers.changing(state.original(), state.options().kept());
        state.put(GRAPH, Passes.pure(state.original(), state.method(), changing));
    }

    static void holdNumbers(ConversionState state) {
        Graph graph = state.get(GRAPH);
        List<String> held = ScalarSpecialization.run(graph, state.schema(), state.get(SAMPLES));
        if (!held.isEmpty()) {
            Passes.simplify(graph, state.original());
        }
        state.put(HELD, held);
    }

    static void cutQuantizedCore(ConversionState state) {
        QuantizedCore core = QuantizedCore.cut(state.get(GRAPH));
        List<?> samples = state.get(SAMPLES);
        if (!core.isEmpty()) {
            state.put(CORE, core);
            state.put(SAMPLES, samples == null ? null : core.quantized(samples));
        }
    }

    static void takeMaskedBranches(ConversionState state) {
        if (MaskedBranches.run(state.get(GRAPH))) {
            Passes.simplify(state.get(GRAPH), state.original());
        }
    }

    static void evaluate(ConversionState state) {
        Graph graph = state.get(GRAPH);
        PartialEvaluation.Facts facts = PartialEvaluation.run(
                graph, state.get(SAMPLES), state.original(), state.trial().step(graph));
        facts.sources().addAll(state.get(SOURCES));
        state.put(FACTS, facts);
        state.put(SOURCES, facts.sources().arguments());
        state.put(EVALUATED, values(graph));
    }

    static void simplify(ConversionState state) {
        Passes.simplify(state.get(GRAPH), state.original());
        Passes.fold(state.get(GRAPH));
    }

    static void evaluateNew(ConversionState state) {
        if (!state.get(EVALUATED).containsAll(values(state.get(GRAPH)))) {
            evaluate(state);
        }
    }

    private static Set<Value> values(Graph graph) {
        Set<Value> values = Collections.newSetFromMap(new IdentityHashMap<>());
        nodes(graph.block()).filter(node -> !node.is("prim::Constant")).forEach(node -> values.addAll(node.outputs()));
        return values;
    }

    private static Stream<Node> nodes(Block block) {
        return block.nodes().stream()
                .flatMap(node ->
                        Stream.concat(Stream.of(node), node.blocks().stream().flatMap(ConversionSteps::nodes)));
    }

    static void askForSupport(ConversionState state) {
        Graph graph = state.get(GRAPH);
        Set<Value> images = state.options().channelsLast().stream()
                .map(argument -> graph.inputs().get(argument + 1))
                .collect(Collectors.toSet());
        state.put(
                SUPPORT,
                NodeSupport.of(
                        graph,
                        state.get(FACTS),
                        state.options().target(),
                        images,
                        state.trial().step(graph)));
    }

    static boolean decompose(ConversionState state) {
        Set<Node> refused = state.get(SUPPORT).refused();
        return Decompose.run(state.get(GRAPH), node -> !refused.contains(node));
    }

    static void partition(ConversionState state) {
        state.put(
                PARTITION,
                GraphPartitioner.of(
                        state.get(GRAPH), state.get(SUPPORT), state.options().cost()));
    }

    static void measureCoverage(ConversionState state) {
        state.put(COVERAGE, PartitionCoverage.of(state.get(PARTITION), state.get(FACTS)));
    }

    static void nameInputsAndOutputs(ConversionState state) {
        Graph graph = state.get(GRAPH);
        GraphPartition partition = state.get(PARTITION);
        state.put(
                WHOLE,
                partition.isWhole(graph)
                        ? WholeModel.of(graph, partition.segments().get(0), state.schema())
                        : null);
    }

    static void guardArguments(ConversionState state) {
        ArgumentSources sources = state.get(FACTS).sources();
        state.put(GUARDS, GuardEmitter.of(state.get(GRAPH), state.get(SAMPLES), state.get(PARTITION), sources));
    }

    static void makeDelegates(ConversionState state) {
        state.put(
                DELEGATES,
                SegmentModules.of(
                        state.get(PARTITION).segments().stream()
                                .map(LoweredSegment::model)
                                .collect(Streams.toList()),
                        state.options().preference(),
                        state.options().relaxed(),
                        state.runtime(),
                        state.options().weights(),
                        DelegateRewriter.firstPart(state.original())));
    }

    static void callDelegates(ConversionState state) {
        state.put(
                MODULE,
                DelegateRewriter.module(
                        state.get(GRAPH),
                        state.get(PARTITION),
                        state.get(DELEGATES),
                        state.original(),
                        state.method(),
                        state.options(),
                        state.get(GUARDS),
                        List.of()));
    }
}
