package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
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
        assertEquals(
                registry.overloads("aten::add").get(0).schema(),
                registry.schemas("aten::add").get(0));
    }

    private static OperatorFamily family(String... schemas) {
        return r -> {
            for (String schema : schemas) {
                r.op(schema, a -> 1L);
            }
        };
    }

    @Test
    void anOverloadIsRegisteredOnce() {
        OperatorRegistry registry = OperatorRegistry.withBuiltins().copy();
        DuplicateOperatorException e = assertThrows(
                DuplicateOperatorException.class,
                () -> registry.add(
                        List.of(family("my::new(int a) -> int", "aten::add.Tensor(Tensor a, Tensor b) -> Tensor"))));
        assertEquals("aten::add.Tensor", e.fullName());
        assertTrue(
                e.getMessage()
                        .startsWith("aten::add.Tensor: registered by org.torchnnapi.operators.ops.BinaryOps and again "
                                + "by "),
                e.getMessage());
        assertTrue(registry.overloads("my::new").isEmpty(), "a part of the family was added");
        registry.add(List.of(family("my::new(int a) -> int", "my::new.float(float a) -> int")));
        assertThrows(
                DuplicateOperatorException.class,
                () -> registry.add(List.of(family("my::new.float(float other) -> float"))));
        assertThrows(
                DuplicateOperatorException.class,
                () -> registry.add(List.of(family("your::new() -> int", "your::new(int a) -> int"))));
        assertEquals(2, registry.overloads("my::new").size());
        registry.add(List.of(family("aten::add.mine(Tensor a) -> Tensor")));
        assertTrue(registry.find("aten::add.mine") != null && registry.find("aten::add.Tensor") != null);
    }
}
