package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class EmbeddingLookupTest {
    @Test
    void takesSlices() {
        of(OperationType.EMBEDDING_LOOKUP)
                .ints(shape(3), 1, 0, 1)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .expectFloats(shape(3, 2), 3, 4, 1, 2, 3, 4)
                .runFloats();
    }

    @Test
    void refusesAnIndexOutside() {
        of(OperationType.EMBEDDING_LOOKUP)
                .ints(shape(1), 2)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .expectFloats(shape(1, 2), 0, 0)
                .illegal("lookup: 2");
    }
}
