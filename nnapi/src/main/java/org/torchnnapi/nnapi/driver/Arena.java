package org.torchnnapi.nnapi.driver;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.op.ArenaLayout;
import org.torchnnapi.nnapi.op.ArenaMemory;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;

/** Lays out the temporaries of known shape in one arena; two that are never alive together share bytes. */
final class Arena {
    private static final int ALIGNMENT = 64;

    private Arena() {}

    /**
     * Gives every temporary of known shape its place; those too large for an arena, or of unknown shape, get theirs
     * when computed.
     */
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
        ArenaLayout layout = new ArenaLayout(ALIGNMENT);
        long[] offsets = new long[values.length];
        Arrays.fill(offsets, -1);
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.outputCount(); j++) {
                int index = operation.output(j);
                OperandValue value = values[index];
                if (model.operand(index).lifetime() == Lifetime.TEMPORARY_VARIABLE && value.hasShape()) {
                    long bytes = ArenaLayout.bytes(value.dimensions(), value.declared());
                    offsets[index] = layout.fits(bytes) ? layout.take(bytes, Math.max(i, lastUse[index])) : -1;
                }
            }
            layout.release(i);
        }
        bind(values, offsets, new ArenaMemory(layout.size()));
    }

    private static void bind(OperandValue[] values, long[] offsets, ArenaMemory memory) {
        for (int i = 0; i < values.length; i++) {
            if (offsets[i] >= 0) {
                long bytes = ArenaLayout.bytes(values[i].dimensions(), values[i].declared());
                values[i].setData(OperandBuffers.view(values[i].type(), memory.slice(offsets[i], bytes)), true);
            }
        }
    }
}
