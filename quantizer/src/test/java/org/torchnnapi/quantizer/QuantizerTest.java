package org.torchnnapi.quantizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.Deadline;
import org.torchnnapi.execution.DeadlineException;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

class QuantizerTest {
    private static final String SOURCE = """
        class Net(Module):
          __parameters__ = []
          __buffers__ = []
          first : __torch__.m.Layer
          second : __torch__.m.Layer
          fc : Tensor
          def forward(self: __torch__.m.Net,
            x: Tensor) -> Tensor:
            first = self.first
            second = self.second
            y = torch.relu((first).forward(x, ))
            z = torch.relu(torch.add(y, (second).forward(y, )))
            c = torch.cat([y, torch.exp(z)], 1)
            n = torch.size(z, 0)
            return (self).last(torch.view(torch.mean(c, [2, 3]), [n, 4]), )
          def last(self: __torch__.m.Net,
            x: Tensor) -> Tensor:
            fc = self.fc
            return torch.linear(x, fc)
          def twice(self: __torch__.m.Net,
            x: Tensor) -> Tensor:
            return torch.mul(x, 2)
        class Layer(Module):
          __parameters__ = []
          __buffers__ = []
          w : Tensor
          b : Tensor
          def forward(self: __torch__.m.Layer,
            x: Tensor) -> Tensor:
            w = self.w
            b = self.b
            return torch.conv2d(x, w, b, [1, 1], [0, 0], [1, 1], 1)
        """;

    private static PickledObject layer(float... w) {
        return new PickledObject(
                "__torch__.m.Layer",
                new PickledDict(null)
                        .put("w", Tensor.of(w, 2, 2, 1, 1))
                        .put("b", Tensor.of(new float[] {0.5f, -0.25f}, 2)));
    }

    private static ScriptModule net() throws IOException {
        PickledDict state = new PickledDict(null)
                .put("first", layer(1, -0.5f, 0.01f, 0.02f))
                .put("second", layer(0.5f, 1, -1, 0.75f))
                .put("fc", Tensor.of(new float[] {1, 2, -1, 0.5f, 0.3f, -0.2f, 0.7f, 1}, 2, 4));
        return load(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", state))
                .source("code/__torch__/m.py", SOURCE));
    }

