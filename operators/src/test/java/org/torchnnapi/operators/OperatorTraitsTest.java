package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;

class OperatorTraitsTest {
    private static final int NAMES_OF_OPERATORS = 253;

    private static List<FunctionSchema> all() {
        List<FunctionSchema> all = new ArrayList<>();
        OperatorRegistry.withBuiltins()
                .names()
                .forEach(name -> all.addAll(OperatorRegistry.withBuiltins().schemas(name)));
        return all;
    }

    /**
     * A set or list of two operators' names is a fact about them, which belongs to their definitions; a loop over some
     * gives them one lowering.
     */
    @Test
    void factsAboutOperatorsStandNowhereElse() throws IOException {
        Pattern names = Pattern.compile("(?<!: "
                + ")(?:Set|List)\\.of\\((?:\\s*\"[^\"]*\",)*\\s*\"(?:aten|quantized)::\\w+\",\\s*\"(?:aten|qu"
                + "antized)::\\w+\"");
        List<String> found = new ArrayList<>();
        for (String module : List.of("torchscript", "execution", "converter", "engine", "pytorch-api", "cli")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    Matcher matcher = names.matcher(Files.readString(file));
                    while (matcher.find()) {
                        found.add(file.getFileName() + ": " + matcher.group());
                    }
                }
            }
        }
        assertEquals(List.of(), found);
    }

    /**
     * Names of operators in main code outside definitions and lowerings. What they decide is a fact about an operator,
     * which its definition should tell: the number only goes down.
     */
    @Test
    void namesOfOperatorsBecomeFewer() throws IOException {
        Pattern name = Pattern.compile("\"(?:aten|quantized|prim|torchvision)::[A-Za-z_0-9.]+\"");
        Pattern defines = Pattern.compile("(^|/)(lower|lowering|adders?|operators|definitions?)/");
        int count = 0;
        List<Path> modules;
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            modules = folders.map(folder -> folder.resolve("src/main"))
                    .filter(Files::isDirectory)
                    .toList();
        }
        assertTrue(modules.size() > 15, modules.toString());
        for (Path module : modules) {
            try (Stream<Path> files = Files.walk(module)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    if (!defines.matcher(file.toString().replace('\\', '/')).find()) {
                        count += (int)
                                name.matcher(Files.readString(file)).results().count();
                    }
                }
            }
        }
        assertEquals(
                NAMES_OF_OPERATORS,
                count,
                "names of operators outside definitions and lowerings (expected: fewer than before; where a pass has "
                        + "to know something of an operator, its definition says it, see docs/OPERATORS.md; then "
                        + "lower the number here)");
    }

    @Test
    void whatTakesAGeneratorIsRandom() {
        for (FunctionSchema schema : all()) {
            boolean generates = schema.arguments().stream()
                    .anyMatch(a -> a.type() instanceof Type.OptionalType o && o.element() == Type.Basic.GENERATOR);
            if (generates && schema.indexOf("training") < 0) {
                assertTrue(OperatorTrait.RANDOM.of(schema), schema.fullName());
            }
        }
        for (String name : List.of(
                "aten::rand",
                "aten::randn",
                "aten::randint",
                "aten::randperm",
                "aten::rand_like",
                "aten::randn_like")) {
            OperatorRegistry.withBuiltins()
                    .schemas(name)
                    .forEach(schema -> assertTrue(OperatorTrait.RANDOM.of(schema), schema.fullName()));
        }
    }

    @Test
    void whatReadsAKindReadsNoSizes() {
        int asked = 0;
        for (FunctionSchema schema : all()) {
            if (OperatorTrait.READS_KIND.of(schema)) {
                OperatorKernel kernel =
                        OperatorRegistry.withBuiltins().find(schema.fullName()).kernel();
                for (DType dtype : List.of(DType.FLOAT32, DType.INT64, DType.BOOL, DType.COMPLEX64)) {
                    Object few = kernel.call(new Object[] {Tensor.zeros(dtype, 1, 0)});
                    assertEquals(few, kernel.call(new Object[] {Tensor.zeros(dtype, 3, 4)}), schema.fullName());
                    asked++;
                }
            }
        }
        assertTrue(asked > 40, "calls: " + asked);
    }

    @Test
    void whatTakesAllNumbersFailsOfNone() {
        int calls = 0;
        for (FunctionSchema schema : all()) {
            List<List<Object>> arguments = new ArrayList<>(List.of(List.of()));
            for (FunctionSchema.Argument argument : schema.arguments()) {
                List<List<Object>> longer = new ArrayList<>();
                arguments.forEach(some -> numbers(argument.type()).forEach(number -> {
                    List<Object> more = new ArrayList<>(some);
                    more.add(number);
                    longer.add(more);
                }));
                arguments = longer;
            }
            for (List<Object> numbers : OperatorTrait.TOTAL.of(schema) ? arguments : List.<List<Object>>of()) {
                OperatorRegistry.withBuiltins().find(schema.fullName()).kernel().call(numbers.toArray());
                calls++;
            }
        }
        assertTrue(calls > 1000, "calls: " + calls);
    }

    private static List<Object> numbers(Type type) {
        List<Object> whole = List.of(0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE);
        List<Object> real = List.of(0., -0., 1.5, Double.NaN, Double.POSITIVE_INFINITY, -Double.MAX_VALUE);
        if (type == Type.Basic.NUMBER) {
            return Stream.concat(whole.stream(), real.stream()).toList();
        }
        return type == Type.Basic.INT
                ? whole
                : type == Type.Basic.FLOAT ? real : type == Type.Basic.BOOL ? List.of(true, false) : List.of();
    }

    @Test
    void traitsFitTheSignatures() {
        for (FunctionSchema schema : all()) {
            boolean trains = schema.indexOf("train") >= 0
                    || schema.indexOf("training") >= 0
                    || schema.indexOf("use_input_stats") >= 0
                    || schema.indexOf("dropout_p") >= 0;
            if (OperatorTrait.TRAINS.of(schema)) {
                assertTrue(trains, schema.fullName());
            }
            for (OperatorTrait trait : List.of(
                    OperatorTrait.ELEMENTWISE,
                    OperatorTrait.CHANNELWISE,
                    OperatorTrait.KEEPS_SHAPE,
                    OperatorTrait.JOINS)) {
                if (trait.of(schema)) {
                    assertEquals(Type.Basic.TENSOR, schema.returns().get(0).type(), schema.fullName());
                    assertEquals(1, schema.returns().size(), schema.fullName());
                }
            }
            if (OperatorTrait.ITEM.of(schema)) {
                assertEquals(1, schema.arguments().size(), schema.fullName());
            }
        }
    }
}
