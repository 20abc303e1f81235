package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Choosing elements. Expected values are genuine PyTorch's. */
class TensorCompareTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);
    private static final Tensor B = Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 0, 0, 1}, 2, 3);

    @Test
    void whereAndMasks() {
        expect(tensor("where.self", B, X, Y), sizes(2, 3), -2.5, 2, 0, 0.5, -0.25, 3);
        expect(tensor("where.ScalarOther", B, X, 0L), sizes(2, 3), -2.5, 0, 0, 0, 0, 3);
        expect(tensor("masked_fill.Scalar", X, B, 9.0), sizes(2, 3), 9, -1, 9, 0.5, 1.5, 9);
        expect(tensor("masked_select", X, B), sizes(3), -2.5, 0, 3);
        expect(tensor("nonzero", X), DType.INT64, sizes(5, 2), 0, 0, 0, 1, 1, 0, 1, 1, 1, 2);
    }

    @Test
    void limits() {
        expect(tensor("clamp", X, -1.0, 1.0), sizes(2, 3), -1, -1, 0, 0.5, 1, 1);
        expect(tensor("clamp", I, null, 3L), DType.INT64, sizes(2, 3), -7, 2, 3, 3, -5, 3);
        expect(tensor("clamp_min", X, 0.25), sizes(2, 3), 0.25, 0.25, 0.25, 0.5, 1.5, 3);
        expect(tensor("maximum", X, Y), sizes(2, 3), 1, 2, 0, 0.5, 1.5, 4);
        expect(tensor("minimum", I, J), DType.INT64, sizes(2, 3), -7, -3, 3, 2, -5, 4);
        expect(tensor("max.other", X, Y), sizes(2, 3), 1, 2, 0, 0.5, 1.5, 4);
    }

    @Test
    void limitsAreOfTheTypeOfWhatTheyLimit() {
        Tensor bytes = Tensor.of(DType.UINT8, new byte[] {3, (byte) 200}, 2);
        Tensor mask = Tensor.of(DType.BOOL, new byte[] {1, 0}, 2);
        expect(tensor("clamp", bytes, -1L, 6L), DType.UINT8, sizes(2), 6, 6);
        for (String name : new String[] {"clamp_min", "clamp_max"}) {
            assertThrows(IllegalArgumentException.class, () -> tensor(name, bytes, 300L));
        }
        assertThrows(IllegalArgumentException.class, () -> tensor("masked_fill.Scalar", bytes, mask, 300L));
    }

    @Test
    void whatIsTakenFromItselfIsReadBeforeItIsWritten() {
        Tensor x = floats(sizes(4), -1, 2, -3, 4);
        Tensor mask = Tensor.of(DType.BOOL, new byte[] {0, 1, 0, 1}, 4);
        expect(tensor("masked_scatter_", x, mask, x), sizes(4), -1, -1, -3, -1);
    }

    @Test
    void nanWinsOverNumbers() {
        expect(
                tensor("maximum", floats(sizes(2), Double.NaN, 1), floats(sizes(2), 1, Double.NaN)),
                sizes(2),
                Double.NaN,
                Double.NaN);
        assertThrows(IllegalArgumentException.class, () -> tensor("clamp", X, null, null));
    }

    @Test
    void aNanLimitsNothingByItself() {
        Tensor numbers = floats(sizes(2), -1, 2);
        expect(tensor("clamp", numbers, Double.NaN, null), sizes(2), -1, 2);
        expect(tensor("clamp", numbers, null, Double.NaN), sizes(2), -1, 2);
        expect(tensor("clamp", numbers, Double.NaN, 1.0), sizes(2), Double.NaN, Double.NaN);
        expect(tensor("clamp_max", numbers, Double.NaN), sizes(2), Double.NaN, Double.NaN);
    }

    @Test
    void masksWidenWhatIsFilledFromAnother() {
        Tensor mask = Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 0, 1, 0}, 2, 3);
        expect(
                tensor("masked_scatter", vector(0, 0, 0), mask, vector(1, 2, 3, 4, 5, 6)),
                sizes(2, 3),
                1,
                0,
                2,
                0,
                3,
                0);
    }

    /** PyTorch 1.13 reads bytes of such masks: 1.0 masks nothing there. */
    @Test
    void masksAreNoRealNumbers() {
        for (String kind : new String[] {"masked_fill.Scalar", "masked_fill_.Scalar"}) {
            assertThrows(IllegalArgumentException.class, () -> tensor(kind, floats(sizes(2), 3, 4), vector(1, 0), 9.0));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("masked_scatter", vector(0, 0), vector(1, 0), vector(1, 2)));
        expect(tensor("masked_fill.Scalar", vector(3, 4), Tensor.of(new long[] {1, 0}, 2), 9.0), sizes(2), 9, 4);
    }

    @Test
    void boundsBecomeBytesFirst() {
        Tensor bytes = Tensor.of(DType.UINT8, new byte[] {3, (byte) 200, 9, 0}, 4);
        assertArrayEquals(new long[] {6, 6, 6, 6}, Elements.longs(Op.tensor("clamp", bytes, -1L, 6L)));
        assertArrayEquals(new long[] {3, 200, 9, 0}, Elements.longs(Op.tensor("fmod.Scalar", bytes, -2L)));
    }

    @Test
    void maskedFillGivesRowsAndWhereTheOrderOfWhatItChoosesFrom() {
        Tensor turned = Op.floats(new int[] {2, 3}, 1, -2, 3, -4, 5, -6).permute(1, 0);
        Tensor mask = Op.tensor("gt.Scalar", turned, 0L);
        assertArrayEquals(
                new int[] {2, 1},
                Op.tensor("masked_fill.Scalar", turned, mask, 1.0).strides());
        assertArrayEquals(
                new int[] {1, 3}, Op.tensor("where.self", mask, turned, turned).strides());
    }

    /** As genuine PyTorch 1.13. */
    @Test
    void whatFillsQuantizedTensorsIsQuantizedAsTheyAre() {
        Quantization q = new Quantization.PerTensor(0.05, 100);
        Tensor bytes = Tensor.of(DType.QUINT8, new byte[] {80, (byte) 140, 106, 96}, 2, 2)
                .withQuantization(q);
        Tensor mask = Tensor.of(DType.BOOL, new byte[] {0, 1, 1, 0}, 2, 2);
        Tensor filled = tensor("masked_fill.Scalar", bytes, mask, 0.26);
        assertEquals(q, filled.quantization());
        assertArrayEquals(
                new byte[] {80, 105, 105, 96}, filled.contiguous().storage().byteArray());
        tensor("masked_fill_.Tensor", bytes, mask, Tensor.of(new float[] {0.26f}));
        assertArrayEquals(
                new byte[] {80, 105, 105, 96}, bytes.contiguous().storage().byteArray());
    }
}
