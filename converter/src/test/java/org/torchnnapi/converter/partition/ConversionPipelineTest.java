package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.deployed.DeployedCase;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;

class ConversionPipelineTest {
    private static final String LEGALIZE = "legalize";
    private static final ConversionPipeline ANY_NUMBERS =
            ConversionPipeline.PREPARE.without(PassResult.HELD).without(PassResult.CORE);
    private static final Tensor X = FreeUnderTest.random(1, 8, 24, 24);
    private static final List<Tensor> WEIGHTS = List.of(FreeUnderTest.random(8, 8, 3, 3));
    private static final String CONVOLUTION = "a = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])";

    private static ConversionState state(ScriptModule module, List<?> samples, boolean ownRuntime) {
        Target target = ownRuntime ? Target.DEFAULT.withOwnRuntime(true) : Target.DEFAULT;
        NativeOptions options = new NativeOptions(
                new SegmentCost(64, 0),
                target,
                true,
                1,
                false,
                Set.of(),
                false,
                "forward",
                Set.of(),
                UnaryOperator.identity());
        return new ConversionState(module.object(), "forward", samples, options, FreeUnderTest.RUNTIME);
    }

    private static ConversionState state(String... body) {
        return state(FreeUnderTest.module(WEIGHTS, "Tensor", body), List.of(X), false);
    }

    /** Names of the passes that a model goes through, in order, each of a fixpoint as often as it runs. */
    private static List<String> journey(ConversionState state) {
        List<String> names = new ArrayList<>();
        state.observe(pass -> names.add(pass.name()));
        ANY_NUMBERS.run(state);
        assertNotNull(ConversionPipeline.convert(state).module());
        return names;
    }

