package org.torchnnapi.converter.free.lower;

import java.util.Map;
import java.util.function.UnaryOperator;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Inverse circular functions, and hyperbolic ones and their inverses, of NNAPI's roots, exponentials and logarithms. In float32 angles are
 * within 5e-7 of the right ones, and so are the inverse hyperbolic functions; hyperbolic ones are within 1e-6 of their value.
 */
final class Trigonometry implements NodeFamily {
    /** {@code atan(v) / v} as a polynomial of v^2 for v of 0 to tan(pi / 8), fitted at Chebyshev's points: within 1e-9. */
    private static final double[] ARC_TANGENT = {1.0, -0.33333307, 0.19998211, -0.14239983, 0.10572814, -0.06033242};

    @Override
    public void register(Map<String, NodeLowering> table) {
        for (String prefix : new String[] {"a", "arc"}) {
            function(table, prefix + "tan", Trigonometry::arcTangent);
            function(table, prefix + "sin", Trigonometry::arcSine);
            function(table, prefix + "cos", (net, x) -> net.sub(net.number(Math.PI / 2), arcSine(net, x)));
            table.put("aten::" + prefix + "tan2", (node, scope) -> {
                scope.requireFloat(node.output());
                Elementwise.arithmetic(node, scope, (y, x) -> angle(scope.net(), y, x));
            });
        }
        function(table, "sinh", (net, x) -> net.mul(net.unary(OperationType.TANH, x), hyperbolicCosine(net, x)));
        function(table, "cosh", Trigonometry::hyperbolicCosine);
        function(table, "asinh", Trigonometry::areaSine);
        function(table, "acosh", Trigonometry::areaCosine);
        function(table, "atanh", (net, x) -> net.mul(net.unary(OperationType.LOG, net.div(net.add(x, 1), net.sub(net.number(1), x))), 0.5));
    }

    /** A function of a term, made by a net. */
    private interface Function {
        Term of(NetBuilder net, Term x);
    }

    private static void function(Map<String, NodeLowering> table, String name, Function function) {
        table.put("aten::" + name, (node, scope) -> apply(node, scope, x -> function.of(scope.net(), x)));
    }

    private static void apply(Node node, Scope scope, UnaryOperator<Term> function) {
        Elementwise.apply(node, scope, function);
    }

    /** The angle whose tangent is {@code small / large}, both of 0 or more and small at most large: by that of half the angle. */
    private static Term upToEighth(NetBuilder net, Term small, Term large) {
        Term ratio = net.div(small, large);
        Term half = net.div(ratio, net.add(net.unary(OperationType.SQRT, net.add(net.mul(ratio, ratio), 1)), 1));
        Term square = net.mul(half, half);
        Term sum = net.mul(square, ARC_TANGENT[ARC_TANGENT.length - 1]);
        for (int i = ARC_TANGENT.length - 2; i > 0; i--) {
            sum = net.mul(net.add(sum, ARC_TANGENT[i]), square);
        }
        return net.mul(net.mul(half, net.add(sum, ARC_TANGENT[0])), 2);
    }

    /** The angle of 0 to pi / 2 whose tangent is {@code y / x}, both of 0 or more; 0 if both are 0. */
    private static Term firstQuarter(NetBuilder net, Term y, Term x) {
        Term least = net.number(Float.MIN_NORMAL);
        Term small = net.binary(OperationType.MINIMUM, y, x);
        Term angle = upToEighth(net, small, net.binary(OperationType.MAXIMUM, net.binary(OperationType.MAXIMUM, y, x), least));
        return mirrored(net, net.test(OperationType.GREATER, y, x), angle, Math.PI / 2);
    }

    /** {@code whole - angle} where a condition is true, else the angle. */
    private static Term mirrored(NetBuilder net, Term condition, Term angle, double whole) {
        Term where = net.cast(condition, OperandType.TENSOR_FLOAT32);
        return net.add(angle, net.mul(where, net.sub(net.number(whole), net.mul(angle, 2))));
    }

    private static Term arcTangent(NetBuilder net, Term x) {
        return net.mul(Compositions.sign(net, x), firstQuarter(net, net.unary(OperationType.ABS, x), net.number(1)));
    }

    private static Term arcSine(NetBuilder net, Term x) {
        Term other = net.unary(OperationType.SQRT, net.mul(net.add(x, 1), net.sub(net.number(1), x)));
        Term angle = net.mul(Compositions.sign(net, x), firstQuarter(net, net.unary(OperationType.ABS, x), other));
        // What has no sine has no angle either: extremes may lose that the root is no number.
        return net.add(angle, net.sub(other, other));
    }

    /** The angle of a point from -pi to pi, which tells the zeros apart by the signs of their reciprocals. */
    private static Term angle(NetBuilder net, Term y, Term x) {
        Term right = firstQuarter(net, net.unary(OperationType.ABS, y), net.unary(OperationType.ABS, x));
        Term all = mirrored(net, isNegative(net, x), right, Math.PI);
        return net.sub(all, net.mul(net.mul(all, 2), net.cast(isNegative(net, y), OperandType.TENSOR_FLOAT32)));
    }

    private static Term isNegative(NetBuilder net, Term x) {
        Term zero = net.number(0);
        return net.test(OperationType.LOGICAL_OR, net.test(OperationType.LESS, x, zero), net.test(OperationType.LESS, net.div(net.number(1), x), zero));
    }

    private static Term hyperbolicCosine(NetBuilder net, Term x) {
        Term growing = net.unary(OperationType.EXP, x);
        return net.mul(net.add(growing, net.unary(OperationType.EXP, net.unary(OperationType.NEG, x))), 0.5);
    }

    /** {@code log(r) + log(t / r + sqrt((t / r)^2 + 1 / r^2))} for t = |x| and r = max(t, 1), in which nothing overflows. */
    private static Term areaSine(NetBuilder net, Term x) {
        Term size = net.unary(OperationType.ABS, x);
        Term scale = net.binary(OperationType.MAXIMUM, size, net.number(1));
        Term inverse = net.div(net.number(1), scale);
        Term part = net.mul(size, inverse);
        Term root = net.unary(OperationType.SQRT, net.add(net.mul(part, part), net.mul(inverse, inverse)));
        Term area = net.add(net.unary(OperationType.LOG, scale), net.unary(OperationType.LOG, net.add(part, root)));
        return net.mul(Compositions.sign(net, x), area);
    }

    /** {@code log(x) + log(1 + sqrt(x - 1) sqrt(x + 1) / x)}, in which nothing overflows. */
    private static Term areaCosine(NetBuilder net, Term x) {
        Term root = net.mul(net.unary(OperationType.SQRT, net.add(x, -1)), net.unary(OperationType.SQRT, net.add(x, 1)));
        return net.add(net.unary(OperationType.LOG, x), net.unary(OperationType.LOG, net.add(net.div(root, x), 1)));
    }
}
