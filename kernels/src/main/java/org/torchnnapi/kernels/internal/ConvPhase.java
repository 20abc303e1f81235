package org.torchnnapi.kernels.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;

/**
 * A convolution, or one of the stride-1 convolutions a transposed one falls into: output pixels {@code (originY + j *
 * stepY, originX + i * stepX)} for j in [0, rows), i in [0, cols) each sum the input pixels {@code (j * inStepY +
 * dy[t], i * inStepX + dx[t])} under kernel position {@code taps[t]}; those outside the image are zero.
 */
public record ConvPhase(
        int originY,
        int originX,
        int stepY,
        int stepX,
        int rows,
        int cols,
        int inStepY,
        int inStepX,
        int[] dy,
        int[] dx,
        int[] taps) {

    /** One phase for an ordinary convolution, up to strideH * strideW for a transposed one. */
    public static List<ConvPhase> of(ConvShape shape) {
        int taps = shape.kernelH() * shape.kernelW();
        if (!shape.transposed()) {
            int[] dy = new int[taps];
            int[] dx = new int[taps];
            int[] order = new int[taps];
            for (int t = 0; t < taps; t++) {
                dy[t] = t / shape.kernelW() * shape.dilationH() - shape.padTop();
                dx[t] = t % shape.kernelW() * shape.dilationW() - shape.padLeft();
                order[t] = t;
            }
            return List.of(new ConvPhase(
                    0, 0, 1, 1, shape.outH(), shape.outW(), shape.strideH(), shape.strideW(), dy, dx, order));
        }
        List<ConvPhase> phases = new ArrayList<>();
        for (int py = 0; py < Math.min(shape.strideH(), shape.outH()); py++) {
            for (int px = 0; px < Math.min(shape.strideW(), shape.outW()); px++) {
                phases.add(transposedPhase(shape, py, px));
            }
        }
        return phases;
    }

    private static ConvPhase transposedPhase(ConvShape shape, int py, int px) {
        int taps = shape.kernelH() * shape.kernelW();
        int[] dy = new int[taps];
        int[] dx = new int[taps];
        int[] order = new int[taps];
        int n = 0;
        for (int t = 0; t < taps; t++) {
            int y = py + shape.padTop() - t / shape.kernelW() * shape.dilationH();
            int x = px + shape.padLeft() - t % shape.kernelW() * shape.dilationW();
            if (Math.floorMod(y, shape.strideH()) == 0 && Math.floorMod(x, shape.strideW()) == 0) {
                dy[n] = Math.floorDiv(y, shape.strideH());
                dx[n] = Math.floorDiv(x, shape.strideW());
                order[n++] = t;
            }
        }
        int rows = (shape.outH() - py + shape.strideH() - 1) / shape.strideH();
        int cols = (shape.outW() - px + shape.strideW() - 1) / shape.strideW();
        return new ConvPhase(
                py,
                px,
                shape.strideH(),
                shape.strideW(),
                rows,
                cols,
                1,
                1,
                Arrays.copyOf(dy, n),
                Arrays.copyOf(dx, n),
                Arrays.copyOf(order, n));
    }

    public int pixels() {
        return rows * cols;
    }

    /** Which pixel of an output that is so wide the phase's pixel {@code q} is, counted along the phase's rows. */
    public int outPixel(int q, int outW) {
        return (originY + q / cols * stepY) * outW + originX + q % cols * stepX;
    }

    /** First i in [from, to) whose input column under tap t is inside the image; {@code to} if none. */
    public int firstInside(int t, int from, int to) {
        int first = Math.max(from, (-dx[t] + inStepX - 1) / inStepX);
        return dx[t] >= 0 ? from : Math.min(first, to);
    }

    /** End of the i in [from, to) whose input column under tap t is inside an image of that width. */
    public int endInside(int t, int from, int to, int inW) {
        int last = inW - 1 - dx[t];
        return last < 0 ? from : Math.max(from, Math.min(to, last / inStepX + 1));
    }
}
