package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class Im2ColTest {
    @Test
    void unfoldsAndFolds() {
        Tensor image = counted(1, 1, 3, 3);
        expect(
                tensor("im2col", image, ints(2, 2), ints(1, 1), ints(0, 0), ints(1, 1)),
                sizes(1, 4, 4),
                0,
                1,
                3,
                4,
                1,
                2,
                4,
                5,
                3,
                4,
                6,
                7,
                4,
                5,
                7,
                8);
        Tensor ones = tensor("ones", ints(1, 4, 4));
        expect(
                tensor("col2im", ones, ints(3, 3), ints(2, 2), ints(1, 1), ints(0, 0), ints(1, 1)),
                sizes(1, 1, 3, 3),
                1,
                2,
                1,
                2,
                4,
                2,
                1,
                2,
                1);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("im2col", image, ints(4, 4), ints(1, 1), ints(0, 0), ints(1, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("im2col", image, ints(2, 2), ints(1, 1), ints(0, 0), ints(0, 1)));
    }

    @Test
    void unpoolsToWhereThePoolingFoundThem() {
        Tensor out =
                tensor("max_unpool2d", floats(sizes(1, 1, 2), 7, 8), Tensor.of(new long[] {3, 0}, 1, 1, 2), ints(2, 2));
        expect(out, sizes(1, 2, 2), 8, 0, 0, 7);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> tensor(
                        "max_unpool2d", floats(sizes(1, 1, 1), 7), Tensor.of(new long[] {4}, 1, 1, 1), ints(2, 2)));
    }

    @Test
    void stepsAndPaddingOfAnySizeAreComputedOrRefused() {
        Tensor row = floats(sizes(1, 1, 4), 1, 2, 3, 4);
        long most = Integer.MAX_VALUE;
        expect(tensor("im2col", row, ints(1, 1), ints(most, most), ints(0, 0), ints(most, 1)), sizes(1, 4), 1, 2, 3, 4);
        expect(tensor("im2col", row, ints(1, 1), ints(1, 1), ints(0, 1 << 28), ints(1, 1 << 28)), sizes(1, 3), 0, 1, 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("im2col", row, ints(1, 1), ints(1, 1), ints(0, most), ints(1, 1 << 30)));
        assertThrows(
                MemoryException.class,
                () -> tensor("im2col", row, ints(1, 1), ints(1, 1), ints(0, (1 << 29) - 3), ints(1, 1)),
                "more than the heap has room for");
    }
}
