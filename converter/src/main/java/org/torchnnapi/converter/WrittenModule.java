package org.torchnnapi.converter;

import java.io.IOException;
import java.nio.file.Path;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.format.WholeFile;

/** A converted module as it loads from a file: a temporary one, so that the heap need not hold its weights; from memory where none can be written. */
final class WrittenModule implements AutoCloseable {
    private final Path file;
    private final TorchScriptArchive archive;

    private WrittenModule(Path file, TorchScriptArchive archive) {
        this.file = file;
        this.archive = archive;
    }

    static WrittenModule of(Conversion conversion) {
        Path file = null;
        try {
            file = WholeFile.temporary(".pt");
            conversion.write(file);
            return new WrittenModule(file, TorchScriptArchive.open(file));
        } catch (IOException noPlace) {
            delete(file);
            return new WrittenModule(null, TorchScriptArchive.of(conversion.toBytes()));
        } catch (RuntimeException | Error e) {
            delete(file);
            throw e;
        }
    }

    /** Not to be used once this is closed. */
    TorchScriptArchive archive() {
        return archive;
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
