package org.torchnnapi.cli;

import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.ProfiledStep;

/** In place of the command's own, whose layout of graphs is no part of what goes on a phone. */
final class ModelPages {
    private ModelPages() {}

    static void explain(Path file, LoadedModel model, List<Object> inputs, Path html) {
        throw refused(html);
    }

    static void profile(
            Path file,
            LoadedModel model,
            String method,
            List<Object> inputs,
            List<ProfiledStep> steps,
            int iterations,
            Path html) {
        throw refused(html);
    }

    private static CommandFailure refused(Path html) {
        return new CommandFailure("html: " + html + " (expected: --json FILE; pages are written on a computer)");
    }
}
