package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class CompositeTypeTest {
    private static void endsSoon(UnaryOperator<Type> doubled) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> {
            Type type = Type.Basic.TENSOR;
            for (int i = 0; i < 60; i++) {
                type = doubled.apply(type);
            }
        });
        assertTrue(e.getMessage().startsWith("type: more than 10000 parts"), e.getMessage());
    }

    @Test
    void typesThatDoubleEnd() {
        endsSoon(type -> Type.TupleType.of(List.of(type, type)));
        endsSoon(type -> new Type.TupleType(List.of(type, type), "__torch__.Pair", List.of("a", "b")));
        endsSoon(type -> new Type.DictType(type, type));
        endsSoon(type -> new Type.UnionType(List.of(type, Type.list(type))));
    }

    @Test
    void longNamesCountWhereTheyStand() {
        ClassType named = new ClassType("__torch__." + "x".repeat(100_000), ClassType.Kind.OBJECT);
        assertThrows(
                IllegalArgumentException.class,
                () -> Type.TupleType.of(List.of(named, named, named, named, named, named, named)));
    }

    @Test
    void equalTypesAreThoseOfTheSameForm() {
        Type.TupleType pair = Type.TupleType.of(List.of(Type.Basic.INT, Type.list(Type.Basic.STRING)));
        assertEquals(pair, Type.TupleType.of(List.of(Type.Basic.INT, Type.list(Type.Basic.STRING))));
        assertEquals(pair.hashCode(), Type.TupleType.of(pair.elements()).hashCode());
        assertEquals("Tuple[int, List[str]]", pair.text());
        assertNotEquals(pair, new Type.TupleType(pair.elements(), "__torch__.P", List.of("a", "b")));
        assertNotEquals(
                new Type.TupleType(pair.elements(), "__torch__.P", List.of("a", "b")),
                new Type.TupleType(pair.elements(), "__torch__.P", List.of("a", "c")));
        assertNotEquals(Type.list(Type.Basic.INT), Type.optional(Type.Basic.INT));
        assertNotEquals(new Type.DictType(Type.Basic.INT, Type.Basic.INT), Type.TupleType.of(List.of(Type.Basic.INT)));
    }
}
