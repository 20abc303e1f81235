package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A function of each float that has no kernel of its own.
 *
 * @param name for people
 * @param rereads whether it reads an element again after it has written it, so that it cannot work in place
 */
public record Pointwise(String name, boolean rereads, Function function) implements Elementwise {
    public static final Pointwise SIN = new Pointwise("sin", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.sin(in[from + i]);
        }
    });
    public static final Pointwise FLOOR = new Pointwise("floor", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.floor(in[from + i]);
        }
    });

    /** Works on a run: each function has a loop of its own, which the compiler can make the most of. */
    @FunctionalInterface
    public interface Function {
        void apply(float[] in, int from, float[] out, int to, int count);
    }

    /**
     * {@code x} where it is not negative, else {@code alpha * (exp(x) - 1)}, as {@code 2 t / (1 - t)} with {@code t = tanh(x / 2)}: no
     * difference of near numbers, and no branch.
     */
    public static Pointwise elu(float alpha) {
        return new Pointwise("elu", true, (in, from, out, to, count) -> {
            for (int i = 0; i < count; i++) {
                out[to + i] = Math.min(in[from + i], 0) * 0.5f;
            }
            ElementwiseOps.unary(UnaryOp.TANH, out, to, out, to, count);
            for (int i = 0; i < count; i++) {
                float t = out[to + i];
                out[to + i] = Math.max(in[from + i], 0) + alpha * 2 * t / (1 - t);
            }
        });
    }

    @Override
    public boolean isExact() {
        return true;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return !rereads;
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
            return (at, count) -> function.apply(from, in.at(memory) + at, to, out.at(memory) + at, count);
        });
    }

    @Override
    public String label() {
        return name;
    }
}
