package org.torchnnapi.exported.lowering;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomClasses;

/** Modules of TorchScript for tests, and what they are as programs. */
final class WrittenPrograms {
    static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);

    private WrittenPrograms() {}

    /**
     * A module of one method.
     *
     * @param declarations of parameters, buffers and attributes, lines of the class
     * @param signature arguments and result of {@code forward}, such as {@code x: Tensor) -> Tensor}
     * @param body its lines
     */
    static ScriptModule module(PickledDict state, String declarations, String signature, String... body) {
        StringBuilder source = new StringBuilder("class M(Module):\n");
        for (String line : declarations.isEmpty() ? new String[0] : declarations.split("\n")) {
            source.append("  ").append(line).append('\n');
        }
        source.append("  def forward(self: __torch__.M, ").append(signature).append(":\n");
        for (String line : body) {
            source.append("    ").append(line).append('\n');
        }
        return load(source.toString(), state);
    }

    /** A module {@code __torch__.M} of its source. */
    static ScriptModule load(String source, PickledDict state) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new ArchiveWriter("m", 10)
                    .source("code/__torch__.py", source)
                    .data(new PickledObject("__torch__.M", state))
                    .write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
    }

    /** A module without attributes. */
    static ScriptModule function(String signature, String... body) {
        return module(new PickledDict(null), "__parameters__ = []\n__buffers__ = []", signature, body);
    }

    static byte[] bytes(ProgramFile program) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            program.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** What the program of a module is, read again. */
    static ScriptModule again(ScriptModule module, Object... example) {
        return Pt2File.load(bytes(ProgramFile.of(module, Arrays.asList(example))));
    }
}
