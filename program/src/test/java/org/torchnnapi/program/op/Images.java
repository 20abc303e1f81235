package org.torchnnapi.program.op;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;

/** A batch of images in one of the orders that dimensions are declared in, NCHW or NHWC, and where its elements are. */
record Images(ImageLayout order, int batch, int channels, int height, int width) {
    static final ImageLayout[] ORDERS = {ImageLayout.NCHW, ImageLayout.NHWC};

    /** A product of elements that a convolution sums up. */
    interface Product {
        /** @param outChannel that of the sum */
        void add(int out, int in, int weight, int outChannel);
    }

    static Images inputs(ConvShape shape, ImageLayout order, int batch) {
        return new Images(order, batch, shape.inC(), shape.inH(), shape.inW());
    }

    static Images outputs(ConvShape shape, ImageLayout order, int batch) {
        return new Images(order, batch, shape.outC(), shape.outH(), shape.outW());
    }

    int[] shape() {
        return order == ImageLayout.NCHW
                ? new int[] {batch, channels, height, width}
                : new int[] {batch, height, width, channels};
    }

    int count() {
        return batch * channels * height * width;
    }

    int at(int image, int channel, int y, int x) {
        return order == ImageLayout.NCHW
                ? ((image * channels + channel) * height + y) * width + x
                : ((image * height + y) * width + x) * channels + channel;
    }

    /** The channel of an element. */
    int channel(int at) {
        return order == ImageLayout.NCHW ? at / (height * width) % channels : at % channels;
    }

    /** All products of a convolution of these images, as its definition has them: for each output what it reads. */
    void convolve(ConvShape s, Product product) {
        Images out = outputs(s, order, batch);
        int ins = s.inC() / s.groups();
        int outs = s.outC() / s.groups();
        for (int n = 0; n < batch; n++) {
            for (int oc = 0; oc < s.outC(); oc++) {
                for (int tap = 0; tap < s.kernelH() * s.kernelW(); tap++) {
                    for (int pixel = 0; pixel < s.outH() * s.outW(); pixel++) {
                        int oy = pixel / s.outW();
                        int ox = pixel % s.outW();
                        int y = source(
                                s.transposed(),
                                oy,
                                s.strideH(),
                                tap / s.kernelW() * s.dilationH(),
                                s.padTop(),
                                s.inH());
                        int x = source(
                                s.transposed(),
                                ox,
                                s.strideW(),
                                tap % s.kernelW() * s.dilationW(),
                                s.padLeft(),
                                s.inW());
                        for (int i = 0; i < ins && y >= 0 && x >= 0; i++) {
                            int ic = oc / outs * ins + i;
                            int filter = s.transposed() ? ic * outs + oc % outs : oc * ins + i;
                            product.add(
                                    out.at(n, oc, oy, ox),
                                    at(n, ic, y, x),
                                    filter * s.kernelH() * s.kernelW() + tap,
                                    oc);
                        }
                    }
                }
            }
        }
    }

    /** The coordinate that an output's coordinate reads by a tap, or -1 for none. */
    private static int source(boolean transposed, int out, int stride, int tap, int pad, int extent) {
        int at = transposed ? out + pad - tap : out * stride + tap - pad;
        int source = transposed && at % stride == 0 ? at / stride : transposed ? -1 : at;
        return at < 0 || source >= extent ? -1 : source;
    }
}
