package org.torchnnapi.cli;

import java.lang.module.ModuleDescriptor;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.cli.demo.DemoCommand;
import org.torchnnapi.cli.inspect.InspectCommand;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code torch-nnapi} command. Exit codes: 0 done, 1 the job failed, 2 wrong usage. */
@Command(
        name = "torch-nnapi",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "Converts PyTorch TorchScript models to NNAPI and runs both on the JVM.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi demo",
            "  torch-nnapi convert net.pt --input 'float32[1,3,224,224]'",
            "  torch-nnapi run net-nnapi.pt --input cat.jpg --top 5",
            "  torch-nnapi bench --model=net.pt --input_dims=1,3,224,224 --input_type=float",
            "",
            "Exit codes: 0 done, 1 the job failed, 2 wrong usage."
        })
public final class Main implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            ServeCommand.class,
            ExportCommand.class,
            ConvertCommand.class,
            OptimizeCommand.class,
            QuantizeCommand.class,
            DiffCommand.class,
            RecordCommand.class,
            ReplayCommand.class,
            SaveCommand.class,
            InspectCommand.class,
            RunCommand.class,
            ExplainCommand.class,
            SurveyCommand.class,
            ProfileCommand.class,
            BenchCommand.class,
            DevicesCommand.class,
            OperatorsCommand.class,
            ConformanceCommand.class,
            ClibCommand.class,
            AutoComplete.GenerateCompletion.class,
            HelpCommand.class);

    @Spec
    private CommandSpec spec;

    private Main() {}

    /** Runs one subcommand and ends the process with its exit code. */
    public static void main(String[] args) {
        Commands.runAndExit(() -> commandLine(args), args);
    }

    /** The command with all subcommands, or with the one that the words name. */
    public static CommandLine commandLine(String... args) {
        CommandLine made = Commands.of(new Main(), COMMANDS, args);
        HelpSections.install(made);
        return made;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command: none (expected: one of those below)");
    }

    /** The version that the build recorded in this module's descriptor. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            // A descriptor is there where this was started as a module, as the launcher does.
            String version = Optional.ofNullable(Main.class.getModule().getDescriptor())
                    .flatMap(ModuleDescriptor::rawVersion)
                    .orElse("unknown");
            return new String[] {"torch-nnapi " + version, "Java " + Runtime.version()};
        }
    }
}
