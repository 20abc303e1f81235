package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Where the largest, or the smallest, element along an axis is, which goes away; the first of equal ones. A NaN is
 * neither, unless it comes first.
 *
 * @param axis negative counts from the back
 */
public record ArgExtremeOp(boolean largest, int axis) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        int along = Require.axis(axis, in.rank());
        int[] shape = new int[in.rank() - 1];
        System.arraycopy(in.shape(), 0, shape, 0, along);
        System.arraycopy(in.shape(), along + 1, shape, along, shape.length - along);
        return ValueType.ints(shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int along = Require.axis(axis, in.type().rank());
        int extent = in.type().dimension(along);
        int inner = in.type().count(along + 1, in.type().rank());
        return new Step(in.type().count(0, along), memory -> {
            Row row = row(in.array(memory), in.type().element().isSigned() ? 0 : 0x80);
            int[] to = out.ints(memory);
            return (begin, end) -> {
                for (int i = begin; i < end; i++) {
                    int target = out.at(memory) + i * inner;
                    Arrays.fill(to, target, target + inner, 0);
                    row.find(in.at(memory) + i * extent * inner, extent, inner, to, target);
                }
            };
        });
    }

    /**
     * Notes for each of {@code inner} adjacent elements which of those below it, {@code inner} apart, is the extreme.
     */
    @FunctionalInterface
    private interface Row {
        void find(int from, int extent, int inner, int[] to, int at);
    }

    /** @param flip what makes bytes signed numbers in the same order */
    private Row row(Object array, int flip) {
        if (array instanceof float[] floats) {
            return (from, extent, inner, to, at) -> {
                if (inner == 1) {
                    to[at] = place(floats, from, extent);
                    return;
                }
                for (int j = 1; j < extent; j++) {
                    for (int i = 0; i < inner; i++) {
                        float candidate = floats[from + j * inner + i];
                        float best = floats[from + to[at + i] * inner + i];
                        to[at + i] = passes(candidate, best) ? j : to[at + i];
                    }
                }
            };
        }
        if (array instanceof int[] ints) {
            return (from, extent, inner, to, at) -> {
                if (inner == 1) {
                    to[at] = place(ints, from, extent);
                    return;
                }
                for (int j = 1; j < extent; j++) {
                    for (int i = 0; i < inner; i++) {
                        int candidate = ints[from + j * inner + i];
                        int best = ints[from + to[at + i] * inner + i];
                        to[at + i] = (largest ? candidate > best : candidate < best) ? j : to[at + i];
                    }
                }
            };
        }
        byte[] bytes = (byte[]) array;
        return (from, extent, inner, to, at) -> {
            for (int j = 1; j < extent; j++) {
                for (int i = 0; i < inner; i++) {
                    byte candidate = (byte) (bytes[from + j * inner + i] ^ flip);
                    byte best = (byte) (bytes[from + to[at + i] * inner + i] ^ flip);
                    to[at + i] = (largest ? candidate > best : candidate < best) ? j : to[at + i];
                }
            }
        };
    }

    /** Whether it is more extreme; NaN is more so than any number. */
    private boolean passes(float candidate, float best) {
        return (largest ? candidate > best : candidate < best) || candidate != candidate && best == best;
    }

    private int place(float[] row, int from, int extent) {
        int place = 0;
        float best = row[from];
        for (int i = 1; i < extent; i++) {
            float candidate = row[from + i];
            if (passes(candidate, best)) {
                best = candidate;
                place = i;
            }
        }
        return place;
    }

    private int place(int[] row, int from, int extent) {
        int place = 0;
        int best = row[from];
        for (int i = 1; i < extent; i++) {
            int candidate = row[from + i];
            if (largest ? candidate > best : candidate < best) {
                best = candidate;
                place = i;
            }
        }
        return place;
    }

    @Override
    public String label() {
        return largest ? "argmax" : "argmin";
    }
}
