package org.torchnnapi.program.op;

import java.util.List;
import java.util.Locale;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** A function of each float. */
public record UnaryMathOp(UnaryOp op) implements ElementwiseOp {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    @Override
    public boolean isExact() {
        return switch (op) {
            case EXP, LOG, SQRT, RSQRT -> true;
            default -> false;
        };
    }

    @Override
    public Step compile(Operands operands) {
        return OneInput.floatElements(
                operands, (in, from, out, to, count) -> ElementwiseOps.unary(op, in, from, out, to, count));
    }

    @Override
    public String label() {
        return op.name().toLowerCase(Locale.ROOT);
    }
}
