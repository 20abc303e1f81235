package org.torchnnapi.torchscript.archive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;

/**
 * Reads FlatBuffers: tables of fields that may be absent, vectors, strings (flatbuffers.dev, "FlatBuffer internals").
 * Every position is checked against the buffer, so wrong offsets give an {@link IndexOutOfBoundsException}.
 */
final class FlatBuffer {
    private final ByteBuffer bytes;
    private final ReadBudget budget;

    FlatBuffer(ByteBuffer source, ReadBudget budget) {
        bytes = source.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.budget = budget;
    }

    /**
     * Counts elements that are read: parts may be shared, so that they may be more than the buffer has.
     *
     * @throws ArchiveException if they are more than the file's size explains
     */
    void charge(long elements) {
        budget.charge("flatbuffer", "elements, each as often as it is shared", elements, ReadBudget.VALUE_BYTES);
    }

    Table root() {
        return new Table(follow(0));
    }

    int size() {
        return bytes.limit();
    }

    private int follow(int at) {
        return position(at + Integer.toUnsignedLong(bytes.getInt(at)));
    }

    private int position(long at) {
        if (at < 0 || at > bytes.limit()) {
            throw new IndexOutOfBoundsException("offset " + at);
        }
        return (int) at;
    }

    /** Little-endian bytes of a part of the buffer. */
    ByteBuffer part(int from, long length) {
        int end = position(from + length);
        return Buffers.slice(bytes, from, end - from).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A table; fields have the numbers of their order in the schema. */
    final class Table {
        private final int at;
        private final int vtable;
        private final int vtableSize;

        Table(int at) {
            this.at = at;
            this.vtable = position((long) at - bytes.getInt(at));
            this.vtableSize = Short.toUnsignedInt(bytes.getShort(vtable));
        }

        /** Position of a field's content, or -1 if it is absent. */
        private int field(int number) {
            int entry = 4 + 2 * number;
            if (entry + 2 > vtableSize) {
                return -1;
            }
            int offset = Short.toUnsignedInt(bytes.getShort(vtable + entry));
            return offset == 0 ? -1 : position((long) at + offset);
        }

        int integer(int number, int absent) {
            int field = field(number);
            return field < 0 ? absent : bytes.getInt(field);
        }

        int unsignedByte(int number) {
            int field = field(number);
            return field < 0 ? 0 : Byte.toUnsignedInt(bytes.get(field));
        }

        double real(int number) {
            int field = field(number);
            return field < 0 ? 0 : bytes.getDouble(field);
        }

        /** The table a field refers to, or null. */
        Table table(int number) {
            int field = field(number);
            return field < 0 ? null : new Table(follow(field));
        }

        /**
         * The table a field refers to.
         *
         * @throws IllegalArgumentException if the field is absent
         */
        Table required(int number) {
            Table found = table(number);
            if (found == null) {
                throw new IllegalArgumentException(
                        "field " + number + " of the table at byte " + at + " is absent (expected: a table)");
            }
            return found;
        }

        /** The bytes of a struct that a union refers to, or of nothing. */
        ByteBuffer struct(int number, int size) {
            int field = field(number);
            return field < 0 ? part(0, 0) : part(follow(field), size);
        }

        String string(int number) {
            int field = field(number);
            return field < 0 ? "" : text(follow(field));
        }

        /** The bytes of what the schema calls a string, which need not be text. */
        ByteBuffer bytes(int number) {
            return vector(number, 1).all();
        }

        Vector vector(int number, int elementSize) {
            int field = field(number);
            return field < 0 ? new Vector(0, 0, elementSize) : vectorAt(follow(field), elementSize);
        }
    }

    private Vector vectorAt(int at, int elementSize) {
        long count = Integer.toUnsignedLong(bytes.getInt(at));
        position(at + 4 + count * elementSize);
        charge(count);
        return new Vector(at + 4, (int) count, elementSize);
    }

    private String text(int at) {
        long length = Integer.toUnsignedLong(bytes.getInt(at));
        budget.charge("flatbuffer", "characters of texts", length, 1);
        return StandardCharsets.UTF_8.decode(part(at + 4, length)).toString();
    }

    /** Elements of one size, checked to lie within the buffer. */
    final class Vector {
        private final int from;
        private final int count;
        private final int elementSize;

        Vector(int from, int count, int elementSize) {
            this.from = from;
            this.count = count;
            this.elementSize = elementSize;
        }

        int size() {
            return count;
        }

        private int element(int index) {
            if (index < 0 || index >= count) {
                throw new IndexOutOfBoundsException("element " + index + " of " + count);
            }
            return from + index * elementSize;
        }

        int integer(int index) {
            return bytes.getInt(element(index));
        }

        int[] integers() {
            int[] all = new int[count];
            for (int i = 0; i < count; i++) {
                all[i] = integer(i);
            }
            return all;
        }

        Table table(int index) {
            return new Table(follow(element(index)));
        }

        String string(int index) {
            return text(follow(element(index)));
        }

        /** The bytes of one element. */
        ByteBuffer struct(int index) {
            return part(element(index), elementSize);
        }

        ByteBuffer all() {
            return part(from, (long) count * elementSize);
        }
    }
}
