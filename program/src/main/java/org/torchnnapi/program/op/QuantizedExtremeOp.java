package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The largest or smallest of bytes over adjacent axes, in the input's scale and zero point.
 *
 * @param axes negative ones count from the back
 * @param keep whether the axes stay, with one element each
 */
public record QuantizedExtremeOp(boolean largest, int[] axes, boolean keep) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return ReducedAxes.result(Require.bytes("input", Require.only(inputs)), axes, keep);
    }

    @Override
    public Step compile(Operands operands) {
        ValueType type = operands.in(0).type();
        ReducedAxes extents = ReducedAxes.of(type, axes);
        // Turns the bits that make the order of bytes that of signed ones, and the largest the smallest.
        byte flip = (byte) ((type.element().isSigned() ? 0 : 0x80) ^ (largest ? 0 : 0xff));
        int row = extents.reduced() * extents.inner();
        return OneInput.bytes(operands, extents.outer(), (in, from, out, to, begin, end) -> {
            for (int o = begin; o < end; o++) {
                reduce(in, from + o * row, out, to + o * extents.inner(), extents.reduced(), extents.inner(), flip);
            }
        });
    }

    private static void reduce(byte[] from, int at, byte[] to, int target, int reduced, int inner, byte flip) {
        if (inner == 1) {
            int most = from[at] ^ flip;
            for (int k = 1; k < reduced; k++) {
                most = Math.max(most, from[at + k] ^ flip);
            }
            to[target] = (byte) (most ^ flip);
            return;
        }
        System.arraycopy(from, at, to, target, inner);
        for (int k = 1; k < reduced; k++) {
            int next = at + k * inner;
            for (int i = 0; i < inner; i++) {
                to[target + i] = (byte) (Math.max(to[target + i] ^ flip, from[next + i] ^ flip) ^ flip);
            }
        }
    }

    @Override
    public String label() {
        return (largest ? "argmax" : "argmin") + " over " + Arrays.toString(axes);
    }
}
