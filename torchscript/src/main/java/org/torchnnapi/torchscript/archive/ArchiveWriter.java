package org.torchnnapi.torchscript.archive;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.WholeFile;
import org.torchnnapi.torchscript.pickle.PickleWriter;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Collects the parts of a TorchScript archive and writes them as {@code torch.jit.save} does: extra files, tensors, the
 * module's pickle, sources, constants, version.
 */
public final class ArchiveWriter {
    /** Records up to this size are not worth compressing (torch/csrc/jit/serialization/export_module.cpp). */
    private static final int MIN_DEFLATED_CODE = 200;

    private final String folder;
    private final int version;
    private final Map<String, ByteBuffer> extra = new LinkedHashMap<>();
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, ByteBuffer> debug = new LinkedHashMap<>();
    private Object data;
    private List<Object> constants = List.of();
    private Object bytecode;
    private final Map<String, ByteBuffer> bytecodeDebug = new LinkedHashMap<>();
    private boolean flatBuffer;

    /**
     * @param folder top folder, by convention the file's stem
     * @param version file format, {@link TorchScriptArchive#MIN_VERSION} to {@link TorchScriptArchive#MAX_VERSION}; it
     *     tells readers which meaning of operators the sources rely on
     */
    public ArchiveWriter(String folder, int version) {
        if (folder.isEmpty()
                || folder.indexOf('/') >= 0
                || folder.indexOf('\\') >= 0
                || folder.equals(".")
                || folder.equals("..")) {
            throw new ArchiveException("archive folder: \"" + folder + "\" (expected: one name)");
        }
        if (version < TorchScriptArchive.MIN_VERSION || version > TorchScriptArchive.MAX_VERSION) {
            throw new ArchiveException("archive version: " + version + " (expected: " + TorchScriptArchive.MIN_VERSION
                    + " to " + TorchScriptArchive.MAX_VERSION + ")");
        }
        this.folder = folder;
        this.version = version;
    }

    /**
     * Starts with everything an archive holds, to be changed in part. Byte code for the lite interpreter is left out,
     * as it would not follow the changes.
     */
    public static ArchiveWriter from(TorchScriptArchive archive) {
        ArchiveWriter writer = new ArchiveWriter(archive.folder(), archive.version());
        archive.extraFiles().forEach(writer::extra);
        archive.sources().forEach((record, text) -> {
            writer.source(record, text);
            if (archive.has(record + ".debug_pkl")) {
                writer.debugInfo(record, archive.bytes(record + ".debug_pkl"));
            }
        });
        return writer.data(archive.data()).constants(archive.constants());
    }

    /** Writes an archive again, every entry with the same bytes, in the layout of this writer. */
    public static void copy(TorchScriptArchive archive, OutputStream out) throws IOException {
        ZipWriter zip = new ZipWriter(out);
        for (ZipEntryInfo entry : archive.zip().entries().values()) {
            zip.add(entry.name(), archive.zip().read(entry.name()), entry.deflated());
        }
        zip.finish();
    }

    /** A file beside the model's own records, from the buffer's position to its limit. */
    public ArchiveWriter extra(String name, ByteBuffer bytes) {
        extra.put(name, bytes);
        return this;
    }

    /**
     * Adds or replaces source text.
     *
     * @param record for example {@code code/__torch__/net.py}
     */
    public ArchiveWriter source(String record, String text) {
        sources.put(record, text);
        return this;
    }

    /** Adds or replaces the {@code .debug_pkl} of a source record. */
    public ArchiveWriter debugInfo(String record, ByteBuffer pickle) {
        debug.put(record, pickle);
        return this;
    }

    /** Sets the module's value tree. */
    public ArchiveWriter data(Object tree) {
        data = tree;
        return this;
    }

    /** Sets the trees that sources call {@code CONSTANTS.c0}, {@code CONSTANTS.c1} and so on. */
    public ArchiveWriter constants(List<Object> trees) {
        constants = new ArrayList<>(trees);
        return this;
    }

    /** Sets the tree of the lite interpreter's byte code, whose first part is its version. */
    public ArchiveWriter bytecode(Object tree) {
        bytecode = tree;
        return this;
    }

    /** Adds a record that tells the lines of byte code, such as {@code mobile_debug_handles.pkl}. */
    public ArchiveWriter bytecodeDebug(String record, ByteBuffer pickle) {
        bytecodeDebug.put(record, pickle);
        return this;
    }

