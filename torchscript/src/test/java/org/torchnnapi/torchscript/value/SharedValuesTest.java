package org.torchnnapi.torchscript.value;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.Type;

class SharedValuesTest {
    private static ScriptDict dict(Object value) {
        ScriptDict dict = new ScriptDict(Type.Basic.INT, Type.Basic.ANY);
        dict.items().put(1L, value);
        dict.items().put(2L, value);
        return dict;
    }

    private static Object levels(int count, UnaryOperator<Object> doubled) {
        Object value = 1L;
        for (int i = 0; i < count; i++) {
            value = doubled.apply(value);
        }
        return value;
    }

    @Test
    void whatDoublesSixtyTimesIsRefusedAtOnce() {
        for (UnaryOperator<Object> doubled : List.<UnaryOperator<Object>>of(
                value -> ScriptTuple.of(value, value),
                value -> new ScriptList(Type.Basic.ANY, List.of(value, value)),
                SharedValuesTest::dict)) {
            SharedValues.check("result", levels(16, doubled));
            ScriptException e =
                    assertThrows(ScriptException.class, () -> SharedValues.check("result", levels(60, doubled)));
            assertTrue(e.getMessage().startsWith("result stands for more than"), e.getMessage());
        }
    }

    @Test
    void valuesThatContainThemselvesAreRefused() {
        ScriptList list = new ScriptList(Type.Basic.ANY);
        list.items().add(list);
        assertThrows(ScriptException.class, () -> SharedValues.check("result", list));
    }
}
