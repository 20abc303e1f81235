package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorIndex;

class LoweringsTest {
    @Test
    void everyLoweringIsFoundByTheIndex() {
        Map<String, String> families = Lowerings.familyNames();
        OperatorIndex index = OperatorIndex.read(Lowerings.class.getResourceAsStream("lowerings.txt"), "lowerings.txt");
        assertEquals(List.copyOf(families.keySet()), index.names());
        families.forEach((kind, family) -> {
            assertEquals(List.of(kind + OperatorIndex.SEPARATOR + family), index.find(kind));
            assertNotNull(Lowerings.of(kind), kind);
        });
        assertTrue(families.containsKey("aten::conv2d"));
    }

    @Test
    void othersHaveNone() {
        assertNull(Lowerings.of("aten::no_such_operator"));
        assertNull(Lowerings.of(""));
    }
}
