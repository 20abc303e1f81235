package org.torchnnapi.benchmarks.peers;

import java.nio.file.Path;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.tensorflowlite.BuiltinOpResolver;
import org.bytedeco.tensorflowlite.FlatBufferModel;
import org.bytedeco.tensorflowlite.Interpreter;
import org.bytedeco.tensorflowlite.InterpreterBuilder;
import org.bytedeco.tensorflowlite.global.tensorflowlite;
import org.torchnnapi.benchmarks.peers.BenchmarkModel.Image;
import org.torchnnapi.nnapi.model.Model;

/** TensorFlow Lite with XNNPACK, on a flat buffer made from the NNAPI model that our converter wrote. */
enum TensorFlowLitePeer implements Contender {
    /** The outputs of the PyTorch model. */
    EXACT("", PeerTfliteExport.Padding.EXACT),
    /** Windows where TensorFlow itself would have put them. */
    SAME(" SAME", PeerTfliteExport.Padding.SAME);

    static final String ENGINE = "TFLITE";

    /** What separates signed bytes, which the flat buffer has, from the unsigned ones of the NNAPI model. */
    private static final int SIGN = 128;

    private final String note;
    private final PeerTfliteExport.Padding padding;

    TensorFlowLitePeer(String note, PeerTfliteExport.Padding padding) {
        this.note = note;
        this.padding = padding;
    }

    @Override
    public String toString() {
        return "TensorFlow Lite " + tensorflowlite.TfLiteVersion().getString() + note;
    }

    @Override
    public String engine() {
        return ENGINE;
    }

    @Override
    public boolean hasOtherOutputs() {
        return this == SAME;
    }

    @Override
    public String refusal(BenchmarkModel model) {
        return model.has("-nnapi.pt") ? null : "the model was not converted, so there is nothing to export";
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws Exception {
        Model converted = NnapiModelFile.read(model.file("-nnapi.pt"));
        PeerTfliteExport export = new PeerTfliteExport(converted, padding);
        byte[] bytes = export.write();
        if (this == SAME && !export.hasShiftedWindows()) {
            throw new UnsupportedOperationException("no window differs from that of the exact model");
        }
        BytePointer memory = new BytePointer(bytes);
        boolean quantizedOutput = converted.output(0).type().isQuantized();
        Image expected = model.expected();
        Interpreted session = new Interpreted(FlatBufferModel.BuildFromBuffer(memory, bytes.length), threads) {
            @Override
            public float[] output() {
                if (!quantizedOutput) {
                    return expected.channelsFirst(super.output());
                }
                byte[] stored = new byte[(int) interpreter.output_tensor(0).bytes()];
                interpreter.typed_output_tensor_byte(0).get(stored);
                float[] values = new float[stored.length];
                float scale = converted.output(0).descriptor().scale();
                int zeroPoint = converted.output(0).descriptor().zeroPoint() - SIGN;
                for (int i = 0; i < values.length; i++) {
                    values[i] = (stored[i] - zeroPoint) * scale;
                }
                return expected.channelsFirst(values);
            }

            @Override
            public void close() {
                super.close();
                memory.close();
            }
        };
        float[] input = model.input().channelsLast();
        if (converted.input(0).type().isQuantized()) {
            session.interpreter
                    .typed_input_tensor_byte(0)
                    .put(quantized(
                            input,
                            converted.input(0).descriptor().scale(),
                            converted.input(0).descriptor().zeroPoint()));
        } else {
            session.interpreter.typed_input_tensor_float(0).put(input);
        }
        return session;
    }

    /** The model as a flat buffer. */
    byte[] export(BenchmarkModel model) throws Exception {
        return new PeerTfliteExport(NnapiModelFile.read(model.file("-nnapi.pt")), padding).write();
    }

    /** Runs a flat buffer as it lies in its file; quantized inputs are all zero. */
    static Session open(Path flatBuffer, Image image) {
        Interpreted session = new Interpreted(FlatBufferModel.BuildFromFile(flatBuffer.toString()), 1);
        float[] input = image.channelsLast();
        if (session.interpreter.input_tensor(0).bytes() == Float.BYTES * (long) input.length) {
            session.interpreter.typed_input_tensor_float(0).put(input);
        } else {
            session.interpreter
                    .typed_input_tensor_byte(0)
                    .put(new byte[(int) session.interpreter.input_tensor(0).bytes()]);
        }
        return session;
    }

    /** A flat buffer that is ready to run; its output is taken as floats, as the model orders them. */
    private static class Interpreted implements Session {
        final Interpreter interpreter = new Interpreter((Pointer) null);
        private final FlatBufferModel buffer;
        private final BuiltinOpResolver resolver = new BuiltinOpResolver();
        private final InterpreterBuilder builder;

        Interpreted(FlatBufferModel buffer, int threads) {
            this.buffer = buffer;
            builder = new InterpreterBuilder(buffer, resolver);
            builder.SetNumThreads(threads);
            check(builder.apply(interpreter), "build");
            check(interpreter.AllocateTensors(), "allocate");
        }

        @Override
        public long time() {
            long start = System.nanoTime();
            check(interpreter.Invoke(), "invoke");
            return System.nanoTime() - start;
        }

        @Override
        public float[] output() {
            float[] values = new float[(int) interpreter.output_tensor(0).bytes() / Float.BYTES];
            interpreter.typed_output_tensor_float(0).get(values);
            return values;
        }

        @Override
        public void close() {
            interpreter.close();
            builder.close();
            resolver.close();
            buffer.close();
        }
    }

    private static byte[] quantized(float[] values, float scale, int zeroPoint) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (Math.clamp(Math.round(values[i] / scale) + zeroPoint, 0, 255) - SIGN);
        }
        return bytes;
    }

    private static void check(int status, String step) {
        if (status != tensorflowlite.kTfLiteOk) {
            throw new IllegalStateException("TensorFlow Lite could not " + step + " the model: status " + status);
        }
    }
}
