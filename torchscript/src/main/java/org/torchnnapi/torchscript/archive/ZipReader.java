package org.torchnnapi.torchscript.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;

/**
 * Random access to the entries of a zip file. Stored entries are views of the file, so that a mapped file's tensors
 * need no memory until they are used. Every entry's place is checked when the file is opened, its checksum when it is
 * read.
 */
public final class ZipReader {
    private static final int LOCAL_SIGNATURE = 0x04034b50;
    private static final int LOCAL_BYTES = 30;
    private static final int INFLATED_AT_ONCE = 64 << 10;

    private final ByteSource source;
    private final Map<String, ZipEntryInfo> entries = new LinkedHashMap<>();
    private final Map<String, Long> payloads = new LinkedHashMap<>();
    private final ReadBudget budget;
    /** Names of the entries that were charged for. */
    private final Set<String> inflated = new HashSet<>();

    private ZipReader(ByteSource source, ReadBudget budget) {
        this.source = source;
        this.budget = budget;
        ZipDirectory.Listing listing = ZipDirectory.read(source);
        for (ZipEntryInfo entry : listing.entries()) {
            entries.put(entry.name(), entry);
        }
        checkPlaces(listing);
    }

    /**
     * Maps a file.
     *
     * @throws IOException if the file cannot be opened
     * @throws ArchiveException if it is no sound zip file
     */
    public static ZipReader open(Path path) throws IOException {
        ByteSource source = ByteSource.map(path);
        return new ZipReader(source, ReadBudget.of(source.size()));
    }

    /** Reads a buffer's remaining bytes, which must not change afterwards. */
    public static ZipReader of(ByteBuffer bytes) {
        return of(bytes, ReadBudget.of(bytes.remaining()));
    }

    /**
     * Reads a buffer's remaining bytes, which must not change afterwards.
     *
     * @param budget of the file that they were made of
     */
    public static ZipReader of(ByteBuffer bytes, ReadBudget budget) {
        return new ZipReader(ByteSource.of(bytes), budget);
    }

    /** What may yet be made of the file. */
    public ReadBudget budget() {
        return budget;
    }

    /** Entries in directory order, by name. */
    public Map<String, ZipEntryInfo> entries() {
        return Collections.unmodifiableMap(entries);
    }

    /**
     * The windows through which a mapped file is seen, which may overlap; none where the bytes were read into memory.
     */
    public List<ByteBuffer> mappings() {
        return source.mappings();
    }

    /** Whether the bytes are a mapped file's, and not in memory that was read into. */
    public boolean isMapped() {
        return source.isMapped();
    }

    /** Size of the whole file in bytes. */
    public long size() {
        return source.size();
    }

    /**
     * The unpacked bytes of an entry, read-only, little-endian.
     *
     * @throws ArchiveException if there is no such entry or its bytes do not fit its checksum
     */
    public ByteBuffer read(String name) {
        ZipEntryInfo entry = entries.get(name);
        if (entry == null) {
            throw new ArchiveException(
                    "archive entry: " + name + " is missing (expected: in an archive of torch.jit.save)");
        }
        return read(entry);
    }

    /** The bytes of one of the {@link #entries}; see {@link #read(String)}. */
    ByteBuffer read(ZipEntryInfo entry) {
        ByteBuffer raw = source.slice(payloads.get(entry.name()), entry.compressedSize());
        ByteBuffer bytes = entry.deflated() ? inflate(entry, raw) : raw;
        CRC32 crc = new CRC32();
        crc.update(bytes.duplicate());
        if ((int) crc.getValue() != entry.crc()) {
            throw new ArchiveException(String.format(
                    "archive entry: %s has checksum %08x (expected: %08x; the file is damaged, " + "fetch it again)",
                    entry.name(), (int) crc.getValue(), entry.crc()));
        }
        return bytes;
    }

