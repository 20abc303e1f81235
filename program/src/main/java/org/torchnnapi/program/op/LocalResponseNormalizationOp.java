package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * {@code x / (bias + alpha * sum(squares of the neighbours within radius along an axis))^beta} of floats, in double.
 *
 * @param axis negative counts from the back
 * @param radius neighbours on either side, >= 0
 */
public record LocalResponseNormalizationOp(int axis, int radius, float bias, float alpha, float beta) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        Require.axis(axis, in.rank());
        if (radius < 0) {
            throw new IllegalArgumentException("radius: " + radius + " (expected: >= 0)");
        }
        return in;
    }

    @Override
    public Step compile(Operands operands) {
        ReducedAxes channels = ReducedAxes.of(operands.in(0).type(), new int[] {axis});
        return OneInput.floats(operands, channels.runs(), (in, from, out, to, begin, end) -> {
            for (int run = begin; run < end; run++) {
                int first = channels.first(run);
                normalize(in, from + first, out, to + first, channels.reduced(), channels.inner());
            }
        });
    }

    private void normalize(float[] in, int from, float[] out, int to, int size, int step) {
        for (int i = 0; i < size; i++) {
            int first = Math.max(0, i - Math.min(radius, size));
            int last = Math.min(size - 1, i + Math.min(radius, size));
            double squares = 0;
            for (int j = first; j <= last; j++) {
                double neighbour = in[from + j * step];
                squares += neighbour * neighbour;
            }
            out[to + i * step] = (float) (in[from + i * step] / power(bias + alpha * squares));
        }
    }

    /** To the power of beta, by roots for the usual ones. */
    private double power(double base) {
        if (beta == 0.5f) {
            return Math.sqrt(base);
        }
        if (beta == 0.75f) {
            double root = Math.sqrt(base);
            return root * Math.sqrt(root);
        }
        return beta == 1 ? base : Math.pow(base, beta);
    }

    @Override
    public String label() {
        return "local response normalization";
    }
}
