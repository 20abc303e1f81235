package org.torchnnapi.benchmarks.peers;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Map;
import org.torchnnapi.benchmarks.peers.BenchmarkModel.Image;

/** ONNX Runtime on its CPU provider; idle threads sleep, so that they do not disturb the others. */
final class OnnxRuntimePeer implements Contender {
    static final String ENGINE = "ONNX";

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Override
    public String toString() {
        return "ONNX Runtime " + environment.getVersion();
    }

    @Override
    public String engine() {
        return ENGINE;
    }

    @Override
    public String refusal(BenchmarkModel model) {
        return model.has(".onnx") ? null : "there is no ONNX file";
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws Exception {
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(threads);
        options.setInterOpNumThreads(1);
        options.addConfigEntry("session.intra_op.allow_spinning", "0");
        OrtSession session = environment.createSession(model.file(".onnx").toString(), options);
        Image input = model.input();
        OnnxTensor tensor = OnnxTensor.createTensor(environment, FloatBuffer.wrap(input.values()), input.shape());
        Map<String, OnnxTensor> inputs =
                Map.of(session.getInputNames().iterator().next(), tensor);
        return new Session() {
            private float[] output = {};

            @Override
            public long time() throws Exception {
                long start = System.nanoTime();
                try (OrtSession.Result result = session.run(inputs)) {
                    long nanos = System.nanoTime() - start;
                    FloatBuffer values = ((OnnxTensor) result.get(0)).getFloatBuffer();
                    output = new float[values.remaining()];
                    values.get(output);
                    return nanos;
                }
            }

            @Override
            public float[] output() {
                return output;
            }

            @Override
            public void close() {
                tensor.close();
                options.close();
                try {
                    session.close();
                } catch (OrtException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }
}
