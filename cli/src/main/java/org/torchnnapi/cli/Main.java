package org.torchnnapi.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The {@code torch-nnapi} command. Exit codes: 0 done, 1 the job failed, 2 wrong usage. */
@Command(name = "torch-nnapi", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "Converts PyTorch TorchScript models to NNAPI and runs both on the JVM.")
public final class Main {

    private Main() { }

    /** Runs one subcommand and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    /** The version that the build recorded in this module's descriptor. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getModule().getDescriptor().rawVersion().orElse("unknown");
            return new String[] {"torch-nnapi " + version, "Java " + Runtime.version()};
        }
    }
}
