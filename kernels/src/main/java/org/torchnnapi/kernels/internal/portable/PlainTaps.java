package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Convolutions whose windows are not {@linkplain ConvShape#isCompact compact}, tap by tap: nothing is laid out
 * beforehand, so nothing grows with strides, dilations and padding. A unit is an output row of one channel.
 */
final class PlainTaps {
    /** What is made of one output element and the products it sums. */
    interface Sums {
        void begin(int channel);

        /** @param in from the image's beginning */
        void add(int weight, int in);

        /** @param out from the image's beginning */
        void end(int out);
    }

    private final ConvShape shape;
    private final WindowAxis rows;
    private final WindowAxis columns;
    private final int inBlock;
    private final int outBlock;

    PlainTaps(ConvShape shape, ImageLayout in, ImageLayout out) {
        this.shape = shape;
        rows = shape.rows();
        columns = shape.columns();
        inBlock = in.block(shape.inC());
        outBlock = out.block(shape.outC());
    }

    int units() {
        return Math.multiplyExact(shape.outC(), shape.outH());
    }

    void run(int begin, int end, Sums sums) {
        int outH = shape.outH();
        int outW = shape.outW();
        for (int unit = begin; unit < end; unit++) {
            int channel = unit / outH;
            int y = unit % outH;
            int row = channel / outBlock * outBlock * outH * outW + y * outW * outBlock + channel % outBlock;
            for (int x = 0; x < outW; x++) {
                sums.begin(channel);
                for (int ky = 0; ky < shape.kernelH(); ky++) {
                    int fromY = under(rows, y, ky);
                    for (int kx = 0; kx < shape.kernelW() && fromY >= 0; kx++) {
                        int fromX = under(columns, x, kx);
                        if (fromX >= 0) {
                            addChannels(channel, ky * shape.kernelW() + kx, fromY * shape.inW() + fromX, sums);
                        }
                    }
                }
                sums.end(row + x * outBlock);
            }
        }
    }

    private int under(WindowAxis axis, int index, int tap) {
        return shape.transposed() ? axis.windowOver(index, tap) : axis.inputUnder(index, tap);
    }

    private void addChannels(int outChannel, int tap, int pixel, Sums sums) {
        int count = shape.inC() / shape.groups();
        int first = outChannel / (shape.outC() / shape.groups()) * count;
        int plane = shape.inH() * shape.inW();
        for (int c = 0; c < count; c++) {
            int channel = first + c;
            sums.add(
                    FloatConvSpec.weightIndex(shape, outChannel, c, tap),
                    channel / inBlock * inBlock * plane + pixel * inBlock + channel % inBlock);
        }
    }
}
