package org.torchnnapi.converter.free;

import static org.torchnnapi.converter.free.FreeUnderTest.random;
import static org.torchnnapi.converter.free.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class PoolsTest {
    private static final Tensor X = random(2, 3, 12, 9);

    @Test
    void dilatedWindows() {
        Tensor image = random(1, 3, 9, 8);
        whole(image, List.of(), "torch.max_pool2d(x, [3, 2], [2, 1], [1, 1], [2, 3])");
        whole(image, List.of(), "torch.max_pool2d(x, [3, 2], [2, 1], [1, 0], [2, 2], True)");
        whole(image, List.of(), "y, _0 = torch.max_pool2d_with_indices(x, [2, 2])", "y");
    }

    @Test
    void adaptiveSizesThatDivideAreOnePool() {
        whole("AVERAGE_POOL_2D", X, List.of(), "torch.adaptive_avg_pool2d(x, [4, 3])");
        whole("MUL", X, List.of(), "torch.mul(torch.adaptive_avg_pool2d(x, [12, 9]), 2)");
    }

    @Test
    void othersAreMeansOfBands() {
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [5, 7])");
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [1, 9])");
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [13, 2])");
    }

    @Test
    void windowsOfAllForms() {
        for (String expression : new String[] {"torch.max_pool2d(x, [3, 2], [2, 2], [1, 1], [1, 1], True)", "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], True, False)",
            "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, True)", "torch.avg_pool2d(x, [2, 3], [2, 2], [0, 0], False, True, 5)"}) {
            whole(X, List.of(), "torch.mul(" + expression + ", 2)");
        }
    }
}
