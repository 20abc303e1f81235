package org.torchnnapi.cli.serve;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Forms for the options of commands, made of what these declare: names, values, defaults and descriptions. */
final class CommandForms {
    private static final int MOST_CHARACTERS = 300;

    /**
     * An option as a field.
     *
     * @param kind flag, choice, number or text
     * @param value what it is where nothing is said
     */
    record Field(String name, String label, String kind, List<String> choices, String value, String hint) {
        Map<String, Object> toMap() {
            return Map.of("name", name, "label", label, "kind", kind, "choices", choices, "value", value, "hint", hint);
        }

        /** The option's word on a command line; null where it is left out. */
        String word(String given) {
            if (given.isEmpty() || given.equals(value)) {
                return null;
            }
            boolean fits = switch (kind) {
                case "flag" -> given.equals("true");
                case "choice" -> choices.contains(given);
                default -> given.length() <= MOST_CHARACTERS && given.chars().noneMatch(Character::isISOControl);
            };
            if (!fits) {
                throw HttpError.badRequest(name.substring(2) + ": of another form (expected: "
                        + (kind.equals("flag")
                                ? "true or nothing"
                                : kind.equals("choice")
                                        ? "one of " + String.join(", ", choices)
                                        : "a line of at most " + MOST_CHARACTERS + " characters")
                        + ")");
            }
            return kind.equals("flag") ? name : name + "=" + given;
        }
    }

    private final Map<Action, List<Field>> fields = new EnumMap<>(Action.class);
    private final List<Field> pictures = new ArrayList<>();

    /** @param commands gives the declaration of a command by its name */
    CommandForms(Function<String, CommandSpec> commands) {
        for (Action action : Action.values()) {
            CommandSpec spec = commands.apply(action.command());
            fields.put(
                    action,
                    action.options().stream()
                            .map(offered -> field(spec, offered))
                            .toList());
        }
        CommandSpec reading = commands.apply(Action.RUN.command());
        Action.PICTURES.forEach(offered -> pictures.add(field(reading, offered)));
    }

    private static Field field(CommandSpec spec, String offered) {
        String[] parts = offered.split("=", 2);
        OptionSpec option = spec.findOption(parts[0]);
        Class<?> type = option.type();
        List<String> choices = new ArrayList<>();
        if (parts.length > 1 && !parts[1].isEmpty()) {
            choices.addAll(List.of(parts[1].split("\\|")));
        } else if (type.isEnum()) {
            Arrays.stream(type.getEnumConstants())
                    .forEach(constant -> choices.add(constant.toString().toLowerCase(Locale.ROOT)));
        }
        boolean isFlag = type == boolean.class || type == Boolean.class;
        boolean isNumber = type == int.class || type == Integer.class || type == Double.class;
        String kind = isFlag ? "flag" : !choices.isEmpty() ? "choice" : isNumber ? "number" : "text";
        String plain = parts[0].substring(2).replace('-', ' ');
        String label = plain.substring(0, 1).toUpperCase(Locale.ROOT) + plain.substring(1);
        String value = isFlag || option.defaultValue() == null ? "" : option.defaultValue();
        return new Field(parts[0], label, kind, choices, value, String.join(" ", option.description()));
    }

    /** What a page makes fields of. */
    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        fields.forEach((action, all) -> map.put(action.command(), maps(all)));
        map.put("pictures", maps(pictures));
        return map;
    }

    private static List<Map<String, Object>> maps(List<Field> all) {
        return all.stream().map(Field::toMap).toList();
    }

    /**
     * Options as words of a command line.
     *
     * @param given values by the options' names
     * @param reading whether the command reads pictures
     * @throws HttpError if a value is none of its option's
     */
    List<String> words(Action action, JsonNode given, boolean reading) {
        List<Field> all = new ArrayList<>(fields.get(action));
        if (reading) {
            all.addAll(pictures);
        }
        List<String> words = new ArrayList<>();
        for (Field field : all) {
            String word = field.word(given.path(field.name()).asText("").strip());
            if (word != null) {
                words.add(word);
            }
        }
        return words;
    }
}
