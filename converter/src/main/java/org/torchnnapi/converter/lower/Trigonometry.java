package org.torchnnapi.converter.lower;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Inverse circular functions, and hyperbolic ones and their inverses, of NNAPI's roots, exponentials and logarithms. In
 * float32 angles are within 5e-7 of the right ones, and so are the inverse hyperbolic functions; hyperbolic ones are
 * within 1e-6 of their value.
 */
final class Trigonometry implements NodeFamily {
    /**
     * {@code atan(v) / v} as a polynomial of v^2 for v of 0 to tan(pi / 8), fitted at Chebyshev's points: within 1e-9.
     */
    private static final double[] ARC_TANGENT = {1.0, -0.33333307, 0.19998211, -0.14239983, 0.10572814, -0.06033242};

    @Override
    public void register(NodeLoweringTable table) {
        for (String prefix : new String[] {"a", "arc"}) {
            table.function("aten::" + prefix + "tan", Trigonometry::arcTangent);
            table.function("aten::" + prefix + "sin", Trigonometry::arcSine);
            table.function(
                    "aten::" + prefix + "cos", (nnapi, x) -> nnapi.sub(nnapi.number(Math.PI / 2), arcSine(nnapi, x)));
            table.plan("aten::" + prefix + "tan2", (node, context) -> {
                context.requireFloat(node.output());
                return Elementwise.arithmetic(node, context, (y, x) -> angle(context.nnapi(), y, x));
            });
        }
        table.function(
                "aten::sinh", (nnapi, x) -> nnapi.mul(nnapi.unary(OperationType.TANH, x), hyperbolicCosine(nnapi, x)));
        table.function("aten::cosh", Trigonometry::hyperbolicCosine);
        table.function("aten::asinh", Trigonometry::areaSine);
        table.function("aten::acosh", Trigonometry::areaCosine);
        table.function(
                "aten::atanh",
                (nnapi, x) -> nnapi.mul(
                        nnapi.unary(OperationType.LOG, nnapi.div(nnapi.add(x, 1), nnapi.sub(nnapi.number(1), x))),
                        0.5));
    }

    /**
     * The angle whose tangent is {@code small / large}, both of 0 or more and small at most large: by that of half the
     * angle.
     */
    private static OperandRef upToEighth(NnapiBuilder nnapi, OperandRef small, OperandRef large) {
        OperandRef ratio = nnapi.div(small, large);
        OperandRef half =
                nnapi.div(ratio, nnapi.add(nnapi.unary(OperationType.SQRT, nnapi.add(nnapi.mul(ratio, ratio), 1)), 1));
        OperandRef square = nnapi.mul(half, half);
        OperandRef sum = nnapi.mul(square, ARC_TANGENT[ARC_TANGENT.length - 1]);
        for (int i = ARC_TANGENT.length - 2; i > 0; i--) {
            sum = nnapi.mul(nnapi.add(sum, ARC_TANGENT[i]), square);
        }
        return nnapi.mul(nnapi.mul(half, nnapi.add(sum, ARC_TANGENT[0])), 2);
    }

    /** The angle of 0 to pi / 2 whose tangent is {@code y / x}, both of 0 or more; 0 if both are 0. */
    private static OperandRef firstQuarter(NnapiBuilder nnapi, OperandRef y, OperandRef x) {
        OperandRef least = nnapi.number(Float.MIN_NORMAL);
        OperandRef small = nnapi.binary(OperationType.MINIMUM, y, x);
        OperandRef angle = upToEighth(
                nnapi, small, nnapi.binary(OperationType.MAXIMUM, nnapi.binary(OperationType.MAXIMUM, y, x), least));
        return mirrored(nnapi, nnapi.test(OperationType.GREATER, y, x), angle, Math.PI / 2);
    }

    /** {@code whole - angle} where a condition is true, else the angle. */
    private static OperandRef mirrored(NnapiBuilder nnapi, OperandRef condition, OperandRef angle, double whole) {
        OperandRef where = nnapi.cast(condition, OperandType.TENSOR_FLOAT32);
        return nnapi.add(angle, nnapi.mul(where, nnapi.sub(nnapi.number(whole), nnapi.mul(angle, 2))));
    }

    private static OperandRef arcTangent(NnapiBuilder nnapi, OperandRef x) {
        return nnapi.mul(
                CompositeLowering.sign(nnapi, x),
                firstQuarter(nnapi, nnapi.unary(OperationType.ABS, x), nnapi.number(1)));
    }

