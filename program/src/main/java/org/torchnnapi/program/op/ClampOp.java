package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Floats limited to a range, as RELU and RELU6 do. Most become part of what computes their input. */
public record ClampOp(Clamp clamp) implements ElementwiseOp {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    @Override
    public Op limited(Clamp limit) {
        return new ClampOp(clamp.then(limit));
    }

    @Override
    public Step compile(Operands operands) {
        return OneInput.floatElements(
                operands, (in, from, out, to, count) -> ElementwiseOps.clamp(in, from, out, to, count, clamp));
    }

    @Override
    public String label() {
        return clamp.isNone() ? "clamp" : clamp.label();
    }
}
