package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** Numerical gradients. Expected values are genuine PyTorch's. */
class GradientsTest {
    private static final Tensor V = vector(1, 4, 2, 8);
    private static final Tensor COORDINATES = vector(0, 1, 3, 4);

    @Test
    void alongEachDimension() {
        ScriptList both = (ScriptList) Op.call("gradient.scalarint", floats(sizes(2, 3), 1, 4, 2, 3, -1, 5));
        assertEquals(2, both.size());
        expect((Tensor) both.get(0), sizes(2, 3), 2, -5, 3, 2, -5, 3);
        expect((Tensor) both.get(1), sizes(2, 3), 3, 0.5, -2, -4, 1, 6);
        expect(first("gradient.array", longs(1, 4, 2, 8), ints(0)), DType.FLOAT32, sizes(4), 3, 0.5, 2, 6);
    }

    @Test
    void distancesAndCoordinates() {
        expect(first("gradient.scalarint", V, 2.0, null, 2L), sizes(4), 2.75, 0.25, 1, 5);
        expect(
                first("gradient.tensorarrayint", V, list(COORDINATES), null, 1L),
                sizes(4),
                3,
                1.666666627,
                3.666666746,
                6);
        expect(
                first("gradient.tensorarrayint", V, list(COORDINATES), null, 2L),
                sizes(4),
                4.333333015,
                1.666666627,
                3.666666746,
                8.333333969);
    }

    @Test
    void impossibleGradientsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Op.call("gradient.scalarint", V, null, null, 3L));
        assertThrows(IllegalArgumentException.class, () -> Op.call("gradient.scalarint", vector(1, 2), null, null, 2L));
        assertThrows(
                IllegalArgumentException.class,
                () -> Op.call("gradient.tensorarrayint", V, list(COORDINATES, COORDINATES), null, 1L));
    }

    private static Tensor first(String name, Object... arguments) {
        return (Tensor) ((ScriptList) Op.call(name, arguments)).get(0);
    }
}
