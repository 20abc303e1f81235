package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's, and counted alignments. */
class LossCtcTest {
    /**
     * Every label has the probability one third, so a target's is the number of its alignments over 3 to the length of
     * time.
     */
    @Test
    void alignmentsAreCounted() {
        Tensor even = (Tensor) Op.call("full", ints(3, 1, 3), Math.log(1.0 / 3));
        // 1, 1 needs the blank between: 1 of 27. 1, 2 has 5 ways in three steps.
        expect(loss(even, longs(1, 1), 2), sizes(), -Math.log(1.0 / 27));
        expect(loss(even, longs(1, 2), 2), sizes(), -Math.log(5.0 / 27));
        expect(loss(even, longs(2), 1), sizes(), -Math.log(6.0 / 27));
    }

    @Test
    void whatFitsNoAlignmentIsInfinitelyUnlikelyOrNothing() {
        Tensor even = floats(sizes(1, 1, 2), Math.log(0.5), Math.log(0.5));
        expect(
                tensor("ctc_loss.IntList", even, longs(1, 1), ints(1), ints(2), 0L, 2L, false),
                sizes(),
                Double.POSITIVE_INFINITY);
        expect(tensor("ctc_loss.IntList", even, longs(1, 1), ints(1), ints(2), 0L, 2L, true), sizes(), 0);
        assertThrows(IndexOutOfBoundsException.class, () -> loss(even, longs(7), 1));
    }

    private static Tensor loss(Tensor logs, Tensor target, long length) {
        return tensor("ctc_loss.IntList", logs, target, ints(logs.size(0)), ints(length), 0L, 2L, false);
    }
}
