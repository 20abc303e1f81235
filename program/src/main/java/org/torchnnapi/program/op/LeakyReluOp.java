package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Of each float {@code x} where it is not negative, else {@code slope * x}. */
public record LeakyReluOp(float slope) implements ElementwiseOp {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    @Override
    public Step compile(Operands operands) {
        return OneInput.floatElements(
                operands,
                (in, from, out, to, count) ->
                        ElementwiseOps.binary(BinaryOp.PRELU, in, from, slope, out, to, count, Clamp.NONE));
    }

    @Override
    public String label() {
        return "leaky_relu";
    }
}
