package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeLoweringsTest {
    @Test
    void aKindIsLoweredOnce() {
        NodeLoweringTable table = new NodeLoweringTable();
        NodeLowering first = (node, context) -> () -> {};
        table.plan("aten::relu", first);
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> table.put("aten::relu", (node, context) -> {}));
        assertTrue(e.getMessage().contains("aten::relu is registered twice"), e.getMessage());
        assertEquals(Map.of("aten::relu", first), table.all());
    }

    @Test
    void theTableOfAllFamiliesIsThere() {
        assertTrue(
                NodeLowerings.kinds().size() > 200,
                "kinds: " + NodeLowerings.kinds().size());
    }
}
