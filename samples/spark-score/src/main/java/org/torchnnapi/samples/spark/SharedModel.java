package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.api.NnapiRuntime;
import org.torchnnapi.engine.LoadedModel;

/**
 * One model for each executor, which its tasks share: their calls run at the same time and the weights lie in memory
 * once.
 */
final class SharedModel {
    private static final Map<String, LoadedModel> MODELS = new ConcurrentHashMap<>();

    private SharedModel() {}

    static LoadedModel get(String file) {
        return MODELS.computeIfAbsent(file, name -> {
            try {
                return NnapiRuntime.create().load(Path.of(name));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** How many models this executor has loaded. */
    static int count() {
        return MODELS.size();
    }
}
