package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Differences, areas and cross products. Expected values are genuine PyTorch's. */
class DifferencesTest {
    private static final Tensor X = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
    private static final Tensor V = vector(1, 2, 4, 8);

    @Test
    void differencesOfNeighbours() {
        expect(tensor("diff", X), sizes(2, 2), 3, -2, -4, 6);
        expect(tensor("diff", V, 2L, -1L, vector(0)), sizes(3), 0, 1, 2);
        expect(tensor("diff", V, 0L), sizes(4), 1, 2, 4, 8);
        expect(tensor("diff", Tensor.of(DType.BOOL, new byte[] {1, 0, 0, 1}, 4)), DType.BOOL, sizes(3), 1, 0, 1);
        assertThrows(IllegalArgumentException.class, () -> tensor("diff", floats(sizes(), 1)));
    }

    @Test
    void crossProducts() {
        Tensor a = floats(sizes(2, 3), 1, 2, 3, 0, 1, 0);
        Tensor b = floats(sizes(2, 3), 4, 5, 6, 1, 0, 0);
        expect(tensor("cross", a, b), sizes(2, 3), -3, 6, -3, 0, 0, -1);
        expect(tensor("linalg_cross", a, b), sizes(2, 3), -3, 6, -3, 0, 0, -1);
        assertThrows(IllegalArgumentException.class, () -> tensor("cross", a, b, 0L));
    }

    @Test
    void areasUnderCurves() {
        expect(tensor("trapezoid.x", V, vector(0, 1, 3, 4)), sizes(), 13.5);
        expect(tensor("trapezoid.dx", X, 0.5, 0L), sizes(3), 1, 0.75, 1.75);
        expect(tensor("cumulative_trapezoid.dx", X, 1L, 1L), sizes(2, 2), 2.5, 5.5, 1, 3);
        // The ends are added in their own type, as in PyTorch, and what has no neighbors keeps its type.
        Tensor shorts = Elements.ofLongs(DType.INT16, new long[] {32767, 32767, 32767}, 3);
        expect(tensor("trapz.dx", shorts, 1.0, -1L), sizes(), 98302);
        expect(tensor("trapz.dx", Tensor.zeros(DType.INT16, 2, 0), 1.0, -1L), DType.INT16, sizes(2), 0, 0);
        expect(
                tensor("trapz.x", Tensor.zeros(DType.INT16, 2, 0), Tensor.zeros(DType.INT16, 0), -1L),
                DType.INT16,
                sizes(2),
                0,
                0);
    }
}
