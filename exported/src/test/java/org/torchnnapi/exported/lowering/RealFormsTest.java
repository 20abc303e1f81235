package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Quantized operators as steps around operators on real numbers. */
class RealFormsTest {
    private static final String QUANTIZED = "qx = torch.quantize_per_tensor(x, 0.1, 64, 13)";

    private static Tensor ramp() {
        float[] values = new float[12];
        for (int i = 0; i < values.length; i++) {
            values[i] = 0.37f * i - 1.9f;
        }
        return Tensor.of(values, 3, 4);
    }

    private static ScriptModule layer(String... body) {
        return WrittenPrograms.module(
                new PickledDict(null)
                        .put("w", Tensor.of(new float[] {0.5f, -1, 0.25f, 2, 1, 0.75f, -0.3f, 0.1f}, 2, 4))
                        .put("b", Tensor.of(new float[] {0.123f, -0.456f}, 2)),
                "__parameters__ = [\"w\", \"b\", ]\n__buffers__ = []\nw : Tensor\nb : Tensor",
                "x: Tensor) -> Tensor",
                body);
    }

    private static ScriptModule same(ScriptModule module, float bound) {
        ProgramFile program = ProgramFile.of(module, List.of(ramp()));
        assertEquals("torch.ao.quantization.fx._decomposed", program.imports());
        ScriptModule again = Pt2File.load(WrittenPrograms.bytes(program));
        assertArrayEquals(
                ((Tensor) module.call("forward", ramp())).toFloatArray(),
                ((Tensor) again.call("forward", ramp())).toFloatArray(),
                bound);
        return again;
    }

    private static List<String> operators(ScriptModule module) {
        return module.method("forward").graph().block().nodes().stream()
                .filter(node -> !node.outputs().isEmpty() && node.schema() != null)
                .map(Node::kind)
                .filter(kind -> !kind.equals("aten::dim") && !kind.equals("aten::size") && !kind.equals("aten::ne"))
                .map(kind -> kind.substring(kind.indexOf("::") + 2))
                .collect(Collectors.toList());
    }

    @Test
    void layersComputeOnRealNumbers() {
        ScriptModule again = same(
                layer(
                        QUANTIZED,
                        "p = ops.quantized.linear_prepack(torch.quantize_per_tensor(self.w, 0.02, 0, 12), self.b)",
                        "return torch.dequantize(ops.quantized.linear_relu(qx, p, 0.05, 10))"),
                1e-6f);
        assertEquals(
                List.of(
                        "quantize_per_tensor",
                        "quantize_per_tensor",
                        "dequantize_per_tensor",
                        "dequantize_per_tensor",
                        "linear",
                        "relu",
                        "quantize_per_tensor",
                        "dequantize_per_tensor"),
                operators(again));
    }

    @Test
    void channelsHaveScalesOfTheirOwn() {
        same(
                layer(
                        QUANTIZED,
                        "s = torch.tensor([0.02, 0.01], dtype=7)",
                        "z = torch.tensor([0, 0], dtype=4)",
                        "p = ops.quantized.linear_prepack(torch.quantize_per_channel(self.w, s, z, 0, 12), self.b)",
                        "return torch.dequantize(ops.quantized.linear(qx, p, 0.05, 100))"),
                1e-6f);
    }

    @Test
    void dynamicLayersRoundTheirInput() {
        same(
                layer(
                        "p = ops.quantized.linear_prepack(torch.quantize_per_tensor(self.w, 0.02, 0, 12), self.b)",
                        "return ops.quantized.linear_dynamic(x, p)"),
                1e-2f);
    }

    @Test
    void sumsPoolsAndViewsKeepTheirScales() {
        same(
                layer(
                        QUANTIZED,
                        "y = ops.quantized.add(qx, torch.relu(qx), 0.2, 30)",
                        "c = ops.quantized.cat([y, qx], 1, 0.15, 40)",
                        "m = torch.max_pool1d(torch.reshape(c, [1, 3, 8]), [2])",
                        "return torch.dequantize(torch.transpose(ops.quantized.hardswish(m, 0.1, 20), 1, 2))"),
                1e-6f);
    }

