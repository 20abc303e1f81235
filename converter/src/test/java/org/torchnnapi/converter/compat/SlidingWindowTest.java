package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;

class SlidingWindowTest {
    /** Output size of PyTorch's pooling with ceil_mode, counted window by window. */
    private static int ceilWindows(int size, int kernel, int stride, int padding) {
        int windows = 0;
        for (int start = -padding; start < size + padding; start += stride) {
            boolean reaches = windows == 0 || start - stride + kernel < size + padding;
            if (start < size && reaches || windows == 0) {
                windows++;
            }
        }
        return windows;
    }

    @Test
    void ceilModeCountsLikePyTorch() {
        for (int size = 1; size < 12; size++) {
            for (int kernel = 1; kernel <= 4; kernel++) {
                for (int stride = 1; stride <= 4; stride++) {
                    for (int padding = 0; 2 * padding <= kernel; padding++) {
                        if (size + 2 * padding < kernel) {
                            continue;
                        }
                        SlidingWindow window = SlidingWindow.of(
                                        new int[] {kernel, kernel},
                                        new int[] {stride, stride},
                                        new int[] {padding, padding})
                                .ceil(new TensorOperand(
                                        OperandType.TENSOR_FLOAT32,
                                        new int[] {1, 1, size, size},
                                        OperandLayout.CONTIGUOUS,
                                        0,
                                        0));
                        assertEquals(
                                ceilWindows(size, kernel, stride, padding),
                                window.count(size, SlidingWindow.HEIGHT),
                                "size " + size + " kernel " + kernel + " stride " + stride + " padding " + padding);
                    }
                }
            }
        }
    }

    @Test
    void openSizesStayOpen() {
        SlidingWindow window = SlidingWindow.of(new int[] {3, 3}, new int[] {2, 2}, new int[] {1, 1});
        assertEquals(TensorOperand.AT_LOAD, window.count(TensorOperand.AT_LOAD, SlidingWindow.WIDTH));
        assertEquals(TensorOperand.AT_RUN, window.extent(TensorOperand.AT_RUN, SlidingWindow.WIDTH));
    }

    /** Numbers whose sums and products need more than 32 bits. */
    @Test
    void extremeNumbersAreCountedOrRefused() {
        int most = Integer.MAX_VALUE;
        int[] one = {1, 1};
        assertEquals(
                1,
                SlidingWindow.of(new int[] {3, 3}, new int[] {most, most}, one).count(7, SlidingWindow.HEIGHT));
        assertThrows(
                Refused.class,
                () -> SlidingWindow.of(new int[] {most, most}, one, new int[] {most, most})
                        .count(7, SlidingWindow.HEIGHT));
        assertThrows(
                Refused.class,
                () -> SlidingWindow.of(one, new int[] {65536, 65536}, new int[2])
                        .extent(65537, SlidingWindow.WIDTH));
        assertThrows(
                Refused.class,
                () -> SlidingWindow.of(one, one, new int[] {most, most}).count(7, SlidingWindow.WIDTH));
        assertThrows(
                Refused.class,
                () -> SlidingWindow.of(new int[] {2, 2}, new int[] {most, most}, new int[] {1, 1})
                        .ceil(new TensorOperand(
                                OperandType.TENSOR_FLOAT32,
                                new int[] {1, 1, most, most},
                                OperandLayout.CONTIGUOUS,
                                0,
                                0))
                        .count(most, SlidingWindow.HEIGHT));
    }

    @Test
    void refusesNegativePadding() {
        assertThrows(Refused.class, () -> SlidingWindow.of(new int[] {3, 3}, new int[] {1, 1}, new int[] {-1, 0}));
    }
}
