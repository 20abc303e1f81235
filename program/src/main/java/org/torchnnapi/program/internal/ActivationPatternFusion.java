package org.torchnnapi.program.internal;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.PointwiseOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * Finds the error function, {@code gelu} by it and {@code gelu}'s approximation where they were written out in some
 * twenty operations, as converters do for NNAPI, which has none of them, and {@code silu} in two, and makes each one
 * operation.
 *
 * <p>The error function is that of Abramowitz and Stegun 7.1.26, {@code 1 - erf(z) = (a1 t + ... + a5 t^5) exp(-z^2)}
 * of {@code t = 1 / (1 + p z)}, by which {@code gelu(x) = relu(x) - |x| (1 - erf(|x| / sqrt 2)) / 2}. It differs from
 * the function itself by 1.5e-7 at most.
 */
final class ActivationPatternFusion implements Pass {
    private static final double P = 0.3275911;
    private static final double[] A = {0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429};
    /** Of the approximation, see {@link UnaryOp#GELU_TANH}. */
    private static final double CUBE = 0.044715;
    /** Where the error function is 1 as a float. */
    private static final float ONE = 6;

    @Override
    public void run(MutableGraph draft) {
        Search search = new Search(draft);
        for (int i = 0; i < search.nodes.size(); i++) {
            OpGraph.Node node = search.nodes.get(i);
            if (node.op() instanceof BinaryMathOp binary && binary.clamp().isNone()) {
                search.at(i, binary.op());
            }
        }
        draft.replace(search.nodes);
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        /** Looks at a function of two values as the last step. */
        void at(int position, BinaryOp op) {
            int output = nodes.get(position).output();
            if (op == BinaryOp.SUB) {
                replace(position, gelu(nodes.get(position)), new UnaryMathOp(UnaryOp.GELU));
            } else if (op == BinaryOp.MUL) {
                for (int[] sides : sides(output, BinaryOp.MUL)) {
                    replace(
                            position,
                            isGate(sides[1], whole(sides[0])) ? whole(sides[0]) : -1,
                            new UnaryMathOp(UnaryOp.GELU_TANH));
                    replace(
                            position,
                            applied(sides[1], UnaryOp.SIGMOID) == whole(sides[0]) ? whole(sides[0]) : -1,
                            new UnaryMathOp(UnaryOp.SILU));
                    replace(position, errorFunction(sides[0], sides[1]), PointwiseOp.ERF);
                }
            }
        }

        /** What is left out has no uses any more. */
        private void replace(int position, int x, Op op) {
            int output = nodes.get(position).output();
            if (x >= 0 && draft.type(x).equals(draft.type(output))) {
                nodes.set(position, new OpGraph.Node(op, new int[] {x}, output));
            }
        }

        /**
         * The {@code x} of {@code relu(x) - max(-x, min(x, 6 or more)) (1 - erf(|x| / sqrt 2)) / 2}; -1 if it is
         * something else.
         */
        private int gelu(OpGraph.Node difference) {
            OpGraph.Node relu = made(whole(difference.inputs()[0]));
            if (relu == null
                    || !(relu.op() instanceof ClampOp limit)
                    || !limit.clamp().equals(Clamp.RELU)) {
                return -1;
            }
            int x = whole(relu.inputs()[0]);
            for (int[] rest : sides(difference.inputs()[1], BinaryOp.MUL)) {
                int z = complement(rest[0], 0.5);
                for (int[] scaled : sides(z, BinaryOp.MUL)) {
                    if (near(scalar(scaled[1]), Math.sqrt(0.5))
                            && applied(scaled[0], UnaryOp.ABS) == x
                            && isSize(rest[1], x)) {
                        return x;
                    }
                }
            }
            return -1;
        }

        /** Whether a value is {@code max(-x, min(x, 6 or more))}. */
        private boolean isSize(int value, int x) {
            for (int[] sides : sides(value, BinaryOp.MAX)) {
                for (int[] bounded : sides(sides[1], BinaryOp.MIN)) {
                    if (applied(sides[0], UnaryOp.NEG) == x && whole(bounded[0]) == x && scalar(bounded[1]) >= ONE) {
                        return true;
                    }
                }
            }
            return false;
        }

        /**
         * The {@code x} of {@code 1 - (1 - erf(|x|))} and its sign, {@code y / max(|y|, the least number)} of an x
         * within bounds; -1 if it is something else.
         */
        private int errorFunction(int size, int sign) {
            OpGraph.Node difference = made(size, BinaryOp.SUB);
            OpGraph.Node quotient = made(sign, BinaryOp.DIV);
            int z = difference == null || quotient == null || scalar(difference.inputs()[0]) != 1
                    ? -1
                    : complement(difference.inputs()[1], 1);
            int x = z < 0 ? -1 : applied(z, UnaryOp.ABS);
            int bounded = x < 0 ? -1 : whole(quotient.inputs()[0]);
            for (int[] least : x < 0 ? new int[0][] : sides(quotient.inputs()[1], BinaryOp.MAX)) {
                for (int[] above : sides(bounded, BinaryOp.MAX)) {
                    for (int[] below : sides(above[0], BinaryOp.MIN)) {
                        float floor = scalar(least[1]);
                        if (applied(least[0], UnaryOp.ABS) == bounded
                                && floor > 0
                                && floor <= Float.MIN_NORMAL
                                && scalar(above[1]) <= -ONE
                                && scalar(below[1]) >= ONE
                                && whole(below[0]) == x) {
                            return x;
                        }
                    }
                }
            }
            return -1;
        }

        /** The {@code z} of {@code factor (1 - erf(z))}; -1 if the value is something else. */
        private int complement(int value, double factor) {
            for (int[] sides : sides(value, BinaryOp.MUL)) {
                int power = applied(sides[1], UnaryOp.EXP);
                OpGraph.Node square = made(applied(power, UnaryOp.NEG), BinaryOp.MUL);
                if (square != null
                        && whole(square.inputs()[0]) == whole(square.inputs()[1])
                        && isPolynomial(sides[0], whole(square.inputs()[0]), factor)) {
                    return whole(square.inputs()[0]);
                }
            }
            return -1;
        }

        /** Whether a value is {@code factor (a1 t + ... + a5 t^5)} of {@code t = 1 / (1 + p z)}, by Horner's rule. */
        private boolean isPolynomial(int value, int z, double factor) {
            int t = -1;
            int sum = value;
            for (double coefficient : A) {
                int rest = -1;
                for (int[] product : sides(sum, BinaryOp.MUL)) {
                    boolean last = coefficient == A[A.length - 1];
                    if (t < 0 ? !isReciprocal(product[1], z) : whole(product[1]) != t) {
                        continue;
                    }
                    t = whole(product[1]);
                    if (last) {
                        return near(scalar(product[0]), factor * coefficient);
                    }
                    for (int[] terms : sides(product[0], BinaryOp.ADD)) {
                        if (near(scalar(terms[1]), factor * coefficient)) {
                            rest = terms[0];
                        }
                    }
                }
                if (rest < 0) {
                    return false;
                }
                sum = rest;
            }
            return false;
        }

        private boolean isReciprocal(int value, int z) {
            OpGraph.Node quotient = made(value, BinaryOp.DIV);
            for (int[] sum : quotient == null || scalar(quotient.inputs()[0]) != 1
                    ? new int[0][]
                    : sides(quotient.inputs()[1], BinaryOp.ADD)) {
                for (int[] scaled : scalar(sum[1]) == 1 ? sides(sum[0], BinaryOp.MUL) : new int[0][]) {
                    if (whole(scaled[0]) == z && near(scalar(scaled[1]), P)) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Whether a value is {@code sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))}. */
        private boolean isGate(int value, int x) {
            int inner = applied(value, UnaryOp.SIGMOID);
            for (int[] scaled : sides(inner, BinaryOp.MUL)) {
                for (int[] sum : near(scalar(scaled[1]), 2 * Math.sqrt(2 / Math.PI))
                        ? sides(scaled[0], BinaryOp.ADD)
                        : new int[0][]) {
                    for (int[] cube : whole(sum[0]) == x ? sides(sum[1], BinaryOp.MUL) : new int[0][]) {
                        if (near(scalar(cube[1]), CUBE) && isCube(cube[0], x)) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        private boolean isCube(int value, int x) {
            for (int[] sides : sides(value, BinaryOp.MUL)) {
                OpGraph.Node square = made(sides[0], BinaryOp.MUL);
                if (whole(sides[1]) == x
                        && square != null
                        && whole(square.inputs()[0]) == x
                        && whole(square.inputs()[1]) == x) {
                    return true;
                }
            }
            return false;
        }

        private static boolean near(float value, double wanted) {
            return Math.abs(value - wanted) <= 1e-6 * Math.abs(wanted);
        }
    }
}
