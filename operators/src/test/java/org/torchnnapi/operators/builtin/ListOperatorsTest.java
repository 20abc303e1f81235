package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class ListOperatorsTest {
    private static Object call(String name, Object... arguments) {
        return OperatorRegistry.withBuiltins().find(name).kernel().call(arguments);
    }

    private static Tensor one(double value) {
        return Tensor.of(new float[] {(float) value}, 1);
    }

    private static ScriptList tensors(double... values) {
        ScriptList list = new ScriptList(Type.Basic.TENSOR);
        for (double value : values) {
            list.items().add(one(value));
        }
        return list;
    }

    @Test
    void tensorsOfOneElementAreEqualByTheirValues() {
        assertEquals(true, call("aten::eq.Tensor_list", tensors(1, 2), tensors(1, 2)));
        assertEquals(true, call("aten::ne.Tensor_list", tensors(1, 2), tensors(1, 3)));
        assertEquals(2L, call("aten::count.Tensor", tensors(1, 2, 1), one(1)));
        assertEquals(1L, call("aten::index.list_Tensor", tensors(1, 2), one(2)));
        assertThrows(
                IllegalArgumentException.class,
                () -> call("aten::count.Tensor", tensors(1), Tensor.of(new float[2], 2)));
    }

    @Test
    void tuplesAreSortedByTheirFirstItemsThatDiffer() {
        ScriptList list = new ScriptList(
                Type.Basic.ANY, List.of(ScriptTuple.of(2L, "a"), ScriptTuple.of(1L, "b"), ScriptTuple.of(1L, "a")));
        call("aten::sort.any", list, false);
        assertEquals("[(1, a), (1, b), (2, a)]", list.toString());
        call("aten::sort.any", list, true);
        assertEquals("[(2, a), (1, b), (1, a)]", list.toString());
        ScriptList mixed = new ScriptList(Type.Basic.ANY, List.of(ScriptTuple.of(1L), ScriptTuple.of("a")));
        assertThrows(IllegalArgumentException.class, () -> call("aten::sort.any", mixed, false));
        ScriptList dicts = new ScriptList(Type.Basic.ANY, List.of(new ScriptDict(Type.Basic.INT, Type.Basic.INT)));
        assertThrows(IllegalArgumentException.class, () -> call("aten::sort.any", dicts, false));
    }

    /** Numbers of genuine PyTorch on Linux. */
    @Test
    void hashesAreThoseOfPyTorch() {
        assertEquals(5L, call("aten::hash.generic", 5L));
        assertEquals(-9200649433684700909L, call("aten::hash.generic", "torchscript"));
        assertEquals(-9080642332174582316L, call("aten::hash.generic", 2.5));
    }

    @Test
    void zeroHasNoNegativePowersAndDividesNothing() {
        assertThrows(IllegalArgumentException.class, () -> call("aten::pow.int", 0L, -2L));
        assertEquals(0.25, call("aten::pow.int", 2L, -2L));
        assertThrows(IllegalArgumentException.class, () -> call("aten::divmod.float", 1.0, 0.0));
    }
}
