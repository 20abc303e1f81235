package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The largest element of each window. */
final class MaxPool2d extends PoolingOperation {
    private static final class WindowMax implements Pool {
        private float max = Float.NEGATIVE_INFINITY;

        @Override
        public void add(float element) {
            max = Math.max(max, element);
        }

        @Override
        public float value() {
            return max == Float.NEGATIVE_INFINITY ? 0 : max;
        }
    }

    MaxPool2d() {
        super(
                OperationType.MAX_POOL_2D,
                rows -> rows.rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED));
    }

    @Override
    Pool pool() {
        return new WindowMax();
    }
}
