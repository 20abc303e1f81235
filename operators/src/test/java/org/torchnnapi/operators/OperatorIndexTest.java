package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.operators.ops.DataFamilies;
import org.torchnnapi.operators.ops.Families;
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
        assertListsWhatTheyRegister("tensor-operators.txt", List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, DataFamilies.TENSOR_OPERATORS));
        assertListsWhatTheyRegister("builtin-operators.txt", List.of(Builtins.FAMILIES));
    }

    @Test
    void namesThatAreNotThereHaveNoLines() {
        OperatorIndex index = read("tensor-operators.txt");
        for (String name : List.of("", "a", "aten::", "aten::ad", "aten::adde", "aten::add.Tensor", "aten::add(", "zzz", "\n", "aten::add\t", "A", "~~~~")) {
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
