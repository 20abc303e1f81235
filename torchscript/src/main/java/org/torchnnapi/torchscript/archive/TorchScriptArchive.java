package org.torchnnapi.torchscript.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.FileNames;
import org.torchnnapi.torchscript.format.ForeignFormats;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.format.Utf8;
import org.torchnnapi.torchscript.pickle.PickleReader;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * A TorchScript archive ({@code .pt}, {@code .ptl}) as it lies in its file: records, source text, and the value trees
 * of its pickles, read when first asked for. Record names leave out the top folder: {@code data.pkl},
 * {@code code/__torch__/net.py}. Safe for use by several threads.
 */
public final class TorchScriptArchive {
    /** Oldest and newest file format that can be read (PyTorch 1.13: caffe2/serialize/versions.h). */
    public static final int MIN_VERSION = 1;
    /** The newest file format that is read, PyTorch 2's. */
    public static final int MAX_VERSION = 10;

    private static final String DATA = "data.pkl";
    private static final String CONSTANTS = "constants.pkl";
    private static final String BYTECODE = "bytecode.pkl";
    private static final String EXTRA = "extra/";
    private static final String CODE = "code/";
    private static final String SOURCE = ".py";
    private static final String DEBUG = ".debug_pkl";

    private final ZipReader zip;
    private final String folder;
    private final int version;
    /** Whether source is passed over. */
    private final boolean lite;

    private Set<String> records;
    private final Map<String, Storage> storages = new HashMap<>();
    private final Map<String, SourceMap> sourceMaps = new HashMap<>();
    private Map<String, String> sources;
    private Object data;
    private List<Object> constants;

    private TorchScriptArchive(ZipReader zip, boolean lite) {
        this.zip = zip;
        this.lite = lite;
        this.folder = findFolder(zip);
        this.version = readVersion();
        if (has("byteorder") && !text("byteorder").equals("little")) {
            throw new ArchiveException("byteorder: " + text("byteorder") + " (expected: little)");
        }
        if (has(DATA)
                && !has(CONSTANTS)
                && !has(BYTECODE)
                && records().stream().noneMatch(record -> record.startsWith(CODE))) {
            throw savedWithoutCode();
        }
    }

    /** What torch.save writes: weights, or a pickle of Python objects, without the program. */
    static ArchiveException savedWithoutCode() {
        return new ArchiveException(
                "archive: values without code, as torch.save writes them, such as a state_dict (expected: a "
                        + "TorchScript module; in Python, "
                        + "load the weights into the model, then torch.jit.save(torch.jit.trace(model.eval(), "
                        + "example), \"model.pt\"))");
    }

    /**
     * Maps a file; its tensors take memory only once they are used. A FlatBuffer for the lite interpreter is read as
     * the archive with byte code that says the same.
     *
     * @throws IOException if the file cannot be opened
     * @throws ArchiveException if it is no sound TorchScript archive
     */
    public static TorchScriptArchive open(Path path) throws IOException {
        return isFlatBuffer(path) ? of(Files.readAllBytes(path)) : new TorchScriptArchive(ZipReader.open(path), false);
    }

    /**
     * Whether a file is a FlatBuffer for the lite interpreter.
     *
     * @throws IOException if it is no file that can be read
     */
    public static boolean isFlatBuffer(Path path) throws IOException {
        return isFlatBuffer(ByteBuffer.wrap(firstBytes(path)));
    }

    /** Whether a buffer's remaining bytes are a FlatBuffer for the lite interpreter. */
    public static boolean isFlatBuffer(ByteBuffer bytes) {
        return FlatbufferModule.isFlatbuffer(bytes);
    }

    /** Whether a zip file has the entry that each TorchScript module has. */
    public static boolean isTorchScript(ZipReader zip) {
        return zip.entries().keySet().stream().anyMatch(TorchScriptArchive::isData);
    }

    /** Reads a zip file that is open. */
    public static TorchScriptArchive of(ZipReader zip) {
        return new TorchScriptArchive(zip, false);
    }

    /** Reads from memory; the bytes must not change afterwards. */
    public static TorchScriptArchive of(byte[] bytes) {
        return of(ByteBuffer.wrap(bytes));
    }

    /** Reads a buffer's remaining bytes, which must not change afterwards. */
    public static TorchScriptArchive of(ByteBuffer bytes) {
        ReadBudget budget = ReadBudget.of(bytes.remaining());
        ByteBuffer zip = FlatbufferModule.isFlatbuffer(bytes)
                ? ByteBuffer.wrap(FlatbufferModule.toArchive(bytes, budget))
                : bytes;
        return new TorchScriptArchive(ZipReader.of(zip, budget), false);
    }

