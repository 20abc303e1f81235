package org.torchnnapi.torchscript.archive;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.torchnnapi.torchscript.format.ArchiveException;

/**
 * Texts, vectors and tables of a FlatBuffer under construction; what it returns are positions by which tables refer to
 * them.
 */
final class FlatbufferTables {
    private static final int INITIAL = 1 << 16;
    private static final int STORAGE_ALIGNMENT = 16;

    /** A FlatBuffer refers to its parts by 31 bits; some are for what describes the storages. */
    private static final long MAX_STORAGE_BYTES = Integer.MAX_VALUE - (1L << 28);

    private final FlatBufferBuilder out = new FlatBufferBuilder(INITIAL, new FlatBufferBuilder.ByteBufferFactory() {
        @Override
        public ByteBuffer newByteBuffer(int capacity) {
            return ByteBuffer.allocate(Math.max(capacity, expected)).order(ByteOrder.LITTLE_ENDIAN);
        }
    });
    private final Map<String, Integer> texts = new HashMap<>();
    private int expected;

    /**
     * Says how many bytes storages will take, so that they are copied once.
     *
     * @throws ArchiveException if no FlatBuffer can hold as many
     */
    void expectStorages(long bytes) {
        if (bytes > MAX_STORAGE_BYTES) {
            throw new ArchiveException("flatbuffer: " + bytes + " bytes of tensors (expected: at most "
                    + MAX_STORAGE_BYTES + "; write byte code as an archive)");
        }
        expected = (int) Math.min(MAX_STORAGE_BYTES, bytes + 2L * out.offset() + INITIAL);
    }

    /** A text; the same one is stored once. */
    int text(String text) {
        return texts.computeIfAbsent(
                text, key -> out.createString(ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8))));
    }

    /** Bytes in a field that the schema calls a text. */
    int bytes(ByteBuffer bytes) {
        return out.createString(bytes.duplicate());
    }

    /** A storage's bytes, aligned as tensors want them. */
    int storage(ByteBuffer bytes) {
        out.createUnintializedVector(1, bytes.remaining(), STORAGE_ALIGNMENT).put(bytes.duplicate());
        return out.endVector();
    }

    int offsets(List<Integer> positions) {
        out.startVector(4, positions.size(), 4);
        return backwards(positions.size(), i -> out.addOffset(positions.get(i)));
    }

    int integers(List<Integer> values) {
        return integers(values.stream().mapToInt(Integer::intValue).toArray());
    }

    int integers(int[] values) {
        out.startVector(4, values.length, 4);
        return backwards(values.length, i -> out.addInt(values[i]));
    }

    /** A vector of Long, Double or Boolean. */
    int scalars(List<?> values) {
        int size = !values.isEmpty() && values.get(0) instanceof Boolean ? 1 : 8;
        out.startVector(size, values.size(), size);
        return backwards(values.size(), i -> {
            Object value = values.get(i);
            if (value instanceof Boolean b) {
                out.addBoolean(b);
            } else {
                out.addLong(bits(value));
            }
        });
    }

    /** Instructions, as structs of an opcode, a count of 16 bits and an operand of 32. */
    int instructions(List<int[]> all) {
        out.startVector(8, all.size(), 4);
        return backwards(all.size(), i -> {
            int[] instruction = all.get(i);
            out.prep(4, 8);
            out.putInt(instruction[2]);
            out.putShort((short) instruction[1]);
            out.pad(1);
            out.putByte((byte) instruction[0]);
        });
    }

    private int backwards(int count, IntConsumer add) {
        for (int i = count - 1; i >= 0; i--) {
            add.accept(i);
        }
        return out.endVector();
    }

    /** A struct of Long or Double, or one Boolean. */
    int struct(Object... values) {
        if (values[0] instanceof Boolean b) {
            out.prep(1, 1);
            out.putBoolean(b);
        } else {
            out.prep(8, 8 * values.length);
            for (int i = values.length - 1; i >= 0; i--) {
                out.putLong(bits(values[i]));
            }
        }
        return out.offset();
    }

    private static long bits(Object number) {
        return number instanceof Double d ? Double.doubleToRawLongBits(d) : (Long) number;
    }

    Table table(int fields) {
        return new Table(fields);
    }

    ByteBuffer finish(int root) {
        out.finish(root, FlatbufferSchema.IDENTIFIER);
        return out.dataBuffer();
    }

    /** A table whose parts are written already. Fields have the numbers of their order in the schema. */
    final class Table {
        private final List<Runnable> fields = new ArrayList<>();
        private final int count;

        private Table(int count) {
            this.count = count;
        }

        /** A field that refers to a part. */
        Table part(int field, int position) {
            fields.add(() -> out.addOffset(field, position, 0));
            return this;
        }

        Table integer(int field, int value) {
            fields.add(() -> out.addInt(field, value, 0));
            return this;
        }

        /** An integer whose absence means another one than 0. */
        Table integer(int field, int value, int absent) {
            fields.add(() -> out.addInt(field, value, absent));
            return this;
        }

        Table small(int field, int value) {
            fields.add(() -> out.addByte(field, (byte) value, 0));
            return this;
        }

        Table real(int field, double value) {
            fields.add(() -> out.addDouble(field, value, 0));
            return this;
        }

        int end() {
            out.startTable(count);
            fields.forEach(Runnable::run);
            return out.endTable();
        }
    }
}
