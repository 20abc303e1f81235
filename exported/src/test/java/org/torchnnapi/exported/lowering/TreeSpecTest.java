package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Structures as PyTorch writes them. */
class TreeSpecTest {
    private static final String LEAF = "{\"type\":null,\"context\":null,\"children_spec\":[]}";

    @Test
    void dictionariesKeepTheirOrder() {
        ScriptDict dict = new ScriptDict(Type.Basic.STRING, Type.Basic.ANY);
        dict.items().put("b", 1L);
        dict.items().put("a", new ScriptList(Type.Basic.INT, List.of(2L, 3L)));
        assertEquals(
                "[1,{\"type\":\"builtins.dict\",\"context\":\"[\\\"b\\\",\\\"a\\\"]\",\"children_spec\":[" + LEAF
                        + ",{\"type\":\"builtins.list\",\"context\":\"null\",\"children_spec\":[" + LEAF + "," + LEAF
                        + "]}]}]",
                TreeSpec.text(dict));
        List<String> paths = new ArrayList<>();
        TreeSpec.leaves("d", dict, (path, value) -> paths.add(path + "=" + value));
        assertEquals(List.of("d_b=1", "d_a_0=2", "d_a_1=3"), paths);
    }

    @Test
    void argumentsAreATupleAndNoKeywords() {
        assertEquals(
                "[1,{\"type\":\"builtins.tuple\",\"context\":\"null\",\"children_spec\":[{\"type\":\"builtins.tuple\","
                        + "\"context\":\"null\",\"children_spec\":[" + LEAF
                        + ",{\"type\":\"builtins.tuple\",\"context\":\"null\",\"children_spec\":[]}]},"
                        + "{\"type\":\"builtins.dict\",\"context\":\"[]\",\"children_spec\":[]}]}]",
                TreeSpec.arguments(List.of(1L, ScriptTuple.of())));
    }
}
