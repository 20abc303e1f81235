package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.archive.ZipReader;

/** Modules of archives of torch.export: a program is the method {@code forward}, several are a method each. */
final class ExportedSource implements ModuleSource {
    private final ExportedArchive archive;

    ExportedSource(ExportedArchive archive) {
        this.archive = archive;
    }

    @Override
    public Made make(Host host) {
        List<String> programs = archive.programs();
        ClassNames names = new ClassNames();
        return programs.size() == 1
                ? new ProgramImporter(archive, programs.get(0), host.operators(), names).make()
                : new SeveralPrograms(archive, host.operators(), names).make();
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
