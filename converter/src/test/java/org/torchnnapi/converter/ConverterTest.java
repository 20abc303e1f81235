package org.torchnnapi.converter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.DeadlineException;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class ConverterTest {
    private static final ScriptRuntime RUNTIME = Runtimes.standard();
    private static final Tensor EXAMPLE = Tensor.of(new float[] {-1, 2, -3, 4, 5, -6, 7, 8}, 1, 2, 2, 2);

    /** A module with a convolution's weight as {@code w}, and bundled inputs if {@code bundled}. */
    private static ScriptModule module(String body, boolean bundled) throws IOException {
        String source =
                "class Net(Module):\n  __parameters__ = [\"w\", ]\n  __buffers__ = []\n  w : Tensor\n  training : "
                        + "bool\n"
                        + (bundled ? "  examples : List[Tuple[Tensor]]\n" : "")
                        + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n" + body
                        + (bundled
                                ? "  def get_all_bundled_inputs(self: __torch__.net.Net) -> List[Tuple[Tensor]]:\n   "
                                        + " examples = self.examples\n"
                                        + "    return examples\n"
                                : "");
        PickledDict state = new PickledDict(null)
                .put("w", Tensor.of(new float[] {1, 2, 3, 4}, 2, 2, 1, 1))
                .put("training", false);
        if (bundled) {
            state.put(
                    "examples",
                    new PickledList("List[Tuple[Tensor]]", List.of(new ScriptTuple(List.of(EXAMPLE), null))));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 3)
                .source("code/__torch__/net.py", source)
                .data(new PickledObject("__torch__.net.Net", state))
                .extra("labels.txt", ByteBuffer.wrap("cat".getBytes(StandardCharsets.UTF_8)))
                .write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
    }

    private static final String CONVOLUTION =
            "    w = self.w\n    _0 = torch.conv2d(x, w, None, [1, 1], [0, 0], [1, 1], 1)\n    return "
                    + "torch.relu_(_0)\n";

    @Test
    void convertedModuleReturnsTheSame() throws IOException {
        ScriptModule original = module(CONVOLUTION, true);
        Conversion conversion = Converter.convert(original, ConversionOptions.defaults(), RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("self-check passed"),
                conversion.report().text());
        assertEquals(Map.of("CONV_2D", 1, "RELU", 1), conversion.report().operations());
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME);
        Tensor want = (Tensor) original.call("forward", EXAMPLE.copy(MemoryFormat.CONTIGUOUS));
        assertArrayEquals(want.toFloatArray(), ((Tensor) converted.call("forward", EXAMPLE)).toFloatArray());
        assertEquals(1, ((ScriptList) converted.call("get_all_bundled_inputs")).size());
        assertEquals(
                "cat",
                StandardCharsets.UTF_8
                        .decode(converted.archive().extraFiles().get("labels.txt"))
                        .toString());
    }

    @Test
    void refusedModelsTellEveryReasonAndWriteNothing(@TempDir Path folder) throws IOException {
        ScriptModule original =
                module("    y = torch.lgamma(x)\n    return torch.frobnicate(torch.digamma(y))\n", false);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, 1, 2, 2, 2))),
                RUNTIME);
        assertFalse(conversion.succeeded());
        assertEquals(
                List.of("aten::lgamma", "aten::digamma", "aten::frobnicate"),
                conversion.refusals().stream().map(Refusal::node).toList());
        assertEquals(
                "code/__torch__/net.py", conversion.refusals().get(0).toMap().get("archiveFile"));
        assertThrows(IllegalStateException.class, () -> conversion.write(folder.resolve("x.pt")));
        assertFalse(Files.exists(folder.resolve("x.pt")));
    }

    @Test
    void conditionsOnShapesAreDecidedByTheInputs() throws IOException {
        String body =
                "    _0 = torch.ne(torch.len(torch.size(x)), 4)\n    if _0:\n      y = torch.sinh(x)\n    else:\n    "
                        + "  y = torch.relu(x)\n"
                        + "    return torch.flatten(y, torch.sub(torch.len(torch.size(y)), 3))\n";
        Conversion conversion = Converter.convert(
                module(body, false), ConversionOptions.defaults().withExample(List.of(EXAMPLE)), RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(Map.of("RELU", 1, "RESHAPE", 1), conversion.report().operations());
        assertTrue(
                conversion.report().text().contains("self-check passed"),
                conversion.report().text());
    }

    @Test
    void whatWasConvertedIsNotConvertedAgain(@TempDir Path folder) throws IOException {
        Path converted = folder.resolve("net-nnapi.pt");
        Converter.convert(module(CONVOLUTION, true), ConversionOptions.defaults(), RUNTIME)
                .write(converted);
        Conversion again =
                Converter.convert(ScriptModule.load(converted, RUNTIME), ConversionOptions.defaults(), RUNTIME);
        assertFalse(again.succeeded());
        assertEquals(1, again.report().refusals().size(), again.report().text());
        assertEquals(
                "a model that was converted already",
                again.report().refusals().get(0).found());
    }

    @Test
    void brokenCodeIsARefusal() throws IOException {
        ScriptModule original = module("    return torch.relu(y)\n", false);
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, 2))), RUNTIME);
        assertTrue(
                conversion.refusals().get(0).text().contains("code/__torch__/net.py:8"),
                conversion.report().text());
    }

    @Test
    void inputsMustBeDescribed() throws IOException {
        ScriptModule original = module(CONVOLUTION, false);
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Converter.convert(original, ConversionOptions.defaults(), RUNTIME));
        assertTrue(e.getMessage().contains("not described"), e.getMessage());
    }

    @Test
    void writtenFilesAreNamedAfterTheTarget(@TempDir Path folder) throws IOException {
        Path target = folder.resolve("small-nnapi.pt");
        Converter.convert(
                        module(CONVOLUTION, false),
                        ConversionOptions.defaults()
                                .withExample(List.of(EXAMPLE))
                                .withChannelsLast(true),
                        RUNTIME)
                .write(target);
        TorchScriptArchive archive = TorchScriptArchive.open(target);
        assertEquals("small-nnapi", archive.folder());
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }

    private static final String QUANTIZED =
            "    _0 = torch.quantize_per_tensor(x, 0.25, 16, 13)\n    return torch.dequantize(torch.relu(_0))\n";

    @Test
    void quantizeStepsStayOutsideGoOrMoveInside() throws IOException {
        ScriptModule original = module(QUANTIZED, true);
        Tensor want = (Tensor) original.call("forward", EXAMPLE);
        for (ConversionMode mode : List.of(ConversionMode.CORE, ConversionMode.EMBEDDED)) {
            Conversion conversion =
                    Converter.convert(original, ConversionOptions.defaults().withMode(mode), RUNTIME);
            assertTrue(conversion.succeeded(), conversion.report().text());
            assertEquals(
                    mode == ConversionMode.CORE ? 1 : 3,
                    conversion.model().model().operations().size());
            Tensor got = (Tensor) ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME)
                    .call("forward", EXAMPLE);
            assertArrayEquals(want.toFloatArray(), got.toFloatArray(), mode.name());
            assertEquals(
                    List.of("float32[1, 2, 2, 2]"),
                    conversion.report().outputs().stream()
                            .map(text -> text.replace(" NHWC", ""))
                            .toList(),
                    mode.name());
        }
        Conversion full =
                Converter.convert(original, ConversionOptions.defaults().withMode(ConversionMode.FULL), RUNTIME);
        assertTrue(full.succeeded(), full.report().text());
        assertTrue(
                full.report().text().contains("self-check passed"),
                full.report().text());
        assertEquals(
                InputSpec.quantized(0.25, 16, 1, 2, 2, 2).toString(),
                full.report().inputs().get(0));
        // What is bundled fits.
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(full.toBytes()), RUNTIME);
        List<List<Object>> bundled = converted.bundledInputs();
        Tensor given = (Tensor) bundled.get(0).get(0);
        assertEquals(new Quantization.PerTensor(0.25, 16), given.quantization());
        Tensor answer = (Tensor) converted.call("forward", given);
        assertEquals(want.numel(), answer.numel());
    }

    /**
     * PyTorch 1.13 moves the elements of channels-last bytes that it limits to a range: so does what is not in the
     * bytes of its own converter, of which the report tells.
     */
    @Test
    void limitsOfChannelsLastBytesAreThoseOfTheOriginalOrTold() throws IOException {
        float[] values = new float[2 * 3 * 4 * 5];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i * 37 % 101 - 30) / 5f;
        }
        Tensor channelsLast = Tensor.of(values, 2, 3, 4, 5).contiguous(MemoryFormat.CHANNELS_LAST);
        for (String limit : List.of("torch.hardtanh(_0, 0., 6.)", "torch.relu6(_0)", "torch.hardtanh_(_0, 0., 6.)")) {
            ScriptModule original = module(
                    "    _0 = torch.quantize_per_tensor(x, 0.25, 40, 13)\n    return torch.dequantize(" + limit + ")\n",
                    false);
            Conversion conversion = Converter.convert(
                    original, ConversionOptions.defaults().withExample(List.of(channelsLast)), RUNTIME);
            assertTrue(conversion.succeeded(), limit + conversion.report().text());
            float[] original32 = ((Tensor) original.call("forward", channelsLast)).toFloatArray();
            boolean same = Arrays.equals(original32, ((Tensor) run(conversion, channelsLast)).toFloatArray());
            assertTrue(
                    same != conversion.report().text().contains("gives other answers here for channels-last"),
                    limit + conversion.report().text());
            Conversion rowMajor = Converter.convert(
                    original,
                    ConversionOptions.defaults().withExample(List.of(channelsLast.contiguous(MemoryFormat.CONTIGUOUS))),
                    RUNTIME);
            assertTrue(rowMajor.succeeded(), limit + rowMajor.report().text());
            assertFalse(rowMajor.report().text().contains("other answers"), limit);
            float[] got = ((Tensor) run(rowMajor, channelsLast)).toFloatArray();
            for (int i = 0; i < got.length; i++) {
                assertEquals(Math.min(6, Math.max(0, values[i])), got[i], 0.126f, limit);
            }
        }
    }

    private static Object run(Conversion conversion, Tensor input) {
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME)
                .call("forward", input);
    }

    @Test
    void argumentsAndOutputsReturnedTwicePassAroundTheModel() throws IOException {
        String source = "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> %s:\n    y = torch.relu(x)\n    return "
                + "%s\n";
        for (String[] result : new String[][] {
            {"Tuple[Tensor, Tensor, Tensor]", "(torch.detach(x), y, y)"}, {"List[Tensor]", "[x, y, y]"}
        }) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new ArchiveWriter("net", 3)
                    .source("code/__torch__/net.py", String.format(source, (Object[]) result))
                    .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                    .write(out);
            ScriptModule original = ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
            Conversion conversion =
                    Converter.convert(original, ConversionOptions.defaults().withExample(List.of(EXAMPLE)), RUNTIME);
            assertTrue(conversion.succeeded(), conversion.report().text());
            Object returned = run(conversion, EXAMPLE);
            List<Object> items =
                    returned instanceof ScriptTuple tuple ? tuple.items() : ((ScriptList) returned).items();
            assertArrayEquals(EXAMPLE.toFloatArray(), ((Tensor) items.get(0)).toFloatArray());
            assertArrayEquals(new float[] {0, 2, 0, 4, 5, 0, 7, 8}, ((Tensor) items.get(2)).toFloatArray());
        }
    }

    @Test
    void inputsThatAreGivenChannelsLastAreTakenSo() throws IOException {
        for (boolean nhwc : new boolean[] {false, true}) {
            InputSpec given = InputSpec.of(DType.FLOAT32, 1, 2, 2, 2);
            Conversion conversion = Converter.convert(
                    module("    return torch.relu(x)\n", false),
                    ConversionOptions.defaults().withInputs(List.of(nhwc ? given.asChannelsLast() : given)),
                    RUNTIME);
            List<OperandLayout> layouts = List.of(nhwc ? OperandLayout.CHANNELS_LAST : OperandLayout.CONTIGUOUS);
            assertEquals(layouts, conversion.model().inputLayouts());
            assertEquals(layouts, conversion.model().outputLayouts());
            assertEquals(Map.of("RELU", 1), conversion.report().operations());
        }
    }

    @Test
    void modelsThatOnlyReturnTheirInputsAreRefused() throws IOException {
        Conversion conversion = Converter.convert(
                module("    return x\n", false), ConversionOptions.defaults().withExample(List.of(EXAMPLE)), RUNTIME);
        assertTrue(
                conversion.report().text().contains("no part with multiply-adds"),
                conversion.report().text());
    }

    /** A runtime without NNAPI: what is converted cannot run. */
    @Test
    void conversionsWhoseCheckFailsToRunAreRefused(@TempDir Path folder) throws IOException {
        ScriptRuntime without = ScriptRuntime.standard(CustomClasses.NONE);
        Conversion conversion = Converter.convert(module(CONVOLUTION, true), ConversionOptions.defaults(), without);
        assertFalse(conversion.succeeded());
        assertTrue(
                conversion.report().text().contains("must return what the original returns: it fails"),
                conversion.report().text());
        assertThrows(IllegalStateException.class, () -> conversion.write(folder.resolve("x.pt")));
        assertTrue(Converter.convert(
                        module(CONVOLUTION, true), ConversionOptions.defaults().withSelfCheck(false), without)
                .succeeded());
    }

    @Test
    void theReportSaysWhatWasChecked() throws IOException {
        String text = Converter.convert(module(CONVOLUTION, true), ConversionOptions.defaults(), RUNTIME)
                .report()
                .text();
        assertTrue(
                text.contains("self-check passed on ")
                        && text.contains(
                                " with the first bundled inputs, then 2 calls with others: largest difference 0"),
                text);
    }

    /** However many multiplications there are: 120 million here. */
    @Test
    void largeModelsAreCheckedToo() throws IOException {
        String body =
                "    w = self.w\n    y = torch.conv2d(x, torch.repeat(w, [32, 32, 3, 3]), None, [1, 1], [1, 1], [1, "
                        + "1], 1)\n    return y\n";
        float[] values = new float[64 * 57 * 57];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 13 - 6;
        }
        ConversionOptions options = ConversionOptions.defaults().withExample(List.of(Tensor.of(values, 1, 64, 57, 57)));
        Conversion conversion = Converter.convert(module(body, false), options, RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("self-check passed on "),
                conversion.report().text());
    }

    @Test
    void aConversionEndsAtItsDeadlineOrAtAnInterrupt() throws IOException {
        ScriptModule module = module(CONVOLUTION, true);
        ConversionOptions options = ConversionOptions.defaults();
        assertThrows(
                DeadlineException.class,
                () -> Converter.convert(module, options.withDeadline(Duration.ofNanos(1)), RUNTIME));
        assertFalse(Thread.currentThread().isInterrupted());
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, () -> Converter.convert(module, options, RUNTIME));
        assertTrue(Thread.interrupted());
        assertTrue(Converter.convert(module, options.withDeadline(Duration.ofDays(1)), RUNTIME)
                .succeeded());
        assertThrows(IllegalArgumentException.class, () -> options.withDeadline(Duration.ZERO));
    }

    @Test
    void callsThatMultiplyEndInARefusal() throws IOException {
        StringBuilder source =
                new StringBuilder("class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    return "
                        + "(self).f16(x, )\n"
                        + "  def f0(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    return torch.relu(x)\n");
        for (int i = 1; i < 17; i++) {
            source.append("  def f")
                    .append(i)
                    .append("(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    y = (self).f")
                    .append(i - 1)
                    .append("(x, )\n    return (self).f")
                    .append(i - 1)
                    .append("(y, )\n");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 3)
                .source("code/__torch__/net.py", source.toString())
                .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                .write(out);
        ScriptModule original = ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
        Conversion conversion =
                Converter.convert(original, ConversionOptions.defaults().withExample(List.of(EXAMPLE)), RUNTIME);
        assertTrue(
                conversion.report().text().contains("nodes with all calls inlined: more than 100000"),
                conversion.report().text());
    }
}
