package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class RandomNumbersTest {
    @Test
    void numbersStayInTheirRange() {
        Tensor uniform = tensor("rand", ints(1000));
        double sum = 0;
        for (int i = 0; i < 1000; i++) {
            assertTrue(uniform.getDouble(i) >= 0 && uniform.getDouble(i) < 1);
            sum += uniform.getDouble(i);
        }
        assertTrue(sum > 350 && sum < 650, "sum " + sum);
        Tensor dice = tensor("randint.low", 1L, 7L, ints(200));
        for (int i = 0; i < 200; i++) {
            assertTrue(dice.getLong(i) >= 1 && dice.getLong(i) < 7);
        }
        assertThrows(IllegalArgumentException.class, () -> tensor("randint", 0L, ints(1)));
    }

    @Test
    void aPermutationHasEachNumberOnce() {
        long[] sorted = tensor("randperm", 50L).toLongArray();
        java.util.Arrays.sort(sorted);
        for (int i = 0; i < 50; i++) {
            assertEquals(i, sorted[i]);
        }
    }
}
