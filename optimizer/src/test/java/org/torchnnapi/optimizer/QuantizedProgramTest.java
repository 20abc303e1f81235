package org.torchnnapi.optimizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class QuantizedProgramTest {
    private static final String OPS = "ops.quantized_decomposed.";
    private static final double QUANTUM = 0.0625;

    private static String steps(String to, String from, double scale, int zeroPoint) {
        String rest = scale + ", " + zeroPoint + ", -128, 127, 1)\n";
        return "    " + to + "_q = " + OPS + "quantize_per_tensor(" + from + ", " + rest + "    " + to + " = " + OPS
                + "dequantize_per_tensor(" + to + "_q, " + rest;
    }

    private static ScriptModule load(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), Runtimes.standard());
    }

    private static Tensor bytes(Random random, int... sizes) {
        byte[] bytes = new byte[sizes[0] * sizes[1] * (sizes.length < 3 ? 1 : 9)];
        random.nextBytes(bytes);
        return Tensor.of(DType.INT8, bytes, sizes);
    }

    private static ScriptModule net(String body) throws IOException {
        Random random = new Random(4);
        PickledDict state = new PickledDict(null)
                .put("w", bytes(random, 4, 3, 3, 3))
                .put("fc", bytes(random, 5, 16))
                .put("b", Tensor.of(new float[] {0.5f, -1, 2, 0}, 4))
                .put("training", false);
        String source = """
                class Net(Module):
                  __parameters__ = []
                  __buffers__ = ["w", "fc", "b", ]
                  w : Tensor
                  fc : Tensor
                  b : Tensor
                  training : bool
                  def forward(self: __torch__.m.Net,
                    x: Tensor) -> Tensor:
                """ + body;
        return load(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", state))
                .source("code/__torch__/m.py", source));
    }

    @Test
    void answersDifferByAQuantumAtMost() throws IOException {
        ScriptModule original = net(steps("a", "x", 0.03125, 5)
                + "    w = " + OPS + "dequantize_per_tensor(self.w, 0.0078125, 0, -127, 127, 1)\n"
                + "    y = torch.conv2d(a, w, self.b, [1, 1], [1, 1], [1, 1], 1)\n"
                + steps("c", "torch.relu_(y)", 0.05, -128)
                + steps("p", "torch.max_pool2d(c, [4, 4], [4, 4], [0, 0], [1, 1], False)", 0.05, -128)
                + "    f = torch.flatten(p, 1, -1)\n"
                + "    fc = " + OPS + "dequantize_per_tensor(self.fc, 0.0078125, 0, -127, 127, 1)\n"
                + steps("r", "torch.linear(f, fc, None)", QUANTUM, 10)
                + "    return r\n");
        ModuleWriter writer = QuantizedProgram.writer(original);
        for (boolean lite : new boolean[] {false, true}) {
            if (lite) {
                writer.lite(LiteTarget.PYTORCH_1_13).source(false);
            }
            ScriptModule written = load(writer.archive("net"));
            if (!lite) {
                assertTrue(EachNode.any(written.method("forward").graph(), node -> node.is("quantized::conv2d_relu")));
                assertTrue(EachNode.any(written.method("forward").graph(), node -> node.is("quantized::linear")));
            }
            Random random = new Random(7);
            for (int run = 0; run < 5; run++) {
                float[] elements = new float[3 * 64];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = (float) random.nextGaussian();
                }
                Tensor x = Tensor.of(elements, 1, 3, 8, 8);
                float[] wanted = ((Tensor) original.call("forward", x)).toFloatArray();
                float[] actual = ((Tensor) written.call("forward", x)).toFloatArray();
                for (int i = 0; i < wanted.length; i++) {
                    assertEquals(wanted[i], actual[i], QUANTUM + 1e-6, "element " + i);
                }
            }
        }
    }

    /** As of {@code torchao}'s weights with a scale a group, which no quantized layer has. */
    @Test
    void weightsThatAreMadeRealStayIntegers() throws IOException {
        ScriptModule original = net("    scales = torch.full([5, 4], 0.0078125, dtype=6)\n"
                + "    fc = ops.torchao.dequantize_affine(self.fc, [1, 4], scales, None, 1, -8, 7)\n"
                + "    return torch.linear(torch.flatten(x, 1, -1), fc, None)\n");
        ModuleWriter writer = QuantizedProgram.writer(original);
        writer.lite(LiteTarget.PYTORCH_1_13).source(false);
        ScriptModule written = load(writer.archive("net"));
        assertEquals(DType.INT8, ((Tensor) written.object().get("fc")).dtype());
        Tensor x = Tensor.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1, 1, 4, 4);
        assertArrayEquals(
                ((Tensor) original.call("forward", x)).toFloatArray(),
                ((Tensor) written.call("forward", x)).toFloatArray());
    }

    @Test
    void otherModulesAreWrittenAsTheyAre() throws IOException {
        ScriptModule original = net("    return torch.relu(x)\n");
        ScriptModule written = load(QuantizedProgram.writer(original).archive("net"));
        assertTrue(written.object().type().slot("fc") >= 0);
    }
}
