package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Files of modules without weights, whose method is one expression of a tensor {@code x}. */
final class TinyNet {
    private TinyNet() {}

    static void write(Path file, String expression) throws IOException {
        PickledDict attributes = new PickledDict(null);
        attributes.put("training", false);
        new ArchiveWriter("net", 3)
                .source("code/__torch__/net.py", """
            class Net(Module):
              __parameters__ = []
              __buffers__ = []
              training : bool
              def forward(self: __torch__.net.Net,
                x: Tensor) -> Tensor:
                return EXPRESSION
            """.replace("EXPRESSION", expression))
                .data(new PickledObject("__torch__.net.Net", attributes))
                .write(file);
    }
}
