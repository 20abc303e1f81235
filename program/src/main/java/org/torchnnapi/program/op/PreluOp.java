package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** {@code x >= 0 ? x : slope * x} of floats; inputs x and the slope, whose shape is broadcast to x's as NumPy does. */
public record PreluOp() implements Op {
    /**
     * Whether with such slopes the result is the greater of x and {@code slope * x}, which vectors compute: they are at
     * most 1, and none is 0, which makes no number of an infinite x.
     */
    public static boolean isGreaterOfBoth(float[] slopes) {
        for (float slope : slopes) {
            if (!(slope <= 1) || slope == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType x = Require.floats("x", inputs.get(0));
        return ValueType.floats(Broadcasting.shape(x, Require.floats("slope", inputs.get(1))));
    }

    @Override
    public Op expanded(int rank, int axis) {
        return this;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue x = operands.in(0);
        PlacedValue slope = operands.in(1);
        PlacedValue out = operands.out();
        return Broadcasting.rows(operands, memory -> {
            float[] values = x.floats(memory);
            float[] slopes = slope.floats(memory);
            float[] to = out.floats(memory);
            return (atX, stepX, atSlope, stepSlope, at, count) -> {
                for (int i = 0; i < count; i++) {
                    float value = values[atX + i * stepX];
                    // By the sign's bit, since a branch on it is guessed wrong for half of all values.
                    int bits = Float.floatToRawIntBits(value);
                    int below = bits >> 31;
                    int product = Float.floatToRawIntBits(value * slopes[atSlope + i * stepSlope]);
                    to[at + i] = Float.intBitsToFloat(product & below | bits & ~below);
                }
            };
        });
    }

    @Override
    public String label() {
        return "prelu";
    }
}
