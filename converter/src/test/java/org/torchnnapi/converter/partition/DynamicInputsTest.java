package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;

/** Which of several open sizes have to be equal, and what is said of models that take one size only. */
class DynamicInputsTest {
    private static final SegmentCost ANY = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));
    /** Ten seconds of a user's, on a machine that does other things besides. */
    private static final Duration SOON = Duration.ofSeconds(100);

    private static ScriptModule module(String arguments, String result) {
        return FreeUnderTest.module(
                "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net" + arguments + ") -> Tensor:\n    return " + result
                        + "\n",
                new PickledDict(null).put("training", false));
    }

    private static ScriptModule two(String result) {
        return module(",\n    x: Tensor,\n    y: Tensor", result);
    }

    private static Conversion convert(ScriptModule original, List<Tensor> example, int[]... shapes) {
        ConversionOptions options = ConversionOptions.defaults()
                .withInputs(Arrays.stream(shapes)
                        .map(shape -> InputSpec.of(DType.FLOAT32, shape))
                        .toList())
                .withSegmentCost(ANY);
        return assertTimeout(
                SOON,
                () -> Converter.convert(
                        original, example == null ? options : options.withExample(example), FreeUnderTest.RUNTIME));
    }

    private static void compare(ScriptModule original, Conversion conversion, int[]... shapes) {
        ScriptModule converted = DynamicShapeConversionTest.load(conversion);
        List<Tensor> inputs = Arrays.stream(shapes).map(FreeUnderTest::random).toList();
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", inputs),
                SelfCheck.run(converted, "forward", inputs),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result::text);
    }

    @Test
    void sizesThatHaveToBeEqualAreFound() {
        ScriptModule original = two("torch.add(torch.relu(x), y)");
        Conversion conversion = convert(original, null, new int[] {1, 3, -1, -1}, new int[] {1, 3, -1, -1});
        compare(original, conversion, new int[] {1, 3, 7, 9}, new int[] {1, 3, 7, 9});
        assertEquals(List.of(), conversion.refusals());
    }

    @Test
    void sizesThatNeedNotBeEqualAreApart() {
        ScriptModule original = two("torch.softmax(torch.matmul(x, torch.transpose(y, -2, -1)), -1)");
        Conversion conversion = convert(original, null, new int[] {1, -1, -1}, new int[] {1, -1, -1});
        compare(original, conversion, new int[] {1, 3, 10}, new int[] {1, 6, 10});
        compare(original, conversion, new int[] {1, 5, 4}, new int[] {1, 2, 4});
    }

    /** The example has one length by chance. */
    @Test
    void sizesThatAreEqualInTheExampleAreApart() {
        ScriptModule original = two("torch.softmax(torch.matmul(x, torch.transpose(y, -2, -1)), -1)");
        Tensor tokens = FreeUnderTest.random(1, 12, 16);
        Conversion conversion =
                convert(original, List.of(tokens, tokens), new int[] {1, -1, -1}, new int[] {1, -1, -1});
        compare(original, conversion, new int[] {1, 3, 10}, new int[] {1, 6, 10});
    }

    @Test
    void sixOpenSizesEnd() {
        ScriptModule original =
                module(",\n    x: Tensor,\n    y: Tensor,\n    z: Tensor", "torch.mul(torch.add(torch.relu(x), y), z)");
        int[] open = {-1, 3, -1, -1};
        Conversion conversion = convert(original, null, open, open, open);
        compare(original, conversion, new int[] {2, 3, 5, 8}, new int[] {2, 3, 5, 8}, new int[] {2, 3, 5, 8});
    }

    /** What was made for one size says so soon, and takes no memory for images as long as signals are. */
    @Test
    void modelsOfOneSizeAreToldAtOnce() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(8, 3, 3, 3), FreeUnderTest.random(1, 8, 12, 12)),
                "Tensor",
                "y = torch.conv2d(x, CONSTANTS.c0, None, [8, 8], [1, 1], [1, 1], 1)",
                "torch.add(y, CONSTANTS.c1)");
        String told = convert(original, null, new int[] {1, 3, -1, -1}).report().text();
        assertTrue(told.contains("runs on float32[1, 3, 96, 96]"), told);
        assertTrue(told.contains("--example"), told);
        assertFalse(told.contains("report this model"), told);
    }

    @Test
    void sizesThatNobodyGaveAreNoneThatAreToldOf() {
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", "torch.reshape(x, [3, -1, 1, 1])");
        Conversion conversion = convert(original, List.of(FreeUnderTest.random(3, 8, 7, 7)), new int[] {-1, 8, -1, -1});
        String told = conversion.report().text();
        assertTrue(conversion.succeeded() || told.contains("[3, 8, 7, 7]"), told);
        assertFalse(told.contains("2147483647"), told);
    }

    @Test
    void examplesHaveTheDimensionsThatInputsSay() {
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", "torch.relu(x)");
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> convert(original, List.of(FreeUnderTest.random(2, 3, 4)), new int[] {1, 2, -1, -1}));
        assertTrue(
                e.getMessage()
                        .contains("dtype=torch.float32) for argument 0 (expected: 4 dimensions, as the input says)"),
                e.getMessage());
    }
}
