package org.torchnnapi.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.StandardOutput;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.FileNames;
import org.torchnnapi.torchscript.value.RaisedException;
import org.torchnnapi.torchscript.value.ScriptException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What command lines of several subcommands have in common. Exit codes: 0 done, 1 the job failed, 2 wrong usage. */
final class Commands {
    /** Far more than models need; code that recurses over blocks and modules has bounds of its own. */
    static final long STACK_BYTES = 16 << 20;

    private static final int MAX_MESSAGE = 4000;
    private static final int MAX_CAUSES = 8;
    private static final String TIMEOUT = "--timeout";
    private static final int MAX_SECONDS = 1_000_000;
    /** Tells of all others, as help does. */
    private static final String COMPLETION = "generate-completion";

    private Commands() {}

    /** Runs one subcommand and ends the process with its exit code. */
    static void runAndExit(Supplier<CommandLine> commandLine, String... args) {
        StandardOutput out = StandardOutput.install();
        AtomicInteger code = new AtomicInteger(1);
        // The first thread's stack is what the system's limits say.
        Thread work = new Thread(null, () -> code.set(run(commandLine, args)), "command", STACK_BYTES);
        work.start();
        try {
            work.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.exit(out.ended(code.get()));
    }

    /**
     * Runs one subcommand on this thread; whatever ends it is told on standard error.
     *
     * @return its exit code
     */
    static int run(Supplier<CommandLine> commandLine, String... args) {
        try {
            return commandLine.get().execute(args);
        } catch (OutOfMemoryError e) {
            System.err.println("memory: " + e.getMessage()
                    + " (expected: smaller inputs, or more of it, such as TORCH_NNAPI_JAVA_OPTS=-Xmx8g)");
        } catch (StackOverflowError e) {
            System.err.println("model: nested deeper than " + (STACK_BYTES >> 20)
                    + " MiB of stack allow (expected: fewer levels of modules, blocks and calls)");
        }
        return 1;
    }

    /** Reading the declarations of a command takes long beside starting it, so only the one that is called is added. */
    static CommandLine of(Runnable main, List<Class<?>> commands, String... args) {
        CommandLine commandLine = new CommandLine(main);
        List<Class<?>> called = new ArrayList<>();
        for (Class<?> command : commands) {
            if (args.length > 0
                    && command != HelpCommand.class
                    && !args[0].equals(COMPLETION)
                    && command.getAnnotation(Command.class).name().equals(args[0])) {
                called.add(command);
            }
        }
        (called.isEmpty() ? commands : called).forEach(commandLine::addSubcommand);
        CommandLine bench = commandLine.getSubcommands().get("bench");
        if (bench != null) {
            bench.setUnmatchedOptionsArePositionalParams(true);
        }
        commandLine.getSubcommands().values().forEach(Commands::addTimeout);
        commandLine.setExecutionStrategy(Commands::execute);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        // Files may be called anything.
        commandLine.setExpandAtFiles(false);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.registerConverter(Path.class, Commands::path);
        commandLine.setParameterExceptionHandler((exception, words) -> {
            CommandLine command = exception.getCommandLine();
            PrintWriter err = command.getErr();
            err.println(command.getColorScheme().errorText(ShownText.of(describe(exception))));
            boolean suggested = UnmatchedArgumentException.printSuggestions(exception, err);
            if (!suggested && command.getParent() == null) {
                command.usage(err, command.getColorScheme());
            } else if (!suggested) {
                // All options of a subcommand would scroll away what is wrong.
                err.println("see " + command.getCommandSpec().qualifiedName(" ") + " --help");
            }
            return command.getCommandSpec().exitCodeOnInvalidInput();
        });
        commandLine.setExecutionExceptionHandler((exception, command, result) -> {
            String told = Strings.beginning(ShownText.of(describe(exception)), MAX_MESSAGE);
            command.getErr().println(command.getColorScheme().errorText(told));
            if (isOf(exception, ScriptException.class)) {
                tellAssumptions(command);
            }
            return 1;
        });
        return commandLine;
    }

    /** What options took for granted that a model may not fit: it then fails, or gives worse answers. */
    private static void tellAssumptions(CommandLine command) {
        assumptions(command.getCommandSpec()).forEach(command.getErr()::println);
    }

    private static List<String> assumptions(CommandSpec spec) {
        List<String> found = new ArrayList<>();
        for (CommandSpec mixin : spec.mixins().values()) {
            if (mixin.userObject() instanceof ImageOptions pictures && pictures.assumption() != null) {
                found.add(pictures.assumption());
            }
            found.addAll(assumptions(mixin));
        }
        return found;
    }

    private static void addTimeout(CommandLine command) {
        if (command.getCommandSpec().findOption(TIMEOUT) == null && !(command.getCommand() instanceof HelpCommand)) {
            command.getCommandSpec()
                    .addOption(OptionSpec.builder(TIMEOUT)
                            .paramLabel("SECONDS")
                            .type(Double.class)
                            .description(
                                    "Ends the command after so many seconds, with exit code 1 and no output files.")
                            .build());
        }
    }

    private static int execute(ParseResult parsed) {
        ParseResult command = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        int code = withinTimeout(parsed, command);
        if (code == 0) {
            tellAssumptions(command.commandSpec().commandLine());
        }
        return code;
    }

    private static int withinTimeout(ParseResult parsed, ParseResult command) {
        Double seconds = command.matchedOptionValue(TIMEOUT, null);
        if (seconds == null) {
            return new CommandLine.RunLast().execute(parsed);
        }
        if (!(seconds > 0 && seconds < MAX_SECONDS)) {
            throw new ParameterException(
                    command.commandSpec().commandLine(),
                    TIMEOUT + ": " + seconds + " (expected: above 0, and below " + MAX_SECONDS + " seconds)");
        }
        Thread alarm = new Thread(() -> alarm(seconds), "timeout");
        alarm.setDaemon(true);
        alarm.start();
        try {
            return new CommandLine.RunLast().execute(parsed);
        } finally {
            alarm.interrupt();
        }
    }

    /** Ends the process: files are whole or not there, as those that are being written have other names. */
    private static void alarm(double seconds) {
        try {
            Thread.sleep(Math.round(seconds * 1000));
        } catch (InterruptedException e) {
            return;
        }
        System.err.println("timeout: not done after " + seconds + " s (expected: a smaller model or a later timeout)");
        System.exit(1);
    }

    private static Path path(String name) {
        try {
            Path path = Paths.get(name);
            FileNames.requireSome(path, "the name of a file or folder");
            return path;
        } catch (FileSystemException e) {
            throw new TypeConversionException(e.getReason());
        } catch (InvalidPathException e) {
            throw new TypeConversionException(
                    "'" + name + "' is no name here: " + e.getReason() + " (expected: the name of a file or folder)");
        }
    }

    /** What is wrong with the words of a command: the value, then what would be right. */
    private static String describe(ParameterException exception) {
        ArgSpec argument = exception.getArgSpec();
        String expected =
                argument instanceof OptionSpec && exception.getValue() != null ? expected(argument.type()) : null;
        return expected == null
                ? exception.getMessage()
                : ((OptionSpec) argument).longestName() + ": " + exception.getValue() + " (expected: " + expected + ")";
    }

    private static String expected(Class<?> type) {
        if (type.isEnum()) {
            List<String> words = new ArrayList<>();
            for (Object word : type.getEnumConstants()) {
                words.add(word.toString().toLowerCase(Locale.ROOT));
            }
            return "one of " + String.join(", ", words);
        }
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "a whole number";
        }
        return type == double.class || type == Double.class ? "a number" : null;
    }

