package org.torchnnapi.torchscript.archive;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ForeignFormats;
import org.torchnnapi.torchscript.format.Utf8;

/**
 * Reads the central directory of a zip file (PKWARE APPNOTE 6.3, sections 4.3.12 to 4.3.16), the only place that says
 * what is in an archive written by PyTorch: its local headers have neither sizes nor checksums.
 */
final class ZipDirectory {
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int END64_SIGNATURE = 0x06064b50;
    private static final int LOCATOR64_SIGNATURE = 0x07064b50;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int END_BYTES = 22;
    private static final int LOCATOR64_BYTES = 20;
    private static final int END64_BYTES = 56;
    private static final int ENTRY_BYTES = 46;
    private static final int MAX_COMMENT = 0xFFFF;
    private static final int MAX_NAME_PARTS = 256;
    private static final int MAX_ENTRIES = 1 << 20;

    private static final byte[] LEGACY_MAGIC = {
        (byte) 0x80,
        2,
        (byte) 0x8a,
        10,
        0x6c,
        (byte) 0xfc,
        (byte) 0x9c,
        0x46,
        (byte) 0xf9,
        0x20,
        0x6a,
        (byte) 0xa8,
        0x50,
        0x19
    };

    private final ByteSource source;
    private long start;
    private long bytes;
    private long count;

    private ZipDirectory(ByteSource source) {
        this.source = source;
    }

    /**
     * What a directory says.
     *
     * @param entries the file entries in directory order (folder entries left out), with unique, harmless names
     * @param start where the directory begins, and the entries must have ended
     */
    record Listing(List<ZipEntryInfo> entries, long start) {}

    static Listing read(ByteSource source) {
        ZipDirectory directory = new ZipDirectory(source);
        directory.locate();
        return new Listing(directory.entries(), directory.start);
    }

    /**
     * What torch.save wrote before PyTorch 1.6: a pickle of protocol 2 of a magic number (torch/serialization.py), and
     * others behind it.
     */
    private static boolean isLegacyPickle(ByteSource source) {
        return source.size() > LEGACY_MAGIC.length
                && source.slice(0, LEGACY_MAGIC.length).equals(ByteBuffer.wrap(LEGACY_MAGIC));
    }

    private void locate() {
        long size = source.size();
        int tailBytes = (int) Math.min(size, END_BYTES + MAX_COMMENT);
        ByteBuffer tail = source.slice(size - tailBytes, tailBytes);
        int at = tailBytes - END_BYTES;
        while (at >= 0
                && !(tail.getInt(at) == END_SIGNATURE && at + END_BYTES + unsigned16(tail, at + 20) == tailBytes)) {
            at--;
        }
        if (at < 0 && isLegacyPickle(source)) {
            throw TorchScriptArchive.savedWithoutCode();
        }
        if (at < 0) {
            String foreign = ForeignFormats.ofBytes(source.slice(0, Math.min(size, ForeignFormats.FRONT)));
            throw new ArchiveException(
                    foreign != null
                            ? foreign
                            : "archive: no zip end record in " + size + " bytes (expected: a zip file written by "
                                    + "torch.jit.save; the file may be truncated or of another format)");
        }
        long end = size - tailBytes + at;
        boolean sentinel = false;
        int disk = unsigned16(tail, at + 4);
        count = unsigned16(tail, at + 10);
        bytes = unsigned32(tail, at + 12);
        start = unsigned32(tail, at + 16);
        if (count == 0xFFFF || bytes == 0xFFFFFFFFL || start == 0xFFFFFFFFL) {
            sentinel = true;
        }
        if (disk != 0 && disk != 0xFFFF) {
            throw new ArchiveException("archive: disk number " + disk + " (expected: 0, a zip file in one part)");
        }
        long limit = end;
        if (end >= LOCATOR64_BYTES) {
            ByteBuffer locator = source.slice(end - LOCATOR64_BYTES, LOCATOR64_BYTES);
            if (locator.getInt(0) == LOCATOR64_SIGNATURE) {
                limit = readEnd64(locator.getLong(8), end - LOCATOR64_BYTES);
                sentinel = false;
            }
        }
        if (sentinel) {
            throw new ArchiveException(
                    "archive: zip64 sizes without a zip64 end record (expected: one before the end record)");
        }
        if (start < 0 || bytes < 0 || start > limit || bytes > limit - start) {
            throw new ArchiveException("archive: directory of " + bytes + " bytes at " + start
                    + " (expected: before byte " + limit + "; the file may be truncated)");
        }
        if (count < 0 || count > MAX_ENTRIES || count > bytes / ENTRY_BYTES) {
            throw new ArchiveException("archive: " + count + " entries (expected: at most "
                    + Math.min(MAX_ENTRIES, bytes / ENTRY_BYTES) + ", what its directory of " + bytes
                    + " bytes holds)");
        }
    }

    /** Takes count, size and start from the zip64 end record; returns where that record starts. */
    private long readEnd64(long offset, long limit) {
        if (offset < 0 || offset > limit - END64_BYTES) {
            throw new ArchiveException(
                    "archive: zip64 end record at " + offset + " (expected: before byte " + limit + ")");
        }
        ByteBuffer end = source.slice(offset, END64_BYTES);
        if (end.getInt(0) != END64_SIGNATURE) {
            throw new ArchiveException(
                    "archive: no zip64 end record at byte " + offset + " (expected: where its locator says)");
        }
        count = end.getLong(32);
        bytes = end.getLong(40);
        start = end.getLong(48);
        return offset;
    }

