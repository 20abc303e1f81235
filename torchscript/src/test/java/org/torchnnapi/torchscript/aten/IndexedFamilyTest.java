package org.torchnnapi.torchscript.aten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.aten.ops.DataFamilies;
import org.torchnnapi.torchscript.aten.ops.Families;
import org.torchnnapi.torchscript.aten.ops.QuantizedFamilies;
import org.torchnnapi.torchscript.builtin.Builtins;

class IndexedFamilyTest {
    private static void assertListsWhatTheyRegister(String index, List<List<OperatorFamily>> tables) {
        List<OperatorFamily> families = tables.stream().flatMap(List::stream).toList();
        List<IndexedFamily> indexed = IndexedFamily.read(index);
        assertEquals(families.stream().map(f -> f.getClass().getName()).toList(), indexed.stream().map(IndexedFamily::className).toList());
        for (int i = 0; i < families.size(); i++) {
            List<String> schemas = new ArrayList<>();
            families.get(i).register((schema, kernel) -> schemas.add(schema));
            assertEquals(schemas, indexed.get(i).schemas(), indexed.get(i).className());
            assertEquals(schemas.size(), Set.copyOf(schemas).size(), () -> "twice in one family: " + schemas);
        }
    }

    @Test
    void theIndexListsWhatTheFamiliesRegister() {
        assertListsWhatTheyRegister("tensor-operators.txt", List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, DataFamilies.TENSOR_OPERATORS));
        assertListsWhatTheyRegister("builtin-operators.txt", List.of(Builtins.FAMILIES));
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
        assertTrue(names.containsAll(OperatorRegistry.standard().names()));
        assertTrue(Stream.of("aten::conv2d", "prim::min", "quantized::conv2d").allMatch(names::contains));
    }

    @Test
    void aMissingIndexIsNamed() {
        assertTrue(assertThrows(IllegalStateException.class, () -> IndexedFamily.read("nothing.txt")).getMessage().startsWith("nothing.txt is missing"));
    }
}
