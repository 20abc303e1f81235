package org.torchnnapi.cli.io;

import java.nio.file.Path;
import org.torchnnapi.tensor.Tensor;

/** In place of the command's own, which reads pictures with a part of Java that Android lacks. */
public final class Images {
    private Images() {
    }

    /** @throws CommandFailure always */
    public static Tensor load(Path file, int channels, int height, int width) {
        throw new CommandFailure("image: " + file + " (expected on a phone: a .npy file, or random numbers such as float32[1," + channels + "," + height + ","
            + width + "])");
    }
}
