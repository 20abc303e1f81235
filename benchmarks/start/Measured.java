import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What every measured program prints: a line at its first output, then the time of each further inference, then its
 * peak memory.
 */
final class Measured {
    /** One inference. */
    interface Inference {
        void run() throws Exception;
    }

    static final long[] SHAPE = {1, 3, 224, 224};

    private Measured() {}

    static float[] input() {
        float[] values = new float[3 * 224 * 224];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 17 / 17f;
        }
        return values;
    }

    static void run(Inference inference, double seconds) throws Exception {
        inference.run();
        System.out.println("first");
        System.out.flush();
        long start = System.nanoTime();
        StringBuilder lines = new StringBuilder();
        long now = start;
        while (now - start < seconds * 1e9) {
            long before = now;
            inference.run();
            now = System.nanoTime();
            lines.append("inference ")
                    .append(now - start)
                    .append(' ')
                    .append(now - before)
                    .append('\n');
        }
        System.out.print(lines);
        System.out.println("peak " + peakKilobytes());
    }

    /** High-water mark of the resident set; 0 where the system does not tell it. */
    private static long peakKilobytes() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }
}
