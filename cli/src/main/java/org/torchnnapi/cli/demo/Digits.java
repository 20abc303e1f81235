package org.torchnnapi.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/**
 * The test images of the digits sample, prepared as {@code make_digits.py} says: a pixel v in 0..16 becomes a square of
 * 4x4 pixels with the value v/8 - 1, the same in three channels.
 *
 * @param images float32 tensors of shape [1, 3, 32, 32], row-major
 */
record Digits(Tensor[] images, int[] labels) {
    private static final int SIDE = 8;
    private static final int REPEAT = 4;
    private static final int CHANNELS = 3;

    /** @throws CommandFailure if the folder is not that of the sample */
    static Digits read(Path folder) throws IOException {
        if (!Files.exists(folder.resolve("digits-test-images.npy"))) {
            throw new CommandFailure(
                    "samples: " + folder + " (expected: the folder samples/digits of the source tree; see --samples)");
        }
        Tensor pixels = Npy.read(folder.resolve("digits-test-images.npy"));
        Tensor classes = Npy.read(folder.resolve("digits-test-labels.npy"));
        Tensor[] images = new Tensor[pixels.size(0)];
        int[] labels = new int[images.length];
        for (int i = 0; i < images.length; i++) {
            images[i] = image(pixels, i);
            labels[i] = (int) classes.getLong(i);
        }
        return new Digits(images, labels);
    }

    private static Tensor image(Tensor pixels, int index) {
        int side = SIDE * REPEAT;
        float[] data = new float[CHANNELS * side * side];
        for (int at = 0; at < data.length; at++) {
            int y = at / side % side;
            int x = at % side;
            long pixel = pixels.getLong(((long) index * SIDE + y / REPEAT) * SIDE + x / REPEAT);
            data[at] = pixel / 8f - 1;
        }
        return Tensor.of(data, 1, CHANNELS, side, side);
    }
}
