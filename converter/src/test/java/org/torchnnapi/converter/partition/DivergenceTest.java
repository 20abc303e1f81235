package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;

class DivergenceTest {
    private static final Tensor INPUT = FreeUnderTest.random(2, 2048);
    /** NNAPI costs nothing, so that all goes there that can. */
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));

    private static final String NORM = "_0 = torch.layer_norm(x, [2048], None, None, 1e-05, False)";
    /** Rounded otherwise by NNAPI's operations than by the original's. */
    private static final String DEVIATION = "_0 = torch.div(x, torch.std(x, [1], True, True))";

    /** Of so many runs that some are rounded otherwise for open sizes too. */
    private static final String VARIANCE = "_0 = torch.var(torch.view(x, [-1, 16]), [1], True, True)";

    private static final String SINE = "torch.sin(torch.mul(_0, 100000000.))";

    private static Conversion checked(ScriptModule original) {
        return checked(original, FreeUnderTest.RUNTIME);
    }

    private static Conversion checked(ScriptModule original, ScriptRuntime runtime) {
        return Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(INPUT)).withSegmentCost(FREE),
                runtime);
    }

    /** Runs NNAPI models on a device that makes those wrong by a thousandth of which something holds. */
    private static ScriptRuntime wrong(Predicate<Model> models) {
        return wrong(models, result -> result * 1.001);
    }

    private static ScriptRuntime wrong(Predicate<Model> models, DoubleUnaryOperator change) {
        return Runtimes.standard(EngineOptions.defaults()
                .withDevices(Devices.of(new WrongDriver(models, change)))
                .withOnly(List.of("wrong")));
    }

    private static Predicate<Model> with(OperationType type) {
        return model -> model.operations().stream().anyMatch(operation -> operation.type() == type);
    }

    private static void requireRefused(Conversion conversion, String reason) {
        assertFalse(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains(reason), conversion.report().text());
    }

    private static Divergence find(ScriptModule original) {
        return find(original, FreeUnderTest.RUNTIME, 1 << 26);
    }

    private static Divergence find(ScriptModule original, ScriptRuntime runtime, long room) {
        NativeOptions options = new NativeOptions(
                SegmentCost.DEFAULT,
                Target.DEFAULT,
                false,
                2,
                false,
                Set.of(),
                false,
                "forward",
                Set.of(),
                UnaryOperator.identity());
        return Divergence.find(
                Passes.prepare(original.object(), "forward", Set.of()),
                original,
                "forward",
                List.of(INPUT),
                options,
                runtime,
                SelfCheck.Bound.REAL,
                room);
    }

    /** The later nodes run on what is left of the original's values, which holds what they read of any earlier one. */
    @Test
    void nodesAreLookedIntoAFewAtATime() {
        ScriptModule original = FreeUnderTest.module(
                List.of(),
                "Tensor",
                NORM,
                "_1 = torch.view(_0, [4, 1024])",
                "_2 = torch.mul(_1, 3.)",
                "_3 = torch.view(_2, [2, 2048])",
                "torch.maximum(torch.sin(torch.relu(_3)), _0)");
        for (long room : new long[] {1, 3 * 4096, 1 << 26}) {
            Divergence found = find(original, FreeUnderTest.RUNTIME, room);
            assertNull(found.node(), found.text());
            assertNull(found.rest());
            assertTrue(found.text().startsWith("1 NNAPI part, each of 7 operations in it"), found.text());
            assertEquals(
                    "aten::maximum",
                    find(
                                    original,
                                    wrong(with(OperationType.MAXIMUM)
                                            .and(with(OperationType.SIN).negate())),
                                    room)
                            .node()
                            .kind());
        }
    }

    @Test
    void roundingThatTheModelMakesLargerIsToldAndNoFailure() {
        Conversion conversion = checked(FreeUnderTest.module(List.of(), "Tensor", DEVIATION, SINE));
        assertTrue(conversion.succeeded(), conversion.report().text());
        String notes = String.join("; ", conversion.report().notes());
        assertTrue(
                notes.contains("as the original's own do where its inputs and weights change by their last bits"),
                notes);
        assertTrue(notes.contains("1 NNAPI part"), notes);
    }

    private static Conversion open(ScriptRuntime runtime) {
        return Converter.convert(
                FreeUnderTest.module(List.of(), "Tensor", VARIANCE, SINE),
                ConversionOptions.defaults()
                        .withInputs(List.of(InputSpec.of(DType.FLOAT32, -1, 2048)))
                        .withSegmentCost(FREE),
                runtime);
    }

    @Test
    void openSizesAreLookedIntoOneByOne() {
        Conversion conversion = open(FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().notes().stream()
                                .filter(note ->
                                        note.startsWith("self-check: the results differ (for inputs of sizes ["))
                                .count()
                        > 1,
                conversion.report().text());
        assertTrue(
                conversion.report().notes().stream().noneMatch(note -> note.startsWith("self-check passed")),
                conversion.report().text());
        requireRefused(open(wrong(with(OperationType.SIN))), "the first operation that differs is aten::sin");
    }

    /**
     * Of tensors with as many rows as elements decide, all rows are looked at, a call's worth at a time; the
     * TorchScript around takes them in one.
     */
    @Test
    void segmentsOfRowsAreLookedInto() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(16, 16)),
                "Tensor",
                "x0 = torch.view(x, [256, 16])",
                "r = torch.index(x0, annotate(List[Optional[Tensor]], [torch.gt(torch.select(x0, 1, 0), 0.)]))",
                "_0 = torch.layer_norm(torch.linear(r, CONSTANTS.c0), [16], None, None, 1e-05, False)",
                SINE);
        Conversion unsteady = checked(original);
        assertTrue(unsteady.succeeded(), unsteady.report().text());
        requireRefused(
                checked(original, wrong(with(OperationType.FULLY_CONNECTED))),
                "the first operation that differs is aten::linear");
        requireRefused(
                checked(original, wrong(with(OperationType.SIN))), "the first operation that differs is aten::sin");
    }

    @Test
    void steadyModelsPassWithoutALookInside() {
        Conversion conversion = checked(FreeUnderTest.module(List.of(), "Tensor", NORM, "torch.relu(_0)"));
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertFalse(String.join("; ", conversion.report().notes()).contains("the results differ"));
    }

    @Test
    void eachOperationAndTheRestAreRightOnTheOriginalsValues() {
        Divergence found = find(FreeUnderTest.module(List.of(), "Tensor", NORM, SINE));
        assertNull(found.node(), found.text());
        assertNull(found.rest());
        assertTrue(
                found.text()
                        .startsWith("1 NNAPI part, each of 3 operations in it, (rounding grows in a part: output 0 "
                                + "element "),
                found.text());
    }

    /** What a segment takes may be written to in place by nodes that do not run again where only the segment's do. */
    @Test
    void segmentsOfWhatIsWrittenInPlaceAreLookedInto() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(2048, 16)),
                "Tensor",
                "z = torch.zeros_like(x)",
                "if bool(torch.gt(torch.sum(x), 1000000.)):",
                "  _w = torch.copy_(z, torch.lgamma(x))",
                "else:",
                "  _w = torch.copy_(z, x)",
                "_0 = torch.relu(torch.sub(torch.matmul(torch.floor(z), torch.floor(CONSTANTS.c0)), 512.))",
                "torch.nonzero(_0)");
        requireRefused(
                checked(original, wrong(model -> true, result -> result + 1e-5)),
                "the converted model must return what the original returns");
        requireRefused(
                checked(original, wrong(model -> true, result -> result + 0.1)),
                "the first operation that differs is aten::");
    }

    @Test
    void wrongOperationsOfUnsteadyModelsAreRefused() {
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", NORM, SINE);
        requireRefused(
                checked(original, wrong(with(OperationType.SIN))), "the first operation that differs is aten::sin");
        requireRefused(
                checked(
                        original,
                        wrong(with(OperationType.MUL)
                                .and(with(OperationType.SIN).negate())
                                .or(model -> model.operations().size() > 1))),
                "the first operation that differs is aten::");
    }

    @Test
    void steadyModelsWhoseOperationsAreRightOnlyAloneAreRefused() {
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", NORM, "torch.relu(torch.mul(_0, 3.))");
        assertTrue(checked(original).succeeded());
        requireRefused(
                checked(original, wrong(with(OperationType.RELU).and(with(OperationType.MUL)))),
                "the converted model must return what the original returns");
    }

    /** The last bits of NNAPI's results decide what is found; those of the input do not, as they are cut off. */
    @Test
    void roundingThatTheOriginalDoesNotShowIsAFailure() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(2048, 16)),
                "Tensor",
                "_0 = torch.relu(torch.sub(torch.matmul(torch.floor(x), torch.floor(CONSTANTS.c0)), 512.))",
                "torch.nonzero(_0)");
        assertNull(SelfCheck.unsteady(
                original, "forward", List.of(List.of(INPUT)), List.of(), Map.of(), SelfCheck.Bound.REAL));
        requireRefused(
                checked(original, wrong(model -> true, result -> result + 1e-5)),
                "the converted model must return what the original returns");
        requireRefused(
                checked(original, wrong(model -> true, result -> result + 0.1)),
                "the first operation that differs is aten::");
    }

    /** As many as there are operations would hold their weights and their memory several times. */
    @Test
    void partsOfTheCheckAreClosedOneByOne() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(2048, 16)),
                "Tensor",
                "_0 = torch.relu(torch.sub(torch.matmul(torch.floor(x), torch.floor(CONSTANTS.c0)), 512.))",
                "torch.nonzero(_0)");
        WrongDriver driver = new WrongDriver(model -> true, result -> result + 1e-5);
        ScriptRuntime runtime = Runtimes.standard(
                EngineOptions.defaults().withDevices(Devices.of(driver)).withOnly(List.of("wrong")));
        requireRefused(checked(original, runtime), "the converted model must return what the original returns");
        assertTrue(driver.prepared.get() > 4, driver.prepared.get() + " models were prepared");
        assertEquals(0, driver.open.get());
        assertEquals(1, driver.mostOpen.get());
    }

    @Test
    void checksThatMemoryRanOutOfSaySo() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(2048, 16)),
                "Tensor",
                "_0 = torch.relu(torch.sub(torch.matmul(torch.floor(x), torch.floor(CONSTANTS.c0)), 512.))",
                "torch.nonzero(_0)");
        ScriptRuntime rounding = wrong(model -> true, result -> result + 1e-5);
        AtomicInteger calls = new AtomicInteger();
        Function<String, List<Operator>> operators = name -> rounding.operators().apply(name).stream()
                .map(operator -> name.equals("aten::nonzero")
                        ? new Operator(operator.schema(), arguments -> {
                            if (calls.getAndIncrement() > 2) {
                                throw new MemoryException("a tensor of 8 bytes", null);
                            }
                            return operator.kernel().call(arguments);
                        })
                        : operator)
                .toList();
        requireRefused(
                checked(original, new ScriptRuntime(operators, rounding.customClasses(), false)),
                "as memory ran out: ");
        assertTrue(calls.get() > 3);
    }

    /** Rows of what is found, fewer where they are many. */
    private static Tensor onlyFew(Tensor rows) {
        return rows.size(0) < 32
                ? rows
                : new Tensor(rows.storage(), rows.offset(), new int[] {7, rows.size(1)}, rows.strides(), null);
    }

    @Test
    void wrongTorchScriptAroundUnsteadySegmentsIsRefused() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(2048, 16)),
                "Tensor",
                DEVIATION,
                "_1 = " + SINE,
                "torch.lgamma(torch.add(torch.abs(torch.matmul(_1, CONSTANTS.c0)), 3.))");
        Conversion right = checked(original);
        assertTrue(right.succeeded(), right.report().text());
        assertTrue(
                String.join("; ", right.report().notes()).contains("the TorchScript around agree"),
                right.report().text());
        ScriptRuntime standard = FreeUnderTest.RUNTIME;
        Function<String, List<Operator>> operators = name -> standard.operators().apply(name).stream()
                .map(operator -> name.equals("aten::lgamma")
                        ? new Operator(
                                operator.schema(),
                                arguments -> changed((Tensor) operator.kernel().call(arguments)))
                        : operator)
                .toList();
        requireRefused(
                checked(original, new ScriptRuntime(operators, standard.customClasses(), false)),
                "each NNAPI part agrees on the original's values, what is around them does not");
    }

    private static Tensor changed(Tensor result) {
        float[] elements = result.storage().floatArray();
        elements[elements.length - 1] *= 1.01f;
        return result;
    }

    /** Computes as the reference device, and something else for some models. */
    private static final class WrongDriver extends EagerDriver {
        private final ReferenceDriver reference = new ReferenceDriver();
        private final Predicate<Model> models;
        private final DoubleUnaryOperator change;
        private final AtomicInteger prepared = new AtomicInteger();
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger mostOpen = new AtomicInteger();

        WrongDriver(Predicate<Model> models, DoubleUnaryOperator change) {
            super("wrong");
            this.models = models;
            this.change = change;
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            PreparedModel right = reference.prepare(model, options);
            prepared.incrementAndGet();
            mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
            return !models.test(model)
                    ? right
                    : new PreparedModel() {
                        @Override
                        public void execute(ExecutionRequest request) {
                            right.execute(request);
                            FloatBuffer results = (FloatBuffer) request.output(0);
                            for (int i = 0; i < results.limit(); i++) {
                                results.put(i, (float) change.applyAsDouble(results.get(i)));
                            }
                        }

                        @Override
                        public void close() {
                            open.decrementAndGet();
                            right.close();
                        }
                    };
        }
    }
}
