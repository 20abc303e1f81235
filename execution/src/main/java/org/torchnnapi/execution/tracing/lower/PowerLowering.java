package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Powers that products, roots and quotients make. */
final class PowerLowering implements LoweringFamily {
    private static final int MOST = 4;

    @Override
    public void register(Registrar r) {
        r.add("aten::pow", (lowered, node, a) -> power(lowered, Support.floats(a, 0), exponent(lowered, a[1])));
        r.add("aten::square", (lowered, node, a) -> power(lowered, Support.floats(a, 0), 2));
        r.add("aten::reciprocal", (lowered, node, a) -> power(lowered, Support.floats(a, 0), -1));
    }

    private static double exponent(Lowered lowered, Object value) {
        if (value instanceof Number n) {
            return n.doubleValue();
        }
        Support.require(value instanceof Tensor t && !lowered.varies(t) && t.rank() == 0, "a number");
        return ((Tensor) value).getDouble(0);
    }

    private static Tensor power(Lowered lowered, Tensor x, double exponent) {
        if (exponent == 0.5 || exponent == -0.5) {
            return lowered.compute(
                    new UnaryMathOp(exponent > 0 ? UnaryOp.SQRT : UnaryOp.RSQRT),
                    Support.like(x, DType.FLOAT32, null),
                    x);
        }
        if (exponent == -1) {
            return ArithmeticLowering.lower(lowered, BinaryOp.DIV, 1.0, x);
        }
        Support.require(
                exponent == Math.rint(exponent) && exponent >= 2 && exponent <= MOST,
                "an exponent of 2, 3, 4, -1, 0.5 or -0.5");
        Tensor square = ArithmeticLowering.lower(lowered, BinaryOp.MUL, x, x);
        return exponent == 2
                ? square
                : ArithmeticLowering.lower(lowered, BinaryOp.MUL, square, exponent == MOST ? square : x);
    }
}
