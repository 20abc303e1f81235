package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.cli.io.TextFile;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.converter.partition.ConvertedOperators;
import org.torchnnapi.execution.CompiledOperators;
import org.torchnnapi.execution.RunnableOperators;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the operators there are, and what each can. */
@Command(
        name = "operators",
        header = "Lists the operators.",
        mixinStandardHelpOptions = true,
        description = {
            "Lists every operator, and how each is computed and converted.",
            "All of them run. Told of each are whether calls are compiled into programs, whether it is said in other "
                    + "operators (composite), whether the converter has NNAPI operations for it, and the first "
                    + "release of NNAPI that a small call of it needs.",
            "Out forms (aten::add.out) and in-place forms (aten::exp_) that follow by rule from those listed are not."
        },
        footer = {
            "",
            "Examples:",
            "  torch-nnapi operators",
            "  torch-nnapi operators --converts pool",
            "  torch-nnapi operators --compiled aten::linalg",
            "  torch-nnapi operators --missing model_ops.yaml"
        })
final class OperatorsCommand implements Callable<Integer> {
    private static final Pattern OPERATOR = Pattern.compile("\\b[a-z_][a-z_0-9]*::\\w+(\\.\\w+)?");

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATTERN",
            defaultValue = "",
            description = "Only operators with this text in the name.")
    private String pattern;

    @Option(names = "--runs", description = "Those that run, which is all of them.")
    private boolean runs;

    @Option(names = "--compiled", description = "Only operators whose calls are compiled.")
    private boolean compiled;

    @Option(names = "--converts", description = "Only operators that the converter knows.")
    private boolean converts;

    @Option(
            names = "--missing",
            paramLabel = "FILE",
            description =
                    "Instead, which of the operators that a text names there are not, such as a list of PyTorch's "
                            + "for selective builds; fails if there are any.")
    private Path list;

    @Override
    public Integer call() throws IOException {
        if (list != null) {
            return missing();
        }
        TextTable table = new TextTable("operator", "runs", "compiled", "composite", "converts", "since");
        int count = 0;
        String wanted = pattern.toLowerCase(Locale.ROOT);
        for (String name : OperatorRegistry.withBuiltins().names()) {
            boolean compiles = CompiledOperators.includes(name);
            if (compiled && !compiles || OperatorForms.includes(name)) {
                continue;
            }
            for (Operator operator : OperatorRegistry.withBuiltins().overloads(name)) {
                FunctionSchema schema = operator.schema();
                if (!schema.fullName().toLowerCase(Locale.ROOT).contains(wanted)) {
                    continue;
                }
                boolean lowered = isOfTensors(schema) && ConvertedOperators.includes(schema);
                if (lowered || !converts) {
                    Optional<FeatureLevel> since = lowered ? ConvertedOperators.since(schema) : Optional.empty();
                    table.row(
                            schema.fullName(),
                            "yes",
                            mark(compiles),
                            mark(OperatorTrait.COMPOSITE.of(schema)),
                            mark(lowered),
                            since.map(level -> "NNAPI " + level.version()).orElse("-"));
                    count++;
                }
            }
        }
        System.out.print(table);
        System.out.println(count + " operators");
        return count == 0 ? 1 : 0;
    }

    private int missing() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher names = OPERATOR.matcher(TextFile.read(list));
        while (names.find()) {
            named.add(names.group());
        }
        List<String> missing =
                named.stream().filter(name -> !RunnableOperators.includes(name)).toList();
        missing.forEach(System.out::println);
        System.out.println(named.size() + " operators, " + missing.size() + " missing");
        return missing.isEmpty() && !named.isEmpty() ? 0 : 1;
    }

    /** Overloads on numbers are computed when a model is converted. */
    private static boolean isOfTensors(FunctionSchema schema) {
        return schema.arguments().stream()
                .map(FunctionSchema.Argument::type)
                .anyMatch(type -> type == Type.Basic.TENSOR
                        || type instanceof Type.ListType list && list.element() == Type.Basic.TENSOR);
    }

    private static String mark(boolean holds) {
        return holds ? "yes" : "-";
    }
}
