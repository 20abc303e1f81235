package org.torchnnapi.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The flags of PyTorch's {@code speed_benchmark_torch}, written {@code --name=value} or {@code --name value}, and ours
 * beyond them, of which {@code -i} is {@code --input}, as in other commands. Words that do not start with a dash are
 * ignored, as there.
 */
final class BenchFlags {
    private static final String INDENT = "    ";
    private static final String NEXT_LINE = INDENT + INDENT;

    /** A flag: its default, its kind and its help. */
    private record Flag(Kind kind, String initial, String help) {}

    private enum Kind {
        STRING,
        BOOL,
        INT
    }

    private static final Map<String, Flag> FLAGS = new LinkedHashMap<>();

    static {
        define("model", Kind.STRING, "", "The TorchScript model to benchmark.");
        define(
                "input_dims",
                Kind.STRING,
                "",
                "Dimensions of the inputs: comma separated numbers; semicolons between inputs.");
        define(
                "input_type",
                Kind.STRING,
                "",
                "Types of the inputs (float, uint8_t, int64); semicolons between inputs.");
        define(
                "input_memory_format",
                Kind.STRING,
                "contiguous_format",
                "Memory formats of the inputs (contiguous_format, channels_last).");
        define("no_inputs", Kind.BOOL, "false", "The model takes no input; other input flags are ignored.");
        define(
                "use_caching_allocator",
                Kind.BOOL,
                "false",
                "Accepted for compatibility; memory between iterations is always kept here.");
        define("use_bundled_input", Kind.INT, "-1", "Run on the bundled input with this index.");
        define("print_output", Kind.BOOL, "false", "Print the output before the benchmark.");
        define("warmup", Kind.INT, "0", "Iterations before measuring.");
        define("iter", Kind.INT, "10", "Iterations to measure.");
        define("report_pep", Kind.BOOL, "false", "Print a PyTorchObserver line for each iteration.");
        define("pytext_len", Kind.INT, "0", "Adds an int64 input of shape [1] with this value, if above 0.");
        define("vulkan", Kind.BOOL, "false", "Accepted for compatibility; refused, there is no Vulkan device.");
        define("pthreadpool_size", Kind.INT, "0", "Threads; 0 leaves the choice to the runtime.");
        define("threads", Kind.INT, "0", "The same as pthreadpool_size.");
        define("cpus", Kind.STRING, "", "Processors to compute on, such as 4-7; Linux and Android.");
        define(
                "report_memory",
                Kind.BOOL,
                "false",
                "Also print what models and process hold: mapped file, packed weights, arena, heap, peak resident "
                        + "size.");
        define(
                "compare_threads",
                Kind.STRING,
                "",
                "Also time --model with these numbers of threads, such as 1,2, in turns, and print the speed-ups, "
                        + "beside those of multiply-adds that nothing but the machine holds back, and over blocks of "
                        + "iterations that nobody disturbed.");
        define(
                "interpret",
                Kind.BOOL,
                "false",
                "Interpret operators one by one; do not compile methods for the types of their inputs.");
        define(
                "input",
                Kind.STRING,
                "",
                "Run on these inputs instead of ones; semicolons between them, or the flag, which is also -i, for "
                        + "each: .npy files, pictures of 224x224, random numbers such as "
                        + "float32[1,3,224,224] or quint8[1,3,224,224]@0.0186,114, or lists, tuples and dictionaries "
                        + "of them as the run command takes them.");
        define(
                "device",
                Kind.STRING,
                "",
                "Run NNAPI parts on these devices only; commas between them. See the devices command.");
        define("percentiles", Kind.BOOL, "false", "Also print minimum, median, 90th and 99th percentile and maximum.");
        define(
                "compare",
                Kind.STRING,
                "",
                "More models, semicolon separated, run interleaved with --model and shown in one table.");
        define("csv", Kind.STRING, "", "Write every measured iteration to this CSV file.");
        define(
                "report_energy",
                Kind.BOOL,
                "false",
                "Also print the energy of a run, where Linux shows the processors' counters (/sys/class/powercap).");
        define("html", Kind.STRING, "", "Write charts of the measured iterations to this page.");
        define("json", Kind.STRING, "", "Write the summary to this JSON file.");
    }

