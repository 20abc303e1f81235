package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Joining and splitting. Expected values are genuine PyTorch's. */
class ConcatenationOperatorsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);

    @Test
    void joins() {
        expect(tensor("cat", list(X, Y), 1L), sizes(2, 6), -2.5, -1, 0, 1, 2, -3, 0.5, 1.5, 3, 0.5, -0.25, 4);
        expect(tensor("cat", list(X, I), 0L), sizes(4, 3), -2.5, -1, 0, 0.5, 1.5, 3, -7, 2, 3, 4, -5, 6);
        expect(tensor("stack", list(X, Y), -1L), sizes(2, 3, 2), -2.5, 1, -1, 2, 0, -3, 0.5, 0.5, 1.5, -0.25, 3, 4);
    }

    @Test
    void splits() {
        ScriptList t4 = (ScriptList) Op.call("split.Tensor", counted(2, 3, 4), 2L, 1L);
        assertEquals(2, t4.size());
        expect((Tensor) t4.get(0), sizes(2, 2, 4), 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19);
        expect((Tensor) t4.get(1), sizes(2, 1, 4), 8, 9, 10, 11, 20, 21, 22, 23);
        ScriptList t5 = (ScriptList) Op.call("chunk", counted(2, 3, 4), 3L, 2L);
        assertEquals(2, t5.size());
        expect((Tensor) t5.get(0), sizes(2, 3, 2), 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21);
        expect((Tensor) t5.get(1), sizes(2, 3, 2), 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23);
        ScriptList t6 = (ScriptList) Op.call("split_with_sizes", X, ints(1, 2), 1L);
        assertEquals(2, t6.size());
        expect((Tensor) t6.get(0), sizes(2, 1), -2.5, 0.5);
        expect((Tensor) t6.get(1), sizes(2, 2), -1, 0, 1.5, 3);
        ScriptList t7 = (ScriptList) Op.call("tensor_split.indices", J, ints(1, 2), 0L);
        assertEquals(3, t7.size());
        expect((Tensor) t7.get(0), sizes(1), 2);
        assertEquals(DType.INT64, ((Tensor) t7.get(0)).dtype());
        expect((Tensor) t7.get(1), sizes(1), -3);
        assertEquals(DType.INT64, ((Tensor) t7.get(1)).dtype());
        expect((Tensor) t7.get(2), sizes(1), 4);
        assertEquals(DType.INT64, ((Tensor) t7.get(2)).dtype());
        ScriptList t8 = (ScriptList) Op.call("unbind.int", X, 0L);
        assertEquals(2, t8.size());
        expect((Tensor) t8.get(0), sizes(3), -2.5, -1, 0);
        expect((Tensor) t8.get(1), sizes(3), 0.5, 1.5, 3);
    }

    @Test
    void splitsAndStacksAlongNamedAxes() {
        Tensor x = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
        Tensor v = floats(sizes(4), 1, 2, 4, 8);
        expect((Tensor) ((ScriptList) Op.call("hsplit.int", x, 3L)).get(1), sizes(2, 1), 4, -1);
        expect((Tensor) ((ScriptList) Op.call("vsplit.array", x, ints(1))).get(1), sizes(1, 3), 3, -1, 5);
        expect(
                (Tensor) ((ScriptList) Op.call("tensor_split.tensor_indices_or_sections", v, longs(1, 3))).get(1),
                sizes(2),
                2,
                4);
        assertThrows(IllegalArgumentException.class, () -> Op.call("hsplit.int", x, 2L));
        assertThrows(IllegalArgumentException.class, () -> Op.call("vsplit.int", v, 2L));
        expect(tensor("atleast_3d", v), sizes(1, 4, 1), 1, 2, 4, 8);
        expect(tensor("atleast_2d", v), sizes(1, 4), 1, 2, 4, 8);
        Tensor a = floats(sizes(2), 1, 2);
        Tensor b = floats(sizes(2), 4, 8);
        expect(tensor("dstack", list(a, b)), sizes(1, 2, 2), 1, 4, 2, 8);
        expect(tensor("column_stack", list(a, b)), sizes(2, 2), 1, 4, 2, 8);
    }

    @Test
    void whatDoesNotFitIsNamed() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> tensor("cat", list(floats(sizes(2, 3), 1, 2, 3, 4, 5, 6), floats(sizes(1, 2), 1, 2)), 0L));
        org.junit.jupiter.api.Assertions.assertEquals(
                "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number "
                        + "1 in the list.",
                refused.getMessage());
    }

    @Test
    void numbersSideBySideAreAVector() {
        Tensor number = Op.tensor("sum", Op.vector(1, 2));
        Tensor both = Op.tensor("hstack", new ScriptList(Type.Basic.TENSOR, List.of(number, number)));
        assertArrayEquals(new float[] {3, 3}, both.toFloatArray());
    }
}
