package org.torchnnapi.converter.shape;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;

class TorchScriptShapeTextTest {
    private final ShapeProgram program = new ShapeProgram();

    private String body() {
        String text = TorchScriptShapeText.classSource(program, "__torch__.a.Shapes");
        return text.substring(text.indexOf("-> List[Tensor]:\n") + "-> List[Tensor]:\n".length());
    }

    @Test
    void longPartsGetNames() {
        program.assign(2, 2, new SizeExpression.ArgumentSize(0, 2));
        program.assign(5, 2, new SizeExpression.WindowCount(new SizeExpression.OperandSize(2, 2), 3, 1, 1, 2));
        program.store(51, 5, 2);
        program.addTemplate(new ShapeProgram.Template(
                DType.FLOAT32, List.of(new SizeExpression.Number(1), new SizeExpression.OperandSize(5, 2)), 0, 0));
        assertEquals("""
                s_2_2 = (torch.size(args[0]))[2]
                _0 = torch.add(torch.add(torch.sub(s_2_2, 3), 1), 1)
                s_5_2 = torch.add(torch.floordiv(_0, 2), 1)
                _1 = torch.select(ser_model, 0, 51)
                _2 = torch.tensor(s_5_2, dtype=ops.prim.dtype(_1), device=ops.prim.device(_1))
                _3 = torch.copy_(_1, _2)
                return [torch.zeros([1, s_5_2], dtype=6)]
            """, body());
    }

    @Test
    void forwardedSizesAreTheSameVariable() {
        program.assign(2, 0, new SizeExpression.ArgumentSize(0, 0));
        program.forward(3, 0, 2, 0);
        program.addTemplate(
                new ShapeProgram.Template(DType.INT32, List.of(new SizeExpression.OperandSize(3, 0)), 0, 0));
        assertTrue(body().contains("return [torch.zeros([s_2_0], dtype=3)]"), body());
    }

    @Test
    void unusedSizesAreLeftOut() {
        program.assign(2, 0, new SizeExpression.ArgumentSize(0, 0));
        program.addTemplate(new ShapeProgram.Template(DType.FLOAT32, List.of(new SizeExpression.Number(2)), 0, 0));
        assertFalse(body().contains("s_2_0"), body());
    }

    @Test
    void checksRaise() {
        program.assign(2, 0, new SizeExpression.ArgumentSize(0, 0));
        program.requireEqual(2, 0, new SizeExpression.Number(0));
        program.addTemplate(new ShapeProgram.Template(DType.FLOAT32, List.of(new SizeExpression.Number(2)), 0, 0));
        assertTrue(
                body().contains("    if torch.eq(s_2_0, 0):\n      pass\n    else:\n      "
                        + "ops.prim.RaiseException(\"AssertionError: \")\n"),
                body());
    }

    @Test
    void quantizedTemplatesExpandOneElement() {
        program.addTemplate(new ShapeProgram.Template(DType.QUINT8, List.of(new SizeExpression.Number(3)), 0.1, 7));
        assertEquals("""
                _0 = torch.quantize_per_tensor(torch.zeros([1]), 0.10000000000000001, 7, 13)
                _1 = torch.contiguous(torch.expand(_0, [3]))
                return [_1]
            """, body());
    }
}
