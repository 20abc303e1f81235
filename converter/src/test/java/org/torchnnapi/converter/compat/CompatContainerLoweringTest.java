package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

class CompatContainerLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void tuplesAndListsOfTensorsAreOutputs() {
        Value x = g.nhwc(1, 2, 3, 3);
        LoweredModel model = g.model(g.tuple(g.op("aten::relu", x), g.op("aten::sigmoid", x)));
        assertEquals(LoweredModel.Results.TUPLE, model.results());
        assertEquals(List.of(OperandLayout.CHANNELS_LAST, OperandLayout.CHANNELS_LAST), model.outputLayouts());
        GraphUnderTest list = new GraphUnderTest();
        assertEquals(
                LoweredModel.Results.LIST,
                list.model(list.list(list.op("aten::relu", list.floats(2)))).results());
    }

    @Test
    void listsMustBeOfOneKind() {
        Value mixed = g.op(
                Type.list(Type.Basic.ANY),
                "prim::ListConstruct",
                g.op(Type.Basic.TENSOR, "aten::relu", g.floats(2)),
                3);
        g.isRefused(g.op("aten::cat", mixed, 0), "prim::ListConstruct", "all constants, or all tensors");
    }
}
