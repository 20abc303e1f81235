package org.torchnnapi.converter.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.compat.GraphUnderTest;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class WorkTest {
    @Test
    void countsTheMultiplicationsOfConvolutionsAndMatrices() {
        GraphUnderTest g = new GraphUnderTest();
        Object map = g.op(
                "aten::conv2d",
                g.floats(1, 2, 4, 4),
                Tensor.zeros(DType.FLOAT32, 3, 2, 3, 3),
                null,
                new int[] {1, 1},
                new int[] {1, 1},
                new int[] {1, 1},
                1);
        Object flat = g.op("aten::flatten", map, 1, -1);
        long convolution = 3 * 2 * 9 * 16;
        assertEquals(
                convolution + 5 * 48,
                Work.multiplications(g.model(g.op("aten::linear", flat, Tensor.zeros(DType.FLOAT32, 5, 48), null))));
    }
}
