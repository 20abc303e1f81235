package org.torchnnapi.samples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.api.NnapiRuntime;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;

/** The job in local mode, on the digits sample's test set as PNG files among which some are none. */
class ScorePicturesTest {
    private static final int IMAGES = 360;
    private static final int HEADER = 128;
    private static final int PIXELS = 64;
    private static final String MODEL = "../digits/digits-none.pt";

    @TempDir
    private Path folder;

    /**
     * Two tasks in this process; what Spark prepares for many large files only costs time here: a partition for each
     * few files, and compiled plans.
     */
    private static SparkSession local(Path warehouse) {
        return SparkSession.builder()
                .master("local[2]")
                .appName("test")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.warehouse.dir", warehouse.toString())
                .config("spark.sql.files.openCostInBytes", "4096")
                .config("spark.sql.files.minPartitionNum", "2")
                .config("spark.sql.shuffle.partitions", "1")
                .config("spark.sql.codegen.wholeStage", "false")
                .getOrCreate();
    }

    private static void write(byte[] pixels, int index, Path file) throws IOException {
        BufferedImage picture = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < PIXELS; i++) {
            int grey = Math.round(pixels[HEADER + index * PIXELS + i] * 255 / 16f);
            picture.setRGB(i % 8, i / 8, grey << 16 | grey << 8 | grey);
        }
        ImageIO.write(picture, "png", file.toFile());
    }

    /** Of this process and all its threads, which other work on the machine does not change much. */
    private static double processorSeconds() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e9;
    }

    private static void tell(String what, ScorePictures.Outcome outcome, double processorSeconds) {
        System.out.printf(Locale.ROOT, "%s: %s; processor time %.2f s%n", what, outcome, processorSeconds);
    }

    @Test
    void scoresWithOneModelAndKeepsBadRecordsApart() throws IOException {
        Path pictures = Files.createDirectories(folder.resolve("pictures/more"));
        byte[] pixels = Files.readAllBytes(Path.of("../digits/digits-test-images.npy"));
        byte[] labels = Files.readAllBytes(Path.of("../digits/digits-test-labels.npy"));
        for (int i = 0; i < IMAGES; i++) {
            write(pixels, i, pictures.resolve(String.format("%03d-%d.png", i, labels[HEADER + i])));
        }
        Files.writeString(pictures.resolve("soup.png"), "soup");
        Files.write(
                pictures.resolve("half.png"),
                Arrays.copyOf(Files.readAllBytes(pictures.resolve("000-" + labels[HEADER] + ".png")), 40));
        Path output = folder.resolve("out");
        alone(pictures);
        double before = processorSeconds();
        try (SparkSession spark = local(folder.resolve("warehouse"))) {
            double started = processorSeconds();
            System.out.printf(Locale.ROOT, "Spark's start: processor time %.2f s%n", started - before);
            ScorePictures.Outcome outcome =
                    ScorePictures.run(spark, MODEL, folder.resolve("pictures").toString(), output.toString(), 16);
            double first = processorSeconds();
            tell("Spark, local mode, 2 tasks", outcome, first - started);
            outcome = ScorePictures.run(
                    spark,
                    MODEL,
                    folder.resolve("pictures").toString(),
                    folder.resolve("again").toString(),
                    16);
            tell("Once more in the same session", outcome, processorSeconds() - first);
            assertEquals(IMAGES, outcome.scored());
            assertEquals(2, outcome.bad());
            List<Row> scores = spark.read().parquet(output + "/scores").collectAsList();
            long right = scores.stream()
                    .filter(row -> row.<String>getAs("path").endsWith("-" + row.<Integer>getAs("digit") + ".png"))
                    .count();
            assertEquals(358, right, "as many as PyTorch classifies rightly, 99.44 %");
            List<Row> bad =
                    spark.read().parquet(output + "/bad").orderBy("path").collectAsList();
            assertTrue(bad.get(0).<String>getAs("path").endsWith("half.png"), bad::toString);
            assertTrue(bad.get(1).<String>getAs("error").contains("expected: PNG"), bad::toString);
        }
        assertEquals(1, SharedModel.count(), "one model for all tasks of an executor");
    }

    /** The same work in one process without Spark, for comparison: twice too. */
    private static void alone(Path pictures) throws IOException {
        try (LoadedModel model = NnapiRuntime.create().load(Path.of(MODEL))) {
            for (String which : new String[] {"One process, one picture a call", "Once more"}) {
                double start = processorSeconds();
                ScorePictures.Outcome outcome = alone(pictures, model);
                tell(which, outcome, processorSeconds() - start);
            }
        }
    }

    private static ScorePictures.Outcome alone(Path pictures, LoadedModel model) throws IOException {
        long start = System.nanoTime();
        long decoding = 0;
        long scoring = 0;
        int scored = 0;
        int bad = 0;
        try (var files = Files.walk(pictures)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                long begin = System.nanoTime();
                try {
                    float[] picture = DigitPicture.read(Files.readAllBytes(file));
                    long decoded = System.nanoTime();
                    decoding += decoded - begin;
                    model.call(
                            "forward",
                            Tensor.of(picture, 1, DigitPicture.CHANNELS, DigitPicture.SIDE, DigitPicture.SIDE));
                    scoring += System.nanoTime() - decoded;
                    scored++;
                } catch (IOException | IndexOutOfBoundsException e) {
                    bad++;
                }
            }
        }
        return new ScorePictures.Outcome(scored, bad, (System.nanoTime() - start) / 1e9, decoding / 1e9, scoring / 1e9);
    }
}
