package org.torchnnapi.converter.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class SelfCheckTest {
    private static final List<Tensor> INPUT = List.of(Tensor.of(new float[] {1, -2, 3}, 3));

    private static ScriptModule module(String result) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 3)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                                + "  training : bool\n  def forward(self: __torch__.net.Net,\n    x: Tensor) -> "
                                + "Tensor:\n    return "
                                + result + "\n")
                .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                .write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), Runtimes.standard());
    }

    private static SelfCheck.Result compare(String original, String converted, SelfCheck.Bound bound)
            throws IOException {
        return SelfCheck.compare(
                SelfCheck.run(module(original), "forward", INPUT),
                SelfCheck.run(module(converted), "forward", INPUT),
                bound);
    }

    @Test
    void equalResultsAgree() throws IOException {
        assertTrue(
                compare("torch.relu(x)", "torch.relu(x)", SelfCheck.Bound.REAL).agrees());
    }

    @Test
    void otherValuesAndShapesDoNot() throws IOException {
        SelfCheck.Result values = compare("torch.relu(x)", "torch.neg(x)", SelfCheck.Bound.REAL);
        assertFalse(values.agrees());
        assertTrue(values.text().contains("element 0"), values.text());
        assertTrue(compare("x", "torch.unsqueeze(x, 0)", SelfCheck.Bound.REAL)
                .text()
                .contains("[1, 3] (expected: [3])"));
    }

    @Test
    void quantizedModelsAreComparedOnAverage() throws IOException {
        assertTrue(compare("x", "torch.mul(x, 1.04)", SelfCheck.Bound.QUANTIZED).agrees());
        assertFalse(compare("x", "torch.mul(x, 1.001)", SelfCheck.Bound.REAL).agrees());
        assertFalse(compare("x", "torch.mul(x, 1.2)", SelfCheck.Bound.QUANTIZED).agrees());
    }

    @Test
    void singleOperationsAreHeldToLess() throws IOException {
        assertTrue(compare("x", "torch.mul(x, 1.0001)", SelfCheck.Bound.REAL).agrees());
        assertFalse(
                compare("x", "torch.mul(x, 1.0001)", SelfCheck.Bound.OPERATION).agrees());
    }

    /** Their last place is a hundredth. */
    @Test
    void shorterTypesMayDifferInTheirLastPlaces() throws IOException {
        String shorter = "torch.to(torch.mul(x, %s), %d)";
        assertTrue(compare(String.format(shorter, "1.", 15), String.format(shorter, "1.01", 15), SelfCheck.Bound.REAL)
                .agrees());
        assertFalse(compare(String.format(shorter, "1.", 15), String.format(shorter, "1.03", 15), SelfCheck.Bound.REAL)
                .agrees());
        assertFalse(compare(String.format(shorter, "1.", 5), String.format(shorter, "1.01", 5), SelfCheck.Bound.REAL)
                .agrees());
    }

    @Test
    void singleOperationsOnBytesMayRoundTiesOtherwise() throws IOException {
        String bytes = "torch.quantize_per_tensor(%s, 0.5, 10, 13)";
        String original = String.format(bytes, "x");
        assertTrue(compare(
                        original,
                        String.format(bytes, "torch.add(x, torch.relu(torch.sub(x, 2.6)))"),
                        SelfCheck.Bound.OPERATION)
                .agrees());
        assertFalse(compare(original, String.format(bytes, "torch.add(x, 0.4)"), SelfCheck.Bound.OPERATION)
                .agrees());
        assertFalse(compare(
                        original,
                        String.format(bytes, "torch.add(x, torch.relu(torch.sub(x, 2)))"),
                        SelfCheck.Bound.OPERATION)
                .agrees());
    }

    /** @param each what is returned in the place of every result */
    private static String unsteady(String body, float each) throws IOException {
        return SelfCheck.unsteady(
                module(body),
                "forward",
                List.of(INPUT),
                List.of(Tensor.of(new float[] {each, each, each}, 3)),
                Map.of(),
                SelfCheck.Bound.REAL);
    }

    @Test
    void modelsAreUnsteadyWhoseResultsChangeWithTheLastBits() throws IOException {
        assertNull(unsteady("torch.relu(x)", 1));
        assertNotNull(unsteady("torch.sin(torch.mul(x, 10000000.))", 0));
        assertNull(unsteady("torch.sin(torch.mul(x, 10000000.))", 3), "sines do not differ by so much");
        assertArrayEquals(new float[] {1, -2, 3}, INPUT.get(0).toFloatArray());
    }

    @Test
    void theDifferenceIsToldAgainstTheLargestValue() throws IOException {
        SelfCheck.Result result =
                compare("torch.unsqueeze(x, 0)", "torch.add(torch.unsqueeze(x, 0), 0.0003)", SelfCheck.Bound.REAL);
        assertTrue(result.agrees());
        assertTrue(
                result.text().contains("0.00010 of the largest value, the same largest column in 1 of 1 rows"),
                result.text());
    }

    private static Conversion convert(Tensor x, String result) {
        return Converter.convert(
                FreeUnderTest.module(List.of(), "Tensor", result),
                ConversionOptions.defaults()
                        .withExample(List.of(x))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15")))
                        .withSelfCheck(true),
                FreeUnderTest.RUNTIME);
    }

    private static Conversion converted(String result) {
        Conversion conversion = convert(FreeUnderTest.random(1, 4, 6, 5), result);
        assertTrue(conversion.succeeded(), conversion.report().text());
        return conversion;
    }

    /** What becomes of NaN and infinities NNAPI leaves open: a note, and only where it is not what PyTorch makes. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "torch.relu(x); false",
                "torch.softmax(x, 1); false",
                "torch.max_pool2d(x, [2, 2]); false",
                "torch.floor_divide(x, 2); true"
            })
    void specialNumbersAreNotedWhereTheyComeOutOtherwise(String result, boolean noted) {
        String text = converted(result).report().text();
        assertEquals(noted, text.contains("NaN, infinities or subnormal numbers"), text);
        assertTrue(text.contains("self-check passed"), text);
    }

    /** An example of such numbers is no error of the conversion. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "Infinity; torch.round(x)",
                "NaN; torch.pow(1., x)",
                "-Infinity; torch.cumsum(x, 0)",
                "3e38; torch.std(x, [0])",
                "3e38; torch.hypot(x, torch.tensor([nan, inf, 0., 1.]))"
            })
    void examplesOfExtremeNumbersAreRefusedForWhatTheyAre(float number, String result) {
        String text = convert(Tensor.of(new float[] {1, 2, number, 3}, 4), result)
                .report()
                .text();
        assertTrue(text.contains("the inputs have " + number + ", and output 0"), text);
        assertFalse(text.contains("report this model"), text);
    }

    /** A model that refuses such numbers, or does not end for them, converts as before. */
    @Test
    void specialNumbersThatTheOriginalDoesNotTakeAreLeftOut() throws IOException {
        ScriptModule refusing = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "if bool(torch.any(torch.ne(x, x))):",
                "  ops.prim.RaiseException(\"no number\")",
                "else:",
                "  pass",
                "torch.relu(x)");
        ScriptModule endless = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "y = x",
                "_0 = bool(torch.any(torch.gt(torch.abs(y), 8.)))",
                "while _0:",
                "  y0 = torch.mul(y, 0.5)",
                "  _1 = bool(torch.any(torch.gt(y0, 8.)))",
                "  _0, y = _1, y0",
                "y");
        for (ScriptModule module : List.of(refusing, endless)) {
            SelfCheck.Calls calls = SelfCheck.callOriginal(
                    module, "forward", List.of(FreeUnderTest.random(4, 6)), 3, SelfCheck.Bound.REAL, List.of());
            assertEquals(3, calls.outcomes().size());
            assertNull(calls.special());
        }
        SelfCheck.Calls taken =
                SelfCheck.callOriginal(module("torch.relu(x)"), "forward", INPUT, 3, SelfCheck.Bound.REAL, List.of());
        assertNotNull(taken.special());
    }
}
