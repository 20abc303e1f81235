import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;

/**
 * Which language a text is in: the sample's four model files on its test texts. Arguments: the sample's folder, that of
 * the model files, and a text of your own.
 */
public final class Languages {
    private static final int LENGTH = 96;
    /** What a quantized model may lose. */
    private static final double LEAST_SHARE = 0.99;

    private static final List<String> LANGUAGES = List.of("cs", "de", "en", "es", "it", "pl", "pt", "ru");

    private Languages() {}

    public static void main(String[] args) throws IOException {
        List<String> lines = Files.readAllLines(Path.of(args[0], "languages-test.tsv"));
        System.out.printf("%-32s %9s %9s %9s %12s%n", "model", "accuracy", "as float", "bytes", "ms a text");
        String[] expected = null;
        int best = 0;
        for (String kind : new String[] {"cpu", "nnapi", "quantized", "quantized-nnapi"}) {
            Path file = Path.of(args[1], "languages-" + kind + ".pt");
            Module model = Module.load(file.toString());
            String[] found = new String[lines.size()];
            language(model, "warm up");
            long start = System.nanoTime();
            for (int i = 0; i < found.length; i++) {
                found[i] = language(model, lines.get(i).substring(3));
            }
            double millis = (System.nanoTime() - start) / 1e6 / found.length;
            expected = expected == null ? found : expected;
            int right = 0;
            int same = 0;
            for (int i = 0; i < found.length; i++) {
                right += lines.get(i).startsWith(found[i] + "\t") ? 1 : 0;
                same += found[i].equals(expected[i]) ? 1 : 0;
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-32s %7.2f %% %7.2f %% %9d %12.2f%n",
                    file.getFileName(),
                    100.0 * right / found.length,
                    100.0 * same / found.length,
                    Files.size(file),
                    millis);
            if (kind.equals("quantized-nnapi")) {
                String text =
                        args.length > 2 ? args[2] : "Der Zug nach Hamburg fährt heute leider erst um halb neun ab.";
                System.out.println(language(model, text) + ": " + text);
            }
            model.destroy();
            best = Math.max(best, right);
            if (right < LEAST_SHARE * best) {
                throw new IllegalStateException(
                        file + ": " + right + " texts right (expected: within 1 % of " + best + ")");
            }
        }
    }

    private static String language(Module model, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long[] numbers = new long[LENGTH];
        for (int i = 0; i < Math.min(LENGTH, bytes.length); i++) {
            numbers[i] = bytes[i] & 0xFF;
        }
        float[] scores = model.forward(IValue.from(Tensor.fromBlob(numbers, new long[] {1, LENGTH})))
                .toTensor()
                .getDataAsFloatArray();
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] > scores[best] ? i : best;
        }
        return LANGUAGES.get(best);
    }
}
