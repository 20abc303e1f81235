package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class CumulativeTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void runsAlongADimension() {
        expect(tensor("cumsum", Y, 1L), sizes(2, 3), 3, 4, 6, 5, 5, 4);
        expect(tensor("cumprod", Y, 0L), sizes(2, 3), 3, 1, 2, 15, 0, -2);
        Tensor[] max = tensors("cummax", Y, 1L);
        expect(max[0], sizes(2, 3), 3, 3, 3, 5, 5, 5);
        expect(max[1], sizes(2, 3), 0, 0, 0, 0, 0, 0);
        expect(tensor("logcumsumexp", vector(0, 0), 0L), sizes(2), 0, Math.log(2));
    }
}
