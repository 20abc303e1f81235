import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;

/**
 * Which digit was spoken: the sample's four model files on its test sounds. Arguments: the sample's folder, and that of
 * the model files.
 */
public final class Keywords {
    private static final int SAMPLES = 6000;
    /** What a quantized model may lose. */
    private static final double LEAST_SHARE = 0.99;

    private static final String[] WORDS = "zero one two three four five six seven eight nine".split(" ");

    private Keywords() {}

    public static void main(String[] args) throws IOException {
        Path sample = Path.of(args[0]);
        byte[] sounds = array(sample.resolve("keywords-test-sounds.npy"));
        byte[] labels = array(sample.resolve("keywords-test-labels.npy"));
        System.out.printf("%-30s %9s %9s %9s %12s%n", "model", "accuracy", "as float", "bytes", "ms a sound");
        int[] expected = null;
        int best = 0;
        for (String kind : new String[] {"cpu", "nnapi", "quantized", "quantized-nnapi"}) {
            Path file = Path.of(args[1], "keywords-" + kind + ".pt");
            Module model = Module.load(file.toString());
            int[] found = new int[labels.length];
            recognize(model, sounds, 0);
            long start = System.nanoTime();
            for (int i = 0; i < found.length; i++) {
                found[i] = recognize(model, sounds, i);
            }
            double millis = (System.nanoTime() - start) / 1e6 / found.length;
            expected = expected == null ? found : expected;
            int right = 0;
            int same = 0;
            for (int i = 0; i < found.length; i++) {
                right += found[i] == labels[i] ? 1 : 0;
                same += found[i] == expected[i] ? 1 : 0;
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-30s %7.1f %% %7.1f %% %9d %12.2f%n",
                    file.getFileName(),
                    100.0 * right / found.length,
                    100.0 * same / found.length,
                    Files.size(file),
                    millis);
            model.destroy();
            best = Math.max(best, right);
            if (right < LEAST_SHARE * best) {
                throw new IllegalStateException(
                        file + ": " + right + " sounds right (expected: within 1 % of " + best + ")");
            }
        }
        System.out.println("the first sound says \"" + WORDS[expected[0]] + "\", and its label " + labels[0]);
    }

    private static int recognize(Module model, byte[] sounds, int index) {
        float[] sound = new float[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            sound[i] = ofMuLaw(sounds[index * SAMPLES + i] & 0xFF);
        }
        float[] scores = model.forward(IValue.from(Tensor.fromBlob(sound, new long[] {1, SAMPLES})))
                .toTensor()
                .getDataAsFloatArray();
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] > scores[best] ? i : best;
        }
        return best;
    }

    /** Eight bits of mu-law (ITU-T G.711 as a formula) to [-1, 1]. */
    private static float ofMuLaw(int code) {
        double y = code / 127.5 - 1;
        return (float) (Math.signum(y) * (Math.pow(256, Math.abs(y)) - 1) / 255);
    }

    /** The elements of a .npy file of bytes: its header says how long it is. */
    private static byte[] array(Path file) throws IOException {
        byte[] all = Files.readAllBytes(file);
        int from = 10 + (all[8] & 0xFF) + ((all[9] & 0xFF) << 8);
        return java.util.Arrays.copyOfRange(all, from, all.length);
    }
}