    private static byte[] firstBytes(Path path) throws IOException {
        FileNames.requireSome(path, "a file written by torch.jit.save");
        if (Files.isDirectory(path)) {
            throw new FileSystemException(
                    path.toString(), null, "is a folder (expected: a file written by torch.jit.save)");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "is a pipe or device (expected: a file written by torch.jit.save, which is not read from front "
                            + "to end)");
        }
        try (InputStream in = Files.newInputStream(path)) {
            return InputStreams.read(in, 16);
        }
    }

    /** Reads a stream to its end; the caller closes it. */
    public static TorchScriptArchive of(InputStream stream) throws IOException {
        return of(InputStreams.readAll(stream));
    }

    /**
     * The same archive as the lite interpreter takes it: what runs is its byte code, whatever source lies beside it.
     * This archive where it has no byte code.
     */
    public TorchScriptArchive forLite() {
        return hasBytecode() && !lite ? new TorchScriptArchive(zip, true) : this;
    }

    /** Name of the top folder, usually the file's stem when it was saved. */
    public String folder() {
        return folder;
    }

    /** File format version, which also says what operators mean: see {@link #MAX_VERSION}. */
    public int version() {
        return version;
    }

    /** Names of all records, in the order of the file. */
    public synchronized Set<String> records() {
        if (records == null) {
            Set<String> names = new LinkedHashSet<>();
            String prefix = folder + "/";
            for (String name : zip.entries().keySet()) {
                if (name.startsWith(prefix)) {
                    names.add(name.substring(prefix.length()));
                }
            }
            records = Collections.unmodifiableSet(names);
        }
        return records;
    }

    /** @param record its path in the file, without the top folder */
    public boolean has(String record) {
        return zip.entries().containsKey(folder + "/" + record);
    }

    /** The underlying zip file. */
    public ZipReader zip() {
        return zip;
    }

    /**
     * The unpacked bytes of a record, read-only and little-endian.
     *
     * @throws ArchiveException if it is missing or damaged
     */
    public ByteBuffer bytes(String record) {
        return zip.read(folder + "/" + record);
    }

    /** Extra files by name (without {@code extra/}), in the order of the file. */
    public Map<String, ByteBuffer> extraFiles() {
        Map<String, ByteBuffer> files = new LinkedHashMap<>();
        for (String record : records()) {
            if (record.startsWith(EXTRA)) {
                files.put(record.substring(EXTRA.length()), bytes(record));
            }
        }
        return files;
    }

    /**
     * The text of a source record such as {@code code/__torch__/net.py}; null if there is none, and always
     * {@linkplain #forLite for the lite interpreter}.
     */
    public String source(String record) {
        return isSource(record) && has(record) ? text(record) : null;
    }

    private boolean isSource(String record) {
        return !lite && record.startsWith(CODE) && record.endsWith(SOURCE);
    }

    /** Source text by record name, for example {@code code/__torch__/net.py}; empty for files of custom classes. */
    public synchronized Map<String, String> sources() {
        if (sources == null) {
            Map<String, String> found = new LinkedHashMap<>();
            for (String record : records()) {
                if (isSource(record)) {
                    found.put(record, text(record));
                }
            }
            sources = Collections.unmodifiableMap(found);
        }
        return sources;
    }

    /** Where a source record's text comes from; empty if the archive does not say. */
    public synchronized SourceMap sourceMap(String source) {
        SourceMap map = sourceMaps.get(source);
        if (map == null) {
            String record = source + DEBUG;
            map = has(record) ? SourceMap.of(debugTree(record)) : SourceMap.EMPTY;
            sourceMaps.put(source, map);
        }
        return map;
    }

    /**
     * Lines of Python by the tags that byte code's debug information has for them, each read when it is asked for; null
     * for what the archive does not tell, or not so that it makes sense.
     */
    public synchronized LongFunction<SourceMap.Position> taggedPositions() {
        Map<Long, Supplier<SourceMap.Position>> places = new HashMap<>();
        for (String record : records()) {
            if (record.endsWith(DEBUG)) {
                SourceMap.of(debugTree(record)).addTagged(places);
            }
        }
        return tag -> {
            Supplier<SourceMap.Position> place = places.get(tag);
            return place == null ? null : place.get();
        };
    }

    /**
     * The tree of a record that a model runs without, such as {@code mobile_debug_handles.pkl}; null if it is missing
     * or damaged.
     */
    public synchronized Object debugTree(String record) {
        try {
            return has(record) ? pickle(record, null) : null;
        } catch (ArchiveException e) {
            return null;
        }
    }

    /**
     * The tree of the module, normally a {@link org.torchnnapi.torchscript.pickle.PickledObject}.
     *
     * @throws ArchiveException if the pickle is missing or damaged
     */
    public synchronized Object data() {
        if (data == null) {
            data = pickle(DATA, "data/");
        }
        return data;
    }

    /** The values that source text calls {@code CONSTANTS.c0}, {@code CONSTANTS.c1} and so on, as trees. */
    public synchronized List<Object> constants() {
        if (constants == null) {
            Object value = pickle(CONSTANTS, "constants/");
            if (!(value instanceof ScriptTuple tuple)) {
                throw new ArchiveException(CONSTANTS + ": not a tuple (expected: a tuple of constants)");
            }
            constants = tuple.items();
        }
        return constants;
    }

    /** Whether the archive also holds byte code for the lite interpreter. */
    public boolean hasBytecode() {
        return has(BYTECODE);
    }

    /** The tree of the byte code record, whose tensors lie with the constants. */
    public synchronized Object bytecode() {
        boolean hasOwnTensors = records().stream().anyMatch(record -> record.startsWith("bytecode/"));
        return pickle(BYTECODE, hasOwnTensors ? "bytecode/" : "constants/");
    }

    /** Bytes of Java arrays that the archive's tensors are in, as far as they have been used. */
    public synchronized long arrayBytes() {
        long sum = 0;
        for (Storage storage : storages.values()) {
            sum += storage.heapBytes();
        }
        return sum;
    }

    private Object pickle(String record, String storageFolder) {
        return PickleReader.read(
                record,
                bytes(record),
                (dtype, key, length) -> storage(record, storageFolder, dtype, key, length),
                zip.budget(),
                storageFolder != null);
    }

    private Storage storage(String record, String storageFolder, DType dtype, String key, long length) {
        if (storageFolder == null) {
            throw new ArchiveException(record + ": refers to storage " + key + " (expected: no tensors)");
        }
        String name = storageFolder + key;
        ZipEntryInfo entry = zip.entries().get(folder + "/" + name);
        if (entry == null) {
            throw new ArchiveException(record + ": storage " + name + " is missing (expected: a record of " + length
                    + " " + dtype.torchName() + ")");
        }
        Storage known = storages.get(entry.name());
        if (known != null && known.dtype() == dtype && known.length() == length) {
            return known;
        }
        long size = entry.size();
        if (length < 0 || length > Integer.MAX_VALUE || size != length * dtype.bytes()) {
            throw new ArchiveException(name + ": " + size + " bytes (expected: " + length + " elements of "
                    + dtype.bytes() + " bytes for " + dtype.torchName() + ")");
        }
        // A record as elements of several types is rare, and then has a storage for each, under a name that no record
        // has.
        return storages.computeIfAbsent(
                known == null ? entry.name() : "/" + dtype + "/" + entry.name(),
                k -> Storage.ofBytes(dtype, zip.read(entry)));
    }

    private String text(String record) {
        try {
            return Utf8.decode(bytes(record));
        } catch (CharacterCodingException e) {
            throw new ArchiveException(record + ": not UTF-8 (expected: UTF-8 text)", e);
        }
    }

    private int readVersion() {
        String record = has(".data/version") ? ".data/version" : "version";
        if (!has(record)) {
            throw new ArchiveException(
                    "archive: no version record (expected: \"version\" or \".data/version\", written by "
                            + "torch.jit.save)");
        }
        String shown = Strings.strip(text(record));
        int found = isNumber(shown) ? Integer.parseInt(shown) : -1;
        if (found < MIN_VERSION || found > MAX_VERSION) {
            throw new ArchiveException("archive version: " + Strings.beginning(shown, 20) + " (expected: " + MIN_VERSION
                    + " to " + MAX_VERSION + "; save the model with PyTorch 1.13 or earlier)");
        }
        return found;
    }

    private static boolean isNumber(String text) {
        boolean isNumber = !text.isEmpty() && text.length() <= 9;
        for (int i = 0; i < text.length() && isNumber; i++) {
            isNumber = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        return isNumber;
    }

    private static boolean isData(String name) {
        int slash = name.indexOf('/');
        return slash > 0 && name.length() == slash + 1 + DATA.length() && name.endsWith(DATA);
    }

    /** The folder that holds {@code data.pkl}: other entries may stand before it. */
    private static String findFolder(ZipReader zip) {
        List<String> folders = new ArrayList<>();
        for (String name : zip.entries().keySet()) {
            if (isData(name)) {
                folders.add(name.substring(0, name.indexOf('/')));
            }
        }
        String foreign =
                folders.isEmpty() ? ForeignFormats.ofEntries(zip.entries().keySet()) : null;
        if (foreign != null) {
            throw new ArchiveException(foreign);
        }
        if (folders.size() != 1) {
            throw new ArchiveException("archive: " + folders.size() + " folders with a " + DATA + " (expected: one; "
                    + "a TorchScript file is written by torch.jit.save)");
        }
        return folders.get(0);
    }
}
