package org.torchnnapi.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.bench.Bench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * speed_benchmark_torch's flags and lines, and more; its flags are not of this command line's form, so it reads them
 * itself.
 */
@Command(
        name = "bench",
        header = "Measures a model, as speed_benchmark_torch does.",
        description = "Measures a model as PyTorch's speed_benchmark_torch does: same flags, lines and errors. --help "
                + "lists them.")
final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Parameters(
            arity = "0..*",
            paramLabel = "--FLAG=VALUE",
            description = "speed_benchmark_torch's flags and ours; see bench --help.")
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        return Bench.run(
                arguments.toArray(new String[0]),
                System.out,
                System.err,
                command.usageMessage().width());
    }
}
