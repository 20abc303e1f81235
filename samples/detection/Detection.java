import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.imageio.ImageIO;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.RgbImage;

/**
 * Shapes found in pictures: the sample's four model files on its test pictures, and pictures with the boxes drawn in.
 * Arguments: the sample's folder, and that of the model files, where pictures are written too; and a picture of your
 * own.
 */
public final class Detection {
    private static final int SIZE = 128;
    private static final int ROW = 10;
    private static final int DRAWN_ROWS = 3;
    private static final List<String> CLASSES = List.of("circle", "square", "triangle", "star", "cross");
    private static final Color[] COLORS = {Color.WHITE, Color.YELLOW, Color.CYAN, Color.MAGENTA, Color.ORANGE};
    /** Scores below it are no claim at all, those from the other on are drawn. */
    private static final float LEAST_SCORE = 0.05f;

    private static final float SURE = 0.3f;
    private static final double SAME = 0.5;
    private static final double LEAST_PRECISION = 0.9;
    /** What a quantized model may lose. */
    private static final double LEAST_SHARE = 0.99;

    private static final ImagePreprocessing PREPROCESSING =
            ImagePreprocessing.none().withResize(SIZE, SIZE);

    private Detection() {}

    private record Box(int kind, double left, double top, double right, double bottom) {
        double area() {
            return Math.max(0, right - left) * Math.max(0, bottom - top);
        }

        /** Intersection over union. */
        double overlap(Box other) {
            double width = Math.min(right, other.right) - Math.max(left, other.left);
            double height = Math.min(bottom, other.bottom) - Math.max(top, other.top);
            double both = Math.max(0, width) * Math.max(0, height);
            return both / (area() + other.area() - both);
        }
    }

    private record Found(int picture, float score, Box box) {}

