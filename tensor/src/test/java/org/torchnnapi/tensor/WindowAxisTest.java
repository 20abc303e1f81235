package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class WindowAxisTest {
    private static final int MAX = Integer.MAX_VALUE;

    @Test
    void asManyWindowsAsFitThePaddedInput() {
        WindowAxis axis = WindowAxis.of(5, 3, 2, 1, 2, 1);
        assertEquals(3, axis.output());
        assertEquals(8, axis.padded());
        assertEquals(2, axis.start(2));
        assertEquals(0, WindowAxis.of(0, 3, 2, 1, 0, 0).output());
        assertEquals(4, WindowAxis.of(8, 3, 1, 2, 0, 0).output());
    }

    @Test
    void samePaddingCoversTheInputWithTheOddZeroBehind() {
        assertEquals(new WindowAxis(8, 3, 2, 1, 0, 1, 4), WindowAxis.same(8, 3, 2, 1));
        assertEquals(new WindowAxis(8, 3, 1, 1, 1, 1, 8), WindowAxis.same(8, 3, 1, 1));
        assertEquals(new WindowAxis(8, 3, 1, 2, 2, 2, 8), WindowAxis.same(8, 3, 1, 2));
        assertEquals(new WindowAxis(8, 1, 3, 1, 0, 0, 3), WindowAxis.same(8, 1, 3, 1));
    }

    @Test
    void transposedOnesSlideOverTheirOutput() {
        WindowAxis axis = WindowAxis.transposed(4, 3, 2, 1, 1, 1, 1);
        assertEquals(8, axis.input());
        assertEquals(4, axis.output());
        assertEquals(0, axis.windowOver(1, 2));
        assertEquals(1, axis.windowOver(1, 0));
        assertEquals(-1, axis.windowOver(1, 1));
    }

    @Test
    void tapsAndWindowsAreEachOthersReverse() {
        WindowAxis axis = WindowAxis.of(9, 3, 2, 3, 4, 5);
        for (int window = 0; window < axis.output(); window++) {
            for (int tap = 0; tap < axis.taps(); tap++) {
                int at = axis.inputUnder(window, tap);
                assertEquals(
                        window * 2 - 4 + tap * 3 >= 0 && window * 2 - 4 + tap * 3 < 9 ? window * 2 - 4 + tap * 3 : -1,
                        at);
                if (at >= 0) {
                    assertEquals(window, axis.windowOver(at, tap));
                }
            }
        }
    }

    @Test
    void stepsThatNothingTakesCountAsFarAsTheInputMayReach() {
        WindowAxis axis = WindowAxis.of(7, 1, MAX, MAX, 0, 2);
        assertEquals(WindowAxis.MAX_EXTENT, axis.stride());
        assertEquals(WindowAxis.MAX_EXTENT, axis.dilation());
        assertEquals(1, axis.output());
    }

    @Test
    void whatPositionsCannotHoldIsRefusedWithItsNumbers() {
        refused("padded input: 4294967301 (expected: <= 1073741824)", () -> WindowAxis.of(7, 3, 65536, 1, MAX, MAX));
        refused(
                "uncropped output: 2147483648 (expected: <= 1073741824)",
                () -> WindowAxis.transposed(2, 1, MAX, 1, 0, 0, 0));
        refused(
                "padded input: 4611686013058678785 (expected: <= 1073741824)",
                () -> WindowAxis.same(MAX / 2, MAX, 1, MAX));
        refused("padded input: 2147483647 (expected: <= 1073741824)", () -> WindowAxis.same(MAX, 1, 1, 1));
        refused(
                "filter span: 4611686011984936963 (expected: <= padded input, 7)",
                () -> WindowAxis.of(7, MAX, 1, MAX, 0, 0));
        refused("filter span: 3 (expected: <= padded input, 2)", () -> WindowAxis.of(2, 3, 1, 1, 0, 0));
        refused(
                "padding: 2 and 1, which crop all of an uncropped output of 1 (expected: < 1 together)",
                () -> WindowAxis.transposed(1, 1, 1, 1, 2, 1, 0));
        refused("output size: -1 (expected: >= 1)", () -> WindowAxis.transposed(0, 1, 2, 1, 0, 0, 0));
        refused("stride: 0 (expected: >= 1)", () -> WindowAxis.of(7, 3, 0, 1, 0, 0));
        refused("dilation: 0 (expected: >= 1)", () -> WindowAxis.same(7, 3, 1, 0));
        refused("filter size: 0 (expected: >= 1)", () -> WindowAxis.transposed(7, 0, 1, 1, 0, 0, 0));
        refused("padding: -1 (expected: >= 0)", () -> WindowAxis.of(7, 3, 1, 1, 0, -1));
    }

    private static void refused(String message, Runnable maker) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, maker::run).getMessage());
    }
}
