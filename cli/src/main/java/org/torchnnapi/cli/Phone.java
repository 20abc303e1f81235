package org.torchnnapi.cli;

import java.io.File;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What of the command answers questions about a phone, on the phone: module {@code phone} makes one file of it, see
 * docs/ANDROID.md.
 */
@Command(
        name = "phone",
        synopsisSubcommandLabel = "COMMAND",
        description = "Measures PyTorch models on this phone, and tells which of its devices runs which operation.",
        footer = {"", "Exit codes: 0 done, 1 the job failed, 2 wrong usage."})
public final class Phone implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            BenchCommand.class, DevicesCommand.class, ExplainCommand.class, ProfileCommand.class, HelpCommand.class);

    @Spec
    private CommandSpec spec;

    private Phone() {}

    /** Runs one subcommand and ends the process with its exit code. */
    public static void main(String[] args) {
        if (!new File(System.getProperty("java.io.tmpdir")).isDirectory()) {
            // A process without an app has no folder for temporary files; where its code lies, its user may write.
            File code = new File(System.getProperty("java.class.path").split(File.pathSeparator)[0]).getAbsoluteFile();
            System.setProperty("java.io.tmpdir", code.getParent());
        }
        Commands.runAndExit(() -> Commands.of(new Phone(), COMMANDS, args), args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command: none (expected: one of those below)");
    }
}
