package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A model to be broadcast: its file goes to each executor once, which opens it once for all of its tasks. Their calls
 * run at the same time, and the weights lie in memory once.
 */
final class SharedModel implements Serializable {
    private static final long serialVersionUID = 1;
    /** Of this process. What Spark holds of a broadcast it may drop and fetch again; an open model stays. */
    private static final Map<UUID, PictureModel> OPENED = new ConcurrentHashMap<>();

    private final UUID id = UUID.randomUUID();
    private final byte[] file;
    private final PictureModel.Opener opener;

    /** @param file what the model's file holds, which only the driver needs to find */
    SharedModel(byte[] file, PictureModel.Opener opener) {
        this.file = file.clone();
        this.opener = opener;
    }

    /** @throws UncheckedIOException if it cannot be opened here */
    PictureModel get() {
        return OPENED.computeIfAbsent(id, first -> {
            try {
                return opener.open(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
