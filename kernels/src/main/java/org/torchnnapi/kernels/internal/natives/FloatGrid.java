package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.ConvPhase;

/**
 * The taps of a phase as the grid they are: {@code rows x cols} of them, {@code stepY} and {@code stepX} input pixels
 * apart.
 */
record FloatGrid(int rows, int cols, int firstY, int firstX, int stepY, int stepX) {
    static FloatGrid of(ConvPhase phase) {
        int taps = phase.taps().length;
        if (taps == 0) {
            return new FloatGrid(0, 0, 0, 0, 1, 1);
        }
        int cols = 1;
        while (cols < taps && phase.dy()[cols] == phase.dy()[0]) {
            cols++;
        }
        return new FloatGrid(
                taps / cols,
                cols,
                phase.dy()[0],
                phase.dx()[0],
                taps > cols ? phase.dy()[cols] - phase.dy()[0] : 1,
                cols > 1 ? phase.dx()[1] - phase.dx()[0] : 1);
    }

    /** The only phase of a 1x1 convolution that takes every pixel, as one long row. */
    static ConvPhase flat(ConvShape shape) {
        return new ConvPhase(0, 0, 1, 1, 1, shape.outH() * shape.outW(), 1, 1, new int[1], new int[1], new int[1]);
    }
}
