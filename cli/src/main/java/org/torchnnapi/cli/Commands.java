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
import java.util.function.Supplier;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.StandardOutput;
import org.torchnnapi.torchscript.format.FileNames;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What command lines of several subcommands have in common. Exit codes: 0 done, 1 the job failed, 2 wrong usage. */
final class Commands {
    private Commands() {
    }

    /** Runs one subcommand and ends the process with its exit code. */
    static void runAndExit(Supplier<CommandLine> commandLine, String... args) {
        int code;
        StandardOutput out = StandardOutput.install();
        try {
            code = commandLine.get().execute(args);
        } catch (OutOfMemoryError e) {
            System.err.println("memory: " + e.getMessage() + " (expected: smaller inputs, or more of it, such as TORCH_NNAPI_JAVA_OPTS=-Xmx8g)");
            code = 1;
        }
        System.exit(out.ended(code));
    }

    /** Reading the declarations of a command takes long beside starting it, so only the one that is called is added. */
    static CommandLine of(Runnable main, List<Class<?>> commands, String... args) {
        CommandLine commandLine = new CommandLine(main);
        List<Class<?>> called = new ArrayList<>();
        for (Class<?> command : commands) {
            if (args.length > 0 && command != HelpCommand.class && command.getAnnotation(Command.class).name().equals(args[0])) {
                called.add(command);
            }
        }
        (called.isEmpty() ? commands : called).forEach(commandLine::addSubcommand);
        CommandLine bench = commandLine.getSubcommands().get("bench");
        if (bench != null) {
            bench.setUnmatchedOptionsArePositionalParams(true);
        }
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
            command.getErr().println(command.getColorScheme().errorText(ShownText.of(describe(exception))));
            return 1;
        });
        return commandLine;
    }

    private static Path path(String name) {
        try {
            Path path = Paths.get(name);
            FileNames.requireSome(path, "the name of a file or folder");
            return path;
        } catch (FileSystemException e) {
            throw new TypeConversionException(e.getReason());
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + name + "' is no name here: " + e.getReason() + " (expected: the name of a file or folder)");
        }
    }

    /** What is wrong with the words of a command: the value, then what would be right. */
    private static String describe(ParameterException exception) {
        ArgSpec argument = exception.getArgSpec();
        String expected = argument instanceof OptionSpec && exception.getValue() != null ? expected(argument.type()) : null;
        return expected == null ? exception.getMessage() : ((OptionSpec) argument).longestName() + ": " + exception.getValue() + " (expected: " + expected + ")";
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

    /** One line for what users can do something about; a defect of ours shows its trace. */
    private static String describe(Exception exception) {
        if (exception instanceof NoSuchFileException missing) {
            return "file: " + ShownText.line(missing.getFile()) + " does not exist (expected: a file that can be read)";
        }
        if (exception instanceof AccessDeniedException denied) {
            return "file: " + ShownText.line(denied.getFile()) + " may not be used (expected: permission to read or write it)";
        }
        if (exception instanceof FileSystemException other && other.getReason() == null) {
            return "file: " + ShownText.line(other.getFile()) + " cannot be used: " + other.getClass().getSimpleName() + " (expected: a file or folder of the kind that is wanted here)";
        }
        if (CommandFailure.isTold(exception)) {
            return exception.getMessage();
        }
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace));
        return "internal error, please report it: " + trace;
    }
}
