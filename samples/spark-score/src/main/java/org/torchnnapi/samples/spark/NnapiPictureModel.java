package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pytorch.PyTorchAndroid;
import org.torchnnapi.api.NnapiRuntime;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;

/** By this library, on a thread for each task: Spark gives every processor a task of its own. */
final class NnapiPictureModel implements PictureModel {
    private final LoadedModel model;

    private NnapiPictureModel(LoadedModel model) {
        this.model = model;
    }

    static PictureModel open(byte[] file) throws IOException {
        PyTorchAndroid.setNumThreads(1);
        // Weights stay in the mapped file until they are packed, so that it is there as long as the executor.
        Path path = Files.createTempFile("model", ".pt");
        path.toFile().deleteOnExit();
        return new NnapiPictureModel(NnapiRuntime.create().load(Files.write(path, file)));
    }

    @Override
    public float[] scores(float[] pictures, int count) {
        Tensor batch = Tensor.of(pictures, count, DigitPicture.CHANNELS, DigitPicture.SIDE, DigitPicture.SIDE);
        return model.forward(batch).tensor().toFloatArray();
    }
}
