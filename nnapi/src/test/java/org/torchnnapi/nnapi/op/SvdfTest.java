package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class SvdfTest {
    @Test
    void multipliesTheRememberedProductsByTheTimeWeights() {
        // One filter, memory of three: the new product is 2 * 3 = 6; 1*10 + 2*20 + 6*30 + bias 5.
        of(OperationType.SVDF)
                .floats(shape(1, 1), 3)
                .floats(shape(1, 1), 2)
                .floats(shape(1, 3), 10, 20, 30)
                .floats(shape(1), 5)
                .floats(shape(1, 3), 1, 2, 0)
                .scalar(1)
                .scalar(0)
                .expectFloats(shape(1, 3), 2, 6, 0)
                .expectFloats(shape(1, 1), 235)
                .runFloats();
    }

    @Test
    void sumsTheFiltersOfAUnitWithoutBias() {
        of(OperationType.SVDF)
                .floats(shape(1, 1), 1)
                .floats(shape(2, 1), 2, 3)
                .floats(shape(2, 1), 1, 1)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 2), 0, 0)
                .scalar(2)
                .scalar(1)
                .expectFloats(shape(1, 2), 0, 0)
                .expectFloats(shape(1, 1), 5)
                .runFloats();
    }

    @Test
    void refusesARankThatDoesNotDivideTheFilters() {
        of(OperationType.SVDF)
                .floats(shape(1, 1), 1)
                .floats(shape(2, 1), 2, 3)
                .floats(shape(2, 1), 1, 1)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 2), 0, 0)
                .scalar(3)
                .scalar(1)
                .expectFloats(shape(1, 2), 0, 0)
                .expectFloats(shape(1, 1), 5)
                .illegal("rank: 3");
    }
}
