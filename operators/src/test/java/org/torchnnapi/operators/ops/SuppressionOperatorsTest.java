package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class SuppressionOperatorsTest {
    @Test
    void keepsTheBestOfOverlappingBoxes() {
        Tensor boxes = floats(sizes(3, 4), 0, 0, 2, 2, 0, 0, 2, 1.9, 5, 5, 6, 6);
        expect(tensor("torchvision::nms", boxes, vector(.5, .9, .1), 0.5), sizes(2), 1, 2);
        expect(tensor("torchvision::nms", boxes, vector(.5, .9, .1), 0.99), sizes(3), 1, 0, 2);
        assertThrows(IllegalArgumentException.class, () -> tensor("torchvision::nms", boxes, vector(.5), 0.5));
    }

    /** Overlaps of three and seven tenths, as floats: the one above the threshold, the other below it. */
    @Test
    void overlapsAtTheThreshold() {
        Tensor three = floats(sizes(2, 4), 0, 0, 10, 1, 0, 0, 3, 1);
        expect(tensor("torchvision::nms", three, vector(.9, .5), 0.3), sizes(1), 0);
        Tensor seven = floats(sizes(2, 4), 0, 0, 10, 1, 0, 0, 7, 1);
        expect(tensor("torchvision::nms", seven, vector(.9, .5), 0.7), sizes(2), 0, 1);
    }

    @Test
    void equalScoresKeepTheirOrder() {
        Tensor apart = floats(sizes(3, 4), 0, 0, 1, 1, 5, 5, 6, 6, 8, 8, 9, 9);
        expect(tensor("torchvision::nms", apart, vector(.1, .1, .1), 0.3), sizes(3), 0, 1, 2);
        expect(tensor("torchvision::nms", apart, vector(-0.0, 0, -0.0), 0.3), sizes(3), 0, 1, 2);
        expect(tensor("torchvision::nms", apart, vector(.1, Double.NaN, .3), 0.3), sizes(3), 1, 2, 0);
    }
}
