package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OperatorRegistryTest {
    @Test
    void everySchemaOfTheStandardRegistryParses() {
        OperatorRegistry registry = OperatorRegistry.standard();
        for (String name : registry.names()) {
            for (Operator operator : registry.overloads(name)) {
                assertEquals(name, operator.schema().name());
                assertNotNull(registry.find(operator.schema().fullName()));
            }
        }
        assertTrue(registry.overloads("aten::no_such_operator").isEmpty());
        assertTrue(registry.schemas("aten::no_such_operator").isEmpty());
        assertEquals(registry.overloads("aten::add").get(0).schema(), registry.schemas("aten::add").get(0));
    }
}