    /** Whether an exception, or what caused it, is of that kind. */
    private static boolean isOf(Throwable thrown, Class<? extends Throwable> kind) {
        Throwable at = thrown;
        for (int i = 0; i < MAX_CAUSES && at != null; i++, at = at.getCause()) {
            if (kind.isInstance(at)) {
                return true;
            }
        }
        return false;
    }

    /** One line for what users can do something about; a defect of ours shows its trace. */
    private static String describe(Exception exception) {
        if (exception instanceof NoSuchFileException missing) {
            return "file: " + ShownText.line(missing.getFile()) + " does not exist (expected: a file that can be read)";
        }
        if (exception instanceof AccessDeniedException denied) {
            return "file: " + ShownText.line(denied.getFile())
                    + " may not be used (expected: permission to read or write it)";
        }
        if (exception instanceof FileSystemException other && other.getReason() == null) {
            return "file: " + ShownText.line(other.getFile()) + " cannot be used: "
                    + other.getClass().getSimpleName()
                    + " (expected: a file or folder of the kind that is wanted here)";
        }
        if (isOf(exception, RaisedException.class)) {
            // What a program says is no line of ours.
            return "the model raised: " + ShownText.line(exception.getMessage());
        }
        if (CommandFailure.isTold(exception)) {
            return exception.getMessage();
        }
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace));
        return "internal error, please report it: " + trace;
    }
}
