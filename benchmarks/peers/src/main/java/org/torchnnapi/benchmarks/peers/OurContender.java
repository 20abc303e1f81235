package org.torchnnapi.benchmarks.peers;

import java.nio.file.Files;
import org.pytorch.IValue;
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
                IValue first = output.isTuple() ? output.toTuple()[0] : output;
                return first.toTensor().getDataAsFloatArray();
            }

            @Override
            public void close() {
                module.destroy();
            }
        };
    }
}
