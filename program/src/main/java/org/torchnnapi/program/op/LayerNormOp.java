package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.LayerNorm;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Normalization of the last axes, {@code count} elements together, by their own mean and variance; see
 * {@link org.torchnnapi.kernels.LayerNorm}.
 *
 * @param scale one an element, or null for all 1; kept
 * @param shift one an element, or null for all 0; kept
 */
public record LayerNormOp(int count, float epsilon, float[] scale, float[] shift) implements Op {
    /** Rows in a share of the work are as many as come to about so many elements. */
    private static final int SHARE = 1 << 13;

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        int axis = in.rank();
        int last = 1;
        while (axis > 0 && last < count) {
            last *= in.dimension(--axis);
        }
        if (last != count) {
            throw new IllegalArgumentException(
                    "elements to normalize: " + count + " (expected: those of the last axes of " + in + ")");
        }
        return in;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Step compile(Operands operands) {
        int rows = operands.in(0).type().count() / count;
        int share = Math.max(1, SHARE / count);
        LayerNorm norm = LayerNorm.plan(count, epsilon, scale, shift);
        return OneInput.floats(
                operands,
                (rows + share - 1) / share,
                (in, from, out, to, begin, end) ->
                        norm.run(in, from, out, to, begin * share, Math.min(rows, end * share)));
    }

    @Override
    public long packedBytes() {
        return 2L * count * Float.BYTES;
    }

    @Override
    public long weightWork(Operands operands) {
        return packedBytes() * (operands.out().type().count() / count);
    }

    @Override
    public String label() {
        return "layer norm of " + count;
    }
}