    public static void main(String[] args) throws IOException {
        System.setProperty("java.awt.headless", "true");
        BufferedImage sheet =
                ImageIO.read(Path.of(args[0], "detection-test.jpg").toFile());
        List<List<Box>> truths = truths(Path.of(args[0], "detection-test.tsv"), sheet.getHeight() / SIZE * ROW);
        double best = LEAST_PRECISION / LEAST_SHARE;
        System.out.printf("%-32s %12s %12s %9s %12s%n", "model", "mAP", "recall", "bytes", "ms an image");
        for (String kind : new String[] {"cpu", "nnapi", "quantized", "quantized-nnapi"}) {
            Path file = Path.of(args[1], "detection-" + kind + ".pt");
            Module model = Module.load(file.toString());
            find(model, picture(sheet, 0), 0);
            List<Found> found = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < truths.size(); i++) {
                found.addAll(find(model, picture(sheet, i), i));
            }
            double millis = (System.nanoTime() - start) / 1e6 / truths.size();
            double precision = 0;
            for (int c = 0; c < CLASSES.size(); c++) {
                precision += precision(found, truths, c) / CLASSES.size();
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-32s %10.2f %% %10.2f %% %9d %12.2f%n",
                    file.getFileName(),
                    100 * precision,
                    100 * recall(found, truths),
                    Files.size(file),
                    millis);
            if (kind.equals("quantized-nnapi")) {
                BufferedImage drawn = sheet.getSubimage(0, 0, ROW * SIZE, DRAWN_ROWS * SIZE);
                write(drawn, found, Path.of(args[1], "detection.jpg"));
                if (args.length > 2) {
                    own(model, Path.of(args[2]), Path.of(args[1], "detection-own.jpg"));
                }
            }
            model.destroy();
            best = Math.max(best, precision);
            if (precision < LEAST_SHARE * best) {
                throw new IllegalStateException(
                        file + ": mAP " + precision + " (expected: at least " + LEAST_SHARE * best + ")");
            }
        }
    }

    /** Lines of picture, class, left, top, right and bottom, as lists of the pictures' boxes. */
    private static List<List<Box>> truths(Path file, int pictures) throws IOException {
        List<List<Box>> truths = new ArrayList<>();
        for (int i = 0; i < pictures; i++) {
            truths.add(new ArrayList<>());
        }
        for (String line : Files.readAllLines(file)) {
            String[] part = line.split("\t");
            truths.get(Integer.parseInt(part[0]))
                    .add(new Box(
                            CLASSES.indexOf(part[1]),
                            Integer.parseInt(part[2]),
                            Integer.parseInt(part[3]),
                            Integer.parseInt(part[4]),
                            Integer.parseInt(part[5])));
        }
        return truths;
    }

    private static BufferedImage picture(BufferedImage sheet, int index) {
        return sheet.getSubimage(index % ROW * SIZE, index / ROW * SIZE, SIZE, SIZE);
    }

    /** What a picture of any size has, the best first; of boxes of a class that overlap by half, only the best. */
    private static List<Found> find(Module model, BufferedImage picture, int index) {
        int width = picture.getWidth();
        int height = picture.getHeight();
        int[] pixels = picture.getRGB(0, 0, width, height, null, 0, width);
        Tensor input = PREPROCESSING.tensor(RgbImage.ofArgb(width, height, pixels));
        IValue[] answer = model.forward(IValue.from(input)).toTuple();
        float[] scores = answer[0].toTensor().getDataAsFloatArray();
        float[] boxes = answer[1].toTensor().getDataAsFloatArray();
        List<Found> claims = new ArrayList<>();
        double x = (double) width / SIZE;
        double y = (double) height / SIZE;
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] > LEAST_SCORE) {
                int at = i / CLASSES.size() * 4;
                Box box = new Box(
                        i % CLASSES.size(), boxes[at] * x, boxes[at + 1] * y, boxes[at + 2] * x, boxes[at + 3] * y);
                claims.add(new Found(index, scores[i], box));
            }
        }
        claims.sort(Comparator.comparing(claim -> -claim.score));
        List<Found> kept = new ArrayList<>();
        for (Found claim : claims) {
            if (kept.stream().noneMatch(k -> k.box.kind == claim.box.kind && k.box.overlap(claim.box) > SAME)) {
                kept.add(claim);
            }
        }
        return kept;
    }

    /**
     * Average precision of a class at an overlap of a half: the area below the precision by recall, which is made to
     * fall alone, as Pascal VOC has it since 2010.
     */
    private static double precision(List<Found> found, List<List<Box>> truths, int kind) {
        long all = truths.stream()
                .flatMap(List::stream)
                .filter(b -> b.kind == kind)
                .count();
        boolean[] hits = hits(found.stream().filter(f -> f.box.kind == kind).toList(), truths);
        double area = 0;
        double best = 0;
        int right = 0;
        for (boolean hit : hits) {
            right += hit ? 1 : 0;
        }
        for (int i = hits.length - 1; i >= 0; i--) {
            best = Math.max(best, right / (i + 1.0));
            if (hits[i]) {
                area += best / all;
                right--;
            }
        }
        return area;
    }

    /** The share of the shapes that are found with a score that is drawn. */
    private static double recall(List<Found> found, List<List<Box>> truths) {
        boolean[] hits = hits(found.stream().filter(f -> f.score >= SURE).toList(), truths);
        int right = 0;
        for (boolean hit : hits) {
            right += hit ? 1 : 0;
        }
        return right / (double) truths.stream().mapToInt(List::size).sum();
    }

    /** Which claims, the best first, meet a shape of their class that no better one met. */
    private static boolean[] hits(List<Found> found, List<List<Box>> truths) {
        List<Found> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparing(claim -> -claim.score));
        boolean[] hits = new boolean[sorted.size()];
        List<Set<Box>> taken = new ArrayList<>();
        truths.forEach(t -> taken.add(new HashSet<>()));
        for (int i = 0; i < hits.length; i++) {
            Found claim = sorted.get(i);
            Box nearest = truths.get(claim.picture).stream()
                    .filter(b -> b.kind == claim.box.kind)
                    .max(Comparator.comparing(b -> b.overlap(claim.box)))
                    .orElse(null);
            hits[i] = nearest != null
                    && nearest.overlap(claim.box) >= SAME
                    && taken.get(claim.picture).add(nearest);
        }
        return hits;
    }

    private static void own(Module model, Path picture, Path to) throws IOException {
        BufferedImage read = ImageIO.read(picture.toFile());
        if (read == null) {
            throw new IOException(picture + ": no picture (expected: PNG, JPEG, GIF or BMP)");
        }
        List<Found> found = find(model, read, 0);
        for (Found claim : found) {
            if (claim.score >= SURE) {
                Box b = claim.box;
                System.out.printf(
                        Locale.ROOT,
                        "%s, score %.2f: %.0f, %.0f to %.0f, %.0f%n",
                        CLASSES.get(b.kind),
                        claim.score,
                        b.left,
                        b.top,
                        b.right,
                        b.bottom);
            }
        }
        write(read, found, to);
    }

    /** A picture, or rows of them, with the boxes of those that are in it. */
    private static void write(BufferedImage picture, List<Found> found, Path to) throws IOException {
        BufferedImage drawn = new BufferedImage(picture.getWidth(), picture.getHeight(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = drawn.createGraphics();
        graphics.drawImage(picture, 0, 0, null);
        graphics.setStroke(new BasicStroke(2));
        for (Found claim : found) {
            if (claim.score >= SURE) {
                Box box = claim.box;
                graphics.setColor(COLORS[box.kind]);
                graphics.drawRect(
                        (int) Math.round(box.left) + claim.picture % ROW * SIZE,
                        (int) Math.round(box.top) + claim.picture / ROW * SIZE,
                        (int) Math.round(box.right - box.left),
                        (int) Math.round(box.bottom - box.top));
            }
        }
        graphics.dispose();
        ImageIO.write(drawn, "jpg", to.toFile());
        System.out.println("wrote " + to);
    }
}
