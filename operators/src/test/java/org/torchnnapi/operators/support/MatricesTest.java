package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Matrices lie as genuine PyTorch's do, which come from LAPACK. */
class MatricesTest {
    private static final Tensor A = Tensor.of(new float[] {2, 1, 0, 1, 3, 1, 0, 1, 4}, 3, 3);

    @Test
    void whatIsWrittenCanBeRead() {
        Matrix m = new Matrix(2, 3);
        for (int i = 0; i < 6; i++) {
            m.set(i / 3, i % 3, i, -i);
        }
        Tensor real = Matrices.write(new Matrix[] {m}, DType.FLOAT64, new int[] {1}, 2, 3);
        assertArrayEquals(new int[] {1, 2, 3}, real.sizes());
        assertArrayEquals(new int[] {6, 1, 2}, real.strides());
        assertArrayEquals(new double[] {0, 1, 2, 3, 4, 5}, Matrices.read(real)[0].re);
        Tensor complex = Matrices.write(new Matrix[] {m}, DType.COMPLEX64, new int[0], 2, 3);
        assertArrayEquals(new double[] {0, -1, -2, -3, -4, -5}, Matrices.read(complex)[0].im);
    }

    @ParameterizedTest
    @CsvSource({"linalg_inv,1,3", "geqrf,1,3", "linalg_svd,1,3", "linalg_matrix_exp,3,1", "linalg_cholesky_ex,1,3"})
    void resultsLieColumnByColumn(String name, int first, int second) {
        Object made = call(name, A);
        Tensor tensor = made instanceof Object[] several
                ? (Tensor) several[0]
                : made instanceof ScriptTuple tuple ? (Tensor) tuple.items().get(0) : (Tensor) made;
        assertArrayEquals(new int[] {first, second}, tensor.strides());
    }

    private static Object call(String name, Tensor... given) {
        Operator operator =
                OperatorRegistry.standard().overloads("aten::" + name).get(0);
        Object[] arguments = new Object[operator.schema().arguments().size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i < given.length
                    ? given[i]
                    : operator.schema().arguments().get(i).defaultValue();
        }
        return operator.kernel().call(arguments);
    }
}
