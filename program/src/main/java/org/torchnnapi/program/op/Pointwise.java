package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A function of each float that has no kernel of its own.
 *
 * @param name for people
 */
public record Pointwise(String name, Function function) implements Elementwise {
    @FunctionalInterface
    public interface Function {
        float apply(float x);
    }

    /** {@code x} where it is not negative, else {@code alpha * (exp(x) - 1)}, in double, where little is lost near zero. */
    public static Pointwise elu(float alpha) {
        return new Pointwise("elu", x -> !(x < 0) ? x : (float) (alpha * (x > -1e-7f ? x : Math.exp(x) - 1)));
    }

    @Override
    public boolean isExact() {
        return true;
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (at, count) -> {
                int source = in.at(memory) + at;
                int target = out.at(memory) + at;
                for (int i = 0; i < count; i++) {
                    to[target + i] = function.apply(from[source + i]);
                }
            };
        });
    }

    @Override
    public String label() {
        return name;
    }
}
