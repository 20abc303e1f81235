import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;

/**
 * Objects cut out of their backgrounds: the sample's four model files on its test images, and a picture of the objects
 * before a background of our own. Arguments: the sample's folder, and that of the model files, where the picture is
 * written too.
 */
public final class Segmentation {
    private static final int SIZE = 64;
    private static final int ROW = 10;
    /** What a quantized model may lose. */
    private static final double LEAST_SHARE = 0.99;

    private Segmentation() {}

    public static void main(String[] args) throws IOException {
        BufferedImage images =
                ImageIO.read(Path.of(args[0], "segmentation-test-images.jpg").toFile());
        double best = 0;
        BufferedImage masks =
                ImageIO.read(Path.of(args[0], "segmentation-test-masks.png").toFile());
        System.out.printf("%-32s %12s %12s %9s %12s%n", "model", "overlap", "pixels right", "bytes", "ms an image");
        for (String kind : new String[] {"cpu", "nnapi", "quantized", "quantized-nnapi"}) {
            Path file = Path.of(args[1], "segmentation-" + kind + ".pt");
            Module model = Module.load(file.toString());
            BufferedImage composed =
                    new BufferedImage(images.getWidth(), images.getHeight(), BufferedImage.TYPE_INT_RGB);
            double overlaps = 0;
            long right = 0;
            find(model, images, 0);
            long start = System.nanoTime();
            for (int i = 0; i < ROW * ROW; i++) {
                float[] found = find(model, images, i);
                int both = 0;
                int either = 0;
                for (int p = 0; p < found.length; p++) {
                    int x = i % ROW * SIZE + p % SIZE;
                    int y = i / ROW * SIZE + p / SIZE;
                    boolean is = (masks.getRGB(x, y) & 0xFF) > 127;
                    boolean says = found[p] > 0;
                    both += is && says ? 1 : 0;
                    either += is || says ? 1 : 0;
                    right += is == says ? 1 : 0;
                    composed.setRGB(x, y, blend(images.getRGB(x, y), x, y, 1 / (1 + Math.exp(-found[p]))));
                }
                overlaps += (double) both / either;
            }
            double millis = (System.nanoTime() - start) / 1e6 / (ROW * ROW);
            System.out.printf(
                    Locale.ROOT,
                    "%-32s %10.2f %% %10.2f %% %9d %12.2f%n",
                    file.getFileName(),
                    overlaps,
                    100.0 * right / (ROW * ROW * SIZE * SIZE),
                    Files.size(file),
                    millis);
            Path picture = Path.of(args[1], "segmentation-" + kind + ".png");
            ImageIO.write(composed, "png", picture.toFile());
            if (kind.equals("quantized-nnapi")) {
                System.out.println("wrote the objects before another background to " + picture);
            }
            model.destroy();
            best = Math.max(best, overlaps);
            if (overlaps < LEAST_SHARE * best) {
                throw new IllegalStateException(
                        file + ": an overlap of " + overlaps + " % (expected: within 1 % of " + best + ")");
            }
        }
    }

    /** Above 0 where the object is. */
    private static float[] find(Module model, BufferedImage images, int index) {
        float[] planes = new float[3 * SIZE * SIZE];
        for (int p = 0; p < SIZE * SIZE; p++) {
            int rgb = images.getRGB(index % ROW * SIZE + p % SIZE, index / ROW * SIZE + p / SIZE);
            for (int c = 0; c < 3; c++) {
                planes[c * SIZE * SIZE + p] = (rgb >> 16 - 8 * c & 0xFF) / 255f;
            }
        }
        return model.forward(IValue.from(Tensor.fromBlob(planes, new long[] {1, 3, SIZE, SIZE})))
                .toTensor()
                .getDataAsFloatArray();
    }

    /** The pixel over a sky from dark to light blue. */
    private static int blend(int rgb, int x, int y, double share) {
        double height = y % SIZE / (double) SIZE;
        double[] sky = {90 + 110 * height, 140 + 80 * height, 200 + 40 * height};
        int out = 0;
        for (int c = 0; c < 3; c++) {
            int own = rgb >> 16 - 8 * c & 0xFF;
            out = out << 8 | (int) Math.round(own * share + sky[c] * (1 - share));
        }
        return out;
    }
}
