package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Losses with a margin. Expected values are genuine PyTorch's. */
class LossMultiMarginTest {
    private static final Tensor A = floats(sizes(2, 2), 1, 2, 3, 4);
    private static final Tensor B = floats(sizes(2, 2), 2, 1, 0, 5);

    @Test
    void pairs() {
        Tensor y = vector(1, -1);
        expect(tensor("margin_ranking_loss", vector(1, 2), vector(2, 1), y, 0.5, 0L), sizes(2), 1.5, 1.5);
        expect(tensor("hinge_embedding_loss", vector(-0.5, 0.5), y, 2.0, 0L), sizes(2), -0.5, 1.5);
        expect(tensor("cosine_embedding_loss", A, B, y, 0.1, 0L), sizes(2), 0.199999988, 0.699999988);
        expect(
                tensor("triplet_margin_loss", A, B, floats(sizes(2, 2), 0, 0, 3, 1), 2.0, 2.0, 1e-6, true, 0L),
                sizes(2),
                1.17814445,
                2.16227722);
    }

    @Test
    void counts() {
        expect(
                tensor("poisson_nll_loss", A, B, true, true, 1e-8, 0L),
                sizes(2, 2),
                1.37008822,
                5.38905621,
                20.085537,
                39.3689995);
        expect(tensor("poisson_nll_loss", A, B, false, false, 1e-8, 2L), sizes(), 2.37538099);
    }

    @Test
    void classes() {
        expect(tensor("multi_margin_loss", A, longs(0, 1), 2L, 1.5, null, 0L), sizes(2), 3.125, 0.125);
        Tensor labels = Tensor.of(new long[] {3, 0, -1, 1}, 1, 4);
        expect(tensor("multilabel_margin_loss", floats(sizes(1, 4), 0.1, 0.2, 0.4, 0.8), labels), sizes(), 0.85);
        assertThrows(IllegalArgumentException.class, () -> tensor("multi_margin_loss", A, longs(0, 2)));
        assertThrows(IllegalArgumentException.class, () -> tensor("multi_margin_loss", A, longs(0, 1), 3L));
    }

    @Test
    void bytesWrapAround() {
        Tensor[] bytes = Stream.of(3, 5, 1)
                .map(v -> Tensor.of(DType.UINT8, new byte[] {v.byteValue()}, 1))
                .toArray(Tensor[]::new);
        Op.expect(Op.tensor("margin_ranking_loss", bytes[0], bytes[1], bytes[2]), Op.sizes(), 2);
    }
}