    /**
     * Whether to write a FlatBuffer of data, byte code and extra files in place of an archive, at first not; there must
     * be byte code then. Sources, their constants and debug information have no place in it.
     */
    public ArchiveWriter flatBuffer(boolean wanted) {
        flatBuffer = wanted;
        return this;
    }

    /** Up to version 4 tensors of byte code are records of their own. */
    private boolean sharesConstants() {
        return !(bytecode instanceof ScriptTuple tuple
                && tuple.size() > 0
                && tuple.get(0) instanceof Long number
                && number <= 4);
    }

    /**
     * Writes a file, whole or not at all; it may be the one that was read.
     *
     * @throws FileSystemException if the target is a folder or cannot be written
     * @see WholeFile#write(Path, WholeFile.Content)
     */
    public void write(Path target) throws IOException {
        WholeFile.write(target, this::write);
    }

    /**
     * Writes to a stream, which stays open.
     *
     * @throws ArchiveException if there is something that the form cannot hold
     */
    public void write(OutputStream out) throws IOException {
        if (flatBuffer) {
            ByteBuffer whole = FlatbufferWriter.write(data, (ScriptTuple) bytecode, extra, version);
            out.write(whole.array(), whole.arrayOffset() + whole.position(), whole.remaining());
            return;
        }
        StorageRecords dataStorages = new StorageRecords();
        byte[] dataPickle = PickleWriter.write(data, dataStorages::number);
        StorageRecords constantStorages = new StorageRecords();
        byte[] constantsPickle = PickleWriter.write(new ScriptTuple(constants, null), constantStorages::number);
        StorageRecords bytecodeStorages = sharesConstants() ? constantStorages : new StorageRecords();
        byte[] bytecodePickle = bytecode == null ? null : PickleWriter.write(bytecode, bytecodeStorages::number);
        ZipWriter zip = new ZipWriter(out);
        for (Map.Entry<String, ByteBuffer> file : extra.entrySet()) {
            add(zip, "extra/" + file.getKey(), file.getValue(), false);
        }
        addStorages(zip, "data/", dataStorages);
        add(zip, "data.pkl", ByteBuffer.wrap(dataPickle), false);
        for (Map.Entry<String, String> source : sources.entrySet()) {
            addCode(zip, source.getKey(), StandardCharsets.UTF_8.encode(source.getValue()));
            ByteBuffer info = debug.get(source.getKey());
            if (info != null) {
                addCode(zip, source.getKey() + ".debug_pkl", info);
            }
        }
        addStorages(zip, "constants/", constantStorages);
        add(zip, "constants.pkl", ByteBuffer.wrap(constantsPickle), false);
        if (bytecodePickle != null) {
            if (!sharesConstants()) {
                addStorages(zip, "bytecode/", bytecodeStorages);
            }
            add(zip, "bytecode.pkl", ByteBuffer.wrap(bytecodePickle), false);
            for (Map.Entry<String, ByteBuffer> record : bytecodeDebug.entrySet()) {
                addCode(zip, record.getKey(), record.getValue());
            }
        }
        String versionRecord = version >= 6 ? ".data/version" : "version";
        add(zip, versionRecord, StandardCharsets.UTF_8.encode(version + "\n"), false);
        zip.finish();
    }

    /** The storages of one folder, which several pickles may name: source and byte code have the same constants. */
    private static final class StorageRecords {
        private final Map<Storage, Integer> numbers = new IdentityHashMap<>();
        private final List<Storage> storages = new ArrayList<>();

        String number(Storage storage) {
            Integer known = numbers.get(storage);
            if (known == null) {
                known = storages.size();
                numbers.put(storage, known);
                storages.add(storage);
            }
            return known.toString();
        }
    }

    private void addStorages(ZipWriter zip, String prefix, StorageRecords records) throws IOException {
        for (int i = 0; i < records.storages.size(); i++) {
            add(zip, prefix + i, records.storages.get(i).view(), false);
        }
    }

    private void addCode(ZipWriter zip, String record, ByteBuffer bytes) throws IOException {
        add(zip, record, bytes, bytes.remaining() > MIN_DEFLATED_CODE);
    }

    private void add(ZipWriter zip, String record, ByteBuffer bytes, boolean deflate) throws IOException {
        zip.add(folder + "/" + record, bytes, deflate);
    }
}
