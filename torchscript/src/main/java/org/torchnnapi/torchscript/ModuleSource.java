package org.torchnnapi.torchscript;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Where a module comes from: an opened file of some format. Safe for use by several threads. */
public interface ModuleSource {
    /**
     * What a module is made for.
     *
     * @param operators what calls are matched with
     * @param interpreter runs a method on arguments, for {@code __setstate__}
     */
    record Host(
            OperatorFacts operators, CustomClasses customClasses, BiFunction<Function, Object[], Object> interpreter) {}

    /**
     * A module that was made.
     *
     * @param code the classes and functions of source text; null where the file has none
     * @param inputs what the file says of the arguments of methods, by their names
     */
    record Made(ScriptObject object, CodeLoader code, Map<String, DeclaredInputs> inputs) {}

    /**
     * Makes the module's object and its classes.
     *
     * @throws ArchiveException if the file is damaged or needs what the host lacks
     * @throws org.torchnnapi.torchscript.source.SourceException if the code of a class that is used is broken
     */
    Made make(Host host);

    /** Files of the user that lie beside the model, by name. */
    Map<String, ByteBuffer> extraFiles();

    /** Whether calls get None for what may be None and is left out at the end, as in the lite interpreter. */
    default boolean fillsOptionals() {
        return false;
    }

    /** The same as the lite interpreter takes it: what runs is byte code, where the file has any. */
    default ModuleSource forLite() {
        return this;
    }

    /** The zip file that it all lies in. */
    ZipReader zip();

    /** Bytes of Java arrays that the file's tensors are in, as far as they have been used. */
    long arrayBytes();

    /**
     * Opens a file of any format that is installed; its tensors take memory once they are used.
     *
     * @throws IOException if the file cannot be opened
     * @throws ArchiveException if it is no model, or not a sound one
     */
    static ModuleSource open(Path file) throws IOException {
        return ModuleFormats.open(file);
    }

    /**
     * As {@link #open}, of a buffer's remaining bytes, which must not change afterwards.
     *
     * @throws ArchiveException if it is no model, or not a sound one
     */
    static ModuleSource of(ByteBuffer bytes) {
        return ModuleFormats.of(bytes);
    }
}
