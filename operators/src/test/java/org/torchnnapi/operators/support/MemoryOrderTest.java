package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class MemoryOrderTest {
    @Test
    void dimensionsOfOneElementDoNotHideTheOrderOfTheOthers() {
        Tensor turned = Tensor.zeros(DType.FLOAT32, 5, 1, 10).permute(2, 1, 0);
        assertTrue(MemoryOrder.isDense(turned));
        Tensor other = Tensor.zeros(DType.FLOAT32, 5, 10, 1).permute(2, 1, 0);
        assertArrayEquals(new int[] {10, 1, 100}, MemoryOrder.resultStrides(new int[] {10, 10, 5}, turned, other));
    }

    @Test
    void whatHasNoElementsLiesInRows() {
        Tensor none = Tensor.zeros(DType.FLOAT32, 0, 3).permute(1, 0);
        assertArrayEquals(new int[] {1, 1}, MemoryOrder.resultStrides(new int[] {3, 0}, none));
    }
}
