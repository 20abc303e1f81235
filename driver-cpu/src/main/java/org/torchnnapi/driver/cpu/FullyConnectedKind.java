package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.nnapi.op.FusedActivation;

/** FULLY_CONNECTED with constant weights: a 1x1 convolution over an image that is as high as there are rows. */
final class FullyConnectedKind implements Kind {
    private static final int ACTIVATION = 3;

    @Override
    public String refusal(Site site) {
        return Products.refusal(site);
    }

    @Override
    public boolean readsConstant(Site site, int input) {
        return input == 0;
    }

    @Override
    public Step compile(Site site, Places places) {
        int size = site.in(1).dimension(1);
        int rows = (int) (site.in(0).elementCount() / size);
        ConvShape shape = ConvShape.of(size, rows, 1, site.in(1).dimension(0), 1, 1);
        FusedActivation activation = FusedActivation.ofCode(site.intValue(ACTIVATION));
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        if (site.isFloat()) {
            FloatConv conv = FloatConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, site.floats(1), site.floats(2),
                    Site.clamp(activation.ordinal()));
            return new Step(conv.units(), memory -> (begin, end) -> conv.run(memory.floats(), in, memory.floats(), out, begin, end));
        }
        QuantizedConv conv = QuantizedConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, site.isSigned(), site.in(0).zeroPoint(),
                Products.weights(site, site.bytes(1)), site.ints(2), Products.requantization(site, activation));
        return new Step(conv.units(), memory -> (begin, end) -> conv.run(memory.bytes(), in, memory.bytes(), out, begin, end));
    }
}
