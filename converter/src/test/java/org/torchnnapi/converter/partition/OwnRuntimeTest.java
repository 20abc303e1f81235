package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

class OwnRuntimeTest {
    private static final Tensor IMAGE = random(1, 3, 10, 12);
    private static final double QUANTUM = 0.05;

    private static Conversion convert(ScriptModule module, boolean own) {
        return Converter.convert(
                module,
                ConversionOptions.defaults()
                        .withExample(List.of(IMAGE))
                        .withSelfCheck(false)
                        .withTarget(Target.DEFAULT.withOwnRuntime(own)),
                FreeUnderTest.RUNTIME);
    }

    private static String channels(String weight, int count) {
        StringBuilder scales = new StringBuilder();
        for (int i = 0; i < count; i++) {
            scales.append(i == 0 ? "" : ", ").append(0.01 + 0.004 * i);
        }
        return "torch.quantize_per_channel(" + weight + ", torch.tensor([" + scales + "]), torch.tensor(["
                + "0, ".repeat(count - 1) + "0]), 0, 12)";
    }

    private static ScriptModule module() {
        return FreeUnderTest.module(
                List.of(random(8, 3, 3, 3), random(8), random(8, 1, 3, 3), random(5, 8), random(5)),
                "Tensor",
                "q = torch.quantize_per_tensor(x, 0.03, 120, 13)",
                "a = ops.quantized.conv2d_relu(q, ops.quantized.conv2d_prepack(" + channels("CONSTANTS.c0", 8)
                        + ", CONSTANTS.c1, [2, 2], [1, 1], [1, 1], 1), 0.04, 0)",
                "b = ops.quantized.conv2d(a, ops.quantized.conv2d_prepack(" + channels("CONSTANTS.c2", 8)
                        + ", None, [1, 1], [1, 1], [1, 1], 8), 0.04, 120)",
                "c = torch.flatten(torch.adaptive_avg_pool2d(b, [1, 1]), 1, -1)",
                "d = ops.quantized.linear(c, ops.quantized.linear_prepack(" + channels("CONSTANTS.c3", 5)
                        + ", CONSTANTS.c4), 0.05, 128)",
                "torch.dequantize(d)");
    }

