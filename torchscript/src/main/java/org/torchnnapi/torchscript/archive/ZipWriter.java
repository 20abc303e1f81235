package org.torchnnapi.torchscript.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.torchnnapi.torchscript.format.ArchiveException;

/**
 * Writes a zip file in the layout of PyTorch's own writer: payloads at multiples of 64 bytes (so that tensors can be
 * used where they are mapped), sizes and checksums behind the data, dates 0, and always a zip64 end record.
 */
public final class ZipWriter {
    /** Bytes that are written at a time. */
    private static final int CHUNK = 1 << 16;

    private static final int ALIGNMENT = 64;
    private static final int LOCAL_BYTES = 30;
    private static final int UTF8_NAME = 0x0800;
    private static final int DATA_DESCRIPTOR = 0x0008;
    /** Identifies the local extra field that fills up to the alignment: the letters FB. */
    private static final int PADDING_FIELD = 0x4246;

    private static final int ZIP64_FIELD = 1;
    private static final long MAX32 = 0xFFFFFFFFL;

    private final OutputStream out;
    private final ByteArrayOutputStream directory = new ByteArrayOutputStream();
    private final Set<String> names = new HashSet<>();
    private long position;

    /** @param out receives the file; not closed by this writer */
    public ZipWriter(OutputStream out) {
        this.out = out;
    }

    /**
     * Appends an entry.
     *
     * @param name full name with the top folder
     * @param bytes remaining bytes are the content; the buffer's position stays
     * @throws ArchiveException if the name was used before
     */
    public void add(String name, ByteBuffer bytes, boolean deflate) throws IOException {
        if (!names.add(name)) {
            throw new ArchiveException("archive entry: " + name + " added twice (expected: unique names)");
        }
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        if (nameBytes.length > 0xFFFF) {
            throw new ArchiveException(
                    "archive entry: name of " + nameBytes.length + " bytes (expected: at most 65535)");
        }
        ByteBuffer content = bytes.slice();
        CRC32 crc = new CRC32();
        crc.update(content.duplicate());
        int size = content.remaining();
        ByteBuffer packed = deflate ? deflate(content) : content;
        int packedSize = packed.remaining();
        int method = deflate ? 8 : 0;
        int version = deflate ? 20 : 0;
        int flags = UTF8_NAME | (size == 0 ? 0 : DATA_DESCRIPTOR);

        long offset = position;
        int padding = (int) Math.floorMod(-(offset + LOCAL_BYTES + nameBytes.length + 4), (long) ALIGNMENT);
        ByteBuffer local = buffer(LOCAL_BYTES + nameBytes.length + 4 + padding);
        local.putInt(0x04034b50)
                .putShort((short) version)
                .putShort((short) flags)
                .putShort((short) method)
                .putInt(0);
        // Checksum and sizes stay 0: they follow in the descriptor.
        local.putInt(0).putInt(0).putInt(0).putShort((short) nameBytes.length).putShort((short) (4 + padding));
        local.put(nameBytes).putShort((short) PADDING_FIELD).putShort((short) padding);
        while (local.hasRemaining()) {
            local.put((byte) 'Z');
        }
        emit(filled(local));
        emit(packed);
        if (size != 0) {
            emit(filled(buffer(16)
                    .putInt(0x08074b50)
                    .putInt((int) crc.getValue())
                    .putInt(packedSize)
                    .putInt(size)));
        }
        boolean far = offset >= MAX32;
        ByteBuffer central = buffer(46 + nameBytes.length + (far ? 12 : 0));
        central.putInt(0x02014b50)
                .putShort((short) 0)
                .putShort((short) version)
                .putShort((short) flags)
                .putShort((short) method);
        central.putInt(0).putInt((int) crc.getValue()).putInt(packedSize).putInt(size);
        central.putShort((short) nameBytes.length)
                .putShort((short) (far ? 12 : 0))
                .putShort((short) 0);
        central.putShort((short) 0)
                .putShort((short) 0)
                .putInt(0)
                .putInt(far ? -1 : (int) offset)
                .put(nameBytes);
        if (far) {
            central.putShort((short) ZIP64_FIELD).putShort((short) 8).putLong(offset);
        }
        directory.write(central.array(), 0, central.capacity());
    }

    /** Writes the directory and the end records; nothing can be added afterwards. */
    public void finish() throws IOException {
        long start = position;
        byte[] entries = directory.toByteArray();
        emit(ByteBuffer.wrap(entries));
        long end64 = position;
        ByteBuffer end = buffer(56 + 20 + 22);
        end.putInt(0x06064b50)
                .putLong(44)
                .putShort((short) 0x031e)
                .putShort((short) 45)
                .putInt(0)
                .putInt(0);
        end.putLong(names.size()).putLong(names.size()).putLong(entries.length).putLong(start);
        end.putInt(0x07064b50).putInt(0).putLong(end64).putInt(1);
        short count = (short) Math.min(names.size(), 0xFFFF);
        end.putInt(0x06054b50)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort(count)
                .putShort(count);
        end.putInt((int) Math.min(entries.length, MAX32))
                .putInt((int) Math.min(start, MAX32))
                .putShort((short) 0);
        emit(filled(end));
        out.flush();
    }

    private static ByteBuffer deflate(ByteBuffer content) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try {
            byte[] bytes = new byte[content.remaining()];
            content.get(bytes);
            deflater.setInput(bytes);
            deflater.finish();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            byte[] chunk = new byte[8192];
            while (!deflater.finished()) {
                packed.write(chunk, 0, deflater.deflate(chunk));
            }
            return ByteBuffer.wrap(packed.toByteArray());
        } finally {
            deflater.end();
        }
    }

    /** A buffer that has been written, to be read. */
    private static ByteBuffer filled(ByteBuffer written) {
        ((Buffer) written).flip();
        return written;
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void emit(ByteBuffer bytes) throws IOException {
        ByteBuffer rest = bytes.duplicate();
        position += rest.remaining();
        // Streams of channels copy what they are given at once into memory of their own, and keep that.
        byte[] chunk = rest.hasArray() ? rest.array() : new byte[Math.min(rest.remaining(), CHUNK)];
        while (rest.hasRemaining()) {
            int count = Math.min(CHUNK, rest.remaining());
            int from = rest.hasArray() ? rest.arrayOffset() + rest.position() : 0;
            if (rest.hasArray()) {
                ((Buffer) rest).position(rest.position() + count);
            } else {
                rest.get(chunk, 0, count);
            }
            out.write(chunk, from, count);
        }
    }
}
