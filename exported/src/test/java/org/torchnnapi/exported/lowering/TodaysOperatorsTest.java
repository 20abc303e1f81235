package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.SchemaParser;

/** What programs call operators. */
class TodaysOperatorsTest {
    private static String target(String schema) {
        return TodaysOperators.target(SchemaParser.parse(schema));
    }

    @Test
    void operatorsOfTensorsHaveTargets() {
        assertEquals("aten.relu.default", target("aten::relu(Tensor self) -> Tensor"));
        assertEquals(
                "aten.add.Tensor", target("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"));
        assertEquals(
                "aten.index.Tensor", target("aten::index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor"));
        assertEquals("aten.zeros.default", target("aten::zeros(int[] size) -> Tensor"));
    }

    @Test
    void thoseOfTorchScriptHaveNone() {
        assertNull(target("aten::add.int(int a, int b) -> int"));
        assertNull(target("aten::append.t(t[](a!) self, t el) -> t[](a!)"));
        assertNull(target("aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool copy=False) -> Tensor(a|b)"));
        assertEquals(
                "torchvision.nms.default",
                target("torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"));
    }
}
