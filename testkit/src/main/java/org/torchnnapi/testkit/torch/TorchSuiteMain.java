package org.torchnnapi.testkit.torch;

import java.io.IOException;
import java.nio.file.Path;
import org.torchnnapi.engine.EngineOptions;

/**
 * {@code TorchSuiteMain DIR [--suite NAME] [--filter TEXT] [--verbose]}: the runner without the command-line tool
 * around it.
 */
public final class TorchSuiteMain {
    private TorchSuiteMain() {}

    /** Exits with 0 if no case failed, 1 if one did, 2 for wrong usage. */
    public static void main(String[] arguments) throws IOException {
        Path folder = null;
        String suite = "run";
        String filter = "";
        boolean verbose = false;
        for (int i = 0; i < arguments.length; i++) {
            boolean more = i + 1 < arguments.length;
            if (arguments[i].equals("--suite") && more) {
                suite = arguments[++i];
            } else if (arguments[i].equals("--filter") && more) {
                filter = arguments[++i];
            } else if (arguments[i].equals("--verbose")) {
                verbose = true;
            } else {
                folder = Path.of(arguments[i]);
            }
        }
        try {
            if (folder == null) {
                throw new IllegalArgumentException(
                        "folder: none (expected: DIR [--suite NAME] [--filter TEXT] [--verbose])");
            }
            int failed = new TorchConformance(EngineOptions.defaults()).run(folder, suite, filter, verbose, System.out);
            System.exit(failed == 0 ? 0 : 1);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }
}
