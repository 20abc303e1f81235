package org.torchnnapi.nnapi.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.op.ArenaLayout;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;

/** Lays out the temporaries of known shape in one buffer; two that are never alive together share bytes. */
final class Arena {
    private static final int ALIGNMENT = 64;

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
        ArenaLayout layout = new ArenaLayout(ALIGNMENT);
        long[] offsets = new long[values.length];
        Arrays.fill(offsets, -1);
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.outputCount(); j++) {
                int index = operation.output(j);
                OperandValue value = values[index];
                if (model.operand(index).lifetime() == Lifetime.TEMPORARY_VARIABLE && value.hasShape()) {
                    offsets[index] = layout.take(ArenaLayout.bytes(value.dimensions(), value.type()), Math.max(i, lastUse[index]));
                }
            }
            layout.release(i);
        }
        if (layout.size() <= Integer.MAX_VALUE - ALIGNMENT) {
            bind(values, offsets, (int) layout.size());
        }
    }

    private static void bind(OperandValue[] values, long[] offsets, int size) {
        ByteBuffer memory = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < values.length; i++) {
            if (offsets[i] >= 0) {
                int bytes = values[i].count() * values[i].type().elementBytes();
                values[i].setData(OperandBuffers.view(values[i].type(), memory.slice((int) offsets[i], bytes)), true);
            }
        }
    }
}
