package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.RgbImage;
import org.torchnnapi.tensor.Tensor;

/** The digits sample takes values from -1 to 1. */
class PictureClassifierTest {
    @Test
    void aPictureIsPreparedRunAndNamed() throws IOException {
        byte[] pixels = new byte[3 * 32 * 32];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i / 96 > 4 && i / 96 < 28 && i % 96 / 3 > 12 && i % 96 / 3 < 19 ? 255 : 0);
        }
        ImagePreprocessing preparation =
                ImagePreprocessing.none().withMean(0.5f, 0.5f, 0.5f).withStd(0.5f, 0.5f, 0.5f);
        List<String> labels = IntStream.range(0, 10).mapToObj(i -> "digit " + i).toList();
        try (LoadedModel model = NnapiRuntime.create().load(Path.of("..", "samples", "digits", "digits-cpu.pt"))) {
            List<ScoredClass> found =
                    new PictureClassifier(model, preparation, labels).classify(new RgbImage(32, 32, pixels), 3);
            assertEquals(3, found.size());
            assertEquals("digit 1", found.get(0).label());
            float[] values = new float[pixels.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = (pixels[3 * (i % 1024) + i / 1024] & 255) / 127.5f - 1;
            }
            float[] scores =
                    model.forward(Tensor.of(values, 1, 3, 32, 32)).tensor().toFloatArray();
            Arrays.sort(scores);
            assertEquals(scores[9], found.get(0).score(), 1e-4);
        }
    }
}
