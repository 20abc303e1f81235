import org.pytorch.IValue;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;

/** Loads a model with the Java API and runs it: MODEL THREADS SECONDS. */
public final class Ours {
    private Ours() {}

    public static void main(String[] args) throws Exception {
        PyTorchAndroid.setNumThreads(Integer.parseInt(args[1]));
        org.pytorch.Module module = org.pytorch.Module.load(args[0]);
        IValue input = IValue.from(Tensor.fromBlob(Measured.input(), Measured.SHAPE));
        Measured.run(() -> module.forward(input).toTensor().getDataAsFloatArray(), Double.parseDouble(args[2]));
    }
}
