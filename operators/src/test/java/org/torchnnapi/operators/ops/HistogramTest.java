package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

class HistogramTest {
    @Test
    void theLastBinHasItsRightEdge() {
        Tensor[] out = Op.tensors("histogram.bin_ct", vector(0, 1, 1.5, 2, 4), 4L);
        expect(out[0], sizes(4), 1, 2, 1, 1);
        expect(out[1], sizes(5), 0, 1, 2, 3, 4);
        expect(Op.tensors("histogram.bins_tensor", vector(-1, 0, 0.5, 3, 9), vector(0, 1, 3))[0], sizes(2), 2, 1);
    }

    @Test
    void densitiesHaveTheAreaOne() {
        Tensor[] out = Op.tensors("histogram.bin_ct", vector(0, 1, 1.5, 2, 4), 2L, null, null, true);
        expect(out[0], sizes(2), 3 / 5.0 / 2, 2 / 5.0 / 2);
    }

    @Test
    void pointsAreCountedInEveryDimension() {
        Object[] out = (Object[])
                Op.call("histogramdd", floats(sizes(3, 2), 0, 0, 0, 1, 1, 1), ints(2, 2), null, vector(1, 2, 4));
        expect((Tensor) out[0], sizes(2, 2), 1, 2, 0, 4);
        expect((Tensor) ((ScriptList) out[1]).get(1), sizes(3), 0, 0.5, 1);
    }

    @Test
    void binsMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> Op.tensors("histogram.bin_ct", vector(1), 0L));
        assertThrows(IllegalArgumentException.class, () -> Op.call("histogramdd", floats(sizes(1, 2), 0, 0), ints(2)));
    }

    /** Expected counts are genuine PyTorch's, whose search goes by halves. */
    @Test
    void edgesInNoOrderAreSearchedByHalves() {
        expect(
                Op.tensors("histogram.bins_tensor", vector(2.75, 3, 8, 5, 7), vector(2.6694, 4.0802, -4.2064, 8.4002))[
                        0],
                sizes(3),
                0,
                0,
                5);
    }
}
