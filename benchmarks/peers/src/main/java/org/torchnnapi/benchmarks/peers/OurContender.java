package org.torchnnapi.benchmarks.peers;

import java.nio.file.Files;
import org.pytorch.IValue;
import org.pytorch.MemoryFormat;
import org.pytorch.Module;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;

/** This project, as an application uses it: the TorchScript file on the CPU path, or its NNAPI twin. */
enum OurContender implements Contender {
    CPU("torch-nnapi CPU", ".pt"),
    NNAPI("torch-nnapi NNAPI", "-nnapi.pt");

    private final String title;
    private final String suffix;

    OurContender(String title, String suffix) {
        this.title = title;
        this.suffix = suffix;
    }

    @Override
    public String toString() {
        return title;
    }

    @Override
    public boolean takes(BenchmarkModel model) {
        return Files.exists(model.file(suffix));
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws Exception {
        PyTorchAndroid.setNumThreads(threads);
        Module module = Module.load(model.file(suffix).toString());
        Npy input = Npy.read(model.file("-input.npy"));
        IValue value = IValue.from(Tensor.fromBlob(input.values(), input.shape()));
        return new Session() {
            private IValue output;

            @Override
            public long time() {
                long start = System.nanoTime();
                output = module.forward(value);
                return System.nanoTime() - start;
            }

            @Override
            public float[] output() {
                Tensor first = (output.isTuple() ? output.toTuple()[0] : output).toTensor();
                float[] values = first.getDataAsFloatArray();
                return first.memoryFormat() == MemoryFormat.CHANNELS_LAST ? rowMajor(values, first.shape()) : values;
            }

            @Override
            public void close() {
                module.destroy();
            }
        };
    }

    /** From N, H, W, C to the order that the shape (N, C, H, W) says. */
    private static float[] rowMajor(float[] nhwc, long[] shape) {
        int channels = (int) shape[1];
        int pixels = (int) (shape[2] * shape[3]);
        float[] out = new float[nhwc.length];
        for (int i = 0; i < out.length; i++) {
            int image = i / (channels * pixels);
            int channel = i / pixels % channels;
            out[i] = nhwc[(image * pixels + i % pixels) * channels + channel];
        }
        return out;
    }
}
