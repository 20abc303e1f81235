package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Models whose sizes are open, run with sizes that the conversion never saw. */
class DynamicShapeConversionTest {
    static final String CONV = "y = torch.conv2d(x, CONSTANTS.c0, None, [2, 2], [1, 1], [1, 1], 1)";
    private static final SegmentCost ANY = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));

    static List<Tensor> filter(int out, int in) {
        Tensor filter = FreeUnderTest.random(out, in, 3, 3);
        return List.of(filter);
    }

    static Conversion convert(ScriptModule original, int... shape) {
        return convert(original, List.of(InputSpec.of(DType.FLOAT32, shape)));
    }

    static Conversion convert(ScriptModule original, List<InputSpec> specs) {
        return Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withInputs(specs)
                        .withTarget(Target.DEFAULT)
                        .withSegmentCost(ANY),
                FreeUnderTest.RUNTIME);
    }

    static ScriptModule load(Conversion conversion) {
        assertTrue(conversion.succeeded(), conversion.report().text());
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
    }

    static void compare(ScriptModule original, ScriptModule converted, int... shape) {
        Tensor input = FreeUnderTest.random(shape);
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", List.of(input)),
                SelfCheck.run(converted, "forward", List.of(input)),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), () -> Arrays.toString(shape) + ": " + result.text());
    }

    private static int kept(ScriptModule converted) {
        return ((ScriptList) ((ScriptObject) converted.object().get("nnapi_part_0")).get("comps")).size();
    }

    /** Made numbers that lie outside of a table are none that the original takes. */
    @Test
    void placesOfASmallTableAreChecked() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(1, 6), FreeUnderTest.random(5, 6)),
                "Tensor",
                "y = torch.embedding(CONSTANTS.c0, x)",
                "torch.linear(y, CONSTANTS.c1)");
        Conversion conversion = convert(original, List.of(InputSpec.of(DType.INT64, 1, -1)));
        assertTrue(conversion.succeeded(), conversion.report().text());
    }

    @Test
    void sizesThatAreNotOpenAreAskedForWhereNnapiDoesNotSeeThem() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 3),
                "Tensor",
                "b = torch.size(x, 0)",
                "c = torch.size(x, 3)",
                "y = torch.conv2d(torch.reshape(x, [torch.mul(b, 2), 3, torch.size(x, 3), torch.size(x, 4)]), "
                        + "CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "torch.reshape(y, [b, 2, 8, c, -1])");
        ScriptModule converted = load(convert(original, -1, 2, 3, 16, 16));
        compare(original, converted, 5, 2, 3, 16, 16);
        assertTrue(assertThrows(
                        ScriptException.class, () -> converted.call("forward", FreeUnderTest.random(5, 2, 3, 8, 32)))
                .getMessage()
                .contains("dimension 3 of argument 0: 8 (expected: 16"));
        assertTrue(assertThrows(
                        ScriptException.class, () -> converted.call("forward", FreeUnderTest.random(5, 2, 3, 16)))
                .getMessage()
                .contains("4 dimensions (expected: 5)"));
    }

    @Test
    void compilesEachShapeOnceAndKeepsTheLatest() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 3),
                "Tensor",
                CONV,
                "z = torch.mul(y, torch.sigmoid(y))",
                "torch.flatten(torch.max_pool2d(z, [3, 3], [2, 2], [1, 1], [1, 1], False), 2, -1)");
        Conversion conversion = convert(original, -1, 3, -1, -1);
        assertEquals(List.of(), conversion.refusals());
        ScriptModule converted = load(conversion);
        int[][] shapes = {{1, 3, 17, 40}, {4, 3, 64, 33}, {1, 3, 200, 5}};
        for (int[] shape : shapes) {
            compare(original, converted, shape);
        }
        Object third = ((ScriptList) ((ScriptObject) converted.object().get("nnapi_part_0")).get("comps"))
                .items()
                .get(2);
        for (int[] shape : shapes) {
            compare(original, converted, shape);
        }
        assertEquals(3, kept(converted));
        assertTrue(
                third
                        == ((ScriptList) ((ScriptObject) converted.object().get("nnapi_part_0")).get("comps"))
                                .items()
                                .get(2),
                "compiled again");
        for (int i = 0; i < 9; i++) {
            compare(original, converted, 1, 3, 20 + i, 21);
        }
        assertEquals(8, kept(converted));
    }

    @Test
    void theFirstCallDecidesForSizesOfZero() {
        ScriptModule original = FreeUnderTest.module(filter(8, 3), "Tensor", CONV, "torch.mul(y, torch.sigmoid(y))");
        ScriptModule converted = load(convert(original, 1, 3, 0, 0));
        compare(original, converted, 1, 3, 30, 41);
        compare(original, converted, 1, 3, 30, 41);
        RuntimeException failure =
                assertThrows(RuntimeException.class, () -> compare(original, converted, 1, 3, 30, 42));
        assertTrue(
                failure.getMessage().contains("[1, 3, 30, 42] (expected: those of the first call, [1, 3, 30, 41]"),
                failure.getMessage());
    }

    @Test
    void computesNumbersAroundSegments() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tuple[Tensor, Tensor]",
                "y = torch.cumsum(torch.sigmoid(torch.conv2d(x, CONSTANTS.c0, None, [2, 2], [1, 1], [1, 1], 1)), 3)",
                "z = torch.conv2d(torch.relu(y), CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "a = torch.reshape(z, [torch.size(z, 0), -1, torch.mul(torch.size(z, 2), torch.size(z, 3))])",
                "b = torch.div(z, float(torch.size(x, 2)))",
                "(a, torch.erfinv(torch.mul(torch.tanh(torch.slice(b, 2, 0, torch.floordiv(torch.size(x, 2), 4))), "
                        + "0.5)))");
        Conversion conversion = convert(original, 1, 8, -1, -1);
        ScriptModule converted = load(conversion);
        assertTrue(conversion.models().size() > 1, conversion.report().text());
        compare(original, converted, 1, 8, 23, 18);
        compare(original, converted, 1, 8, 18, 23);
        compare(original, converted, 1, 8, 60, 77);
    }

    @Test
    void tablesOfSizesStayTorchScript() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(16, 16)),
                "Tensor",
                "q = torch.matmul(x, CONSTANTS.c0)",
                "n = torch.size(x, 1)",
                "mask = torch.gt(torch.triu(torch.ones([n, n], dtype=6), 1), 0.5)",
                "a = torch.masked_fill(torch.matmul(q, torch.transpose(q, 1, 2)), mask, -100.)",
                "torch.matmul(torch.softmax(a, -1), torch.add(q, torch.unsqueeze(torch.arange(n, dtype=6), 1)))");
        Conversion conversion = convert(original, 1, -1, 16);
        ScriptModule converted = load(conversion);
        assertFalse(conversion.models().isEmpty(), conversion.report().text());
        for (int length : new int[] {1, 5, 31, 90}) {
            compare(original, converted, 1, length, 16);
        }
    }

    @Test
    void asksForTheStepOfSizesThatTheModelTakes() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tensor",
                "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "torch.reshape(torch.silu(y), [1, 8, torch.floordiv(torch.size(x, 2), 4), 4, torch.size(x, 3)])");
        Conversion conversion = convert(original, 1, 8, -1, 12);
        ScriptModule converted = load(conversion);
        assertTrue(
                conversion.report().text().contains("a multiple of 4"),
                conversion.report().text());
        compare(original, converted, 1, 8, 20, 12);
        RuntimeException failure = assertThrows(
                RuntimeException.class, () -> converted.call("forward", FreeUnderTest.random(1, 8, 22, 12)));
        assertTrue(
                failure.getMessage().contains("dimension 2 of argument 0: 22 (expected: a multiple of 4"),
                failure.getMessage());
    }

    @Test
    void whatTheModelRaisesForSizesIsRaised() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tensor",
                "n = torch.size(x, 2)",
                "if torch.gt(torch.mul(n, 2), 400):\n"
                        + "      ops.prim.RaiseException(torch.format(\"{} rows\", n))\n"
                        + "    else:\n"
                        + "      pass",
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)");
        ScriptModule converted = load(convert(original, 1, 8, -1, 12));
        compare(original, converted, 1, 8, 200, 12);
        RuntimeException failure = assertThrows(
                RuntimeException.class, () -> converted.call("forward", FreeUnderTest.random(1, 8, 201, 12)));
        assertTrue(failure.getMessage().contains("201 rows"), failure.getMessage());
    }

    /** @return the message with which the converted module refuses the shape */
    private static String refused(ScriptModule original, int[] open, int[] taken, int... other) {
        ScriptModule converted = load(convert(original, open));
        compare(original, converted, taken);
        return assertThrows(RuntimeException.class, () -> converted.call("forward", FreeUnderTest.random(other)))
                .getMessage();
    }

    @Test
    void anotherBranchThanForTheSizesTriedIsRefused() {
        String product = "y = torch.conv2d(x, CONSTANTS.c0, None, [2, 2], [1, 1], [1, 1], 1)";
        for (String condition : List.of(
                "torch.gt(torch.size(x, 2), 400)",
                "torch.gt(torch.floordiv((torch.size(x))[2], 400), 0)",
                "torch.gt(torch.size(y, 2), 200)",
                "torch.gt(torch.mul(torch.div(torch.size(x, 2), 2), 1.), 200.5)",
                "torch.__not__(torch.lt(torch.size(x, 2), 401))")) {
            ScriptModule original = FreeUnderTest.module(
                    filter(8, 8),
                    "Tensor",
                    product,
                    "if " + condition + ":\n      z = torch.mul(y, 2)\n    else:\n      z = y",
                    "torch.silu(z)");
            String message = refused(original, new int[] {1, 8, -1, 12}, new int[] {1, 8, 399, 12}, 1, 8, 402, 12);
            assertTrue(
                    message.contains("dimension 2 of argument 0: 402 (expected: sizes for which the branch at code/"),
                    condition + ": " + message);
        }
    }

    @Test
    void theSmallerOfTwoNumbersIsTheOneOfTheSizesTried() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tensor",
                "n = ops.prim.min(torch.size(x, 2), 300)",
                "y = torch.slice(x, 2, 0, n, 1)",
                "torch.conv2d(y, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)");
        assertTrue(refused(original, new int[] {1, 8, -1, 12}, new int[] {1, 8, 300, 12}, 1, 8, 301, 12)
                .contains("the bound at"));
    }

    @Test
    void aSliceEndsWhereItEndsForTheSizesTried() {
        for (String bounds : List.of("0, 300", "-300, 9223372036854775807")) {
            ScriptModule original = FreeUnderTest.module(
                    filter(8, 8),
                    "Tensor",
                    "y = torch.slice(x, 2, " + bounds + ", 1)",
                    "torch.conv2d(y, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)");
            assertTrue(refused(original, new int[] {1, 8, -1, 12}, new int[] {1, 8, 299, 12}, 1, 8, 301, 12)
                    .contains("the bound at"));
        }
    }

    @Test
    void aSizeOfOneThatGoesAwayIsRefused() {
        String product = "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)";
        for (String squeeze : List.of("torch.squeeze(y)", "torch.squeeze(y, 2)")) {
            ScriptModule original = FreeUnderTest.module(filter(8, 8), "Tensor", product, squeeze);
            assertTrue(refused(original, new int[] {1, 8, -1, 12}, new int[] {1, 8, 2, 12}, 1, 8, 1, 12)
                    .contains("dimension 2 of argument 0: 1 (expected: 2 or more"));
        }
        // Others take it.
        ScriptModule plain = FreeUnderTest.module(filter(8, 8), "Tensor", product, "torch.flatten(y, 1)");
        ScriptModule converted = load(convert(plain, -1, 8, -1, 12));
        compare(plain, converted, 1, 8, 1, 12);
    }

    @Test
    void aLoopTakesAsManyTurnsAsForTheSizesTried() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tensor",
                "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "for i in range(torch.floordiv(torch.size(x, 2), 400)):\n      y = torch.mul(y, 2)",
                "torch.silu(y)");
        assertTrue(refused(original, new int[] {1, 8, -1, 12}, new int[] {1, 8, 399, 12}, 1, 8, 402, 12)
                .contains("the number of turns at"));
    }

    @Test
    void refusesWhatIsAnotherModelForEachSize() {
        ScriptModule original = FreeUnderTest.module(
                filter(8, 8),
                "Tensor",
                "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "if torch.gt(torch.size(x, 2), 97):\n      y = torch.silu(y)\n    else:\n      y = torch.tanh(y)",
                "y");
        Conversion conversion = convert(original, 1, 8, -1, 12);
        assertFalse(conversion.succeeded());
        String text = conversion.report().text();
        assertTrue(
                text.contains("the model must be the same for all sizes that are left open")
                        && text.contains("give each shape that comes by itself"),
                text);
    }

    /** And not the sizes of the samples that it was converted with. */
    @Test
    void reportsWhichSizesOfResultsAreOpen() {
        Conversion pooled =
                convert(FreeUnderTest.module(filter(4, 3), "Tensor", CONV, "torch.mean(y, [2, 3])"), -1, 3, -1, -1);
        assertEquals(List.of("float32[?, 4]"), pooled.report().outputs());
        Conversion image = convert(FreeUnderTest.module(filter(4, 3), "Tensor", CONV, "torch.relu(y)"), 1, 3, -1, 32);
        assertEquals(List.of("float32[1, 4, ?, 16] NHWC"), image.report().outputs());
    }

    @Test
    void tiesSizesThatHaveToBeEqual() {
        ScriptModule original = FreeUnderTest.module(
                "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    x: Tensor,\n    y: Tensor) -> Tensor:\n    "
                        + "return torch.matmul(torch.silu(torch.add(x, y)), torch.transpose(x, 1, 2))\n",
                new PickledDict(null).put("training", false));
        InputSpec open = InputSpec.of(DType.FLOAT32, 1, -1, 16);
        ScriptModule converted = load(convert(original, List.of(open, open)));
        List<Tensor> inputs = List.of(FreeUnderTest.random(1, 21, 16), FreeUnderTest.random(1, 21, 16));
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", inputs),
                SelfCheck.run(converted, "forward", inputs),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
        RuntimeException failure = assertThrows(
                RuntimeException.class,
                () -> converted.call("forward", FreeUnderTest.random(1, 21, 16), FreeUnderTest.random(1, 22, 16)));
        assertTrue(failure.getMessage().contains("dimension 1 of argument 1: 22 (expected: 21"), failure.getMessage());
    }

    /** Two sets of points, each in two arguments whose dimensions do not say which belong together. */
    @Test
    void tiesSizesThatAreEqualInTheExample() {
        ScriptModule original = FreeUnderTest.module(
                "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    a: Tensor,\n    b: Tensor,\n    c: Tensor,\n  "
                        + "  d: Tensor) -> Tensor:\n"
                        + "    return torch.matmul(torch.add(a, torch.transpose(b, 1, 2)), "
                        + "torch.transpose(torch.add(c, torch.transpose(d, 1, 2)), 1, 2))\n",
                new PickledDict(null).put("training", false));
        List<InputSpec> specs = List.of(
                InputSpec.of(DType.FLOAT32, 1, -1, 16),
                InputSpec.of(DType.FLOAT32, 1, 16, -1),
                InputSpec.of(DType.FLOAT32, 1, -1, 16),
                InputSpec.of(DType.FLOAT32, 1, 16, -1));
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withInputs(specs)
                        .withExample(sets(20, 17))
                        .withTarget(Target.DEFAULT)
                        .withSegmentCost(ANY),
                FreeUnderTest.RUNTIME);
        ScriptModule converted = load(conversion);
        List<Tensor> inputs = sets(13, 31);
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", inputs),
                SelfCheck.run(converted, "forward", inputs),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
    }

    /** Many equal sizes, told apart by as much as images are, would be more elements than a tensor has. */
    @Test
    void sizesOfWhichNoTensorIsAreNotTried() {
        ScriptModule original = FreeUnderTest.module(
                "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    a: Tensor,\n    b: Tensor,\n    c: Tensor) -> "
                        + "Tensor:\n    return torch.cat([c, c], 1)\n",
                new PickledDict(null).put("training", false));
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withInputs(Collections.nCopies(3, InputSpec.of(DType.FLOAT32, -1, -1, -1, -1, -1)))
                        .withExample(Collections.nCopies(3, FreeUnderTest.random(3, 5, 2, 2, 2)))
                        .withSegmentCost(ANY),
                FreeUnderTest.RUNTIME);
        String text = conversion.report().text();
        assertTrue(conversion.succeeded() || text.contains("says which sizes to begin with"), text);
    }

    private static List<Tensor> sets(int first, int second) {
        return List.of(
                FreeUnderTest.random(1, first, 16),
                FreeUnderTest.random(1, 16, first),
                FreeUnderTest.random(1, second, 16),
                FreeUnderTest.random(1, 16, second));
    }

    @Test
    void statesAndCountersAreComparedCallByCall() {
        for (int open : new int[] {-1, 0}) {
            String source =
                    "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  w : Tensor\n  h : Tensor\n  "
                            + "calls : Tensor\n  training : bool\n"
                            + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tuple[Tensor, Tensor]:\n    "
                            + "y = torch.tanh(torch.linear(torch.add(x, self.h), self.w))\n"
                            + "    self.h = torch.mean(y, [1], True)\n    _0 = torch.add_(self.calls, 1.)\n    "
                            + "return (y, torch.clone(self.calls))\n";
            ScriptModule original = FreeUnderTest.module(
                    source,
                    new PickledDict(null)
                            .put("w", FreeUnderTest.random(16, 16))
                            .put("h", FreeUnderTest.random(1, 1, 16))
                            .put("calls", Tensor.of(new float[1], 1))
                            .put("training", false));
            ScriptModule converted = load(convert(original, 1, open, 16));
            for (int size : open == 0 ? new int[] {9, 9} : new int[] {9, 14, 9}) {
                compare(original, converted, 1, size, 16);
            }
        }
    }

    @Test
    void sizesMayBeSetAtTheFirstCallOrDifferInEach() {
        ScriptModule original = FreeUnderTest.module(filter(8, 3), "Tensor", CONV, "torch.relu(y)");
        for (int open : new int[] {0, -1}) {
            Conversion conversion = Converter.convert(
                    original,
                    ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, 1, 3, open, open))),
                    FreeUnderTest.RUNTIME);
            assertEquals(Map.of("CONV_2D", 1, "RELU", 1), conversion.report().operations());
            compare(original, load(conversion), 1, 3, 30, 41);
        }
    }

    @Test
    void allSizesOfAnImageMayBeOpen() {
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", "torch.cat([x, torch.relu(x)], 1)");
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, -1, -1, -1, -1))),
                FreeUnderTest.RUNTIME);
        assertEquals(Map.of("RELU", 1, "CONCATENATION", 1), conversion.report().operations());
        compare(original, load(conversion), 1, 3, 30, 41);
    }

    @Test
    void quantizeStepsOfOpenSizesGoOrStayOutside() {
        ScriptModule original = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "y = torch.quantize_per_tensor(x, 0.125, 100, 13)",
                "torch.dequantize(torch.relu(y))");
        ScriptModule dequantize = FreeUnderTest.module(List.of(), "Tensor", "torch.dequantize(x)");
        Tensor real = FreeUnderTest.random(5, 7);
        for (ConversionMode mode : List.of(ConversionMode.CORE, ConversionMode.FULL)) {
            Conversion conversion = Converter.convert(
                    original,
                    ConversionOptions.defaults().withMode(mode).withInputs(List.of(InputSpec.of(DType.FLOAT32, -1, 7))),
                    FreeUnderTest.RUNTIME);
            assertEquals(Map.of("RELU", 1), conversion.report().operations(), mode.name());
            Tensor given = mode == ConversionMode.CORE ? real : TensorQuantizer.toQuint8(real, 0.125, 100);
            Tensor got = (Tensor) load(conversion).call("forward", given);
            assertEquals(mode == ConversionMode.FULL, got.dtype().isQuantized());
            assertArrayEquals(
                    ((Tensor) original.call("forward", real)).toFloatArray(),
                    (mode == ConversionMode.CORE ? got : (Tensor) dequantize.call("forward", got)).toFloatArray(),
                    mode.name());
        }
    }

    static ScriptModule byExample(ScriptModule original, Tensor example, int... shape) {
        return load(Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withInputs(List.of(InputSpec.of(DType.FLOAT32, shape)))
                        .withExample(List.of(example))
                        .withTarget(Target.DEFAULT)
                        .withSegmentCost(ANY),
                FreeUnderTest.RUNTIME));
    }

    /** A grid of places, as detectors decode with: rows and columns of a square example are as many by chance. */
    @Test
    void takesASquareExampleOfWhatIsAnySize() {
        ScriptModule original = FreeUnderTest.module(
                filter(4, 3),
                "Tensor",
                CONV.replace("[2, 2]", "[4, 4]"),
                "a = torch.reshape(torch.arange(torch.size(y, 2)), [1, 1, -1, 1])",
                "b = torch.reshape(torch.arange(torch.size(y, 3)), [1, 1, 1, -1])",
                "torch.add(torch.mul(torch.sigmoid(y), a), torch.mul(torch.tanh(y), b))");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 3, 64, 64), 1, 3, -1, -1);
        compare(original, converted, 1, 3, 64, 64);
        compare(original, converted, 1, 3, 40, 100);
    }

    /** Of a segment's last node nothing is computed for some sizes: there an operation fewer is than for others. */
    @Test
    void aLastOperationMayBeMissing() {
        for (int first : new int[] {24, 25}) {
            ScriptModule original = FreeUnderTest.module(
                    filter(4, 3),
                    "Tensor",
                    CONV,
                    "n = torch.remainder(torch.sub(0, torch.size(y, 2)), 3)",
                    "torch.constant_pad_nd(torch.relu(y), [0, 0, 0, n], 0.5)");
            ScriptModule converted = byExample(original, FreeUnderTest.random(1, 3, 2 * first, 20), 1, 3, -1, 20);
            compare(original, converted, 1, 3, 34, 20);
            compare(original, converted, 1, 3, 36, 20);
            compare(original, converted, 1, 3, 38, 20);
        }
    }

    /** A table of 48 positions, and an example that takes all of them. */
    @Test
    void takesAnExampleOfTheGreatestSize() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(48, 16)),
                "Tensor",
                "n = torch.size(x, 1)",
                "y = torch.add(x, torch.slice(CONSTANTS.c0, 0, 0, n, 1))",
                "torch.softmax(torch.matmul(y, torch.transpose(y, 1, 2)), -1)");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 48, 16), 1, -1, 16);
        compare(original, converted, 1, 48, 16);
        compare(original, converted, 1, 7, 16);
    }

    /** The greatest element of an example would be there twice where it is repeated for larger sizes. */
    @Test
    void elementsOfTheExampleAreTheGreatestOnce() {
        ScriptModule original = FreeUnderTest.module(
                filter(4, 3),
                "Tensor",
                CONV,
                "torch.argmax(torch.flatten(torch.softmax(torch.mul(y, y), 1), 2, -1), 2, False)");
        compare(original, byExample(original, FreeUnderTest.random(1, 3, 16, 20), 1, 3, 16, -1), 1, 3, 16, 50);
        Tensor larger = new DynamicInputs(
                        List.of(InputSpec.of(DType.FLOAT32, 1, -1)),
                        List.of(Tensor.of(new float[] {1, -3, 2}, 1, 3)),
                        null,
                        DynamicInputs.apart(List.of(InputSpec.of(DType.FLOAT32, 1, -1)), null, null)
                                .open())
                .at(7)
                .get(0);
        float[] elements = larger.toFloatArray();
        assertArrayEquals(
                new float[] {1, -3, 2, 1 / 1.03125f, -3 / 1.03125f, 2 / 1.03125f, 1 / 1.0625f}, elements, 1e-6f);
    }

    /** Where the sizes of an argument are open, it is a tensor, though it might be None. */
    @Test
    void sizesOfWhatMayBeNoneAreOpen() {
        ScriptModule original = FreeUnderTest.module(
                "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    x: Tensor,\n    mask: Optional[Tensor]=None) "
                        + "-> Tensor:\n    if torch.__isnot__(mask, None):\n"
                        + "      y = torch.mul(x, unchecked_cast(Tensor, mask))\n    else:\n      y = x\n    return "
                        + "torch.softmax(torch.matmul(y, torch.transpose(x, 1, 2)), -1)\n",
                new PickledDict(null).put("training", false));
        ScriptModule converted = load(convert(
                original, List.of(InputSpec.of(DType.FLOAT32, 1, -1, 16), InputSpec.of(DType.FLOAT32, 1, -1, 1))));
        List<Tensor> inputs = List.of(FreeUnderTest.random(1, 21, 16), FreeUnderTest.random(1, 21, 1));
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", inputs),
                SelfCheck.run(converted, "forward", inputs),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
        RuntimeException failure =
                assertThrows(RuntimeException.class, () -> converted.call("forward", FreeUnderTest.random(1, 21, 16)));
        assertTrue(failure.getMessage().contains("argument mask is None (expected: a tensor"), failure.getMessage());
    }

    /** Sizes are told, and how much memory they would take, without making tensors of them. */
    @Test
    void countsElementsOfAnySizes() {
        DynamicInputs inputs = DynamicInputs.apart(
                List.of(InputSpec.of(DType.FLOAT32, 1, 3, -1, -1), InputSpec.of(DType.FLOAT32, 1, 7)), null, null);
        assertEquals(3L * 5_000 * 60_000 + 7, inputs.elements(5_000, 60_000));
        assertEquals("float32[1, 3, 5000, 60000], float32[1, 7]", inputs.text(5_000, 60_000));
    }
}
