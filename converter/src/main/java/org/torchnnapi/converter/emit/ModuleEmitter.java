package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.TorchScriptSource;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Puts the parts of a converted module into an archive that genuine PyTorch loads. */
public final class ModuleEmitter {
    /** File format of PyTorch's converted modules; none of their operators needs a newer one. */
    static final int VERSION = 3;

    /** A record that converted modules have, of ours and of PyTorch's converter. */
    public static final String MARKER = ModuleSources.record(ModuleSources.COMPILATIONS);

    private final LoweredModel model;
    private int preference;
    private boolean relaxed;
    private Map<String, ByteBuffer> extraFiles = Map.of();

    /** Whether a file, of ours or of PyTorch's converter, has a part that runs on NNAPI. */
    public static boolean isConverted(ModuleSource file) {
        return file instanceof TorchScriptSource torchScript
                && torchScript.archive().has(MARKER);
    }

    public ModuleEmitter(LoweredModel model) {
        this.model = model;
    }

    /** @param code NNAPI's number: 0 low power, 1 fast single answer, 2 sustained speed */
    public ModuleEmitter preference(int code) {
        preference = code;
        return this;
    }

    /** Whether NNAPI may compute float32 operations in float16. */
    public ModuleEmitter relaxed(boolean allowed) {
        relaxed = allowed;
        return this;
    }

    public ModuleEmitter extraFiles(Map<String, ByteBuffer> files) {
        extraFiles = files;
        return this;
    }

    /** @param folder top folder of the archive, by convention the target file's stem */
    public ArchiveWriter archive(String folder) {
        Map<String, String> sources = ModuleSources.of(model);
        PickledObject module =
                ModuleTree.interfaceWrapper(model, SerializedModelEncoder.words(model), preference, relaxed);
        ArchiveWriter writer = new ArchiveWriter(folder, VERSION).data(module);
        sources.forEach(writer::source);
        extraFiles.forEach(writer::extra);
        return writer;
    }
}
