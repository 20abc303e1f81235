package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected numbers are genuine PyTorch's. */
class MatrixInversesTest {
    private static final Tensor G = floats(sizes(3, 3), 1, 2, 0.5, -1, 3, 2, 4, 0.25, -2);
    private static final Tensor W = floats(sizes(2, 3), 1, 2, 3, 4, 5, 7);

    @Test
    void resultsAreThoseOfPyTorch() {
        expect(
                tensor("linalg_pinv", W, 1e-6),
                sizes(3, 2),
                -1.4285714626312256,
                0.6000001430511475,
                0.14285694062709808,
                6.705522537231445e-08,
                0.714285671710968,
                -0.20000006258487701);
        expect(tensor("linalg_matrix_rank", W, 1e-3), sizes(), 2.0);
        several("linalg_slogdet", new Object[] {G}, floats(sizes(), -1.0), floats(sizes(), -0.470003604888916));
    }

    private static void several(String name, Object[] arguments, Tensor... expected) {
        Tensor[] results = Op.tensors(name, arguments);
        for (int i = 0; i < expected.length; i++) {
            double[] elements = new double[(int) expected[i].numel()];
            for (int k = 0; k < elements.length; k++) {
                elements[k] = expected[i].getDouble(k);
            }
            expect(results[i], expected[i].sizes(), elements);
        }
    }

    @Test
    void boundsAreBroadcastOverMatrices() {
        Op.expect(
                Op.tensor(
                        "linalg_pinv.atol_rtol_tensor",
                        Op.floats(Op.sizes(2, 2), 2, 0, 0, 1),
                        null,
                        Op.vector(0.1, 0.9),
                        false),
                Op.sizes(2, 2, 2),
                0.5,
                0,
                0,
                1,
                0.5,
                0,
                0,
                0);
    }

    @Test
    void boundsAreRealForMatricesWithoutElementsToo() {
        Tensor bound = tensor("to.dtype", floats(sizes(), 1), 9L);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("linalg_pinv.rcond_tensor", Tensor.zeros(DType.FLOAT32, 0, 2), bound));
    }

    /** Shapes as genuine PyTorch 1.13 has them. */
    @Test
    void inversesOfEmptyMatricesAreOneEachHoweverManyBoundsThereAre() {
        expect(
                tensor(
                        "linalg_pinv.atol_rtol_tensor",
                        Tensor.zeros(DType.FLOAT32, 0, 50, 0),
                        null,
                        Tensor.zeros(DType.FLOAT32, 3, 1),
                        false),
                sizes(0, 0, 50));
        expect(
                tensor(
                        "linalg_pinv.atol_rtol_tensor",
                        Tensor.zeros(DType.FLOAT32, 2, 0, 3),
                        null,
                        Tensor.zeros(DType.FLOAT32, 4, 2),
                        false),
                sizes(2, 3, 0));
    }
}
