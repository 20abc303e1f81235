package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.archive.ZipReader;

/** Modules of archives of torch.export. Of several programs it is the one called {@code model}, or the first. */
final class ExportedSource implements ModuleSource {
    private final ExportedArchive archive;

    ExportedSource(ExportedArchive archive) {
        this.archive = archive;
    }

    @Override
    public Made make(Host host) {
        List<String> programs = archive.programs();
        String name = programs.contains("model") ? "model" : programs.get(0);
        return new ProgramImporter(archive, name, host.operators()).make();
    }

    @Override
    public Map<String, ByteBuffer> extraFiles() {
        return archive.extraFiles();
    }

    @Override
    public ZipReader zip() {
        return archive.zip();
    }

    @Override
    public long arrayBytes() {
        return 0;
    }
}
