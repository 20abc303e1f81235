package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.ConvPhase;

class StagedInputTest extends VectorTest {
    private static final ConvShape[] SHAPES = {
        ConvShape.of(3, 7, 9, 1, 3, 3).padding(1, 1),
        ConvShape.of(V + 2, 6, 8, 1, 3, 3).stride(2, 2).padding(1, 0, 1, 2),
        ConvShape.of(5, 9, 10, 1, 2, 3).dilation(2, 3).padding(2, 2),
        ConvShape.of(2 * V, 4, 5, 1, 1, 1).stride(3, 3),
        ConvShape.of(V, 4, 5, 1, 3, 3).stride(2, 2).padding(1, 1).transposed(1, 1)
    };

    /** Under every tap of every pixel of a band lies the input, or a zero outside the image. */
    @Test
    void tapsFindTheirInputs() {
        for (ConvShape shape : SHAPES) {
            for (ImageLayout layout : ImageLayout.values()) {
                for (ConvPhase phase : ConvPhase.of(shape)) {
                    check(shape, layout, phase, false);
                    check(shape, layout, phase, true);
                }
            }
        }
    }

    private void check(ConvShape shape, ImageLayout layout, ConvPhase phase, boolean planar) {
        float[] in = sums(2 + layout.size(shape.inC(), shape.inH(), shape.inW()));
        int firstRow = phase.rows() > 2 ? 1 : 0;
        int rows = phase.rows() - firstRow;
        StagedInput staged = new StagedInput(shape, layout, phase, false, planar, rows, phase.cols());
        float[] scratch = new float[staged.size()];
        Arrays.fill(scratch, Float.NaN);
        staged.copy(in, 2, null, scratch, firstRow, 0, rows, phase.cols());
        int[] offsets = staged.tapOffsets();
        int lanes = planar ? 1 : V;
        int block = layout.block(shape.inC());
        int taps = phase.taps().length;
        for (int c = 0; c < shape.inC(); c++) {
            for (int i = 0; i < rows * phase.cols() * taps; i++) {
                int tap = i % taps;
                int row = i / taps / phase.cols();
                int col = i / taps % phase.cols();
                int y = (firstRow + row) * phase.inStepY() + phase.dy()[tap];
                int x = col * phase.inStepX() + phase.dx()[tap];
                boolean inside = y >= 0 && y < shape.inH() && x >= 0 && x < shape.inW();
                int pixel = y * shape.inW() + x;
                float expected =
                        inside ? in[2 + c / block * block * shape.inH() * shape.inW() + pixel * block + c % block] : 0;
                int at = staged.base(row, col) + offsets[c / lanes * taps + tap] + c % lanes;
                assertEquals(expected, scratch[at], () -> shape + " " + layout + (planar ? " planar" : ""));
            }
        }
    }
}