    private static ScriptModule load(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), Runtimes.standard())
                .eval();
    }

    private static List<List<Object>> inputs(int count) {
        Random random = new Random(1);
        List<List<Object>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float[] values = new float[18];
            for (int k = 0; k < values.length; k++) {
                values[k] = random.nextFloat() * 2 - 1;
            }
            all.add(List.of(Tensor.of(values, 1, 2, 3, 3)));
        }
        return all;
    }

    private static Quantizer.Result quantize(ScriptModule module, QuantizationOptions options) throws IOException {
        return Quantizer.quantize(module, CalibrationInputs.of(inputs(20)), options, QuantizationProgress.NONE);
    }

    private static ScriptModule written(Quantizer.Result result) throws IOException {
        return load(result.writer().archive("q"));
    }

    /** A model whose only method has these statements, of {@code x} and a weight [2, 2, 1, 1]. */
    private static ScriptModule code(String statements) throws IOException {
        PickledDict state = new PickledDict(null)
                .put("w", Tensor.of(new float[] {1, -0.5f, 0.25f, 2}, 2, 2, 1, 1))
                .put("s", Tensor.of(new float[] {0.25f, 0.5f}, 2));
        return load(new ArchiveWriter("code", 3)
                .data(new PickledObject("__torch__.m.Code", state))
                .source("code/__torch__/m.py", """
            class Code(Module):
              __parameters__ = []
              __buffers__ = []
              w : Tensor
              s : Tensor
              def forward(self: __torch__.m.Code,
                x: Tensor) -> Tensor:
                w = self.w
                s = self.s
                y = torch.conv2d(x, w, None, [1, 1], [0, 0], [1, 1], 1)
            """ + statements.indent(4)));
    }

    @Test
    void normsSlopesAndProductsOfActivationsAreQuantized() throws IOException {
        for (String[] each : new String[][] {
            {
                "return torch.instance_norm(y, None, None, None, None, True, 0.1, 1e-05, False)",
                "quantized::instance_norm"
            },
            {"return torch.layer_norm(y, [3], None, None, 1e-05, False)", "quantized::layer_norm"},
            {
                "return torch.relu(torch.batch_norm(torch.max_pool2d(y, [2, 2], [1, 1], [0, 0], [1, 1], False), s, "
                        + "s, s, s, False, 0.1, 1e-05, False))",
                "quantized::batch_norm2d_relu"
            },
            {
                "return torch.batch_norm(torch.max_pool2d(y, [2, 2], [1, 1], [0, 0], [1, 1], False), None, None, "
                        + "s, s, False, 0.1, 1e-05, False)",
                "quantized::batch_norm2d"
            },
            {"return torch.prelu(y, s)", "quantized::prelu"},
            {"return torch.matmul(torch.softmax(y, -1), y)", "quantized::matmul"},
            // Whose scale is the same whatever it is given.
            {"return torch.mul(torch.sigmoid(y), y)", "quantized::mul"}
        }) {
            ScriptModule model = code(each[0]);
            Quantizer.Result result = quantize(model, QuantizationOptions.defaults());
            assertEquals(List.of("quantized::conv2d", each[1]), operators(result));
            if (each[1].contains("batch_norm")) {
                // PyTorch's asks for weights and biases.
                Node norm = written(result).method("forward").graph().block().nodes().stream()
                        .filter(node -> node.is(each[1]))
                        .findFirst()
                        .orElseThrow();
                assertFalse(Literals.isNone(norm.input(1)) || Literals.isNone(norm.input(2)));
            }
            assertTrue(
                    result.report().outputDecibels() > 25,
                    each[1] + ": " + result.report().text());
            double quantized =
                    ((Tensor) written(result).call("forward", inputs(1).get(0).toArray())).getDouble(0);
            assertEquals(
                    ((Tensor) model.call("forward", inputs(1).get(0).toArray())).getDouble(0), quantized, 0.1, each[1]);
        }
    }

    /** A layer that is never above 0 has the least scale that there is, by which qnnpack adds nothing. */
    @Test
    void sumsThatNoEngineRunsStayFloat() throws IOException {
        String sum = "z = torch.relu(torch.conv2d(torch.relu(torch.conv2d(x, w, None, [1, 1], [0, 0], [1, 1], 1)), w, "
                + "%s, [1, 1], [0, 0], [1, 1], 1))\nreturn torch.add(y, z)";
        ScriptModule dead = code(String.format(sum, "torch.mul(s, -1000.)"));
        Quantizer.Result result = quantize(dead, QuantizationOptions.defaults());
        assertFalse(
                operators(result).contains("quantized::add"), result.report().text());
        assertTrue(
                result.report().text().contains("1 sum of terms"),
                result.report().text());
        assertTrue(result.report().outputDecibels() > 25, result.report().text());
        assertTrue(operators(quantize(code(String.format(sum, "s")), QuantizationOptions.defaults()))
                .contains("quantized::add"));
    }

    @Test
    void whatAModuleKeepsIsAsBeforeTheCalibration() throws IOException {
        PickledDict state = new PickledDict(null)
                .put("w", Tensor.of(new float[] {1, -0.5f, 0.25f, 2}, 2, 2, 1, 1))
                .put("h", Tensor.of(new float[18], 1, 2, 3, 3))
                .put("calls", 0L)
                .put("sum", Tensor.of(new float[1], 1));
        ScriptModule module = load(new ArchiveWriter("code", 3)
                .data(new PickledObject("__torch__.m.Stream", state))
                .source("code/__torch__/m.py", """
            class Stream(Module):
              __parameters__ = []
              __buffers__ = []
              w : Tensor
              h : Tensor
              calls : int
              sum : Tensor
              def forward(self: __torch__.m.Stream,
                x: Tensor) -> Tuple[Tensor, Tensor, int]:
                w = self.w
                y = torch.conv2d(torch.add(x, self.h), w, None, [1, 1], [0, 0], [1, 1], 1)
                self.h = torch.mul(y, 0.5)
                self.calls = torch.add(self.calls, 1)
                _0 = torch.add_(self.sum, torch.mean(y))
                return (y, self.sum, self.calls)
            """));
        for (boolean corrected : new boolean[] {false, true}) {
            Quantizer.Result result =
                    quantize(module, QuantizationOptions.defaults().withCorrectBias(corrected));
            assertTrue(result.report().outputDecibels() > 25, result.report().text());
            // One file after the other, as both keep the same.
            List<Object> expected =
                    ((ScriptTuple) net(module).call("forward", inputs(1).get(0).toArray())).items();
            List<Object> actual = ((ScriptTuple)
                            written(result).call("forward", inputs(1).get(0).toArray()))
                    .items();
            assertEquals(1L, actual.get(2));
            for (int i = 0; i < 2; i++) {
                assertEquals(((Tensor) expected.get(i)).getDouble(0), ((Tensor) actual.get(i)).getDouble(0), 0.05);
            }
        }
    }

    /** As it is in its file. */
    private static ScriptModule net(ScriptModule module) {
        return ScriptModule.of(module.archive(), Runtimes.standard());
    }

    private static List<String> operators(Quantizer.Result result) {
        return result.report().layers().stream()
                .map(QuantizationReport.Layer::operator)
                .toList();
    }

    @Test
    void layersBecomeQuantizedOperatorsWithTheirActivations() throws IOException {
        ScriptModule net = net();
        Quantizer.Result result = quantize(net, QuantizationOptions.defaults());
        assertEquals(
                List.of("quantized::conv2d_relu", "quantized::conv2d", "quantized::add_relu", "quantized::linear"),
                operators(result));
        assertEquals(
                List.of(
                        "first (conv2d)",
                        "second (conv2d)",
                        "add at code/__torch__/m.py:12",
                        "linear at code/__torch__/m.py:19"),
                result.report().layers().stream()
                        .map(QuantizationReport.Layer::name)
                        .toList());
        assertTrue(result.report().outputDecibels() > 30, result.report().text());
        assertEquals(20, result.report().inputs());
        assertEquals(16, result.report().rows());
        ScriptModule quantized = written(result);
        Tensor real = (Tensor) net.call("forward", inputs(1).get(0).toArray());
        Tensor answer = (Tensor) quantized.call("forward", inputs(1).get(0).toArray());
        assertNull(quantized.method("last"));
        assertEquals(6.0, ((Tensor) quantized.call("twice", Tensor.of(new float[] {3}, 1))).getDouble(0));
        for (int i = 0; i < 2; i++) {
            assertEquals(real.getDouble(i), answer.getDouble(i), 0.05);
        }
    }

    @Test
    void scalesAreThoseOfTheObservedRange() throws IOException {
        Quantizer.Result result = quantize(net(), QuantizationOptions.defaults());
        float greatest = 0;
        for (List<Object> input : inputs(20)) {
            float[] x = ((Tensor) input.get(0)).toFloatArray();
            for (int i = 0; i < 9; i++) {
                greatest = Math.max(greatest, x[i] * 1 + x[9 + i] * -0.5f + 0.5f);
            }
        }
        assertEquals(greatest / 255, result.report().layers().get(0).scale(), 1e-8);
        assertEquals(0, result.report().layers().get(0).zeroPoint());
    }

    @Test
    void whatIsNamedStaysFloat() throws IOException {
        Quantizer.Result result =
                quantize(net(), QuantizationOptions.defaults().withKeepFloat(List.of("sec*", "aten::linear")));
        assertEquals(List.of("quantized::conv2d_relu"), operators(result));
        assertEquals(
                List.of("second (conv2d): as asked", "linear at code/__torch__/m.py:19: as asked"),
                result.report().kept());
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> quantize(net(), QuantizationOptions.defaults().withKeepFloat(List.of("third"))));
        assertTrue(e.getMessage().startsWith("keep float: third matches nothing"), e.getMessage());
    }

    @Test
    void aBudgetKeepsTheCostliestLayersFloat() throws IOException {
        double all = quantize(net(), QuantizationOptions.defaults()).report().outputDecibels();
        Quantizer.Result result = quantize(net(), QuantizationOptions.defaults().withBudget(all + 0.5));
        assertTrue(
                result.report().outputDecibels() >= all + 0.5, result.report().text());
        assertTrue(
                result.report().kept().get(0).endsWith("it loses too much for the budget"),
                result.report().text());
    }

    @Test
    void aDeadlineEndsIt() throws IOException {
        ScriptModule net = net();
        List<List<Object>> many = inputs(2000);
        assertThrows(
                DeadlineException.class,
                () -> Deadline.within(
                        Duration.ofMillis(1),
                        "quantize",
                        () -> Quantizer.quantize(
                                net,
                                CalibrationInputs.of(many),
                                QuantizationOptions.defaults(),
                                QuantizationProgress.NONE)));
        assertNotNull(quantize(net, QuantizationOptions.defaults()).report());
    }

    /** Not layer by layer, each with a run of all inputs: the least that can be quantized is tried second. */
    @Test
    void aBudgetOutOfReachEndsEarly() throws IOException {
        List<String> compared = new ArrayList<>();
        ScriptModule net = net();
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Quantizer.quantize(
                        net,
                        CalibrationInputs.of(inputs(1)),
                        QuantizationOptions.defaults().withBudget(500.0),
                        (what, done, total) -> {
                            if (what.equals("comparing")) {
                                compared.add(what);
                            }
                        }));
        assertTrue(e.getMessage().startsWith("budget: 500.0 dB, which no quantized layer keeps"), e.getMessage());
        assertEquals(2, compared.size());
    }

    @Test
    void channelsEqualizationAndCorrectionLoseLess() throws IOException {
        double plain = quantize(net(), QuantizationOptions.defaults())
                .report()
                .layers()
                .get(0)
                .own();
        assertTrue(quantize(net(), QuantizationOptions.defaults().withPerChannel(true))
                        .report()
                        .layers()
                        .get(0)
                        .own()
                >= plain);
        // The first layer's second channel has a fiftieth of the range of its first.
        Quantizer.Result corrected =
                quantize(net(), QuantizationOptions.defaults().withCorrectBias(true));
        assertTrue(corrected.report().outputDecibels() > 30, corrected.report().text());
    }

    @Test
    void everyObserverGivesAUsableModel() throws IOException {
        for (ObserverKind kind : ObserverKind.values()) {
            assertTrue(
                    quantize(net(), QuantizationOptions.defaults().withObserver(kind))
                                    .report()
                                    .outputDecibels()
                            > 20,
                    kind.name());
        }
    }

    @Test
    void dynamicLayersNeedNoCalibration() throws IOException {
        ScriptModule net = net();
        Quantizer.Result result = Quantizer.quantize(
                net,
                CalibrationInputs.of(List.of()),
                QuantizationOptions.defaults().withDynamic(true),
                QuantizationProgress.NONE);
        assertEquals(List.of("dynamic"), operators(result));
        Tensor real = (Tensor) net.call("forward", inputs(1).get(0).toArray());
        Tensor answer =
                (Tensor) written(result).call("forward", inputs(1).get(0).toArray());
        assertEquals(real.getDouble(0), answer.getDouble(0), 0.05);
        assertTrue(real.getDouble(0) != answer.getDouble(0));
    }

    /** PyTorch's quantized layers take no vectors. */
    @Test
    void vectorsAreMatricesOfOneRow() throws IOException {
        ScriptModule module = code("v = torch.reshape(w, [2, 2])\nreturn torch.linear(torch.select(torch.reshape(y, "
                + "[-1, 2]), 0, 0), v)");
        List<List<Object>> inputs = inputs(2);
        for (QuantizationOptions options : List.of(
                QuantizationOptions.defaults(), QuantizationOptions.defaults().withDynamic(true))) {
            Quantizer.Result result =
                    Quantizer.quantize(module, CalibrationInputs.of(inputs), options, QuantizationProgress.NONE);
            ScriptModule written = written(result);
            Node linear = written.method("forward").graph().block().nodes().stream()
                    .filter(node -> node.kind().startsWith("quantized::linear"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    before(linear).contains("aten::unsqueeze"), before(linear).toString());
            Tensor real = (Tensor) module.call("forward", inputs.get(0).toArray());
            Tensor answer = (Tensor) written.call("forward", inputs.get(0).toArray());
            assertEquals(1, answer.rank());
            assertEquals(real.getDouble(0), answer.getDouble(0), 0.05);
        }
    }

    /** What makes the first input of a node, and that of it. */
    private static List<String> before(Node node) {
        List<String> kinds = new ArrayList<>();
        for (Node at = node.input(0).definition();
                at != null && kinds.size() < 3;
                at = at.input(0).definition()) {
            kinds.add(at.kind());
        }
        return kinds;
    }

    /** What has weights that quantizing does not take is named. */
    @Test
    void layersOfOtherKindsAreNamed() throws IOException {
        ScriptModule volumes = code("return torch.conv3d(torch.unsqueeze(x, -1), torch.unsqueeze(self.w, -1))");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> quantize(volumes, QuantizationOptions.defaults()));
        assertTrue(e.getMessage().startsWith("layers: none to quantize but aten::conv3d (expected: "), e.getMessage());
    }

    private static void refuses(List<List<Object>> inputs, String message) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Quantizer.quantize(
                        net(),
                        CalibrationInputs.of(inputs),
                        QuantizationOptions.defaults(),
                        QuantizationProgress.NONE));
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }

    @Test
    void badInputsAreNamed() {
        refuses(List.of(), "calibration inputs: 0");
        List<List<Object>> shapes = inputs(2);
        shapes.set(1, List.of(Tensor.of(new float[8], 1, 2, 2, 2)));
        refuses(shapes, "calibration input number 1: Tensor([1, 2, 2, 2], dtype=torch.float32)");
        List<List<Object>> numbers = inputs(2);
        float[] bad = new float[18];
        bad[5] = Float.NaN;
        numbers.set(1, List.of(Tensor.of(bad, 1, 2, 3, 3)));
        refuses(numbers, "calibration input number 1: holds NaN");
        refuses(
                List.of(List.of(Tensor.of(new float[9], 1, 1, 3, 3))),
                "calibration input number 0: the model fails on it");
        float[] large = new float[18];
        Arrays.fill(large, 1e30f);
        refuses(List.of(List.of(Tensor.of(large, 1, 2, 3, 3))), "calibration input number 0: aten::exp");
    }
}
