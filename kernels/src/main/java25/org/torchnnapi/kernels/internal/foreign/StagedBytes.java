package org.torchnnapi.kernels.internal.foreign;

import java.util.Arrays;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.ConvPhase;

/** The input of a band of output rows as unsigned bytes, NHWC, with padding as the zero point. */
final class StagedBytes {
    /** Dot products read quads of bytes, up to three past the last pixel. */
    private static final int SLACK = 4;

    private final ConvShape shape;
    private final ConvPhase phase;
    private final int minDy;
    private final int minDx;
    private final int reachY;
    private final int cols;
    private final int rows;
    private final byte zero;
    private final boolean signed;

    StagedBytes(ConvShape shape, ConvPhase phase, int bandRows, int zeroPoint, boolean signed) {
        this.shape = shape;
        this.phase = phase;
        this.signed = signed;
        zero = (byte) (zeroPoint + (signed ? 128 : 0));
        minDy = Arrays.stream(phase.dy()).min().orElse(0);
        minDx = Arrays.stream(phase.dx()).min().orElse(0);
        reachY = Arrays.stream(phase.dy()).max().orElse(0) - minDy + 1;
        int reachX = Arrays.stream(phase.dx()).max().orElse(0) - minDx + 1;
        rows = (bandRows - 1) * phase.inStepY() + reachY;
        cols = (phase.cols() - 1) * phase.inStepX() + reachX;
    }

    int minDy() {
        return minDy;
    }

    int minDx() {
        return minDx;
    }

    int rowBytes() {
        return Math.multiplyExact(cols, shape.inC());
    }

    int size() {
        return Math.addExact(Math.multiplyExact(rows, rowBytes()), SLACK);
    }

    /** Copies what {@code outRows} output rows from {@code outRow} need to the start of the scratch. */
    void copy(byte[] in, int inOffset, byte[] scratch, int outRow, int outRows) {
        int inC = shape.inC();
        int used = (outRows - 1) * phase.inStepY() + reachY;
        int before = Math.clamp(-minDx, 0, cols);
        int end = Math.clamp(shape.inW() - minDx, before, cols);
        for (int r = 0; r < used; r++) {
            int y = outRow * phase.inStepY() + minDy + r;
            int target = r * rowBytes();
            if (y < 0 || y >= shape.inH()) {
                Arrays.fill(scratch, target, target + rowBytes(), zero);
                continue;
            }
            Arrays.fill(scratch, target, target + before * inC, zero);
            int source = inOffset + (y * shape.inW() + before + minDx) * inC;
            System.arraycopy(in, source, scratch, target + before * inC, (end - before) * inC);
            if (signed) {
                flip(scratch, target + before * inC, target + end * inC);
            }
            Arrays.fill(scratch, target + end * inC, target + rowBytes(), zero);
        }
    }

    private static void flip(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            bytes[i] ^= (byte) 0x80;
        }
    }
}
