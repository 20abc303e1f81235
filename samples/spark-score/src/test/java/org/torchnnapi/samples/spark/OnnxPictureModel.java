package org.torchnnapi.samples.spark;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.util.Map;

/** By ONNX Runtime, to compare with; on a thread for each task too. */
final class OnnxPictureModel implements PictureModel {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession session;

    private OnnxPictureModel(byte[] file) throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            session = environment.createSession(file, options);
        }
    }

    static PictureModel open(byte[] file) throws IOException {
        try {
            return new OnnxPictureModel(file);
        } catch (OrtException e) {
            throw new IOException(e);
        }
    }

    @Override
    public float[] scores(float[] pictures, int count) {
        long[] shape = {count, DigitPicture.CHANNELS, DigitPicture.SIDE, DigitPicture.SIDE};
        try (OnnxTensor batch = OnnxTensor.createTensor(environment, FloatBuffer.wrap(pictures), shape);
                OrtSession.Result result = session.run(Map.of("pictures", batch))) {
            FloatBuffer values = ((OnnxTensor) result.get(0)).getFloatBuffer();
            float[] scores = new float[values.remaining()];
            values.get(scores);
            return scores;
        } catch (OrtException e) {
            throw new IllegalStateException(e);
        }
    }
}
