import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.cli.Main;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Writes what shells and manuals know of the command, from its own declarations: {@code java -cp LIB/* WriteManual.java
 * FOLDER VERSION} makes {@code man/man1}, a page of roff for each command, and {@code completion/torch-nnapi}.
 */
final class WriteManual {
    private static final String NAME = "torch-nnapi";

    private WriteManual() {}

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Path pages = Files.createDirectories(folder.resolve("man").resolve("man1"));
        CommandLine all = Main.commandLine();
        Files.writeString(pages.resolve(NAME + ".1"), page(NAME, all, args[1]));
        for (CommandLine command : all.getSubcommands().values()) {
            String name = NAME + "-" + command.getCommandName();
            Files.writeString(pages.resolve(name + ".1"), page(name, command, args[1]));
        }
        Path completion = Files.createDirectories(folder.resolve("completion"));
        Files.writeString(completion.resolve(NAME), AutoComplete.bash(NAME, all));
    }

    private static String page(String name, CommandLine command, String version) {
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        Help help = new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
        List<String> lines = new ArrayList<>();
        lines.add(".TH " + name.toUpperCase(java.util.Locale.ROOT) + " 1 \"\" \"" + NAME + " " + version + "\"");
        String[] header = usage.header().length > 0 ? usage.header() : usage.description();
        section(lines, "NAME", escaped(name) + " \\- " + escaped(header[0]));
        section(lines, "SYNOPSIS", escaped(help.synopsis(0).strip()));
        section(lines, "DESCRIPTION", escaped(String.format(String.join(" ", usage.description()))));
        List<PositionalParamSpec> parameters = command.getCommandSpec().positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .toList();
        List<OptionSpec> options = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .toList();
        if (!parameters.isEmpty() || !options.isEmpty()) {
            lines.add(".SH OPTIONS");
        }
        parameters.forEach(parameter -> described(lines, parameter.paramLabel(), parameter.description()));
        for (OptionSpec option : options) {
            String value = option.arity().max() == 0
                    ? ""
                    : (option.longestName().startsWith("--") ? "=" : " ") + option.paramLabel();
            described(lines, String.join(", ", option.names()) + value, option.description());
        }
        if (command.getParent() == null) {
            lines.add(".SH COMMANDS");
            command.getSubcommands().values().forEach(sub -> {
                UsageMessageSpec of = sub.getCommandSpec().usageMessage();
                described(lines, sub.getCommandName(), of.header().length > 0 ? of.header() : of.description());
            });
        }
        lines.add(".SH EXAMPLES AND EXIT STATUS\n.nf");
        Arrays.stream(usage.footer())
                .map(line -> escaped(String.format(line)))
                .filter(line -> !line.equals("Examples:"))
                .forEach(lines::add);
        lines.add("Exit codes: 0 done, 1 the job failed, 2 wrong usage.\n.fi");
        return String.join("\n", lines) + "\n";
    }

    private static void section(List<String> lines, String title, String text) {
        lines.add(".SH " + title + "\n" + text);
    }

    private static void described(List<String> lines, String term, String[] description) {
        lines.add(".TP\n.B " + escaped(term) + "\n" + escaped(String.format(String.join(" ", description))));
    }

    /** As roff takes it: no line may begin like a request. */
    private static String escaped(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replaceAll("(?m)^([.'])", "\\\\&$1")
                .replaceAll("\\n{2,}", "\n");
    }
}
