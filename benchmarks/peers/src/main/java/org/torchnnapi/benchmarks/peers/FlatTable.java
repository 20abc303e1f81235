package org.torchnnapi.benchmarks.peers;

import com.google.flatbuffers.FlatBufferBuilder;
import java.util.ArrayList;
import java.util.List;

/**
 * One flat buffer table, field by field: a field is addressed by its number in the schema and left out where it has its
 * default. Offsets of nested things are made before the table starts, as the format wants it.
 */
final class FlatTable {
    private final FlatBufferBuilder out;
    private final List<Runnable> fields = new ArrayList<>();
    private int highest;

    FlatTable(FlatBufferBuilder out) {
        this.out = out;
    }

    FlatTable int32(int field, int value) {
        return add(field, () -> out.addInt(field, value, 0));
    }

    FlatTable int8(int field, int value) {
        return add(field, () -> out.addByte(field, (byte) value, 0));
    }

    FlatTable bool(int field, boolean value) {
        return add(field, () -> out.addBoolean(field, value, false));
    }

    FlatTable float32(int field, float value) {
        return add(field, () -> out.addFloat(field, value, 0));
    }

    FlatTable offset(int field, int value) {
        return add(field, () -> out.addOffset(field, value, 0));
    }

    /** Writes the table and returns its offset. */
    int end() {
        out.startTable(highest + 1);
        fields.forEach(Runnable::run);
        return out.endTable();
    }

    private FlatTable add(int field, Runnable write) {
        highest = Math.max(highest, field);
        fields.add(write);
        return this;
    }
}
