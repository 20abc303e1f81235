package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class ResizesTest {
    private static final Tensor X = random(1, 2, 4, 6);

    @Test
    void bilinear() {
        whole("RESIZE_BILINEAR", X, List.of(), "torch.upsample_bilinear2d(x, [8, 9], False)");
        whole("RESIZE_BILINEAR", X, List.of(), "torch.upsample_bilinear2d(x, [7, 9], True)");
        whole("RESIZE_BILINEAR", X, List.of(), "torch.upsample_bilinear2d(x, None, False, [2., 2.])");
    }

    @Test
    void nearest() {
        whole("LOGISTIC MUL RESIZE_NEAREST_NEIGHBOR", X, List.of(), "torch.upsample_nearest2d(torch.silu(x), [8, 9])");
    }

    /** Before Android 11 RESIZE_BILINEAR has no rule for corners, so the image is multiplied by matrices. */
    @Test
    void linesOfPixelsAreProductsWhereResizingHasNoCorners() {
        for (int android : new int[] {27, 28, 29}) {
            for (String rest : List.of("[8, 9], False", "[7, 9], True", "None, False, [2., 2.]")) {
                assertFalse(FreeUnderTest.wholeAt(android, X, List.of(), "torch.upsample_bilinear2d(x, " + rest + ")")
                        .contains("RESIZE_BILINEAR"));
            }
        }
    }

    @Test
    void smoothedImagesAreProducts() {
        for (String kind : List.of("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")) {
            for (String rest : List.of("[3, 4], False", "[2, 9], True", "[3, 3], False, 0.7, 0.6")) {
                assertTrue(whole(X, List.of(), "torch." + kind + "(x, " + rest + ")")
                        .contains("FULLY_CONNECTED"));
            }
        }
    }
}
