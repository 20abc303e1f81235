package org.torchnnapi.benchmarks.peers;

import java.nio.file.Files;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.tensorflowlite.BuiltinOpResolver;
import org.bytedeco.tensorflowlite.FlatBufferModel;
import org.bytedeco.tensorflowlite.Interpreter;
import org.bytedeco.tensorflowlite.InterpreterBuilder;
import org.bytedeco.tensorflowlite.global.tensorflowlite;
import org.torchnnapi.nnapi.model.Model;

/** TensorFlow Lite with XNNPACK, on a flat buffer made from the NNAPI model that our converter wrote. */
final class TensorFlowLitePeer implements Contender {
    /** What separates signed bytes, which the flat buffer has, from the unsigned ones of the NNAPI model. */
    private static final int SIGN = 128;

    @Override
    public String toString() {
        return "TensorFlow Lite " + tensorflowlite.TfLiteVersion().getString();
    }

    @Override
    public boolean takes(BenchmarkModel model) {
        return Files.exists(model.file("-nnapi.pt"));
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws Exception {
        Model converted = NnapiModelFile.read(model.file("-nnapi.pt"));
        byte[] bytes = new TfliteExport(converted).write();
        BytePointer memory = new BytePointer(bytes);
        FlatBufferModel buffer = FlatBufferModel.BuildFromBuffer(memory, bytes.length);
        BuiltinOpResolver resolver = new BuiltinOpResolver();
        InterpreterBuilder builder = new InterpreterBuilder(buffer, resolver);
        builder.SetNumThreads(threads);
        Interpreter interpreter = new Interpreter((Pointer) null);
        check(builder.apply(interpreter), "build");
        check(interpreter.AllocateTensors(), "allocate");
        boolean quantizedInput = converted.input(0).type().isQuantized();
        boolean quantizedOutput = converted.output(0).type().isQuantized();
        Npy input = Npy.read(model.file("-input.npy"));
        float[] nhwc = input.shape().length == 4 ? channelsLast(input) : input.values();
        if (quantizedInput) {
            float scale = converted.input(0).descriptor().scale();
            int zeroPoint = converted.input(0).descriptor().zeroPoint();
            byte[] values = new byte[nhwc.length];
            for (int i = 0; i < nhwc.length; i++) {
                values[i] = (byte) (Math.clamp(Math.round(nhwc[i] / scale) + zeroPoint, 0, 255) - SIGN);
            }
            interpreter.typed_input_tensor_byte(0).put(values);
        } else {
            interpreter.typed_input_tensor_float(0).put(nhwc);
        }
        return new Session() {
            @Override
            public long time() {
                long start = System.nanoTime();
                check(interpreter.Invoke(), "invoke");
                return System.nanoTime() - start;
            }

            @Override
            public float[] output() {
                int bytes = (int) interpreter.output_tensor(0).bytes();
                float[] values = new float[quantizedOutput ? bytes : bytes / Float.BYTES];
                if (!quantizedOutput) {
                    interpreter.typed_output_tensor_float(0).get(values);
                    return values;
                }
                byte[] stored = new byte[bytes];
                interpreter.typed_output_tensor_byte(0).get(stored);
                float scale = converted.output(0).descriptor().scale();
                int zeroPoint = converted.output(0).descriptor().zeroPoint() - SIGN;
                for (int i = 0; i < bytes; i++) {
                    values[i] = (stored[i] - zeroPoint) * scale;
                }
                return values;
            }

            @Override
            public void close() {
                interpreter.close();
                builder.close();
                resolver.close();
                buffer.close();
                memory.close();
            }
        };
    }

    private static float[] channelsLast(Npy nchw) {
        int channels = (int) nchw.shape()[1];
        int pixels = (int) (nchw.shape()[2] * nchw.shape()[3]);
        float[] nhwc = new float[channels * pixels];
        for (int c = 0; c < channels; c++) {
            for (int p = 0; p < pixels; p++) {
                nhwc[p * channels + c] = nchw.values()[c * pixels + p];
            }
        }
        return nhwc;
    }

    private static void check(int status, String step) {
        if (status != tensorflowlite.kTfLiteOk) {
            throw new IllegalStateException("TensorFlow Lite could not " + step + " the model: status " + status);
        }
    }
}
