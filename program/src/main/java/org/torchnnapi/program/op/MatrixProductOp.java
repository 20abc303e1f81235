package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Gemm;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * {@code alpha * A * B} of floats that both come at run time, for each pair of matrices of two equal batches:
 * {@code [batch..., m, k]} by {@code [batch..., k, n]}. One matrix B may serve for the whole batch.
 *
 * @param transposeB whether B is given as {@code [batch..., n, k]}
 */
public record MatrixProductOp(boolean transposeB, float alpha) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType a = Require.floats("A", inputs.get(0));
        ValueType b = Require.floats("B", inputs.get(1));
        if (a.rank() < 2 || b.rank() < 2) {
            throw new IllegalArgumentException("matrices: " + a + " and " + b + " (expected: rank >= 2)");
        }
        int k = b.dimension(b.rank() - (transposeB ? 1 : 2));
        int n = b.dimension(b.rank() - (transposeB ? 2 : 1));
        int batch = a.count(0, a.rank() - 2);
        int batchB = b.count(0, b.rank() - 2);
        if (a.dimension(a.rank() - 1) != k || batchB != 1 && batchB != batch) {
            throw new IllegalArgumentException("matrices: " + a + " and " + b + (transposeB ? " transposed" : "")
                    + " (expected: columns of A as many as rows of B, equal batches)");
        }
        int[] shape = a.shape().clone();
        shape[shape.length - 1] = n;
        return ValueType.floats(shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        int rank = a.type().rank();
        int m = a.type().dimension(rank - 2);
        int k = a.type().dimension(rank - 1);
        int n = out.type().dimension(rank - 1);
        Gemm gemm = Gemm.plan(m, n, k, k, 1, transposeB ? 1 : n, transposeB ? k : 1, n, alpha, 0, Clamp.NONE);
        int matrixB = b.type().count() == k * n ? 0 : k * n;
        return Step.images(a.type().count(0, rank - 2), gemm.units(), memory -> {
            float[] left = a.floats(memory);
            float[] right = b.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end) -> gemm.run(
                    left,
                    a.at(memory) + image * m * k,
                    right,
                    b.at(memory) + image * matrixB,
                    to,
                    out.at(memory) + image * m * n,
                    begin,
                    end);
        });
    }

    @Override
    public String label() {
        return "matrix product";
    }
}