    private static OperandRef arcSine(NnapiBuilder nnapi, OperandRef x) {
        OperandRef other = nnapi.unary(OperationType.SQRT, nnapi.mul(nnapi.add(x, 1), nnapi.sub(nnapi.number(1), x)));
        OperandRef angle = nnapi.mul(
                CompositeLowering.sign(nnapi, x), firstQuarter(nnapi, nnapi.unary(OperationType.ABS, x), other));
        // What has no sine has no angle either: extremes may lose that the root is no number.
        return nnapi.add(angle, nnapi.sub(other, other));
    }

    /** The angle of a point from -pi to pi, which tells the zeros apart by the signs of their reciprocals. */
    private static OperandRef angle(NnapiBuilder nnapi, OperandRef y, OperandRef x) {
        OperandRef right = firstQuarter(nnapi, nnapi.unary(OperationType.ABS, y), nnapi.unary(OperationType.ABS, x));
        OperandRef all = mirrored(nnapi, isNegative(nnapi, x), right, Math.PI);
        return nnapi.sub(
                all, nnapi.mul(nnapi.mul(all, 2), nnapi.cast(isNegative(nnapi, y), OperandType.TENSOR_FLOAT32)));
    }

    private static OperandRef isNegative(NnapiBuilder nnapi, OperandRef x) {
        OperandRef zero = nnapi.number(0);
        return nnapi.test(
                OperationType.LOGICAL_OR,
                nnapi.test(OperationType.LESS, x, zero),
                nnapi.test(OperationType.LESS, nnapi.div(nnapi.number(1), x), zero));
    }

    /** Of halves of the angle, as exponentials of the whole overflow before their half does. */
    private static OperandRef hyperbolicCosine(NnapiBuilder nnapi, OperandRef x) {
        return nnapi.add(halfExponential(nnapi, nnapi.mul(x, 0.5)), halfExponential(nnapi, nnapi.mul(x, -0.5)));
    }

    /** {@code exp(2 x) / 2}. */
    private static OperandRef halfExponential(NnapiBuilder nnapi, OperandRef x) {
        OperandRef root = nnapi.unary(OperationType.EXP, x);
        return nnapi.mul(nnapi.mul(root, 0.5), root);
    }

    /**
     * {@code 1 - 2 sin(x / 2)^2}: halves are exact, where a quarter turn more loses the last digits of large angles.
     */
    static OperandRef cosine(NnapiBuilder nnapi, OperandRef x) {
        OperandRef sine = nnapi.unary(OperationType.SIN, nnapi.mul(x, 0.5));
        return nnapi.sub(nnapi.number(1), nnapi.mul(nnapi.mul(sine, sine), 2));
    }

    /**
     * {@code log(r) + log(t / r + sqrt((t / r)^2 + 1 / r^2))} for t = |x| and r = max(t, 1), in which nothing
     * overflows.
     */
    private static OperandRef areaSine(NnapiBuilder nnapi, OperandRef x) {
        OperandRef size = nnapi.unary(OperationType.ABS, x);
        OperandRef scale = nnapi.binary(OperationType.MAXIMUM, size, nnapi.number(1));
        OperandRef inverse = nnapi.div(nnapi.number(1), scale);
        OperandRef part = nnapi.mul(size, inverse);
        OperandRef root =
                nnapi.unary(OperationType.SQRT, nnapi.add(nnapi.mul(part, part), nnapi.mul(inverse, inverse)));
        OperandRef area =
                nnapi.add(nnapi.unary(OperationType.LOG, scale), nnapi.unary(OperationType.LOG, nnapi.add(part, root)));
        return nnapi.mul(CompositeLowering.sign(nnapi, x), area);
    }

    /** {@code log(x) + log(1 + sqrt(x - 1) sqrt(x + 1) / x)}, in which nothing overflows. */
    private static OperandRef areaCosine(NnapiBuilder nnapi, OperandRef x) {
        OperandRef root = nnapi.mul(
                nnapi.unary(OperationType.SQRT, nnapi.add(x, -1)), nnapi.unary(OperationType.SQRT, nnapi.add(x, 1)));
        return nnapi.add(
                nnapi.unary(OperationType.LOG, x), nnapi.unary(OperationType.LOG, nnapi.add(nnapi.div(root, x), 1)));
    }
}
