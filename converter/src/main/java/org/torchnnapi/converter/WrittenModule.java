package org.torchnnapi.converter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.format.WholeFile;

/**
 * A converted module as it loads from a file: a temporary one, so that the heap need not hold its weights; from memory
 * where none can be written.
 */
final class WrittenModule implements AutoCloseable {
    private final Path file;
    /** Null where there is a file. */
    private final byte[] bytes;

    private final TorchScriptArchive archive;

    private WrittenModule(Path file, byte[] bytes, TorchScriptArchive archive) {
        this.file = file;
        this.bytes = bytes;
        this.archive = archive;
    }

    static WrittenModule of(Conversion conversion) {
        Path file = null;
        try {
            file = WholeFile.temporary(".pt");
            conversion.write(file);
            return new WrittenModule(file, null, TorchScriptArchive.open(file));
        } catch (IOException noPlace) {
            delete(file);
            byte[] bytes = conversion.toBytes();
            return new WrittenModule(null, bytes, TorchScriptArchive.of(bytes));
        } catch (RuntimeException | Error e) {
            delete(file);
            throw e;
        }
    }

    /** Not to be used once this is closed. What runs of its modules write in place stays written. */
    TorchScriptArchive archive() {
        return archive;
    }

    /** The same as it was written, whatever was run. */
    TorchScriptArchive again() {
        try {
            return file != null ? TorchScriptArchive.open(file) : TorchScriptArchive.of(bytes);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    @Override
    public void close() {
        delete(file);
    }

    private static void delete(Path file) {
        if (file != null) {
            try {
                WholeFile.discard(file);
            } catch (IOException stillMapped) {
                // Windows keeps files that are mapped; it goes with the process.
            }
        }
    }
}
