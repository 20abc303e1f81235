package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.FusedActivation;

/** CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D and TRANSPOSE_CONV_2D with constant weights, packed once. */
final class ConvolutionKind implements Kind {
    private static final int ADD_ACTIVATION = 2;

    @Override
    public String refusal(Site site) {
        String problem = Products.refusal(site);
        if (problem != null) {
            return problem;
        }
        try {
            return Geometry.of(site).problem(site);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Override
    public Images images(Site site) {
        return Geometry.of(site).layout() == ImageLayout.NHWC ? Images.ANY : Images.AS_DECLARED;
    }

    @Override
    public boolean readsConstant(Site site, int input) {
        return input == 0;
    }

    @Override
    public Step compile(Site site, Places places) {
        Geometry geometry = Geometry.of(site);
        FusedActivation activation = FusedActivation.ofCode(site.intValue(geometry.activation()));
        if (site.isFloat()) {
            return real(site, geometry, site.operation().output(0), Site.clamp(activation.ordinal()), -1, places);
        }
        byte[] weights = site.bytes(1);
        byte[] ordered = new byte[weights.length];
        int[] order = order(site, geometry.shape());
        for (int i = 0; i < ordered.length; i++) {
            ordered[i] = weights[order[i]];
        }
        QuantizedConv conv = QuantizedConv.plan(geometry.shape(), geometry.layout(), geometry.layout(), site.isSigned(), site.in(0).zeroPoint(),
                Products.weights(site, ordered), site.ints(2), Products.requantization(site, activation));
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        int inSize = places.count(site.operation().input(0)) / site.in(0).dimension(0);
        int outSize = places.count(site.operation().output(0)) / site.in(0).dimension(0);
        return images(site.in(0).dimension(0), conv.units(), memory -> (image, begin, end) ->
                conv.run(memory.bytes(), in + image * inSize, memory.bytes(), out + image * outSize, begin, end));
    }

    /** Whether it has no activation of its own. */
    static boolean isPlain(Site site) {
        return site.intValue(Geometry.of(site).activation()) == FusedActivation.NONE.ordinal();
    }

    /** The convolution and the ADD behind it, as one pass over the output. */
    static Step compileAdding(Site site, Site addition, int residual, Places places) {
        return real(site, Geometry.of(site), addition.operation().output(0), Site.clamp(addition.intValue(ADD_ACTIVATION)), residual, places);
    }

    private static Step real(Site site, Geometry geometry, int output, Clamp clamp, int residual, Places places) {
        int input = site.operation().input(0);
        float[] weights = site.floats(1);
        float[] ordered = new float[weights.length];
        int[] order = order(site, geometry.shape());
        for (int i = 0; i < ordered.length; i++) {
            ordered[i] = weights[order[i]];
        }
        FloatConv conv = FloatConv.plan(geometry.shape(), places.layout(input, geometry.layout()), places.layout(output, geometry.layout()),
                ordered, site.floats(2), clamp);
        int batch = site.in(0).dimension(0);
        int in = places.offset(input);
        int out = places.offset(output);
        int inSize = places.size(input) / batch;
        int outSize = places.size(output) / batch;
        if (residual < 0) {
            return images(batch, conv.units(), memory -> (image, begin, end) ->
                    conv.run(memory.floats(), in + image * inSize, memory.floats(), out + image * outSize, begin, end));
        }
        int added = places.offset(residual);
        return images(batch, conv.units(), memory -> (image, begin, end) -> conv.runAdding(memory.floats(), in + image * inSize,
                memory.floats(), added + image * outSize, memory.floats(), out + image * outSize, begin, end));
    }

    /** Work on units [begin, end) of one image of a batch. */
    @FunctionalInterface
    interface ImageTask {
        void run(int image, int begin, int end);
    }

    @FunctionalInterface
    interface ImageBinding {
        ImageTask to(Memory memory);
    }

    /** The units of all images of a batch, one image after the other. */
    static Step images(int batch, int units, ImageBinding binding) {
        return new Step(batch * units, memory -> {
            ImageTask task = binding.to(memory);
            return (begin, end) -> {
                for (int at = begin; at < end; ) {
                    int image = at / units;
                    int stop = Math.min(end, (image + 1) * units);
                    task.run(image, at - image * units, stop - image * units);
                    at = stop;
                }
            };
        });
    }

    /** By the place of a weight in the kernels' order, its place in the model. */
    private static int[] order(Site site, ConvShape shape) {
        int[] filter = site.in(1).dimensions();
        boolean depthwise = site.operation().type() == OperationType.DEPTHWISE_CONV_2D;
        int taps = shape.kernelH() * shape.kernelW();
        int depth = depthwise ? 1 : filter[3];
        int[] order = new int[shape.outC() * depth * taps];
        for (int d = 0; d < shape.outC(); d++) {
            for (int c = 0; c < depth; c++) {
                for (int t = 0; t < taps; t++) {
                    int to = shape.transposed() ? (c * shape.outC() + d) * taps + t : (d * depth + c) * taps + t;
                    order[to] = depthwise ? t * shape.outC() + d : (d * taps + t) * depth + c;
                }
            }
        }
        return order;
    }
}
