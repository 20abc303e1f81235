package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** The signs of vectors are free, so products of factors are compared with what was taken apart. */
class MatrixSpectraTest {
    private static final Tensor SYMMETRIC = floats(sizes(3, 3), 4, 1, -2, 1, 3, 0.5, -2, 0.5, 5);
    private static final Tensor GENERAL = floats(sizes(3, 3), 1, 2, 0.5, -1, 3, 2, 4, 0.25, -2);
    private static final Tensor WIDE = floats(sizes(2, 3), 1, 2, 3, 4, 5, 7);

    private static double[] elements(Tensor t) {
        double[] elements = new double[(int) t.numel()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = t.getDouble(i);
        }
        return elements;
    }

    @Test
    void eigenvectorsMakeTheMatrixAgain() {
        Tensor[] parts = Op.tensors("linalg_eigh", SYMMETRIC);
        Tensor scaled = tensor("mul.Tensor", parts[1], parts[0]);
        expect(tensor("matmul", scaled, tensor("t", parts[1])), sizes(3, 3), elements(SYMMETRIC));
        Tensor[] upper = Op.tensors("linalg_eigh", tensor("triu", SYMMETRIC), "U");
        expect(upper[0], sizes(3), elements(parts[0]));
    }

    @Test
    void generalEigenvaluesHaveTheTraceAndComeInPairs() {
        Tensor[] parts = Op.tensors("linalg_eig", GENERAL);
        Tensor product = tensor("matmul", tensor("complex", GENERAL, tensor("zeros_like", GENERAL)), parts[1]);
        Tensor scaled = tensor("mul.Tensor", parts[1], parts[0]);
        expect(tensor("view_as_real", product), sizes(3, 3, 2), elements(tensor("view_as_real", scaled)));
        expect(tensor("real", tensor("sum", parts[0])), sizes(), 2);
        Tensor turn = floats(sizes(2, 2), 0, -1, 1, 0);
        expect(tensor("view_as_real", Op.tensors("linalg_eig", turn)[0]), sizes(2, 2), 0, 1, 0, -1);
    }

    @Test
    void singularVectorsMakeTheMatrixAgain() {
        for (boolean full : new boolean[] {true, false}) {
            Tensor[] parts = Op.tensors("linalg_svd", WIDE, full);
            Tensor rows = tensor("slice.Tensor", parts[2], 0L, 0L, 2L, 1L);
            expect(tensor("matmul", tensor("mul.Tensor", parts[0], parts[1]), rows), sizes(2, 3), elements(WIDE));
            int columns = full ? 3 : 2;
            Tensor unit = tensor("matmul", parts[2], tensor("t", parts[2]));
            expect(unit, sizes(columns, columns), elements(tensor("eye", (long) columns)));
        }
    }

    @Test
    void leastSquaresAreTheNearest() {
        Tensor a = floats(sizes(3, 2), 1, 2, 3, 4, 5, 7);
        Tensor[] found = Op.tensors("linalg_lstsq", a, floats(sizes(3, 1), 1, 2, 4));
        Tensor[] exact = Op.tensors("linalg_lstsq", a, tensor("matmul", a, floats(sizes(2, 1), 3, -1)), null, "gelsd");
        expect(exact[0], sizes(2, 1), 3, -1);
        expect(exact[2], sizes(), 2);
        expect(exact[1], sizes(1), 0);
        Tensor rest = tensor("sub.Tensor", tensor("matmul", a, found[0]), floats(sizes(3, 1), 1, 2, 4), 1L);
        expect(tensor("abs", tensor("matmul", tensor("t", a), rest)), sizes(2, 1), 0, 0);
    }
}
