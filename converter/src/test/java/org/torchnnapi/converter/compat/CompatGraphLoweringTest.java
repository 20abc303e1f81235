package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.shape.PythonShapeText;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

class CompatGraphLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    /** Those of PyTorch's converter, and {@code quantized::cat}. */
    @Test
    void knowsTheFortyKindsAndOneMore() {
        assertTrue(CompatLowerings.kinds().contains("quantized::cat"));
        assertEquals(41, CompatLowerings.kinds().size(), CompatLowerings.kinds().toString());
    }

    @Test
    void everyRefusalIsReported() {
        Value x = g.floats(1, 2, 4, 4);
        Value a = g.op("aten::hardswish", x);
        Value b = g.op("aten::hardtanh", a, 0.0, 2.0);
        Value c = g.op("aten::add", b, x, 1);
        Value d = g.op("aten::frobnicate", c);
        CompatGraphLowering.Outcome outcome = g.lower(d);
        assertNull(outcome.model());
        assertEquals(
                List.of("aten::hardswish", "aten::hardtanh", "aten::frobnicate"),
                outcome.refusals().stream().map(Refusal::node).toList());
        assertTrue(outcome.refusals().get(1).text().contains("float32[1, 2, 4, 4]"));
        assertTrue(outcome.refusals().get(2).operands().contains("result of a refused node"));
    }

    @Test
    void refusesInputsNnapiDoesNotKnow() {
        g.isRefused(g.op("aten::relu", g.input(InputSpec.of(DType.INT64, 2))), "input 0", "int64");
    }

    @Test
    void int16NeedsPermissionTypeAndNoZeroPoint() {
        InputSpec good = new InputSpec(DType.INT16, new int[] {2}, false, 0.5, 0, OperandType.TENSOR_QUANT16_SYMM);
        g.isRefused(g.op("aten::relu", g.input(good)), "use_int16_for_qint16");
        GraphUnderTest allowed = new GraphUnderTest().int16();
        allowed.lowersTo(allowed.op("aten::relu", allowed.input(good)), "RELU[int16[2]*0.5@0] -> int16[2]*0.5@0");
        GraphUnderTest untyped = new GraphUnderTest().int16();
        untyped.isRefused(untyped.op("aten::relu", untyped.input(InputSpec.of(DType.INT16, 2))), "NNAPI type");
        GraphUnderTest shifted = new GraphUnderTest().int16();
        shifted.isRefused(
                shifted.op(
                        "aten::relu",
                        shifted.input(new InputSpec(
                                DType.INT16, new int[] {2}, false, 0.5, 4, OperandType.TENSOR_QUANT16_ASYMM))),
                "zero point 4");
    }

    @Test
    void constantsAreNoOutputs() {
        Value x = g.floats(2);
        Value constant = g.graph()
                .block()
                .append(g.graph().constant(Tensor.of(new float[2], 2), Type.Basic.TENSOR))
                .output();
        g.isRefused(g.tuple(g.op("aten::relu", x), constant), "output");
    }

    @Test
    void returnShapesReplaceTheComputedOnes() {
        g.returnShapes(new int[] {2, -1});
        LoweredModel model = g.model(g.op("aten::relu", g.floats(0, -1)));
        assertEquals(
                List.of(
                        "s_2_0 = args[0].shape[0]",
                        "s_3_0 = s_2_0",
                        "return [",
                        "torch.zeros((2,0,), dtype=torch.float32),",
                        "]"),
                PythonShapeText.lines(model.model().shapes()));
        GraphUnderTest wrong = new GraphUnderTest().returnShapes(new int[] {2});
        wrong.isRefused(wrong.op("aten::relu", wrong.floats(0, 3)), "return shape");
    }

    @Test
    void missingArgumentsAreARefusal() {
        g.isRefused(g.op("aten::hardtanh", g.floats(2)), "aten::hardtanh", "1 arguments", "3 or more");
    }

    @Test
    void everyInputNeedsADescription() {
        Value x = g.floats(2);
        g.graph().addInput(Type.Basic.TENSOR, "y");
        g.isRefused(g.op("aten::relu", x), "2 inputs");
    }
}
