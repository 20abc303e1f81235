package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.benchmarks.peers.Contender.Session;

/**
 * Measures the peak resident size of an engine in a process that does nothing else: it loads the model and the input
 * and runs one inference after the other.
 *
 * @param contender null for a virtual machine that only reads the input
 */
record PeakProcess(BenchmarkModel model, Contender contender, String title) {
    private static final long PAUSE_MILLIS = 5;

    /** What every Java engine has to itself. */
    static PeakProcess ofJavaAlone(BenchmarkModel model) {
        return new PeakProcess(model, null, "Java alone");
    }

    /**
     * Runs it.
     *
     * @param seconds after the first inference, ascending
     * @param javaOptions separated by spaces
     * @return in bytes, one for each number of seconds
     * @throws Exception if the engine does not run the model, or the system does not tell
     */
    long[] run(double[] seconds, String javaOptions) throws Exception {
        if (contender != null && contender.engine() == null) {
            try (Session session = contender.open(model, 1)) {
                return peaks(session, seconds);
            }
        }
        Path flatBuffer = Files.createTempFile("model", ".tflite");
        try {
            if (contender instanceof TensorFlowLitePeer peer) {
                Files.write(flatBuffer, peer.export(model));
            }
            return run(flatBuffer, seconds, javaOptions);
        } finally {
            Files.delete(flatBuffer);
        }
    }

    private long[] run(Path flatBuffer, double[] seconds, String javaOptions) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
        command.addAll(Arrays.stream(javaOptions.split(" "))
                .filter(option -> !option.isEmpty())
                .toList());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                PeakProcess.class.getName(),
                contender == null ? "" : contender.engine(),
                model.folder().toString(),
                model.name(),
                flatBuffer.toString()));
        Arrays.stream(seconds).forEach(s -> command.add(Double.toString(s)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException("its process ended with " + process.exitValue());
        }
        return Arrays.stream(answer.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /** @param args engine or "", folder, model, the model as a flat buffer, seconds.. */
    public static void main(String[] args) throws Exception {
        BenchmarkModel model = new BenchmarkModel(args[2], Path.of(args[1]));
        double[] seconds = Arrays.stream(args, 4, args.length)
                .mapToDouble(Double::parseDouble)
                .toArray();
        try (Session session = open(args[0], model, Path.of(args[3]))) {
            StringBuilder line = new StringBuilder();
            for (long bytes : peaks(session, seconds)) {
                line.append(bytes).append(' ');
            }
            System.out.println(line);
        }
    }

    private static Session open(String engine, BenchmarkModel model, Path flatBuffer) throws Exception {
        return switch (engine) {
            case "" -> idle(model);
            case OnnxRuntimePeer.ENGINE -> new OnnxRuntimePeer().open(model, 1);
            case TensorFlowLitePeer.ENGINE -> TensorFlowLitePeer.open(flatBuffer, model.input());
            default -> OurContender.valueOf(engine).open(model, 1);
        };
    }

    private static Session idle(BenchmarkModel model) throws IOException {
        float[] input = model.input().values();
        return new Session() {
            @Override
            public long time() throws InterruptedException {
                Thread.sleep(PAUSE_MILLIS);
                return PAUSE_MILLIS * 1_000_000;
            }

            @Override
            public float[] output() {
                return input;
            }

            @Override
            public void close() {
                // There is nothing to free.
            }
        };
    }

    private static long[] peaks(Session session, double[] seconds) throws Exception {
        long[] peaks = new long[seconds.length];
        session.time();
        long start = System.nanoTime();
        for (int i = 0; i < seconds.length; i++) {
            do {
                session.time();
            } while (System.nanoTime() - start < seconds[i] * 1e9);
            // The system's count is in steps of some pages a thread, and may fall by as many.
            peaks[i] = Math.max(session.peakBytes(), i == 0 ? 0 : peaks[i - 1]);
        }
        return peaks;
    }
}
