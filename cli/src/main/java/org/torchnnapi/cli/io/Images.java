package org.torchnnapi.cli.io;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pytorch.Tensor;
import org.torchnnapi.api.ImageFile;
import org.torchnnapi.image.ImagePreprocessing;

/** Pictures as model inputs. */
public final class Images {
    private static final int DEFAULT_SIZE = 224;

    private final ImagePreprocessing preprocessing;
    private final ImageFile reader;
    private boolean wereRead;

    /** @param upright turned as the camera was held */
    public Images(ImagePreprocessing preprocessing, boolean upright) {
        this.preprocessing = preprocessing;
        reader = upright ? ImageFile.reader().upright() : ImageFile.reader();
    }

    /** As torchvision's presets prepare them, cut to 224 by 224. */
    public static Images preset() {
        return new Images(ImagePreprocessing.imageNet(DEFAULT_SIZE, DEFAULT_SIZE), false);
    }

    /** Whether any was. */
    public boolean wereRead() {
        return wereRead;
    }

    /**
     * @return float32, of the shape that was asked for
     * @throws CommandFailure if the file is not a whole picture that can be read
     */
    public org.torchnnapi.tensor.Tensor load(Path file) {
        if (Files.isDirectory(file)) {
            throw new CommandFailure("image: " + file + " is a folder (expected: a .npy, PNG, JPEG, GIF or BMP file)");
        }
        try {
            Tensor tensor = preprocessing.tensor(reader.read(file));
            wereRead = true;
            long[] shape = tensor.shape();
            int[] sizes = new int[shape.length];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = (int) shape[i];
            }
            return org.torchnnapi.tensor.Tensor.of(tensor.getDataAsFloatArray(), sizes);
        } catch (FileNotFoundException e) {
            throw new CommandFailure("file: " + file + " does not exist (expected: a file that can be read)", e);
        } catch (IOException | IllegalArgumentException e) {
            throw new CommandFailure("image: " + file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
