package org.torchnnapi.benchmarks.peers;

import org.pytorch.IValue;
import org.pytorch.MemoryFormat;
import org.pytorch.Module;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;
import org.torchnnapi.benchmarks.peers.BenchmarkModel.Image;

/** This project, as an application uses it: the TorchScript file on the CPU path, or its NNAPI twin. */
enum OurContender implements Contender {
    NNAPI("torch-nnapi NNAPI", "-nnapi.pt"),
    CPU("torch-nnapi CPU", ".pt");

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
    public String engine() {
        return name();
    }

    @Override
    public boolean isOurs() {
        return true;
    }

    @Override
    public String refusal(BenchmarkModel model) {
        return model.has(suffix) ? null : "the model was not converted";
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws Exception {
        PyTorchAndroid.setNumThreads(threads);
        Module module = Module.load(model.file(suffix).toString());
        Image input = model.input();
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
                Image image = new Image(first.shape(), first.getDataAsFloatArray());
                return first.memoryFormat() == MemoryFormat.CHANNELS_LAST
                        ? image.channelsFirst(image.values())
                        : image.values();
            }

            @Override
            public void close() {
                module.destroy();
            }
        };
    }
}
