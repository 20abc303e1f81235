package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeLoweringsTest {
    @Test
    void aKindIsLoweredOnce() {
        Map<String, NodeLowering> table = new NodeLowerings.OnceEach();
        NodeLowering first = (node, scope) -> {};
        table.put("aten::relu", first);
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> table.put("aten::relu", (node, scope) -> {}));
        assertTrue(e.getMessage().contains("aten::relu is registered twice"), e.getMessage());
        assertThrows(IllegalStateException.class, () -> table.putAll(Map.of("aten::relu", first)));
        assertSame(first, table.get("aten::relu"));
        assertEquals(1, table.size());
    }

    @Test
    void theTableOfAllFamiliesIsThere() {
        assertTrue(
                NodeLowerings.kinds().size() > 200,
                "kinds: " + NodeLowerings.kinds().size());
    }
}
