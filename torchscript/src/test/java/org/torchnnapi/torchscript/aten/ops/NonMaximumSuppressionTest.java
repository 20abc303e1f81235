package org.torchnnapi.torchscript.aten.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.torchscript.aten.ops.Op.expect;
import static org.torchnnapi.torchscript.aten.ops.Op.floats;
import static org.torchnnapi.torchscript.aten.ops.Op.sizes;
import static org.torchnnapi.torchscript.aten.ops.Op.tensor;
import static org.torchnnapi.torchscript.aten.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class NonMaximumSuppressionTest {
    @Test
    void keepsTheBestOfOverlappingBoxes() {
        Tensor boxes = floats(sizes(3, 4), 0, 0, 2, 2, 0, 0, 2, 1.9, 5, 5, 6, 6);
        expect(tensor("torchvision::nms", boxes, vector(.5, .9, .1), 0.5), sizes(2), 1, 2);
        expect(tensor("torchvision::nms", boxes, vector(.5, .9, .1), 0.99), sizes(3), 1, 0, 2);
        assertThrows(IllegalArgumentException.class, () -> tensor("torchvision::nms", boxes, vector(.5), 0.5));
    }
}
