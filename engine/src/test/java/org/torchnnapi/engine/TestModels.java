package org.torchnnapi.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Models of a few lines. */
final class TestModels {
    private TestModels() {}

    /** @param source of a class {@code M} without attributes */
    static LoadedModel of(String source) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3)
                .source("code/__torch__.py", source)
                .data(new PickledObject("__torch__.M", new PickledDict(null)))
                .write(out);
        return LoadedModel.of(TorchScriptArchive.of(out.toByteArray()), EngineOptions.defaults());
    }

    /** Of the body of a {@code forward} that takes a tensor {@code x}, and the type of its result. */
    static LoadedModel of(String result, String body) throws IOException {
        return of("class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                + "  def forward(self: __torch__.M,\n    x: Tensor) -> " + result + ":\n    " + body + "\n");
    }
}
