package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class VarianceOpTest {
    private static final int[] SHAPE = {3, 7, 5, 30};

    /** Against arithmetic of 60 digits: over the last axes, over others, over all, and runs that fill no block. */
    @Test
    void isRoundedOnce() {
        ValueType type = ValueType.floats(SHAPE);
        float[] in = (float[]) Ops.random(new Random(5), type);
        for (int i = 0; i < in.length; i++) {
            // A mean far from zero, where sums in float lose digits.
            in[i] += 100;
        }
        for (int[] axes : new int[][] {{3}, {-2, -1}, {1}, {1, 2}, {0}, {0, 1, 2, 3}}) {
            for (double correction : new double[] {0, 1, 2}) {
                for (boolean root : new boolean[] {false, true}) {
                    check(type, in, new VarianceOp(axes, correction, root, root));
                }
            }
        }
    }

    private static void check(ValueType type, float[] in, VarianceOp op) {
        float[] actual = (float[]) Ops.run(op, List.of(type), in);
        ReducedAxes extents = ReducedAxes.of(type, op.axes());
        assertEquals(extents.runs(), actual.length);
        for (int run = 0; run < actual.length; run++) {
            MathContext digits = new MathContext(60);
            BigDecimal count = BigDecimal.valueOf(extents.reduced());
            BigDecimal sum = BigDecimal.ZERO;
            BigDecimal squares = BigDecimal.ZERO;
            for (int i = 0; i < extents.reduced(); i++) {
                BigDecimal value = new BigDecimal(in[extents.first(run) + i * extents.inner()]);
                sum = sum.add(value);
                squares = squares.add(value.multiply(value));
            }
            BigDecimal variance = squares.subtract(sum.multiply(sum).divide(count, digits))
                    .divide(count.subtract(BigDecimal.valueOf(op.correction())), digits);
            assertEquals(
                    (op.root() ? variance.sqrt(digits) : variance).floatValue(),
                    actual[run],
                    op.label() + ", run " + run);
        }
    }
}
