package org.torchnnapi.samples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job on a cluster of this machine, two executors in processes of their own, one of which is killed on the way.
 * {@code -Drows=1000000} makes it a million pictures: row i is picture i of the digits sample, counted round and round.
 */
class ManyPicturesTest {
    private static final int ROWS = Integer.getInteger("rows", 20_000);
    private static final int TASKS = 40;
    private static final int BATCH = 32;
    private static final int PROCESSORS = 2;
    private static final String ONNX = "/digits.onnx";
    /** Of scores of about 10, by other kernels. */
    private static final float TOLERANCE = 1e-4f;

    @TempDir
    private Path folder;

    /**
     * A folder of jars as Spark's installations have one, which executors look for. The class path stays short by it:
     * ONNX Runtime 1.29 crashes in a process whose command line is longer than 4096 bytes.
     *
     * @return what is on the class path besides
     */
    private static String install(Path home) throws IOException {
        Path jars = Files.createDirectories(home.resolve("jars"));
        List<String> folders = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path link = jars.resolve(Path.of(entry).getFileName());
            if (!entry.endsWith(".jar")) {
                folders.add(entry);
            } else if (!Files.exists(link)) {
                Files.createSymbolicLink(link, Path.of(entry));
            }
        }
        return String.join(File.pathSeparator, folders);
    }

    private static SparkSession cluster(Path warehouse) throws IOException {
        return SparkSession.builder()
                .master("local-cluster[" + PROCESSORS + ",1,1024]")
                .appName("test")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.warehouse.dir", warehouse.toString())
                .config("spark.executor.extraClassPath", install(Path.of(System.getenv("SPARK_HOME"))))
                .config("spark.executor.extraJavaOptions", "-XX:+UseSerialGC")
                .getOrCreate();
    }

    private static Dataset<Row> rows(SparkSession spark, byte[][] files) {
        Broadcast<byte[][]> pictures =
                JavaSparkContext.fromSparkContext(spark.sparkContext()).broadcast(files);
        StructType columns = new StructType().add("path", DataTypes.StringType).add("content", DataTypes.BinaryType);
        return spark.range(0, ROWS, 1, TASKS)
                .map(
                        (MapFunction<Long, Row>) row -> RowFactory.create(
                                row.toString(), pictures.value()[(int) (row % pictures.value().length)]),
                        Encoders.row(columns));
    }

    @Test
    void losesAnExecutorAndNoRow() throws Exception {
        DigitFiles digits = new DigitFiles();
        byte[] file = Files.readAllBytes(DigitFiles.MODEL);
        OneProcess alone = new OneProcess(NnapiPictureModel.open(file), digits.pictures, ROWS);
        System.out.println("one process, " + PROCESSORS + " threads: " + alone.score(PROCESSORS, BATCH));
        assertEquals(DigitFiles.RIGHT, alone.right(digits.labels));
        try (SparkSession spark = cluster(folder.resolve("warehouse"))) {
            Dataset<Row> rows = rows(spark, digits.pictures);
            NotedOpener opener = new NotedOpener(folder.resolve("notes"), NnapiPictureModel::open);
            ExecutorLoss loss = new ExecutorLoss(TASKS / 4, opener::process);
            spark.sparkContext().addSparkListener(loss);
            Path output = folder.resolve("lost");
            run("Spark, an executor is lost", spark, new SharedModel(file, opener), rows, output);
            spark.sparkContext().removeSparkListener(loss);
            assertNotNull(loss.executor());
            assertTrue(loss.interrupted() > 0, "the executor was lost while it worked");
            checkOncePerExecutor(opener.notes(), loss.executor());
            check(spark, output, alone, 0);

            output = folder.resolve("undisturbed");
            run("Spark", spark, new SharedModel(file, NnapiPictureModel::open), rows, output);
            check(spark, output, alone, 0);

            output = folder.resolve("onnx");
            try (var onnx = ManyPicturesTest.class.getResourceAsStream(ONNX)) {
                file = onnx.readAllBytes();
            }
            run("Spark with ONNX Runtime", spark, new SharedModel(file, OnnxPictureModel::open), rows, output);
            check(spark, output, alone, TOLERANCE);
        }
    }

    private static void run(String what, SparkSession spark, SharedModel model, Dataset<Row> rows, Path output)
            throws TimeoutException {
        TaskTime time = new TaskTime();
        spark.sparkContext().addSparkListener(time);
        ScorePictures.Outcome outcome = ScorePictures.run(spark, model, rows, output.toString(), BATCH);
        spark.sparkContext().listenerBus().waitUntilEmpty();
        spark.sparkContext().removeSparkListener(time);
        System.out.printf(Locale.ROOT, "%s: %s, %.2f s in all tasks%n", what, outcome, time.seconds());
        assertEquals(ROWS, outcome.scored());
        assertEquals(0, outcome.bad());
    }

    /** That the model came to each process once and was opened there once, in the lost one and in others. */
    private static void checkOncePerExecutor(List<NotedOpener.Note> notes, String lost) {
        Map<NotedOpener.Note, Long> counts =
                notes.stream().collect(Collectors.groupingBy(note -> note, Collectors.counting()));
        assertTrue(counts.values().stream().allMatch(count -> count == 1), counts::toString);
        List<String> executors = counts.keySet().stream()
                .map(NotedOpener.Note::executor)
                .distinct()
                .toList();
        assertEquals(2 * executors.size(), counts.size(), counts::toString);
        assertTrue(executors.contains(lost) && executors.size() > 1, executors::toString);
        System.out.println("The model came to executors " + executors + ", and was opened, once each; lost: " + lost);
    }

    /** That every row is there once, with the answer of one process. */
    private static void check(SparkSession spark, Path output, OneProcess alone, float tolerance) {
        BitSet seen = new BitSet(ROWS);
        Iterator<Row> scores = spark.read()
                .parquet(output + "/scores")
                .select("path", "digit", "value")
                .toLocalIterator();
        while (scores.hasNext()) {
            Row score = scores.next();
            int row = Integer.parseInt(score.getString(0));
            assertTrue(!seen.get(row), () -> "twice: " + score);
            seen.set(row);
            assertEquals(alone.digits[row], score.getInt(1), score::toString);
            assertEquals(alone.values[row], score.getFloat(2), tolerance, score::toString);
        }
        assertEquals(ROWS, seen.cardinality());
    }
}
