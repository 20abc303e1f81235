package org.torchnnapi.program.op;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.Gemm;
import org.torchnnapi.kernels.SoftmaxKernel;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;

/** The work of an {@link AttentionOp} over a run's memory, some queries at a time. */
final class AttentionTiles {
    private static final int FIRST_OPERAND = 3;

    private final AttentionOp attention;
    private final Operands operands;
    private final RunMemory memory;
    private final float[] queries;
    private final float[] keys;
    private final float[] values;
    private final float[] results;
    /** What the scores are multiplied by before they are changed, and in the softmax. */
    private final float scale;

    private final float beta;

    AttentionTiles(AttentionOp attention, Operands operands, RunMemory memory) {
        this.attention = attention;
        this.operands = operands;
        this.memory = memory;
        queries = operands.in(0).floats(memory);
        keys = operands.in(1).floats(memory);
        values = operands.in(2).floats(memory);
        results = operands.out().floats(memory);
        float both = attention.scale() * attention.softmax().beta();
        // Differences are as finite as products where the factor magnifies nothing.
        boolean isSlope = attention.changes().isEmpty() && attention.scale() <= 1 && both >= Float.MIN_NORMAL;
        scale = isSlope ? 1 : attention.scale();
        beta = isSlope ? both : attention.softmax().beta();
    }

    /** The products of so many queries. */
    static final class Products {
        private final int rows;
        private final Gemm scores;
        private final Gemm sums;

        Products(AttentionOp a, int rows) {
            this.rows = rows;
            int n = a.key().columns();
            int e = a.value().columns();
            scores = plan(
                    rows, n, a.query().columns(), a.query().rowStep(), a.key().rowStep(), n);
            // The step of a single row may be anything.
            sums = plan(rows, e, n, n, a.value().rowStep(), Math.max(a.out().rowStep(), e));
        }

        private static Gemm plan(int m, int n, int k, int rowA, int rowB, int rowC) {
            return Gemm.plan(m, n, k, rowA, 1, rowB, 1, rowC, 1, 0, Clamp.NONE);
        }
    }

    /**
     * Computes the results of some queries of a matrix.
     *
     * @param matrix its number in the batch
     * @param first the first query
     * @param scores room for those of all of them
     */
    void run(Products products, int matrix, int first, float[] scores) {
        int rows = products.rows;
        int n = attention.key().columns();
        products.scores.run(
                queries,
                operands.in(0).at(memory)
                        + attention.query().matrix(matrix)
                        + first * attention.query().rowStep(),
                keys,
                operands.in(1).at(memory) + attention.key().matrix(matrix),
                scores,
                0,
                0,
                products.scores.units());
        if (scale != 1) {
            ElementwiseOps.binary(BinaryOp.MUL, scores, 0, scale, scores, 0, rows * n, Clamp.NONE);
        }
        for (int i = 0; i < attention.changes().size(); i++) {
            change(
                    attention.changes().get(i),
                    operands.in(FIRST_OPERAND + i),
                    scores,
                    rows,
                    n,
                    first + matrix * attention.query().rows());
        }
        if (attention.softmax().isSafe()) {
            SafeSoftmax.run(scores, 0, scores, 0, n, 1, beta, 0, rows);
        } else {
            SoftmaxKernel.run(scores, 0, scores, 0, n, 1, beta, 0, rows);
        }
        products.sums.run(
                scores,
                0,
                values,
                operands.in(2).at(memory) + attention.value().matrix(matrix),
                results,
                operands.out().at(memory)
                        + attention.out().matrix(matrix)
                        + first * attention.out().rowStep(),
                0,
                products.sums.units());
    }

    /** @param first the number of the first row among those of all matrices */
    private void change(AttentionOp.Change change, PlacedValue operand, float[] scores, int rows, int n, int first) {
        int[] dims = change.shape();
        int[] steps = Broadcasting.steps(operand.type().shape(), dims);
        boolean one = steps[dims.length - 1] == 0;
        if (change.op() instanceof MaskedFillOp fill) {
            byte[] marks = operand.bytes(memory);
            for (int row = 0; row < rows; row++) {
                ElementwiseOps.maskedFill(
                        scores,
                        row * n,
                        marks,
                        operand.at(memory) + StridedBlock.at(first + row, dims, steps),
                        one,
                        fill.where(),
                        fill.value(),
                        scores,
                        row * n,
                        n);
            }
            return;
        }
        BinaryMathOp binary = (BinaryMathOp) change.op();
        float[] others = operand.floats(memory);
        for (int row = 0; row < rows; row++) {
            int at = operand.at(memory) + StridedBlock.at(first + row, dims, steps);
            if (one) {
                ElementwiseOps.binary(binary.op(), scores, row * n, others[at], scores, row * n, n, binary.clamp());
            } else {
                ElementwiseOps.binary(binary.op(), scores, row * n, others, at, scores, row * n, n, binary.clamp());
            }
        }
    }
}
