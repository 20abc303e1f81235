package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Expected values are genuine PyTorch's. */
class LiteralTensorsTest {
    @Test
    void nestedListsBecomeTensors() {
        ScriptList rows = new ScriptList(Type.Basic.ANY, List.of(ints(1, 2), ints(3, 4)));
        Tensor t = tensor("tensor", rows);
        assertEquals(DType.INT64, t.dtype());
        expect(t, sizes(2, 2), 1, 2, 3, 4);
        assertEquals(DType.FLOAT32, tensor("tensor", rows, 6L).dtype());
        assertEquals(DType.FLOAT32, tensor("tensor.float", 1.5).dtype());
        assertEquals(DType.BOOL, tensor("tensor.bool", true).dtype());
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("tensor", new ScriptList(Type.Basic.ANY, List.of(ints(1), ints(1, 2)))));
    }

    @Test
    void itemNeedsOneElement() {
        assertEquals(2.5, call("item", vector(2.5)));
        assertEquals(3L, call("item", longs(3)));
        assertThrows(IllegalArgumentException.class, () -> call("item", longs(1, 2)));
    }
}
