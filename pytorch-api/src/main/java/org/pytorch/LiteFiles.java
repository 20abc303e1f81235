package org.pytorch;

import java.util.logging.Logger;
import org.torchnnapi.engine.LiteSource;
import org.torchnnapi.torchscript.ModuleSource;

/** What is run of files for the lite interpreter. */
final class LiteFiles {
    private static final String COMPARE = "torchnnapi.lite.compare";
    private static final Logger LOG = Logger.getLogger(LiteModuleLoader.class.getName());

    private LiteFiles() {}

    /**
     * The byte code of a file, compared with its source where that is asked for.
     *
     * @param origin what the file is called in warnings
     */
    static ModuleSource byteCode(ModuleSource source, String origin) {
        if (Boolean.getBoolean(COMPARE)) {
            try {
                LiteSource.differences(source)
                        .forEach(difference -> LOG.warning("model " + origin + ": " + difference));
            } catch (RuntimeException e) {
                LOG.warning(
                        "model " + origin + ": its source cannot be compared with its byte code: " + e.getMessage());
            }
        }
        return source.forLite();
    }
}
