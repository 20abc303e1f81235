package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class ExtremesTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void valuesAndPlaces() {
        expect(tensor("max", Y), sizes(), 5);
        Tensor[] both = tensors("min.dim", Y, 1L, false);
        expect(both[0], sizes(2), 1, -1);
        expect(both[1], sizes(2), 1, 2);
        expect(tensor("amax", Y, ints(0), true), sizes(1, 3), 5, 1, 2);
        expect(tensor("argmin", Y, null, false), sizes(), 5);
        Tensor nan = floats(sizes(2, 3), 3, 1, 2, Double.NaN, 0, -1);
        expect(tensor("argmax", nan, 1L, false), sizes(2), 0, 0);
        expect(tensor("max", nan), sizes(), Double.NaN);
        expect(tensors("aminmax", Y)[0], sizes(), -1);
    }

    @Test
    void emptyRowsHaveNoExtreme() {
        assertThrows(IllegalArgumentException.class, () -> tensor("max", Tensor.zeros(DType.FLOAT32, 0)));
    }

    @Test
    void quantizedTensorsKeepTheirScale() {
        Quantization q = new Quantization.PerTensor(0.5, 10);
        Tensor max =
                tensor("max", Tensor.of(DType.QUINT8, new byte[] {12, 8}, 2).withQuantization(q));
        assertEquals(q, max.quantization());
        assertEquals(12, max.getLong(0));
    }

    @Test
    void aNumberThatIsKeptIsAListOfOne() {
        Tensor[] both = tensors("aminmax", floats(sizes(), 3), 0L, true);
        expect(both[0], sizes(1), 3);
        expect(both[1], sizes(1), 3);
        expect(tensors("aminmax", floats(sizes(), 3))[0], sizes(), 3);
    }
}
