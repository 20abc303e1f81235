package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Measures an engine's peak resident size in a process that does nothing else. */
final class PeakProcess {
    /** @param bytes peak resident size */
    record Peak(String model, String engine, long bytes) { }

    private PeakProcess() { }

    /** Empty if the engine does not run the model, or the system does not tell. */
    static Optional<Peak> run(Path folder, Path python, BenchmarkModel model, Contender contender) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PeerBenchmark.class.getName(), "--models", folder.toString(),
                "--only", model.name(), "--python", python.toString(), "--peak", contender.toString()));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().close();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0 || answer.isEmpty() || answer.equals("0")) {
            return Optional.empty();
        }
        return Optional.of(new Peak(model.name(), contender.toString(), Long.parseLong(answer.lines().findFirst().orElseThrow())));
    }
}
