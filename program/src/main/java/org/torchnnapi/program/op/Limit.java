package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Floats limited to a range, as RELU and RELU6 do. Most become part of what computes their input. */
public record Limit(Clamp clamp) implements Elementwise {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    @Override
    public Op limited(Clamp limit) {
        return new Limit(clamp.then(limit));
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (at, count) -> ElementwiseOps.clamp(from, in.at(memory) + at, to, out.at(memory) + at, count, clamp);
        });
    }

    @Override
    public String label() {
        return "limit";
    }
}
