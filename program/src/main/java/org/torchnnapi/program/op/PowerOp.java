package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Floats to the power of others, in double; shapes are broadcast as NumPy does. */
public record PowerOp() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        return ValueType.floats(
                Broadcasting.shape(Require.floats("base", inputs.get(0)), Require.floats("exponent", inputs.get(1))));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue base = operands.in(0);
        PlacedValue exponent = operands.in(1);
        PlacedValue out = operands.out();
        return Broadcasting.rows(operands, memory -> {
            float[] bases = base.floats(memory);
            float[] exponents = exponent.floats(memory);
            float[] to = out.floats(memory);
            return (atBase, stepBase, atExponent, stepExponent, at, count) -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] =
                            (float) Math.pow(bases[atBase + i * stepBase], exponents[atExponent + i * stepExponent]);
                }
            };
        });
    }

    @Override
    public String label() {
        return "power";
    }
}
