package org.torchnnapi.converter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

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
            file = Files.createTempFile("torch-nnapi", ".pt");
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
                Files.deleteIfExists(file);
            } catch (IOException stillMapped) {
                // Windows keeps files that are mapped.
                file.toFile().deleteOnExit();
            }
        }
    }
}
