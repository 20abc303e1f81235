package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected numbers are genuine PyTorch's. */
class LinearAlgebraTest {
    private static final Tensor A = floats(sizes(3, 3), 4, 1, -2, 1, 3, 0.5, -2, 0.5, 5);
    private static final Tensor B = floats(sizes(3, 2), 1, 2, 3, -1, 0.5, 2);
    private static final Tensor G = floats(sizes(3, 3), 1, 2, 0.5, -1, 3, 2, 4, 0.25, -2);
    private static final Tensor W = floats(sizes(2, 3), 1, 2, 3, 4, 5, 7);
    private static final Tensor M = floats(sizes(3, 2), 1, 2, 3, 4, 5, 7);

    @Test
    void resultsAreThoseOfPyTorch() {
        several(
                "linalg_lu",
                new Object[] {W},
                floats(sizes(2, 2), 0.0, 1.0, 1.0, 0.0),
                floats(sizes(2, 2), 1.0, 0.0, 0.25, 1.0),
                floats(sizes(2, 3), 4.0, 5.0, 7.0, 0.0, 0.75, 1.25));
        expect(
                tensor("linalg_matrix_power", G, -2L),
                sizes(3, 3),
                93.1200180053711,
                -61.28001022338867,
                -36.0,
                -82.88001251220703,
                54.72000503540039,
                32.0,
                166.0800018310547,
                -109.52002716064453,
                -64.0);
        expect(
                tensor("cholesky_solve", B, A),
                sizes(3, 2),
                -0.0021527837961912155,
                0.2370833307504654,
                0.30194446444511414,
                -0.18833333253860474,
                0.021666664630174637,
                0.12999999523162842);
        expect(tensor("linalg_cond", G), sizes(), 151.24172973632812);
        expect(tensor("linalg_cond", G, 1L), sizes(), 237.59999084472656);
        expect(tensor("linalg_matrix_norm", W, 2L), sizes(), 10.18147087097168);
        expect(tensor("linalg_matrix_norm.str_ord", W, "nuc"), sizes(), 10.762534141540527);
        expect(tensor("linalg_eigvalsh", A), sizes(3), 1.5842058658599854, 3.8393361568450928, 6.576457500457764);
        expect(tensor("linalg_svdvals", W), sizes(2), 10.18147087097168, 0.5810632705688477);
        expect(tensor("logdet", A), sizes(), 3.6888794898986816);
        expect(tensor("linalg_vander", vector(2, 3)), sizes(2, 2), 1.0, 2.0, 1.0, 3.0);
        expect(tensor("vander", vector(2, 3), 3L), sizes(2, 3), 4.0, 2.0, 1.0, 9.0, 3.0, 1.0);
        expect(tensor("linalg_multi_dot", list(W, G, M)), sizes(2, 2), 29.75, 46.5, 91.25, 139.0);
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
    void powersOfANumberAreARow() {
        expect(tensor("linalg_vander", floats(sizes(), 3), 3L), sizes(1, 3), 1.0, 3.0, 9.0);
        assertThrows(RuntimeException.class, () -> tensor("linalg_vander", vector(3)));
    }
}
