package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The square root of the mean of each window's squares. */
final class L2Pool2d extends PoolingOperation {
    private static final class WindowNorm implements Pool {
        private double sum;
        private int count;

        @Override
        public void add(float element) {
            sum += (double) element * element;
            count++;
        }

        @Override
        public float value() {
            return count == 0 ? 0 : (float) Math.sqrt(sum / count);
        }
    }

    L2Pool2d() {
        super(
                OperationType.L2_POOL_2D,
                rows -> rows.rows(V1_0, 1, TENSOR_FLOAT32).rows(V1_2, 1, TENSOR_FLOAT16));
    }

    @Override
    Pool pool() {
        return new WindowNorm();
    }
}
