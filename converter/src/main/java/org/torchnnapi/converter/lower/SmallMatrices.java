package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Determinants, inverses and solutions of batches of small square systems, by minors; larger ones take elimination,
 * which chooses by elements.
 */
final class SmallMatrices implements NodeFamily {
    private static final int MOST = 4;

    @Override
    public void register(NodeLoweringTable table) {
        for (String kind : new String[] {"aten::det", "aten::linalg_det"}) {
            table.plan(kind, (node, context) -> small(node, context, SmallMatrices::determinant));
        }
        for (String kind : new String[] {"aten::inverse", "aten::linalg_inv"}) {
            table.plan(kind, (node, context) -> small(node, context, SmallMatrices::inverse));
        }
        table.plan("aten::linalg_solve", SmallMatrices::solution);
        table.plan("aten::linalg_slogdet", (node, context) -> small(node, context, SmallMatrices::logDeterminant));
    }

    /** A batch of matrices, element by element. */
    private static final class SquareBatch {
        private final NnapiBuilder nnapi;
        private final OperandRef rows;
        private final OperandRef[] parts;
        private final int size;

        /** @param value batches of square matrices */
        SquareBatch(LoweringContext context, Value value) {
            TensorFacts known = context.facts(value);
            size = known.size(known.rank() - 1);
            nnapi = context.nnapi();
            rows = context.as(value, Math.toIntExact(known.count() / size / size), size * size);
            parts = new OperandRef[size * size];
        }

        int batch() {
            return rows.dims()[0];
        }

        /** (batch, 1). */
        OperandRef at(int row, int column) {
            int place = row * size + column;
            if (parts[place] == null) {
                parts[place] = nnapi.slice(rows, 1, place, place + 1, 1);
            }
            return parts[place];
        }

        /** Of what is left of some rows and columns, along the first of these rows; null stands for 1. */
        OperandRef determinant(int[] ofRows, int[] ofColumns) {
            if (ofRows.length == 0) {
                return null;
            }
            int[] below = IntStream.range(1, ofRows.length).map(i -> ofRows[i]).toArray();
            OperandRef sum = null;
            for (int i = 0; i < ofColumns.length; i++) {
                int column = ofColumns[i];
                OperandRef minor = determinant(below, without(ofColumns, column));
                OperandRef part = minor == null ? at(ofRows[0], column) : nnapi.mul(at(ofRows[0], column), minor);
                sum = sum == null ? part : i % 2 == 0 ? nnapi.add(sum, part) : nnapi.sub(sum, part);
            }
            return sum;
        }

        OperandRef determinant() {
            int[] all = LoweringContext.identity(size);
            return determinant(all, all);
        }

        /** The elements of the inverse, row by row. */
        List<OperandRef> inverse() {
            int[] all = LoweringContext.identity(size);
            OperandRef[][] cofactors = new OperandRef[size][size];
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    OperandRef minor = determinant(without(all, row), without(all, column));
                    OperandRef own = minor == null ? nnapi.filled(rows, new int[] {batch(), 1}, 1) : minor;
                    cofactors[row][column] = (row + column) % 2 == 0 ? own : nnapi.unary(OperationType.NEG, own);
                }
            }
            OperandRef whole = null;
            for (int column = 0; column < size; column++) {
                OperandRef part = nnapi.mul(at(0, column), cofactors[0][column]);
                whole = whole == null ? part : nnapi.add(whole, part);
            }
            List<OperandRef> inverse = new ArrayList<>();
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    inverse.add(nnapi.div(cofactors[column][row], whole));
                }
            }
            return inverse;
        }

        private static int[] without(int[] values, int value) {
            return IntStream.of(values).filter(other -> other != value).toArray();
        }
    }

    /** A lowering of batches of square matrices, which the first argument is, if they are small. */
    private static LoweringPlan small(Node node, LoweringContext context, NodeLoweringTable.Emission lowering) {
        TensorFacts known = context.facts(node.input(0));
        context.requireFloat(node.input(0));
        return known.size(known.rank() - 1) > MOST
                ? LoweringPlan.refused(
                        "matrices that are inverted by minors are small", known.toString(), "at most " + MOST + " rows")
                : () -> lowering.lower(node, context);
    }

    private static void determinant(Node node, LoweringContext context) {
        OperandRef made = new SquareBatch(context, node.input(0)).determinant();
        context.shaped(node.output(), made);
    }

    /** The sign of the determinant, and the logarithm of how large it is. */
    private static void logDeterminant(Node node, LoweringContext context) {
        NnapiBuilder nnapi = context.nnapi();
        OperandRef whole = new SquareBatch(context, node.input(0)).determinant();
        OperandRef zero = nnapi.number(0);
        OperandRef above = nnapi.cast(nnapi.test(OperationType.GREATER, whole, zero), whole.type());
        OperandRef sign = nnapi.sub(above, nnapi.cast(nnapi.test(OperationType.LESS, whole, zero), whole.type()));
        OperandRef logarithm = nnapi.unary(OperationType.LOG, nnapi.unary(OperationType.ABS, whole));
        context.shaped(node.output(0), sign);
        context.shaped(node.output(1), logarithm);
    }

    private static void inverse(Node node, LoweringContext context) {
        OperandRef made = context.nnapi().concatenate(new SquareBatch(context, node.input(0)).inverse(), 1);
        TensorFacts to = context.facts(node.output());
        context.shaped(node.output(), made);
    }

    /** Right sides of as many batches as there are matrices, as matrices or, one to a matrix, as vectors. */
    private static LoweringPlan solution(Node node, LoweringContext context) {
        TensorFacts matrices = context.facts(node.input(0));
        TensorFacts sides = context.facts(node.input(1));
        TensorFacts to = context.facts(node.output());
        context.requireFloat(node.input(1));
        int size = matrices.size(matrices.rank() - 1);
        int batch = Math.toIntExact(matrices.count() / size / size);
        boolean fits = to.count() == sides.count()
                && to.count() % ((long) batch * size) == 0
                && sides.rank() >= matrices.rank() - 1
                && Arrays.equals(to.shape(), sides.shape())
                && (sides.rank() == matrices.rank() || batch == to.count() / size);
        if (!fits || !context.flag(node.input(2))) {
            return LoweringPlan.refused(
                    "small systems have as many right sides as matrices",
                    sides.toString(),
                    "a right side for each matrix, on the right");
        }
        return small(node, context, (same, scope) -> {
            SquareBatch elements = new SquareBatch(context, node.input(0));
            int columns = Math.toIntExact(to.count() / batch / size);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef given = context.as(node.input(1), batch, size * columns);
            List<OperandRef> inverse = elements.inverse();
            List<OperandRef> solved = new ArrayList<>();
            for (int row = 0; row < size; row++) {
                OperandRef sum = null;
                for (int i = 0; i < size; i++) {
                    OperandRef part = nnapi.mul(
                            inverse.get(row * size + i), nnapi.slice(given, 1, i * columns, (i + 1) * columns, 1));
                    sum = sum == null ? part : nnapi.add(sum, part);
                }
                solved.add(sum);
            }
            OperandRef made = nnapi.concatenate(solved, 1);
            context.shaped(node.output(), made);
        });
    }
}
