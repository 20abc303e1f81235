package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Floats brought to the nearest number {@code (n - zeroPoint) * scale} with a whole n within [least, most], halves to
 * the even one; a NaN becomes 0 or stays. It is what numbers of 16 bits, which programs hold as floats, can stand for.
 */
public record FakeQuantize(float scale, int zeroPoint, int least, int most) implements ElementwiseOp {
    /** Floats of up to twice as much have a bit to spare for the half. */
    private static final int LARGEST = 1 << 20;
    /** Added to a small number it leaves no place for a fraction: the sum is rounded. */
    private static final float ROUNDING = 3 << 22;

    private static final ThreadLocal<float[]> CHUNK = ThreadLocal.withInitial(() -> new float[1024]);

    @Override
    public ValueType result(List<ValueType> inputs) {
        return Require.floats("input", Require.only(inputs));
    }

    public FakeQuantize {
        if (!(scale > 0) || least - zeroPoint < -LARGEST || most - zeroPoint > LARGEST || least > most) {
            throw new IllegalArgumentException("scale, least, most: " + scale + ", " + least + ", " + most
                    + " (expected: > 0, ordered and within 2^20 of the zero point)");
        }
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        // The quotient by a power of two is exact in floats, of which many are divided at once.
        boolean exact = Math.scalb(1f, Math.getExponent(scale)) == scale && scale >= Float.MIN_NORMAL;
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return exact
                    ? (at, count) -> multiply(from, in.at(memory) + at, to, out.at(memory) + at, count)
                    : (at, count) -> divide(from, in.at(memory) + at, to, out.at(memory) + at, count);
        });
    }

    private void multiply(float[] from, int at, float[] to, int toAt, int count) {
        float[] chunk = CHUNK.get();
        float inverse = 1 / scale;
        float low = least - zeroPoint;
        float high = most - zeroPoint;
        for (int done = 0; done < count; done += chunk.length) {
            int size = Math.min(chunk.length, count - done);
            System.arraycopy(from, at + done, chunk, 0, size);
            // Compilers take several at once where what is written lies where it was read.
            for (int i = 0; i < size; i++) {
                float steps = Math.max(low, Math.min(high, chunk[i] * inverse));
                chunk[i] = (steps + ROUNDING - ROUNDING) * scale;
            }
            System.arraycopy(chunk, 0, to, toAt + done, size);
        }
    }

    private void divide(float[] from, int at, float[] to, int toAt, int count) {
        for (int i = 0; i < count; i++) {
            double number = Math.rint((double) from[at + i] / scale) + zeroPoint;
            to[toAt + i] = ((int) Math.max(least, Math.min(most, number)) - zeroPoint) * scale;
        }
    }

    @Override
    public String label() {
        return "fake quantize";
    }
}
