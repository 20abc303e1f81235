package org.torchnnapi.exported;

import org.torchnnapi.torchscript.ModuleFormat;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.archive.ZipReader;

/** Archives that torch.export.save writes: those of PyTorch 2.5 to 2.7 and those of 2.8 and later. */
public final class ExportedFormat implements ModuleFormat {
    @Override
    public boolean recognises(ZipReader zip) {
        return ExportedArchive.isExported(zip);
    }

    @Override
    public ModuleSource open(ZipReader zip) {
        return new ExportedSource(ExportedArchive.of(zip));
    }
}