    private List<ZipEntryInfo> entries() {
        // Read from an array, which takes a fraction of the time before anything is compiled.
        byte[] in = new byte[Shape.arrayLength("bytes of the archive's directory", bytes)];
        source.slice(start, bytes).get(in);
        List<ZipEntryInfo> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int at = 0;
        for (long i = 0; i < count; i++) {
            if (in.length - at < ENTRY_BYTES || int32(in, at) != ENTRY_SIGNATURE) {
                throw new ArchiveException(
                        "archive: directory entry " + i + " is damaged (expected: " + count + " entries)");
            }
            int nameBytes = unsigned16(in, at + 28);
            int extraBytes = unsigned16(in, at + 30);
            int next = at + ENTRY_BYTES + nameBytes + extraBytes + unsigned16(in, at + 32);
            if (next > in.length) {
                throw new ArchiveException("archive: directory entry " + i + " ends at " + next
                        + " (expected: within the directory's " + in.length + " bytes)");
            }
            String name = name(in, at + ENTRY_BYTES, nameBytes);
            ZipEntryInfo entry = entry(in, at, name, at + ENTRY_BYTES + nameBytes, extraBytes);
            at = next;
            if (!names.add(name)) {
                throw new ArchiveException("archive entry: " + name + " occurs twice (expected: unique names)");
            }
            if (!name.endsWith("/")) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private ZipEntryInfo entry(byte[] in, int at, String name, int extraAt, int extraBytes) {
        int flags = unsigned16(in, at + 8);
        int method = unsigned16(in, at + 10);
        if ((flags & 1) != 0) {
            throw new ArchiveException("archive entry: " + name + " is encrypted (expected: a plain zip entry)");
        }
        if (method != 0 && method != 8) {
            throw new ArchiveException("archive entry: " + name + " has compression method " + method
                    + " (expected: 0 stored or " + "8 deflated)");
        }
        long compressed = unsigned32(in, at + 20);
        long size = unsigned32(in, at + 24);
        long offset = unsigned32(in, at + 42);
        int field = extraAt;
        int extraEnd = extraAt + extraBytes;
        while (extraEnd - field >= 4) {
            int id = unsigned16(in, field);
            int fieldEnd = field + 4 + unsigned16(in, field + 2);
            if (fieldEnd > extraEnd) {
                break;
            }
            if (id == 1) {
                // Zip64: only the fields whose 32-bit value is all ones, in this order.
                int p = field + 4;
                if (size == 0xFFFFFFFFL && p + 8 <= fieldEnd) {
                    size = int64(in, p);
                    p += 8;
                }
                if (compressed == 0xFFFFFFFFL && p + 8 <= fieldEnd) {
                    compressed = int64(in, p);
                    p += 8;
                }
                if (offset == 0xFFFFFFFFL && p + 8 <= fieldEnd) {
                    offset = int64(in, p);
                }
            }
            field = fieldEnd;
        }
        if (size < 0 || compressed < 0 || offset < 0 || offset > start || compressed > start - offset) {
            throw new ArchiveException("archive entry: " + name + " of " + compressed + " bytes at " + offset
                    + " (expected: before the directory at " + start + "; the file may be truncated)");
        }
        if (method == 0 && size != compressed) {
            throw new ArchiveException("archive entry: " + name + " is stored in " + compressed
                    + " bytes (expected: its size, " + size + ")");
        }
        return new ZipEntryInfo(name, method == 8, int32(in, at + 16), compressed, size, offset);
    }

    private static String name(byte[] in, int at, int length) {
        String name;
        try {
            name = Utf8.decode(in, at, length);
        } catch (CharacterCodingException e) {
            throw new ArchiveException("archive entry: name is not UTF-8 (expected: UTF-8 text)", e);
        }
        String shown = Strings.beginning(name, 100);
        if (name.isEmpty() || name.startsWith("/") || name.indexOf('\\') >= 0 || name.indexOf('\0') >= 0) {
            throw new ArchiveException(
                    "archive entry: name \"" + shown + "\" (expected: a relative path with / between its parts)");
        }
        checkParts(name, shown);
        return name;
    }

    private static void checkParts(String name, String shown) {
        int parts = 0;
        int end;
        for (int from = 0; from <= name.length(); from = end + 1) {
            int slash = name.indexOf('/', from);
            end = slash < 0 ? name.length() : slash;
            if (++parts > MAX_NAME_PARTS) {
                throw new ArchiveException(
                        "archive entry: name \"" + shown + "\" (expected: at most " + MAX_NAME_PARTS + " parts)");
            }
            boolean folderMark = from == name.length() && from > 0;
            if (!folderMark
                    && (end == from
                            || name.startsWith(".", from) && end == from + 1
                            || name.startsWith("..", from) && end == from + 2)) {
                throw new ArchiveException("archive entry: name \"" + shown + "\" (expected: no empty, . or .. parts)");
            }
        }
    }

    private static int unsigned16(ByteBuffer in, int at) {
        return in.getShort(at) & 0xFFFF;
    }

    private static long unsigned32(ByteBuffer in, int at) {
        return in.getInt(at) & 0xFFFFFFFFL;
    }

    static int unsigned16(byte[] in, int at) {
        return in[at] & 0xFF | (in[at + 1] & 0xFF) << 8;
    }

    static int int32(byte[] in, int at) {
        return unsigned16(in, at) | unsigned16(in, at + 2) << 16;
    }

    private static long unsigned32(byte[] in, int at) {
        return int32(in, at) & 0xFFFFFFFFL;
    }

    private static long int64(byte[] in, int at) {
        return unsigned32(in, at) | (long) int32(in, at + 4) << 32;
    }
}
