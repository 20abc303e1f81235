package org.torchnnapi.samples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job in local mode, on the digits sample's test set as PNG files among which some are none. */
class ScorePicturesTest {
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

    @Test
    void scoresWithOneModelAndKeepsBadRecordsApart() throws IOException {
        Path pictures = Files.createDirectories(folder.resolve("pictures/more"));
        DigitFiles digits = new DigitFiles();
        for (int i = 0; i < DigitFiles.COUNT; i++) {
            Files.write(pictures.resolve(String.format("%03d-%d.png", i, digits.labels[i])), digits.pictures[i]);
        }
        Files.writeString(pictures.resolve("soup.png"), "soup");
        Files.write(pictures.resolve("half.png"), Arrays.copyOf(digits.pictures[0], 40));
        Path output = folder.resolve("out");
        try (SparkSession spark = local(folder.resolve("warehouse"))) {
            ScorePictures.Outcome outcome = ScorePictures.run(
                    spark, DigitFiles.MODEL, folder.resolve("pictures").toString(), output.toString(), 16);
            assertEquals(DigitFiles.COUNT, outcome.scored());
            assertEquals(2, outcome.bad());
            List<Row> scores = spark.read().parquet(output + "/scores").collectAsList();
            long right = scores.stream()
                    .filter(row -> row.<String>getAs("path").endsWith("-" + row.<Integer>getAs("digit") + ".png"))
                    .count();
            assertEquals(DigitFiles.RIGHT, right);
            List<Row> bad =
                    spark.read().parquet(output + "/bad").orderBy("path").collectAsList();
            assertTrue(bad.get(0).<String>getAs("path").endsWith("half.png"), bad::toString);
            assertTrue(bad.get(1).<String>getAs("error").contains("unknown format (expected: "), bad::toString);
        }
    }
}
