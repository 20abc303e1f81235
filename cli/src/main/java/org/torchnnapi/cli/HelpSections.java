package org.torchnnapi.cli;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Help in parts: commands by what they are for, and a command's own options before those that others have too. */
final class HelpSections {
    private static final Map<String, List<String>> COMMANDS = new LinkedHashMap<>();
    private static final Map<Class<?>, String> OPTIONS = new LinkedHashMap<>();
    private static final String COMMON = "Common:";

    static {
        COMMANDS.put("Make:", List.of("export", "convert", "quantize", "optimize", "save"));
        COMMANDS.put("Run:", List.of("run", "serve", "bench", "record", "replay"));
        COMMANDS.put("See:", List.of("inspect", "explain", "profile", "diff", "survey"));
        COMMANDS.put(
                "This library:",
                List.of("demo", "devices", "operators", "conformance", "clib", "generate-completion", "help"));
        OPTIONS.put(ModelOptions.class, "What is run:");
        OPTIONS.put(InputOptions.class, "Inputs:");
        OPTIONS.put(ImageOptions.class, "How pictures become inputs:");
        OPTIONS.put(DeviceOptions.class, "Devices:");
        OPTIONS.put(LiteOptions.class, "Files for the lite interpreter:");
    }

    private HelpSections() {}

    /** Of a command line with all its subcommands. */
    static void install(CommandLine commandLine) {
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpSections::commands);
        for (CommandLine command : commandLine.getSubcommands().values()) {
            command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
            // The line of the list of commands, which the description says in full.
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_HEADER, help -> "");
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpSections::options);
        }
    }

    private static String commands(Help help) {
        StringBuilder text = new StringBuilder();
        COMMANDS.forEach((heading, names) -> {
            text.append("  ").append(heading).append(System.lineSeparator());
            for (String name : names) {
                Help command = help.subcommands().get(name);
                if (command != null) {
                    String[] header = command.commandSpec().usageMessage().header();
                    String[] said = header.length > 0
                            ? header
                            : command.commandSpec().usageMessage().description();
                    text.append(String.format("    %-21s%s%n", name, said[0]));
                }
            }
        });
        return text.toString();
    }

    private static String options(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        groups.put("", new ArrayList<>());
        OPTIONS.values().forEach(heading -> groups.put(heading, new ArrayList<>()));
        groups.put(COMMON, new ArrayList<>());
        for (OptionSpec option : help.commandSpec().options()) {
            if (!option.hidden()) {
                groups.get(headingOf(option, help.commandSpec().userObject())).add(option);
            }
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, options) -> {
            if (!options.isEmpty()) {
                text.append(heading.isEmpty() ? "" : System.lineSeparator() + heading + System.lineSeparator())
                        .append(help.optionListExcludingGroups(options));
            }
        });
        return text.toString();
    }

    private static String headingOf(OptionSpec option, Object command) {
        Class<?> declaring = option.userObject() instanceof Field field ? field.getDeclaringClass() : null;
        return declaring != null && declaring.isInstance(command) ? "" : OPTIONS.getOrDefault(declaring, COMMON);
    }
}
