package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.compat.GraphUnderTest;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Value;

class QuantizedCoreTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void takesOffBothEnds() {
        Value quantized = g.op("aten::quantize_per_tensor", g.nhwc(1, 2, 3, 3), 0.5, 9, DType.QUINT8.code());
        g.graph().block().addResult(g.op("aten::dequantize", g.op("aten::relu", quantized)));
        QuantizedCore core = QuantizedCore.cut(g.graph());
        assertEquals(List.of(new QuantizedCore.Quantizer(0.5, 9)), core.inputs());
        assertEquals(List.of(true), core.outputs());
        assertEquals(List.of(InputSpec.quantized(0.5, 9, 1, 2, 3, 3).asChannelsLast()), core.specs(g.specs()));
        assertEquals(
                List.of("aten::relu"),
                g.graph().block().nodes().stream()
                        .map(n -> n.kind())
                        .filter(k -> !k.equals("prim::Constant"))
                        .toList());
    }

    @Test
    void stepsThatOthersUseStay() {
        Value x = g.nhwc(1, 2, 3, 3);
        Value quantized = g.op("aten::quantize_per_tensor", x, 0.5, 9, DType.QUINT8.code());
        Value real = g.op("aten::dequantize", quantized);
        g.graph().block().addResult(g.tuple(real, g.op("aten::add", real, x, 1)));
        QuantizedCore core = QuantizedCore.cut(g.graph());
        assertTrue(core.isEmpty());
        assertEquals(List.of(false, false), core.outputs());
    }
}
