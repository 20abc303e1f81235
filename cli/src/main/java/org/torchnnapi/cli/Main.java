package org.torchnnapi.cli;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.cli.demo.DemoCommand;
import org.torchnnapi.cli.inspect.InspectCommand;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.StandardOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code torch-nnapi} command. Exit codes: 0 done, 1 the job failed, 2 wrong usage. */
@Command(name = "torch-nnapi", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Converts PyTorch TorchScript models to NNAPI and runs both on the JVM.",
    footer = {"", "Examples:",
        "  torch-nnapi demo",
        "  torch-nnapi convert net.pt -o net-nnapi.pt --input 'float32[1,3,224,224]' --nhwc",
        "  torch-nnapi run net-nnapi.pt --input cat.jpg --top 5",
        "  torch-nnapi bench --model=net.pt --compare=net-nnapi.pt --input_dims=1,3,224,224 --input_type=float",
        "", "Exit codes: 0 done, 1 the job failed, 2 wrong usage."})
public final class Main implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(DemoCommand.class, ConvertCommand.class, OptimizeCommand.class, QuantizeCommand.class, DiffCommand.class, RecordCommand.class, ReplayCommand.class,
        SaveCommand.class, InspectCommand.class,
        RunCommand.class, ExplainCommand.class, SurveyCommand.class, ProfileCommand.class, BenchCommand.class, DevicesCommand.class, OperatorsCommand.class,
        ConformanceCommand.class, ClibCommand.class, HelpCommand.class);

    @Spec
    private CommandSpec spec;

    private Main() { }

    /** Runs one subcommand and ends the process with its exit code. */
    public static void main(String[] args) {
        int code;
        StandardOutput out = StandardOutput.install();
        try {
            code = commandLine(args).execute(args);
        } catch (OutOfMemoryError e) {
            System.err.println("memory: " + e.getMessage() + " (expected: smaller inputs, or more of it, such as TORCH_NNAPI_JAVA_OPTS=-Xmx8g)");
            code = 1;
        }
        System.exit(out.ended(code));
    }

    /** Reading the declarations of a command takes long beside starting it, so only the one that is called is added. */
    static CommandLine commandLine(String... args) {
        CommandLine commandLine = new CommandLine(new Main());
        List<Class<?>> called = COMMANDS.stream().filter(c -> args.length > 0 && c.getAnnotation(Command.class).name().equals(args[0])
            && c != HelpCommand.class).toList();
        (called.isEmpty() ? COMMANDS : called).forEach(commandLine::addSubcommand);
        CommandLine bench = commandLine.getSubcommands().get("bench");
        if (bench != null) {
            bench.setUnmatchedOptionsArePositionalParams(true);
        }
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setExecutionExceptionHandler((exception, command, result) -> {
            command.getErr().println(command.getColorScheme().errorText(describe(exception)));
            return 1;
        });
        return commandLine;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command: none (expected: one of those below)");
    }

    /** One line for what users can do something about; a defect of ours shows its trace. */
    private static String describe(Exception exception) {
        if (exception instanceof NoSuchFileException missing) {
            return "file: " + missing.getFile() + " does not exist (expected: a file that can be read)";
        }
        if (exception instanceof AccessDeniedException denied) {
            return "file: " + denied.getFile() + " may not be used (expected: permission to read or write it)";
        }
        boolean expected = exception instanceof CommandFailure || exception instanceof IOException
            || exception instanceof IllegalArgumentException
            || exception.getClass().getName().startsWith("org.torchnnapi.");
        if (expected && exception.getMessage() != null) {
            return exception.getMessage();
        }
        java.io.StringWriter trace = new java.io.StringWriter();
        exception.printStackTrace(new java.io.PrintWriter(trace));
        return "internal error, please report it: " + trace;
    }

    /** The version that the build recorded in this module's descriptor. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            // A descriptor is there where this was started as a module, as the launcher does.
            String version = Optional.ofNullable(Main.class.getModule().getDescriptor()).flatMap(ModuleDescriptor::rawVersion).orElse("unknown");
            return new String[] {"torch-nnapi " + version, "Java " + Runtime.version()};
        }
    }
}