    /** Flags that may be given several times, each for one more. */
    private static final List<String> LISTS = List.of("input", "compare");

    private final Map<String, String> values = new LinkedHashMap<>();

    private BenchFlags() {}

    /** The flags of a command line, or why it could not be understood. */
    record Parsed(BenchFlags flags, List<String> problems, boolean help) {}

    static Parsed parse(String... args) {
        BenchFlags flags = new BenchFlags();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < args.length && problems.isEmpty(); i++) {
            String arg = args[i].equals("-i") ? "--input" : args[i];
            if (arg.contains("--help") || arg.equals("-h")) {
                return new Parsed(flags, problems, true);
            }
            if (!arg.startsWith("--")) {
                // There it would be ignored with what follows it.
                if (arg.matches("-[A-Za-z].*")) {
                    problems.add("C10 flag: unrecognized commandline argument: " + arg);
                }
                continue;
            }
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg.substring(2) : arg.substring(2, equals);
            if (equals < 0 && i + 1 == args.length) {
                problems.add("C10 flag: reached the last commandline argument, but I am expecting a value for " + arg);
                break;
            }
            String value = equals < 0 ? args[++i] : arg.substring(equals + 1);
            Flag flag = FLAGS.get(name);
            if (flag == null) {
                problems.add("C10 flag: unrecognized commandline argument: " + arg);
            } else if (flag.kind() == Kind.BOOL && parseBool(value) == null) {
                problems.add("C10 flag error: Cannot convert argument to bool: " + value);
                problems.add("Note that if you are passing in a bool flag, you need to explicitly specify it, like "
                        + "--arg=True or "
                        + "--arg True. Otherwise, the next argument may be inadvertently used as the "
                        + "argument, causing the above error.");
                problems.add("C10 flag: illegal argument: " + arg);
            } else {
                flags.values.merge(
                        name,
                        value,
                        LISTS.contains(name) ? (before, next) -> before + ";" + next : (before, next) -> next);
            }
        }
        return new Parsed(flags, problems, false);
    }

    /** @param width columns that the help of the flags is to fit, as far as its words allow */
    static String help(int width) {
        StringBuilder text = new StringBuilder("""
            Run speed benchmark for pytorch model.
            Example usage:
            torch-nnapi bench --model=<model_file> --use_bundled_input=0 --warmup=5 --iter=20
            torch-nnapi bench --model=net.pt --compare=net-nnapi.pt --input_dims=1,3,224,224 --input_type=float
            Arguments:
            """);
        FLAGS.forEach((name, flag) -> {
            String initial = flag.initial().isEmpty() ? "" : " Default " + flag.initial() + ".";
            wrap(text, (name + ": " + flag.help() + initial).split(" "), width);
        });
        return text.toString();
    }

    private static void wrap(StringBuilder text, String[] words, int width) {
        int column = 0;
        for (String word : words) {
            boolean first = column == 0;
            if (!first && column + 1 + word.length() >= width) {
                text.append('\n').append(NEXT_LINE);
                column = NEXT_LINE.length();
            } else {
                text.append(first ? INDENT : " ");
                column += first ? INDENT.length() : 1;
            }
            text.append(word);
            column += word.length();
        }
        text.append('\n');
    }

    String string(String name) {
        return values.getOrDefault(name, FLAGS.get(name).initial());
    }

    boolean bool(String name) {
        return parseBool(string(name));
    }

    /** Reads leading digits as C's atoi does: anything else is 0. */
    int integer(String name) {
        Matcher digits = Pattern.compile("\\s*([-+]?\\d{1,9}).*").matcher(string(name));
        return digits.matches() ? Integer.parseInt(digits.group(1)) : 0;
    }

    private static void define(String name, Kind kind, String initial, String help) {
        FLAGS.put(name, new Flag(kind, initial, help));
    }

    private static Boolean parseBool(String text) {
        return switch (text) {
            case "true", "True", "TRUE", "1" -> true;
            case "false", "False", "FALSE", "0" -> false;
            default -> null;
        };
    }
}
