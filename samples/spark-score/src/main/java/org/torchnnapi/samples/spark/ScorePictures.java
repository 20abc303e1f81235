package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.util.LongAccumulator;

/**
 * Scores a folder of pictures: {@code ScorePictures MODEL PICTURES OUTPUT [BATCH]}. Writes the classes as Parquet under
 * OUTPUT/scores, and what could not be read under OUTPUT/bad with its reason.
 */
public final class ScorePictures {
    private static final int BATCH = 32;
    private static final double NANOS_OF_SECOND = 1e9;

    private ScorePictures() {}

    /**
     * How many pictures were scored and how many not, and how fast.
     *
     * @param seconds for all of it
     * @param decoding seconds of processors in which all tasks together decoded pictures
     * @param scoring the same in the model
     */
    public record Outcome(long scored, long bad, double seconds, double decoding, double scoring) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d pictures scored, %d bad, %.2f s, %.0f pictures a second; processors decoded for %.2f s, "
                            + "and were in the model for %.2f s",
                    scored,
                    bad,
                    seconds,
                    scored / seconds,
                    decoding,
                    scoring);
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 3) {
            System.err.println("usage: ScorePictures MODEL PICTURES OUTPUT [BATCH]");
            System.exit(2);
        }
        try (SparkSession spark =
                SparkSession.builder().appName("score pictures").getOrCreate()) {
            System.out.println(run(
                    spark, Path.of(args[0]), args[1], args[2], args.length > 3 ? Integer.parseInt(args[3]) : BATCH));
        }
    }

    /**
     * @param model a TorchScript file of the driver
     * @param pictures a folder, read with what is below it
     * @param batch pictures that one call of the model scores at most
     */
    static Outcome run(SparkSession spark, Path model, String pictures, String output, int batch) throws IOException {
        Dataset<Row> files = spark.read()
                .format("binaryFile")
                .option("recursiveFileLookup", "true")
                .load(pictures)
                .select("path", "content");
        SharedModel shared = new SharedModel(Files.readAllBytes(model), NnapiPictureModel::open);
        return run(spark, shared, files, output, batch);
    }

    /** @param files their paths and contents, in this order */
    static Outcome run(SparkSession spark, SharedModel shared, Dataset<Row> files, String output, int batch) {
        long start = System.nanoTime();
        Broadcast<SharedModel> model =
                JavaSparkContext.fromSparkContext(spark.sparkContext()).broadcast(shared);
        LongAccumulator decoding = spark.sparkContext().longAccumulator("decoding");
        LongAccumulator scoring = spark.sparkContext().longAccumulator("scoring");
        Dataset<Score> all = files.mapPartitions(
                        (MapPartitionsFunction<Row, Score>) rows -> new Scores(rows, model, batch, decoding, scoring),
                        Encoders.bean(Score.class))
                .cache();
        all.filter("error IS NULL")
                .drop("error")
                .write()
                .mode(SaveMode.Overwrite)
                .parquet(output + "/scores");
        all.filter("error IS NOT NULL")
                .select("path", "error")
                .write()
                .mode(SaveMode.Overwrite)
                .parquet(output + "/bad");
        Row counts = all.agg(functions.count("digit"), functions.count("error")).first();
        all.unpersist();
        model.destroy();
        return new Outcome(
                counts.getLong(0),
                counts.getLong(1),
                (System.nanoTime() - start) / NANOS_OF_SECOND,
                decoding.sum() / NANOS_OF_SECOND,
                scoring.sum() / NANOS_OF_SECOND);
    }

    /** Of the processor, in this thread: other work on the machine does not change it much. */
    static long processorNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** The scores of a partition, a batch at a time. */
    private static final class Scores implements Iterator<Score> {
        private final Iterator<Row> rows;
        private final Broadcast<SharedModel> model;
        private final int batch;
        private final LongAccumulator decoding;
        private final LongAccumulator scoring;
        private Iterator<Score> ready = List.<Score>of().iterator();

        Scores(
                Iterator<Row> rows,
                Broadcast<SharedModel> model,
                int batch,
                LongAccumulator decoding,
                LongAccumulator scoring) {
            this.rows = rows;
            this.model = model;
            this.batch = batch;
            this.decoding = decoding;
            this.scoring = scoring;
        }

        @Override
        public boolean hasNext() {
            while (!ready.hasNext() && rows.hasNext()) {
                ready = next(new ArrayList<>()).iterator();
            }
            return ready.hasNext();
        }

        @Override
        public Score next() {
            hasNext();
            return ready.next();
        }

        private List<Score> next(List<Score> scores) {
            List<String> paths = new ArrayList<>();
            List<float[]> pictures = new ArrayList<>();
            while (rows.hasNext() && pictures.size() < batch) {
                Row row = rows.next();
                long start = processorNanos();
                try {
                    pictures.add(DigitPicture.read(row.getAs(1)));
                    paths.add(row.getString(0));
                } catch (IOException | RuntimeException e) {
                    scores.add(Score.bad(row.getString(0), String.valueOf(e.getMessage())));
                }
                decoding.add(processorNanos() - start);
            }
            if (!pictures.isEmpty()) {
                score(paths, pictures, scores);
            }
            return scores;
        }

        private void score(List<String> paths, List<float[]> pictures, List<Score> scores) {
            long start = processorNanos();
            float[] all = new float[pictures.size() * DigitPicture.ELEMENTS];
            for (int i = 0; i < pictures.size(); i++) {
                System.arraycopy(pictures.get(i), 0, all, i * DigitPicture.ELEMENTS, DigitPicture.ELEMENTS);
            }
            float[] values = model.value().get().scores(all, pictures.size());
            scoring.add(processorNanos() - start);
            int classes = values.length / pictures.size();
            for (int i = 0; i < pictures.size(); i++) {
                int best = 0;
                for (int c = 1; c < classes; c++) {
                    best = values[i * classes + c] > values[i * classes + best] ? c : best;
                }
                scores.add(Score.of(paths.get(i), best, values[i * classes + best]));
            }
        }
    }
}
