package org.torchnnapi.cli.io;

import java.nio.file.Path;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.tensor.Tensor;

/** In place of the command's own, which reads pictures with a part of Java that Android lacks. */
public final class Images {
    /** As of the command's own. */
    public Images(ImagePreprocessing preprocessing, boolean upright) {}

    public static Images preset() {
        return new Images(ImagePreprocessing.none(), false);
    }

    public boolean wereRead() {
        return false;
    }

    /** @throws CommandFailure always */
    public Tensor load(Path file) {
        throw new CommandFailure("image: " + file
                + " (expected on a phone: a .npy file, or random numbers such as float32[1,3,224,224])");
    }
}