    private ByteBuffer inflate(ZipEntryInfo entry, ByteBuffer raw) {
        // A deflate stream cannot unpack to more than 1032 times its size, so a larger claim is false: refuse before
        // allocating.
        if (entry.size() / 1032 > entry.compressedSize() || entry.size() > Integer.MAX_VALUE - 8) {
            throw new ArchiveException(
                    "archive entry: " + entry.name() + " unpacks to " + entry.size() + " bytes (expected: at most "
                            + "1032 times its " + entry.compressedSize() + " compressed bytes, and below 2 GiB)");
        }
        synchronized (inflated) {
            if (!inflated.contains(entry.name())) {
                budget.charge("archive entry", entry.name() + " unpacks to", entry.size(), 1);
                inflated.add(entry.name());
            }
        }
        byte[] out = new byte[Shape.arrayLength("bytes of an archive entry", entry.size())];
        Inflater inflater = new Inflater(true);
        try {
            int done = 0;
            while (done < out.length) {
                int step = inflate(inflater, raw, out, done);
                if (step == 0) {
                    break;
                }
                done += step;
            }
            boolean ended = inflater.finished() || inflate(inflater, raw, new byte[1], 0) == 0 && inflater.finished();
            if (done != out.length || !ended) {
                throw new ArchiveException("archive entry: " + entry.name() + " does not unpack to its size, "
                        + out.length + " bytes (expected: an intact deflate stream)");
            }
        } catch (DataFormatException e) {
            throw new ArchiveException(
                    "archive entry: " + entry.name() + " is no deflate stream (expected: an intact one)", e);
        } finally {
            inflater.end();
        }
        return ByteBuffer.wrap(out).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Unpacks more bytes, with as much of the stream as that takes; 0 where it has no more of them. */
    private static int inflate(Inflater inflater, ByteBuffer raw, byte[] out, int at) throws DataFormatException {
        while (true) {
            int step = inflater.inflate(out, at, out.length - at);
            if (step > 0 || inflater.finished() || !raw.hasRemaining()) {
                return step;
            }
            byte[] part = new byte[Math.min(raw.remaining(), INFLATED_AT_ONCE)];
            raw.get(part);
            inflater.setInput(part);
        }
    }

    /** Finds each entry's bytes behind its local header and checks that no two entries share a byte. */
    private void checkPlaces(ZipDirectory.Listing listing) {
        List<ZipEntryInfo> byOffset = new ArrayList<>(listing.entries());
        byOffset.sort((a, b) -> Long.compare(a.headerOffset(), b.headerOffset()));
        byte[] local = new byte[LOCAL_BYTES];
        long free = 0;
        String previous = null;
        for (ZipEntryInfo entry : byOffset) {
            long header = entry.headerOffset();
            if (header < free) {
                throw new ArchiveException("archive entry: " + entry.name() + " at byte " + header + " overlaps "
                        + previous + " (expected: entries one after the other)");
            }
            source.read(header, local, LOCAL_BYTES);
            if (ZipDirectory.int32(local, 0) != LOCAL_SIGNATURE) {
                throw new ArchiveException("archive entry: " + entry.name() + " has no local header at byte " + header
                        + " (expected: where the directory says)");
            }
            int nameBytes = ZipDirectory.unsigned16(local, 26);
            long payload = header + LOCAL_BYTES + nameBytes + ZipDirectory.unsigned16(local, 28);
            byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
            if (nameBytes == name.length) {
                local = local.length < nameBytes ? new byte[nameBytes] : local;
                source.read(header + LOCAL_BYTES, local, nameBytes);
            }
            if (nameBytes != name.length || !Buffers.equal(local, 0, name, 0, nameBytes)) {
                throw new ArchiveException("archive entry: " + entry.name()
                        + " has another name in its local header (expected: the same)");
            }
            if (payload + entry.compressedSize() > listing.start()) {
                throw new ArchiveException(
                        "archive entry: " + entry.name() + " ends at byte " + (payload + entry.compressedSize())
                                + " (expected: before the directory at " + listing.start() + ")");
            }
            free = payload + entry.compressedSize();
            previous = entry.name();
            payloads.put(entry.name(), payload);
        }
    }
}
