package org.torchnnapi.cli.io;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LiteSource;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.TorchScriptSource;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.format.ArchiveException;

/** Models as files, of the kind that their names tell. */
public final class ModelFile {
    private static final String LITE_ENDING = ".ptl";
    private static final String PROGRAM_ENDING = ".pt2";

    private ModelFile() {}

    /** Whether a file of that name is for the lite interpreter. */
    public static boolean isLite(Path file) {
        return file.getFileName().toString().endsWith(LITE_ENDING);
    }

    /** Whether a file of that name is for torch.export.load. */
    public static boolean isProgram(Path file) {
        return file.getFileName().toString().endsWith(PROGRAM_ENDING);
    }

    /** What reading a file gives. */
    private interface Reader<T> {
        T read() throws IOException;
    }

    /**
     * Reads a module.
     *
     * @throws CommandFailure if it cannot be read; it names the file, as a command may have several
     */
    public static ScriptModule read(Path file, ScriptRuntime runtime) throws IOException {
        return naming(file, () -> ScriptModule.load(file, runtime));
    }

    /** As {@link #read}, of a module that is looked at: nothing of its code runs. A phone's is its byte code. */
    public static ScriptModule stored(Path file, ScriptRuntime runtime) throws IOException {
        return naming(file, () -> ScriptModule.stored(onPhone(file), runtime));
    }

    /** As {@link #read}, of a module and what its NNAPI parts run on. Of a phone's the byte code runs. */
    public static LoadedModel load(Path file, EngineOptions options) throws IOException {
        return naming(file, () -> LoadedModel.of(onPhone(file), options));
    }

    /** What a phone reads of a file for the lite interpreter: its byte code, whatever the source beside it says. */
    private static ModuleSource onPhone(Path file) throws IOException {
        ModuleSource source = ModuleSource.open(file);
        ModuleSource read = isLite(file) ? source.forLite() : source;
        if (read != source) {
            for (String difference : LiteSource.differences(source)) {
                System.err.println(ShownText.line("warning: " + file + ": " + difference));
            }
        }
        return read;
    }

    /** Warns of a file for the lite interpreter whose source is not that of its byte code. */
    public static void warnOfSource(Path file) throws IOException {
        naming(file, () -> onPhone(file));
    }

    /** As {@link #read}, of what the file consists of; one that is no TorchScript, as it would be saved. */
    public static TorchScriptArchive open(Path file) throws IOException {
        return naming(file, () -> {
            ModuleSource source = ModuleSource.open(file);
            if (source instanceof TorchScriptSource torchScript) {
                return torchScript.archive();
            }
            ByteArrayOutputStream saved = new ByteArrayOutputStream();
            ScriptModule.of(source, Runtimes.standard()).writer().write(saved);
            return TorchScriptArchive.of(saved.toByteArray());
        });
    }

    private static <T> T naming(Path file, Reader<T> reader) throws IOException {
        try {
            return reader.read();
        } catch (ArchiveException | BytecodeException e) {
            throw new CommandFailure(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Writes a module, with byte code if the file is to be for the lite interpreter.
     *
     * @throws org.torchnnapi.torchscript.bytecode.BytecodeException if there is no byte code for the target; nothing is
     *     written then
     */
    public static void write(ScriptModule module, Map<String, ByteBuffer> extraFiles, Path file, LiteForm lite)
            throws IOException {
        archive(module.moduleWriter(), extraFiles, file, lite).write(file);
    }

    /**
     * Writes a converted model, as {@link #write(ScriptModule, Map, Path, LiteForm)}.
     *
     * @param runtime that the model is loaded into where it is to be for the lite interpreter
     */
    public static void write(Conversion conversion, ScriptRuntime runtime, Path file, LiteForm lite)
            throws IOException {
        if (isLite(file)) {
            ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime);
            write(converted, converted.source().extraFiles(), file, lite);
        } else {
            conversion.write(file);
        }
    }

    /** As {@link #write(ScriptModule, Map, Path, LiteForm)}, without writing yet. */
    public static ArchiveWriter archive(
            ModuleWriter module, Map<String, ByteBuffer> extraFiles, Path file, LiteForm lite) {
        if (isLite(file)) {
            module.lite(lite);
        }
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        ArchiveWriter archive = module.archive(dot > 0 ? name.substring(0, dot) : name);
        extraFiles.forEach(archive::extra);
        return archive;
    }
}
