package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class PoolingLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "max_pool2d(x, [3, 2], [2, 2], [1, 1])",
                "max_pool2d(x, [2, 2])",
                "max_pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1], True)",
                "max_pool2d(x, [2, 2], [1, 1], [0, 0], [2, 1])",
                "avg_pool2d(x, [2, 2])",
                "avg_pool2d(x, [3, 3], [2, 2], [1, 1])",
                "avg_pool2d(x, [3, 3], [2, 2], [1, 1], True, False)",
                "avg_pool2d(x, [3, 3], [2, 2], [1, 1], True, True)",
                "adaptive_avg_pool2d(x, [1, 1])",
                "adaptive_avg_pool2d(x, [4, 3])",
                "adaptive_avg_pool2d(x, [3, 4])",
                "adaptive_avg_pool2d(x, [5, 9])",
                "adaptive_avg_pool2d(x, [11, 4])"
            })
    void ofImages(String call) {
        lowered("torch." + call, floats(2, 5, 8, 9));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max_pool2d(x, [3, 3], [2, 2], [1, 1])",
                "avg_pool2d(x, [2, 2])",
                "avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, False)",
                "avg_pool2d(x, [3, 3], [2, 2], [1, 1])",
                "avg_pool2d(x, [3, 2], [2, 2], [1, 1], False, True)",
                "adaptive_avg_pool2d(x, [1, 1])"
            })
    void ofBytes(String call) {
        lowered("torch." + call, bytes(2, 5, 8, 9));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "adaptive_avg_pool2d(x, [5, 9])",
                "adaptive_avg_pool2d(x, [3, 4])",
                "adaptive_avg_pool2d(x, [4, 7])"
            })
    void whatIsNoNumberComesIntoTheWindowsThatHaveIt(String call) {
        Tensor x = floats(2, 5, 8, 9);
        float[] values = (float[]) x.storage().array();
        values[3] = Float.NaN;
        values[100] = Float.POSITIVE_INFINITY;
        values[101] = Float.NEGATIVE_INFINITY;
        lowered("torch." + call, x);
    }

    @Test
    void ofSequences() {
        lowered("torch.max_pool1d(x, [3], [2], [1])", floats(2, 4, 11));
        lowered("torch.avg_pool1d(x, [2])", floats(2, 4, 10));
        lowered("torch.adaptive_avg_pool1d(x, [5])", floats(2, 4, 10));
        lowered("torch.adaptive_avg_pool1d(x, [4])", floats(2, 4, 10));
        lowered("torch.adaptive_avg_pool1d(x, [13])", floats(2, 4, 10));
    }
}