    @Test
    void integersBecomeQuantizedAndBack() {
        same(
                layer(
                        QUANTIZED,
                        "i = torch.int_repr(qx)",
                        "m = torch._make_per_tensor_quantized_tensor(torch.neg(i), 0.2, 3)",
                        "s = torch.tensor([0.2, 0.1, 0.3], dtype=7)",
                        "z = torch.tensor([1, 2, 3], dtype=4)",
                        "c = torch._make_per_channel_quantized_tensor(i, s, z, 0)",
                        "return torch.add(torch.dequantize(m), torch.dequantize(c))"),
                1e-5f);
    }

    @Test
    void writesThatSchemasDoNotSayAreSeen() {
        ScriptModule module = layer(
                QUANTIZED,
                "v = torch.view(qx, [4, 3])",
                "r = ops.quantized.relu6(qx, True)",
                "return torch.dequantize(v)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(module, List.of(ramp())))
                .getMessage();
        assertTrue(told.contains("its memory was written to under another name"), told);
    }

    @Test
    void scalesOfElementsAreRefused() {
        ScriptModule module = layer(
                "s = torch.max(torch.abs(x))",
                "return torch.dequantize(torch.quantize_per_tensor(x, s, torch.tensor(0), 13))");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(module, List.of(ramp())))
                .getMessage();
        assertTrue(
                told.startsWith("aten::quantize_per_tensor.tensor_qparams at code/__torch__.py:8: a scale that follows "
                        + "from elements"),
                told);
    }

    @Test
    void writtenViewsAreRefused() {
        ScriptModule module =
                layer(QUANTIZED, "v = torch.view(qx, [4, 3])", "r = torch.relu_(qx)", "return torch.dequantize(v)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(module, List.of(ramp())))
                .getMessage();
        assertTrue(told.contains("its memory was written to under another name"), told);
        same(layer(QUANTIZED, "r = torch.relu_(qx)", "return torch.dequantize(torch.view(qx, [4, 3]))"), 1e-6f);
    }

    @Test
    void quantizedArgumentsAndResultsAreTheirIntegers() {
        ScriptModule module = WrittenPrograms.function(
                "q: Tensor, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]",
                "y = ops.quantized.add(q, torch.relu(q), 0.2, 30)",
                "return (y, torch.dequantize(q), torch.add(x, 1))");
        Tensor q = (Tensor) OperatorCalls.operator("aten::quantize_per_tensor")
                .kernel()
                .call(new Object[] {Tensor.of(new float[] {-3, 0.5f, 2, 9}, 2, 2), 0.1, 128L, 13L});
        Tensor x = Tensor.of(new float[] {1}, 1);
        ProgramFile program = ProgramFile.of(module, List.of(q, x));
        assertEquals(
                List.of(
                        "argument q: uint8 of scale 0.1 and zero point 128",
                        "result 0: uint8 of scale 0.2 and zero point 30"),
                program.quantized());
        ScriptModule again = Pt2File.load(WrittenPrograms.bytes(program));
        Tensor integers = (Tensor) ProgramFile.plain(q);
        assertEquals(DType.UINT8, integers.dtype());
        assertEquals(integers.dtype(), ((Tensor) again.bundledInputs().get(0).get(0)).dtype());
        ScriptTuple wanted = (ScriptTuple) module.call("forward", q, x);
        ScriptTuple got = (ScriptTuple) again.call("forward", integers, x);
        assertEquals(
                ((Tensor) ProgramFile.plain(wanted.items().get(0))).toString(),
                got.items().get(0).toString());
        for (int i = 0; i < 4; i++) {
            assertEquals(
                    ((Tensor) ProgramFile.plain(wanted.items().get(0))).getLong(i),
                    ((Tensor) got.items().get(0)).getLong(i));
            assertEquals(
                    ((Tensor) wanted.items().get(1)).getDouble(i),
                    ((Tensor) got.items().get(1)).getDouble(i),
                    1e-6);
        }
    }
}
