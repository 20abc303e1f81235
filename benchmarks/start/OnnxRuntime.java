import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Map;

/** The same with ONNX Runtime: MODEL THREADS SECONDS. */
public final class OnnxRuntime {
    private OnnxRuntime() {}

    public static void main(String[] args) throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(Integer.parseInt(args[1]));
        OrtSession session = environment.createSession(args[0], options);
        String name = session.getInputNames().iterator().next();
        OnnxTensor input = OnnxTensor.createTensor(environment, FloatBuffer.wrap(Measured.input()), Measured.SHAPE);
        Measured.run(
                () -> {
                    try (OrtSession.Result result = session.run(Map.of(name, input))) {
                        ((OnnxTensor) result.get(0)).getFloatBuffer();
                    }
                },
                Double.parseDouble(args[2]));
    }
}