    /** All lists in the order in which a model comes to them, a fixpoint as its passes. */
    private static Stream<ConversionPass> all() {
        return Stream.of(
                        ConversionPipeline.PREPARE,
                        ConversionPipeline.LEGALIZE,
                        ConversionPipeline.MEASURE,
                        ConversionPipeline.EMIT)
                .flatMap(pipeline -> pipeline.passes().stream())
                .flatMap(pass -> pass.body().isEmpty() ? Stream.of(pass) : pass.body().stream());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "classifier_static_traced", // quantized
                "grouped_upsampling_static_traced", // quantized operators that NNAPI has for real numbers
                "stepped_bytes_static_scripted", // a scale a channel
                "fourier_operator_scripted", // complex numbers
                "depth_estimator_mobile_scripted", // packed weights
                "expert_of_each_token_scripted", // branches on masks
                "confident_exit_scripted", // branches on elements
                "greedy_decoder_scripted", // loops whose turns are counted
                "packed_tagger_scripted", // rows whose number elements decide
                "written_parts_scripted", // writes in place
                "memory_reader_scripted", // composites
                "transducer_scripted" // objects
            })
    void everyPassLeavesALegalGraph(String model) throws IOException, URISyntaxException {
        Path file = Path.of(ConversionPipelineTest.class
                .getResource("/deployed/" + model + ".pt")
                .toURI());
        for (boolean ownRuntime : new boolean[] {false, true}) {
            DeployedCase fixture = DeployedCase.read(file);
            ConversionState state = state(fixture.module(), fixture.inputs(), ownRuntime);
            List<String> ran = new ArrayList<>();
            state.observe(pass -> {
                ran.add(pass.name());
                try {
                    GraphVerifier.verify(state.get(PassResult.GRAPH));
                } catch (IllegalStateException e) {
                    throw new AssertionError("after " + ran + ": " + e.getMessage(), e);
                }
            });
            ANY_NUMBERS.run(state);
            ConvertedMethod made = ConversionPipeline.convert(state);
            assertNotNull(made.module(), () -> made.refusals().toString());
        }
    }

    @Test
    void passesComeBehindThoseThatGiveWhatTheyNeed() {
        Set<PassResult<?>> given = new HashSet<>(Set.of(PassResult.SAMPLES, PassResult.SOURCES));
        Set<String> names = new HashSet<>();
        all().forEach(pass -> {
            assertTrue(given.containsAll(pass.needs()), () -> pass + " needs " + pass.needs() + " of " + given);
            given.addAll(pass.gives());
            assertTrue(names.add(pass.name()), () -> pass + " is there twice");
        });
    }

    @Test
    void everythingGivenIsNeededOrTheResult() {
        Set<PassResult<?>> needed = new HashSet<>(Set.of(
                PassResult.HELD,
                PassResult.CORE,
                PassResult.COVERAGE,
                PassResult.LEVELS,
                PassResult.CHECKED,
                PassResult.WHOLE,
                PassResult.MODULE));
        all().forEach(pass -> needed.addAll(pass.needs()));
        all().forEach(pass -> assertTrue(needed.containsAll(pass.gives()), () -> pass + " gives " + pass.gives()));
    }

    @Test
    void fixpointsNeedWhatTheirPassesNeedOfOthers() {
        ConversionPass legalize = ConversionPipeline.LEGALIZE.passes().get(0);
        assertEquals(LEGALIZE, legalize.name());
        assertEquals(Set.of(PassResult.GRAPH, PassResult.SAMPLES, PassResult.SOURCES), legalize.needs());
        assertTrue(legalize.gives().containsAll(Set.of(PassResult.FACTS, PassResult.SUPPORT)));
    }

    @Test
    void whatNnapiTakesIsLegalizedInOneRound() {
        assertEquals(
                List.of(
                        "freeze",
                        "normalize quantize steps",
                        "unpack",
                        "take masked branches",
                        "evaluate partially",
                        "take more masked branches",
                        "simplify",
                        "evaluate new values",
                        "slice listed parts",
                        "ask for support",
                        "dequantize around real operators",
                        "multiply reals by channels",
                        "split complex numbers",
                        "decompose composites",
                        LEGALIZE,
                        "partition",
                        "compare releases",
                        "measure coverage",
                        "describe checks of ranges",
                        "name inputs and outputs",
                        "guard arguments",
                        "make delegates",
                        "call delegates"),
                journey(state(CONVOLUTION, "torch.relu(a)")));
    }

    /**
     * A number's sign is copied as a tensor's, in the second round, and that is made of what NNAPI has, in the third;
     * the graph is partitioned once all the same.
     */
    @Test
    void whatIsRewrittenIsLegalizedAgainAndPartitionedOnce() {
        List<String> names = journey(state(CONVOLUTION, "torch.copysign(a, 2.0)"));
        assertEquals(3, Collections.frequency(names, "ask for support"), names::toString);
        assertEquals(1, Collections.frequency(names, LEGALIZE));
        assertEquals(1, Collections.frequency(names, "partition"));
    }

    @Test
    void aPassGetsAtWhatItDeclares() {
        ConversionState state =
                ConversionPipeline.PREPARE.without(PassResult.CORE).run(state(CONVOLUTION, "a"));
        Graph graph = state.get(PassResult.GRAPH);
        ConversionPass curious = ConversionPass.pass("look", passing -> passing.get(PassResult.GRAPH));
        assertEquals(
                "pass look: reads graph (expected: only what it declares)",
                assertThrows(IllegalStateException.class, () -> state.run(curious))
                        .getMessage());
        ConversionPass secret = ConversionPass.pass("put", passing -> passing.put(PassResult.GRAPH, graph));
        assertEquals(
                "pass put: makes graph (expected: only what it declares)",
                assertThrows(IllegalStateException.class, () -> state.run(secret))
                        .getMessage());
        ConversionPass early = ConversionPass.pass("emit", passing -> {}).needing(PassResult.PARTITION);
        assertEquals(
                "pass emit: needs partition (expected: a pass before it that gives it)",
                assertThrows(IllegalStateException.class, () -> state.run(early))
                        .getMessage());
    }

    @Test
    void leavingOutWhatNoPassGivesIsAnError() {
        assertThrows(IllegalArgumentException.class, () -> ConversionPipeline.PREPARE.without(PassResult.FACTS));
    }
}
