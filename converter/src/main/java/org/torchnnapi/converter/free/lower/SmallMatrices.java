package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Determinants, inverses and solutions of batches of small square systems, by minors; larger ones take elimination, which chooses by elements. */
final class SmallMatrices implements NodeFamily {
    private static final int MOST = 4;

    @Override
    public void register(Map<String, NodeLowering> table) {
        for (String kind : new String[] {"aten::det", "aten::linalg_det"}) {
            table.put(kind, SmallMatrices::determinant);
        }
        for (String kind : new String[] {"aten::inverse", "aten::linalg_inv"}) {
            table.put(kind, SmallMatrices::inverse);
        }
        table.put("aten::linalg_solve", SmallMatrices::solution);
        table.put("aten::linalg_slogdet", SmallMatrices::logDeterminant);
    }

    /** A batch of matrices, element by element. */
    private static final class SquareBatch {
        private final NetBuilder net;
        private final Term rows;
        private final Term[] parts;
        private final int size;

        /** @param value batches of square matrices */
        SquareBatch(Scope scope, Value value) {
            TensorFacts known = scope.facts(value);
            scope.requireFloat(value);
            size = known.size(known.rank() - 1);
            if (size > MOST) {
                throw new Refused("matrices that are inverted by minors are small", known.toString(), "at most " + MOST + " rows", "");
            }
            net = scope.net();
            rows = scope.as(value, Math.toIntExact(known.count() / size / size), size * size);
            parts = new Term[size * size];
        }

        int size() {
            return size;
        }

        int batch() {
            return rows.dims()[0];
        }

        /** (batch, 1). */
        Term at(int row, int column) {
            int place = row * size + column;
            if (parts[place] == null) {
                parts[place] = net.slice(rows, 1, place, place + 1, 1);
            }
            return parts[place];
        }

        /** Of what is left of some rows and columns, along the first of these rows; null stands for 1. */
        Term determinant(int[] ofRows, int[] ofColumns) {
            if (ofRows.length == 0) {
                return null;
            }
            int[] below = IntStream.range(1, ofRows.length).map(i -> ofRows[i]).toArray();
            Term sum = null;
            for (int i = 0; i < ofColumns.length; i++) {
                int column = ofColumns[i];
                Term minor = determinant(below, without(ofColumns, column));
                Term part = minor == null ? at(ofRows[0], column) : net.mul(at(ofRows[0], column), minor);
                sum = sum == null ? part : i % 2 == 0 ? net.add(sum, part) : net.sub(sum, part);
            }
            return sum;
        }

        Term determinant() {
            int[] all = Scope.identity(size);
            return determinant(all, all);
        }

        /** The elements of the inverse, row by row. */
        List<Term> inverse() {
            int[] all = Scope.identity(size);
            Term[][] cofactors = new Term[size][size];
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    Term minor = determinant(without(all, row), without(all, column));
                    Term own = minor == null ? net.filled(rows, new int[] {batch(), 1}, 1) : minor;
                    cofactors[row][column] = (row + column) % 2 == 0 ? own : net.unary(OperationType.NEG, own);
                }
            }
            Term whole = null;
            for (int column = 0; column < size; column++) {
                Term part = net.mul(at(0, column), cofactors[0][column]);
                whole = whole == null ? part : net.add(whole, part);
            }
            List<Term> inverse = new ArrayList<>();
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    inverse.add(net.div(cofactors[column][row], whole));
                }
            }
            return inverse;
        }

        private static int[] without(int[] values, int value) {
            return IntStream.of(values).filter(other -> other != value).toArray();
        }
    }

    private static void determinant(Node node, Scope scope) {
        Term made = new SquareBatch(scope, node.input(0)).determinant();
        scope.define(node.output(), scope.net().reshape(made, Scope.boxed(scope.facts(node.output()).shape())));
    }

    /** The sign of the determinant, and the logarithm of how large it is. */
    private static void logDeterminant(Node node, Scope scope) {
        NetBuilder net = scope.net();
        Term whole = new SquareBatch(scope, node.input(0)).determinant();
        Term zero = net.number(0);
        Term above = net.cast(net.test(OperationType.GREATER, whole, zero), whole.type());
        Term sign = net.sub(above, net.cast(net.test(OperationType.LESS, whole, zero), whole.type()));
        Term logarithm = net.unary(OperationType.LOG, net.unary(OperationType.ABS, whole));
        scope.define(node.output(0), net.reshape(sign, Scope.boxed(scope.facts(node.output(0)).shape())));
        scope.define(node.output(1), net.reshape(logarithm, Scope.boxed(scope.facts(node.output(1)).shape())));
    }

    private static void inverse(Node node, Scope scope) {
        Term made = scope.net().concatenate(new SquareBatch(scope, node.input(0)).inverse(), 1);
        TensorFacts to = scope.facts(node.output());
        scope.define(node.output(), scope.net().reshape(made, to.rank() > NetBuilder.MAX_RANK ? Shapes.folded(to.shape()) : to.shape()));
    }

    /** Right sides of as many batches as there are matrices, as matrices or, one to a matrix, as vectors. */
    private static void solution(Node node, Scope scope) {
        TensorFacts matrices = scope.facts(node.input(0));
        TensorFacts sides = scope.facts(node.input(1));
        TensorFacts to = scope.facts(node.output());
        SquareBatch elements = new SquareBatch(scope, node.input(0));
        scope.requireFloat(node.input(1));
        int size = elements.size();
        boolean fits = to.count() == sides.count() && to.count() % ((long) elements.batch() * size) == 0 && sides.rank() >= matrices.rank() - 1
            && Arrays.equals(to.shape(), sides.shape()) && (sides.rank() == matrices.rank() || elements.batch() == to.count() / size);
        if (!fits || !scope.flag(node.input(2))) {
            throw new Refused("small systems have as many right sides as matrices", sides.toString(), "a right side for each matrix, on the right", "");
        }
        int columns = Math.toIntExact(to.count() / elements.batch() / size);
        NetBuilder net = scope.net();
        Term given = scope.as(node.input(1), elements.batch(), size * columns);
        List<Term> inverse = elements.inverse();
        List<Term> solved = new ArrayList<>();
        for (int row = 0; row < size; row++) {
            Term sum = null;
            for (int i = 0; i < size; i++) {
                Term part = net.mul(inverse.get(row * size + i), net.slice(given, 1, i * columns, (i + 1) * columns, 1));
                sum = sum == null ? part : net.add(sum, part);
            }
            solved.add(sum);
        }
        Term made = net.concatenate(solved, 1);
        scope.define(node.output(), net.reshape(made, to.rank() > NetBuilder.MAX_RANK ? Shapes.folded(to.shape()) : Scope.boxed(to.shape())));
    }
}