    @Test
    void weightsKeepTheirScaleAChannel() {
        ScriptModule original = module();
        Conversion conversion = convert(original, true);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals(), conversion.report().text());
        assertEquals(
                "QUANTIZE CONV_2D DEPTHWISE_CONV_2D AVERAGE_POOL_2D RESHAPE CONV_2D RESHAPE DEQUANTIZE",
                String.join(
                        " ",
                        conversion.model().model().operations().stream()
                                .map(operation -> operation.type().name())
                                .toList()));
        assertEquals(3, conversion.model().model().channels().size());
        assertTrue(
                conversion.report().text().contains("needs this library's runtime"),
                conversion.report().text());
        byte[] file = conversion.toBytes();
        Tensor want = SelfCheck.run(original, "forward", List.of(IMAGE)).get(0);
        Tensor got = SelfCheck.run(
                        ScriptModule.of(TorchScriptArchive.of(file), FreeUnderTest.RUNTIME), "forward", List.of(IMAGE))
                .get(0);
        for (int i = 0; i < want.numel(); i++) {
            assertEquals(want.getDouble(i), got.getDouble(i), QUANTUM * 1.01, "element " + i);
        }
    }

    /** Requires that NNAPI computes all of a function, for inputs that take it different ways. */
    private static String whole(List<Tensor> constants, List<Tensor> inputs, String... body) {
        ScriptModule original = FreeUnderTest.module(constants, "Tensor", body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(inputs.subList(0, 1))
                        .withSelfCheck(false)
                        .withTarget(Target.DEFAULT.withOwnRuntime(true)),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals(), conversion.report().text());
        inputs.forEach(input -> FreeUnderTest.compare(original, conversion, input));
        assertTrue(
                conversion.report().text().contains("needs this library's runtime"),
                conversion.report().text());
        return String.join(
                " ",
                conversion.model().model().operations().stream()
                        .map(operation -> operation.type().name())
                        .toList());
    }

    private static Tensor filled(float value, int... shape) {
        Tensor tensor = Tensor.zeros(DType.FLOAT32, shape);
        Arrays.fill(tensor.storage().floatArray(), value);
        return tensor;
    }

    /** What one branch comes to is a truth value that TorchScript reads, in a condition that NNAPI does not take. */
    @Test
    void truthValuesStayWhereTheyAreRead() {
        for (String[] body : new String[][] {
            {
                "t = torch.matmul(x, CONSTANTS.c0)",
                "if bool(torch.gt(torch.sum(t), 0)):\n      c = True\n    else:\n      c = "
                        + "bool(torch.gt(torch.sum(x), 100))",
                "if c:\n      y = torch.mul(t, 2)\n    else:\n      y = t",
                "y"
            },
            {
                "t = torch.tanh(torch.matmul(x, CONSTANTS.c0))",
                "n = 0",
                "if bool(torch.gt(torch.max(t), 0.3)):\n      c = torch.lt(n, 6)\n    else:\n      c = False",
                "while c:\n      t = torch.mul(torch.tanh(torch.matmul(t, CONSTANTS.c0)), 0.7)\n      n = "
                        + "torch.add(n, 1)\n      if bool(torch.gt(torch.max(t), 0.3)):\n        c = torch.lt(n, 6)"
                        + "\n      else:\n        c = False",
                "torch.mul(t, n)"
            }
        }) {
            ScriptModule original = FreeUnderTest.module(List.of(random(3, 3)), "Tensor", body);
            Conversion conversion = Converter.convert(
                    original,
                    ConversionOptions.defaults()
                            .withExample(List.of(random(2, 3)))
                            .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15")))
                            .withTarget(Target.DEFAULT.withOwnRuntime(true)),
                    FreeUnderTest.RUNTIME);
            assertTrue(conversion.succeeded(), conversion.report().text());
            FreeUnderTest.compare(original, conversion, filled(1, 2, 3));
            FreeUnderTest.compare(original, conversion, filled(-1, 2, 3));
        }
    }

    @Test
    void branchesOnElements() {
        List<Tensor> both = List.of(filled(1, 2, 3), filled(-1, 2, 3));
        assertEquals(
                "RESHAPE REDUCE_SUM GREATER IF RELU",
                whole(
                        List.of(random(3, 3)),
                        both,
                        "c = bool(torch.gt(torch.sum(x), 0))",
                        "if c:\n      y = torch.matmul(x, CONSTANTS.c0)\n    else:\n      y = "
                                + "torch.mul(torch.neg(x), 3)",
                        "torch.relu(y)"));
        whole(
                List.of(),
                both,
                "c = bool(torch.gt(torch.sum(x), 0))",
                "if c:\n      y = x\n    else:\n      y = torch.abs(x)",
                "torch.add(y, x)");
        whole(
                List.of(),
                List.of(filled(1, 2, 3), filled(-1, 2, 3), filled(9, 2, 3)),
                "c = bool(torch.gt(torch.sum(x), 0))",
                "d = torch.mul(x, 2)",
                "if c:\n      e = bool(torch.gt(torch.sum(x), 10))\n      if e:\n        z = torch.sub(d, x)\n      "
                        + "else:\n        z = torch.add(d, 1)\n      y = z\n"
                        + "    else:\n      y = d",
                "torch.neg(y)");
    }

    @Test
    void branchesOfImages() {
        List<Tensor> both = List.of(random(1, 3, 6, 6), filled(-1, 1, 3, 6, 6));
        whole(
                List.of(random(4, 3, 3, 3), random(4, 4, 1, 1), random(4, 4, 3, 3)),
                both,
                "h = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "c = bool(torch.gt(torch.mean(x), -0.5))",
                "if c:\n      y = torch.conv2d(h, CONSTANTS.c1, None, [1, 1], [0, 0], [1, 1], 1)\n    else:\n"
                        + "      y = torch.relu(torch.conv2d(h, CONSTANTS.c2, None, [1, 1], [1, 1], [1, 1], 1))",
                "torch.max_pool2d(y, [2, 2], [2, 2], [0, 0], [1, 1])");
    }

    @Test
    void loopsOnElements() {
        String goesOn = "bool(torch.lt(torch.sum(%s), 100.))";
        List<Tensor> inputs = List.of(filled(1, 2, 3), filled(30, 2, 3), filled(0.1f, 2, 3));
        whole(
                List.of(),
                inputs,
                "h = x",
                "go = " + String.format(goesOn, "h"),
                "while go:\n      h0 = torch.add(torch.mul(h, 1.5), torch.abs(x))\n      go0 = "
                        + String.format(goesOn, "h0") + "\n      go, h = go0, h0",
                "torch.relu(h)");
        // A decoder: at most seven turns, a state, and the number of turns among what it computes with.
        whole(
                List.of(random(3, 3)),
                inputs,
                "h = torch.mul(x, 0.01)",
                "n = 0",
                "go = True",
                "while go:\n      h0 = torch.tanh(torch.matmul(h, CONSTANTS.c0))\n      n0 = torch.add(n, 1)\n"
                        + "      go0 = torch.__and__(torch.lt(n0, 7), bool(torch.lt(torch.sum(h0), 100.)))\n      "
                        + "go, h, n = go0, h0, n0",
                "torch.neg(h)");
    }

    @Test
    void forPyTorchLoopsStayTorchScript() {
        ScriptModule original = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "c = bool(torch.gt(torch.sum(x), 0))",
                "if c:\n      y = torch.mul(x, 2)\n    else:\n      y = torch.neg(x)",
                "torch.relu(y)");
        Conversion conversion = convert(original, false);
        conversion.models().forEach(model -> assertFalse(model.model().needsOwnRuntime()));
    }

    /** PyTorch looks the class up as it loads the file, and has none of that name. */
    @Test
    void theFileSaysSo() {
        Conversion conversion = convert(module(), true);
        TorchScriptArchive archive = TorchScriptArchive.of(conversion.toBytes());
        String code = archive.records().stream()
                .filter(name -> name.endsWith(".py"))
                .map(name -> StandardCharsets.UTF_8.decode(archive.bytes(name)).toString())
                .reduce("", String::concat);
        assertTrue(code.contains("Optional[__torch__.torch.classes.torch_nnapi.Compilation]"), code);
        assertFalse(code.contains("classes._nnapi.Compilation"), code);
        assertTrue(code.contains("  runtime : str\n"), code);
        assertTrue(new SerializedModel(conversion.serialized(), List.of()).isOwnForm());
    }

    @Test
    void whatNeedsNoOwnRuntimeIsAsForPyTorch() {
        Conversion conversion = convert(FreeUnderTest.module(List.of(), "Tensor", "torch.relu(x)"), true);
        assertTrue(
                conversion.report().text().contains("nothing in it needs this library's runtime"),
                conversion.report().text());
        assertFalse(new SerializedModel(conversion.serialized(), List.of()).isOwnForm());
    }

    @Test
    void pyTorchsLoaderGetsNoSuchWeights() {
        Conversion conversion = convert(module(), false);
        conversion.models().forEach(model -> assertFalse(model.model().needsOwnRuntime()));
    }
}
