package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The mean of each window. */
final class AveragePool2d extends PoolingOperation {
    private static final class WindowMean implements Pool {
        private double sum;
        private int count;

        @Override
        public void add(float element) {
            sum += element;
            count++;
        }

        @Override
        public float value() {
            return count == 0 ? 0 : (float) (sum / count);
        }
    }

    AveragePool2d() {
        super(
                OperationType.AVERAGE_POOL_2D,
                rows -> rows.rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED));
    }

    @Override
    Pool pool() {
        return new WindowMean();
    }
}
