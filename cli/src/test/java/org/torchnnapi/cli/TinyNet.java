package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Files of modules without weights, whose methods are one expression of a tensor {@code x} each. */
final class TinyNet {
    private TinyNet() {}

    static void write(Path file, String expression) throws IOException {
        write(file, Map.of("forward", expression));
    }

    /** @param expressions by the names of the methods */
    static void write(Path file, Map<String, String> expressions) throws IOException {
        PickledDict attributes = new PickledDict(null);
        attributes.put("training", false);
        StringBuilder source = new StringBuilder("""
            class Net(Module):
              __parameters__ = []
              __buffers__ = []
              training : bool
            """);
        expressions.forEach((name, expression) -> source.append("  def ")
                .append(name)
                .append("(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    return ")
                .append(expression)
                .append('\n'));
        new ArchiveWriter("net", 3)
                .source("code/__torch__/net.py", source.toString())
                .data(new PickledObject("__torch__.net.Net", attributes))
                .write(file);
    }
}
