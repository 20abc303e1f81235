package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class WrittenMemoryTest {
    private static Tensor call(String name, Object... arguments) {
        return (Tensor) OperatorRegistry.standard().find(name).kernel().call(arguments);
    }

    private static Tensor counting() {
        return Tensor.of(new float[] {0, 1, 2, 3, 4, 5}, 6);
    }

    /** Elements from one on of a vector. */
    private static Tensor part(Tensor t, int from, int count) {
        return t.asStrided(new int[] {count}, new int[] {1}, from);
    }

    private static void refused(String part, String name, Object... arguments) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> call(name, arguments));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void partsThatOverlapAreNotWrittenFromEachOther() {
        Tensor x = counting();
        refused("some elements of the input", "aten::copy_", part(x, 1, 5), part(x, 0, 5), false);
        refused("some elements of the input", "aten::add_.Tensor", part(x, 1, 5), part(x, 0, 5), 1L);
        refused("some elements of the input", "aten::mul_.Tensor", x, x.asStrided(new int[0], new int[0], 0));
        Tensor square = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
        refused("some elements of the input", "aten::add_.Tensor", square, square.permute(1, 0), 1L);
    }

    @Test
    void aWholeTensorAndPartsThatLieApartAre() {
        Tensor x = counting();
        assertEquals(10, call("aten::add_.Tensor", x, x, 1L).getDouble(5));
        assertEquals(
                10, call("aten::copy_", part(x, 0, 2), part(x, 4, 2), false).getDouble(1));
    }

    @Test
    void whatAnIndexPlacesLiesElsewhere() {
        Tensor x = counting();
        Tensor index = Tensor.of(new long[] {5, 4, 3, 2, 1, 0}, 6);
        refused("some elements of the input", "aten::index_add_", x, 0L, index, x, 1L);
        refused("some elements of the input", "aten::index_copy_", x, 0L, index, x);
        refused("some elements of the input", "aten::scatter_add_", x, 0L, index, x);
        Tensor mask = Tensor.of(org.torchnnapi.tensor.DType.BOOL, new byte[] {1, 0, 1, 0, 0, 0}, 6);
        assertEquals(1, call("aten::masked_scatter_", x, mask, x).getDouble(2));
    }

    @Test
    void expandedTensorsAreOnlyFilled() {
        Tensor one = Tensor.of(new float[] {1}, 1);
        Tensor three = one.asStrided(new int[] {3}, new int[] {0}, 0);
        refused("more than one element", "aten::add_.Scalar", three, 1L, 1L);
        refused(
                "more than one element",
                "aten::copy_",
                three,
                counting().asStrided(new int[] {3}, new int[] {1}, 0),
                false);
        assertEquals(2, call("aten::fill_.Scalar", three, 2L).getDouble(2));
        Tensor mask = Tensor.of(org.torchnnapi.tensor.DType.BOOL, new byte[] {1, 0, 0}, 3);
        assertEquals(5, call("aten::masked_fill_.Scalar", three, mask, 5L).getDouble(0));
    }

    /** Expected values are genuine PyTorch's. */
    @Test
    void windowsAreWrittenOneAfterTheOther() {
        Tensor x = Tensor.of(new float[] {1, 2, 3}, 3);
        Tensor windows = x.asStrided(new int[] {2, 2}, new int[] {1, 1}, 0);
        call("aten::mul_.Scalar", windows, 2L);
        assertEquals(8, x.getDouble(1));
        call("aten::add_.Tensor", windows, windows, 1L);
        assertEquals(32, x.getDouble(1));
        assertEquals(12, x.getDouble(2));
    }
}
