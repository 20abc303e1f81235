package org.torchnnapi.program.op;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;

/**
 * Average pooling of bytes, rounded above the zero point: halves that go to even go to the even distance from it, which with an odd zero
 * point is another byte than the even one.
 *
 * @param block channels that lie together: all (NHWC) or 1 (NCHW)
 * @param low limits of the output's bytes
 */
record ZeroPointAverage(Pooling.Window window, int block, boolean signed, int zeroPoint, Rounding rounding, int low, int high) {
    /** Does rows [begin, end) of the output, plane after plane, of one image. */
    void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        int mask = signed ? -1 : 0xff;
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / window.outH() * window.inH() * window.inW() * block;
            int startY = unit % window.outH() * window.strideH() - window.padTop();
            int top = Math.max(0, startY);
            int bottom = Math.min(startY + window.kernelH(), window.inH());
            for (int x = 0; x < window.outW(); x++) {
                int startX = x * window.strideW() - window.padLeft();
                int left = Math.max(0, startX);
                int right = Math.min(startX + window.kernelW(), window.inW());
                int count = Math.max(0, bottom - top) * Math.max(0, right - left);
                int target = outOffset + (unit * window.outW() + x) * block;
                for (int c = 0; c < block; c++) {
                    int sum = -count * zeroPoint;
                    for (int row = top; row < bottom; row++) {
                        for (int column = left; column < right; column++) {
                            sum += in[plane + (row * window.inW() + column) * block + c] & mask;
                        }
                    }
                    int mean = count == 0 ? 0 : rounding.quotient(sum, count);
                    out[target + c] = (byte) Math.min(Math.max(mean + zeroPoint, low), high);
                }
            }
        }
    }
}
