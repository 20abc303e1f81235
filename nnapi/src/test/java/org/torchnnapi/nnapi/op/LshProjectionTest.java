package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class LshProjectionTest {
    @Test
    void omitsWeights() {
        // The signs of the fingerprints of (seed, slice) that FarmHash gives: over one slice a bit is the sign of one
        // fingerprint.
        long first = Fingerprint64.of(new byte[] {0, 0, -128, 63, 5, 0, 0, 0});
        long second = Fingerprint64.of(new byte[] {0, 0, 0, 64, 5, 0, 0, 0});
        of(OperationType.LSH_PROJECTION)
                .floats(shape(1, 2), 1, 2)
                .ints(shape(1, 1), 5)
                .omitted(OperandType.TENSOR_FLOAT32)
                .scalar(2)
                .expectInts(shape(2), first > 0 ? 1 : 0, second > 0 ? 1 : 0)
                .run();
    }

    @Test
    void offsetsSparseSignatures() {
        int first = Fingerprint64.of(new byte[] {0, 0, -128, 63, 5, 0, 0, 0}) > 0 ? 1 : 0;
        int second = Fingerprint64.of(new byte[] {0, 0, 0, 64, 5, 0, 0, 0}) > 0 ? 1 : 0;
        of(OperationType.LSH_PROJECTION)
                .floats(shape(2, 1), 1, 2)
                .ints(shape(1, 1), 5)
                .floats(shape(1), 2)
                .scalar(3)
                .expectInts(shape(2), first, second + 2)
                .run();
        of(OperationType.LSH_PROJECTION)
                .floats(shape(2, 1), 1, 2)
                .ints(shape(1, 1), 5)
                .floats(shape(1), -2)
                .scalar(1)
                .expectInts(shape(2), 1 - first, 1 - second)
                .run();
    }

    @Test
    void refusesAnUnknownType() {
        of(OperationType.LSH_PROJECTION)
                .floats(shape(1, 1), 1)
                .ints(shape(1, 1), 5)
                .floats(shape(1), 2)
                .scalar(4)
                .expectInts(shape(1), 0)
                .illegal("4 (expected: 1 to 3)");
    }
}
