package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A function of each float that has no kernel of its own.
 *
 * @param name for people
 * @param rereads whether it reads an element again after it has written it, so that it cannot work in place
 */
public record PointwiseOp(String name, boolean rereads, Function function) implements ElementwiseOp {
    public static final PointwiseOp SIN = new PointwiseOp("sin", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.sin(in[from + i]);
        }
    });
    public static final PointwiseOp COS = new PointwiseOp("cos", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.cos(in[from + i]);
        }
    });
    public static final PointwiseOp ERF = new PointwiseOp("erf", true, ErrorFunction::apply);
    /** To whole numbers, the even one of two as near. */
    public static final PointwiseOp ROUND = new PointwiseOp("round", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.rint(in[from + i]);
        }
    });

    public static final PointwiseOp FLOOR = new PointwiseOp("floor", false, (in, from, out, to, count) -> {
        for (int i = 0; i < count; i++) {
            out[to + i] = (float) Math.floor(in[from + i]);
        }
    });

    /** Works on a run: each function has a loop of its own, which the compiler can make the most of. */
    @FunctionalInterface
    public interface Function {
        void apply(float[] in, int from, float[] out, int to, int count);
    }

    /** {@code x} where it is not negative, else {@code alpha * (exp(x) - 1)}. */
    public static PointwiseOp elu(float alpha) {
        return elu("elu", alpha, 1, 1);
    }

    /**
     * {@code scale * x} where x is not negative, else {@code scale * alpha * (exp(steepness * x) - 1)}, the difference
     * as {@code 2 t / (1 - t)} with {@code t = tanh(steepness * x / 2)}: not one of near numbers, and no branch.
     *
     * @param steepness above 0
     */
    public static PointwiseOp elu(String name, float alpha, float scale, float steepness) {
        float twice = 2 * scale * alpha;
        return new PointwiseOp(name, true, (in, from, out, to, count) -> {
            for (int i = 0; i < count; i++) {
                out[to + i] = Math.min(in[from + i], 0) * (0.5f * steepness);
            }
            ElementwiseOps.unary(UnaryOp.TANH, out, to, out, to, count);
            for (int i = 0; i < count; i++) {
                float t = out[to + i];
                out[to + i] = Math.max(in[from + i], 0) * scale + twice * t / (1 - t);
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
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
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
