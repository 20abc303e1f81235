package org.torchnnapi.torchscript;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.format.ArchiveException;

/** Which format a file is of. */
final class ModuleFormats {
    private ModuleFormats() {}

    static ModuleSource open(Path file) throws IOException {
        if (TorchScriptArchive.isFlatBuffer(file)) {
            return new TorchScriptSource(TorchScriptArchive.open(file));
        }
        return of(ZipReader.open(file));
    }

    static ModuleSource of(ByteBuffer bytes) {
        if (TorchScriptArchive.isFlatBuffer(bytes)) {
            return new TorchScriptSource(TorchScriptArchive.of(bytes));
        }
        return of(ZipReader.of(bytes));
    }

    private static ModuleSource of(ZipReader zip) {
        if (!TorchScriptArchive.isTorchScript(zip)) {
            for (ModuleFormat format : ServiceLoader.load(ModuleFormat.class, ModuleFormat.class.getClassLoader())) {
                if (format.recognises(zip)) {
                    return format.open(zip);
                }
            }
            if (isExported(zip)) {
                throw new ArchiveException(
                        "archive: a .pt2 of torch.export.save (expected: a TorchScript module, or the "
                                + "library torch-nnapi-exported beside this one, which reads .pt2)");
            }
        }
        return new TorchScriptSource(TorchScriptArchive.of(zip));
    }

    /** Whether it has an entry that only archives of torch.export have. */
    private static boolean isExported(ZipReader zip) {
        return zip.entries().keySet().stream()
                .anyMatch(name -> name.endsWith("/archive_format") || name.equals("serialized_exported_program.json"));
    }
}
