package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.operators.ops.Families;
import org.torchnnapi.operators.ops.OperatorTables;
import org.torchnnapi.operators.ops.QuantizedFamilies;

class OperatorIndexTest {
    private static OperatorIndex read(String resource) {
        return OperatorIndex.read(OperatorIndex.class.getResourceAsStream(resource), resource);
    }

    private static void assertListsWhatTheyRegister(String resource, List<List<OperatorFamily>> tables) {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (OperatorFamily family : tables.stream().flatMap(List::stream).toList()) {
            Set<String> schemas = new HashSet<>();
            family.register((schema, kernel, traits) -> {
                assertTrue(schemas.add(schema), () -> "twice in one family: " + schema);
                lines.computeIfAbsent(OperatorIndex.nameOf(schema), n -> new ArrayList<>())
                        .add(OperatorRegistry.indexLine(schema, kernel, traits, family.getClass()));
            });
        }
        OperatorIndex index = read(resource);
        assertEquals(lines.keySet().stream().sorted().toList(), index.names());
        lines.forEach((name, expected) -> assertEquals(expected, index.find(name)));
    }

    @Test
    void theIndexListsWhatTheFamiliesRegister() {
        assertListsWhatTheyRegister(
                "tensor-operators.txt",
                List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, OperatorTables.TENSOR_OPERATORS));
        assertListsWhatTheyRegister("builtin-operators.txt", List.of(Builtins.FAMILIES));
    }

    /** The build writes the indexes through the same check. */
    @Test
    void familiesThatShareAnOverloadFail() {
        RegisteredOverloads overloads = new RegisteredOverloads();
        List<String> taken = new ArrayList<>();
        OperatorFamily first = r -> r.op("my::one.x(int a) -> int", a -> 1L);
        OperatorFamily second = r -> {
            r.op("my::one(int a) -> int", a -> 1L);
            r.op("my::one.x(float a) -> int", a -> 2L);
        };
        first.register(overloads.of(first, (schema, kernel, traits) -> taken.add(schema)));
        DuplicateOperatorException e = assertThrows(
                DuplicateOperatorException.class,
                () -> second.register(overloads.of(second, (schema, kernel, traits) -> taken.add(schema))));
        assertEquals("my::one.x", e.fullName());
        assertEquals(List.of("my::one.x(int a) -> int", "my::one(int a) -> int"), taken);
    }

    @Test
    void noTwoFamiliesOfTheTablesShareAnOverload() {
        RegisteredOverloads overloads = new RegisteredOverloads();
        int[] count = {0};
        Stream.of(
                        List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, OperatorTables.TENSOR_OPERATORS),
                        List.of(Builtins.FAMILIES))
                .flatMap(List::stream)
                .flatMap(List::stream)
                .forEach(family -> family.register(overloads.of(family, (schema, kernel, traits) -> count[0]++)));
        assertTrue(count[0] > 2000, "overloads: " + count[0]);
    }

    /** A family that no table lists has operators that nobody can call. */
    @Test
    void everyFamilyIsInATable() throws Exception {
        Set<Class<?>> listed = new HashSet<>();
        Stream.of(
                        List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, OperatorTables.TENSOR_OPERATORS),
                        List.of(Builtins.FAMILIES))
                .flatMap(List::stream)
                .flatMap(List::stream)
                .forEach(family -> listed.add(family.getClass()));
        Path classes = Path.of(OperatorFamily.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Set<String> missing = new TreeSet<>();
        int found = 0;
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")
                            && !f.getFileName().toString().contains("-info"))
                    .toList()) {
                String name = classes.relativize(file)
                        .toString()
                        .replace(File.separatorChar, '.')
                        .replaceFirst("\\.class$", "");
                Class<?> type = Class.forName(name, false, OperatorFamily.class.getClassLoader());
                if (OperatorFamily.class.isAssignableFrom(type)
                        && Modifier.isPublic(type.getModifiers())
                        && !Modifier.isAbstract(type.getModifiers())) {
                    found++;
                    if (!listed.contains(type)) {
                        missing.add(name);
                    }
                }
            }
        }
        assertEquals(Set.of(), missing);
        assertTrue(found > 50, "families found: " + found);
    }

    @Test
    void namesThatAreNotThereHaveNoLines() {
        OperatorIndex index = read("tensor-operators.txt");
        for (String name : List.of(
                "",
                "a",
                "aten::",
                "aten::ad",
                "aten::adde",
                "aten::add.Tensor",
                "aten::add(",
                "zzz",
                "\n",
                "aten::add\t",
                "A",
                "~~~~")) {
            assertEquals(List.of(), index.find(name), name);
        }
    }

    @Test
    void aKernelOfTheIndexIsTheFamilys() {
        Operator add = OperatorRegistry.withBuiltins().find("aten::add.int");
        assertEquals(5L, add.kernel().call(new Object[] {2L, 3L}));
        assertEquals(7L, add.kernel().call(new Object[] {3L, 4L}));
    }

    @Test
    void bothRegistriesHoldEveryNameOnce() {
        Set<String> names = new HashSet<>(OperatorRegistry.withBuiltins().names());
        assertEquals(names.size(), OperatorRegistry.withBuiltins().names().size());
        assertTrue(names.containsAll(OperatorRegistry.standard().names()));
        assertTrue(Stream.of("aten::conv2d", "prim::min", "quantized::conv2d").allMatch(names::contains));
    }

    @Test
    void aMissingIndexIsNamed() {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> read("nothing.txt"));
        assertTrue(e.getMessage().startsWith("nothing.txt is missing"), e.getMessage());
    }
}
