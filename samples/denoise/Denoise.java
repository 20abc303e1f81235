import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;

/**
 * Speech with the noise taken out: the sample's four model files on its test sounds, 2 s at a time, and the result as a
 * WAV file. Arguments: the sample's folder, and that of the model files, where sounds are written too; and a WAV file
 * of your own (8 kHz, 16 bits, mono).
 */
public final class Denoise {
    private static final int PIECE = 16_000;
    private static final int FULL_SCALE = 32_768;
    /** What a quantized model may lose. */
    private static final double LEAST_SHARE = 0.99;

    private Denoise() {}

    public static void main(String[] args) throws IOException, UnsupportedAudioFileException {
        float[] noisy = read(Path.of(args[0], "denoise-test-noisy.wav"));
        double best = 0;
        float[] clean = read(Path.of(args[0], "denoise-test-clean.wav"));
        System.out.printf(Locale.ROOT, "speech to noise in the test sounds: %.2f dB%n", ratio(clean, noisy));
        System.out.printf("%-30s %16s %9s %12s%n", "model", "speech to noise", "bytes", "ms a second");
        for (String kind : new String[] {"cpu", "nnapi", "quantized", "quantized-nnapi"}) {
            Path file = Path.of(args[1], "denoise-" + kind + ".pt");
            Module model = Module.load(file.toString());
            run(model, Arrays.copyOf(noisy, PIECE));
            long start = System.nanoTime();
            float[] found = run(model, noisy);
            double millis = (System.nanoTime() - start) / 1e6 / (noisy.length / 8000.0);
            System.out.printf(
                    Locale.ROOT,
                    "%-30s %13.2f dB %9d %12.2f%n",
                    file.getFileName(),
                    ratio(clean, found),
                    Files.size(file),
                    millis);
            if (kind.equals("quantized-nnapi")) {
                write(Path.of(args[1], "denoised.wav"), args.length > 2 ? run(model, read(Path.of(args[2]))) : found);
                System.out.println("wrote " + Path.of(args[1], "denoised.wav"));
            }
            model.destroy();
            double achieved = ratio(clean, found);
            best = Math.max(best, achieved);
            if (achieved < LEAST_SHARE * best) {
                throw new IllegalStateException(file + ": " + achieved + " dB (expected: within 1 % of " + best + ")");
            }
        }
    }

    private static float[] run(Module model, float[] sound) {
        float[] out = new float[sound.length];
        for (int at = 0; at < sound.length; at += PIECE) {
            float[] piece = Arrays.copyOfRange(sound, at, at + PIECE);
            float[] found = model.forward(IValue.from(Tensor.fromBlob(piece, new long[] {1, PIECE})))
                    .toTensor()
                    .getDataAsFloatArray();
            System.arraycopy(found, 0, out, at, Math.min(PIECE, sound.length - at));
        }
        return out;
    }

    /** Scale-invariant signal to distortion in decibels (Le Roux et al., 2019), the mean over pieces of 2 s. */
    private static double ratio(float[] clean, float[] found) {
        double sum = 0;
        int pieces = clean.length / PIECE;
        for (int p = 0; p < pieces; p++) {
            double product = 0;
            double power = 0;
            for (int i = p * PIECE; i < (p + 1) * PIECE; i++) {
                product += (double) found[i] * clean[i];
                power += (double) clean[i] * clean[i];
            }
            double target = 0;
            double rest = 0;
            for (int i = p * PIECE; i < (p + 1) * PIECE; i++) {
                double own = product / power * clean[i];
                target += own * own;
                rest += (found[i] - own) * (found[i] - own);
            }
            sum += 10 * Math.log10(target / rest);
        }
        return sum / pieces;
    }

    private static float[] read(Path file) throws IOException, UnsupportedAudioFileException {
        try (AudioInputStream in = AudioSystem.getAudioInputStream(file.toFile())) {
            AudioFormat format = in.getFormat();
            if (format.getChannels() != 1
                    || format.getSampleSizeInBits() != 16
                    || format.getSampleRate() != 8000
                    || format.isBigEndian()) {
                throw new IOException(file + ": " + format + " (expected: 8 kHz, 16 bits, one channel)");
            }
            ByteBuffer bytes = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            float[] sound = new float[bytes.remaining() / 2];
            for (int i = 0; i < sound.length; i++) {
                sound[i] = bytes.getShort() / (float) FULL_SCALE;
            }
            return sound;
        }
    }

    private static void write(Path file, float[] sound) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(2 * sound.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : sound) {
            bytes.putShort((short) Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value * FULL_SCALE))));
        }
        AudioFormat format = new AudioFormat(8000, 16, 1, true, false);
        AudioSystem.write(
                new AudioInputStream(new ByteArrayInputStream(bytes.array()), format, sound.length),
                AudioFileFormat.Type.WAVE,
                file.toFile());
    }
}
