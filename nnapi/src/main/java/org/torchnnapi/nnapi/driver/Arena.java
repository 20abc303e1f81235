package org.torchnnapi.nnapi.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;

/** Lays out the temporaries of known shape in one buffer; two that are never alive together share bytes. */
final class Arena {
    private static final int ALIGNMENT = 64;
    /** Bounds the search, so that planning stays linear in the model. */
    private static final int MAX_TRIES = 64;

    /** Free gaps, end-exclusive, by start. */
    private final TreeMap<Long, Long> gaps = new TreeMap<>();
    private long size;

    private Arena() {
    }

    /** Gives every temporary of known shape its place; those too large for one buffer, or of unknown shape, get theirs when computed. */
    static void assign(Model model, OperandValue[] values) {
        List<Operation> operations = model.operations();
        int[] lastUse = new int[values.length];
        Arrays.fill(lastUse, -1);
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                lastUse[operation.input(j)] = i;
            }
        }
        Arena arena = new Arena();
        long[] offsets = new long[values.length];
        Arrays.fill(offsets, -1);
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.outputCount(); j++) {
                int index = operation.output(j);
                if (model.operand(index).lifetime() == Lifetime.TEMPORARY_VARIABLE && values[index].hasShape()) {
                    offsets[index] = arena.take(bytes(values[index]));
                    if (lastUse[index] < 0) {
                        arena.give(offsets[index], bytes(values[index]));
                    }
                }
            }
            for (int j = 0; j < operation.inputCount(); j++) {
                int index = operation.input(j);
                if (offsets[index] >= 0 && lastUse[index] == i) {
                    arena.give(offsets[index], bytes(values[index]));
                    lastUse[index] = Integer.MAX_VALUE;
                }
            }
        }
        bind(values, offsets, arena.size);
    }

    private static void bind(OperandValue[] values, long[] offsets, long size) {
        if (size > Integer.MAX_VALUE - ALIGNMENT) {
            return;
        }
        ByteBuffer memory = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < values.length; i++) {
            if (offsets[i] >= 0) {
                int bytes = values[i].count() * values[i].type().elementBytes();
                values[i].setData(OperandBuffers.view(values[i].type(), memory.slice((int) offsets[i], bytes)), true);
            }
        }
    }

    private static long bytes(OperandValue value) {
        long bytes = (long) value.count() * value.type().elementBytes();
        return Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }

    /** The first gap that is large enough; the end of the arena otherwise. */
    private long take(long bytes) {
        int tries = 0;
        for (Map.Entry<Long, Long> gap : gaps.entrySet()) {
            if (gap.getValue() - gap.getKey() >= bytes) {
                long start = gap.getKey();
                long end = gap.getValue();
                gaps.remove(start);
                if (start + bytes < end) {
                    gaps.put(start + bytes, end);
                }
                return start;
            }
            if (++tries == MAX_TRIES) {
                break;
            }
        }
        long start = size;
        size += bytes;
        return start;
    }

    private void give(long start, long bytes) {
        long end = start + bytes;
        Map.Entry<Long, Long> before = gaps.floorEntry(start);
        if (before != null && before.getValue() == start) {
            start = before.getKey();
        }
        Long after = gaps.remove(end);
        gaps.put(start, after == null ? end : after);
    }
}
