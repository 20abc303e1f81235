package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Weights;
import org.torchnnapi.program.op.Convolution;
import org.torchnnapi.program.op.QuantizedConvolution;

/** CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D and TRANSPOSE_CONV_2D with constant weights. */
final class ConvolutionKind implements Kind {
    @Override
    public String typeRefusal(Site site) {
        return Products.typeRefusal(site);
    }

    @Override
    public String refusal(Site site) {
        try {
            return Geometry.of(site).problem(site);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Override
    public void translate(Site site, Translation translation) {
        Geometry geometry = Geometry.of(site);
        FusedActivation activation = FusedActivation.ofCode(site.intValue(geometry.activation()));
        translation.result(site, site.isFloat() ? real(site, geometry, activation) : quantized(site, geometry, activation), translation.in(site, 0));
    }

    /** Those of the model in the kernels' order, into which they are brought when they are packed. */
    private record Ordered(Site site, ConvShape shape, Weights weights) implements Weights {
        @Override
        public int length() {
            return weights.length();
        }

        @Override
        public float[] values() {
            float[] values = weights.values();
            int[] order = order(site, shape);
            if (order == null) {
                return values;
            }
            float[] ordered = new float[values.length];
            for (int i = 0; i < ordered.length; i++) {
                ordered[i] = values[order[i]];
            }
            return ordered;
        }
    }

    private static Op real(Site site, Geometry geometry, FusedActivation activation) {
        return new Convolution(geometry.shape(), geometry.layout(), new Ordered(site, geometry.shape(), site.weights(1)), site.floats(2),
                Site.clamp(activation.ordinal()));
    }

    private static Op quantized(Site site, Geometry geometry, FusedActivation activation) {
        int[] order = order(site, geometry.shape());
        byte[] weights = site.bytes(1);
        byte[] ordered = order == null ? weights : new byte[weights.length];
        for (int i = 0; order != null && i < ordered.length; i++) {
            ordered[i] = weights[order[i]];
        }
        return new QuantizedConvolution(geometry.shape(), geometry.layout(), Products.weights(site, ordered), site.ints(2),
                Products.requantization(site, activation), site.outQuantization());
    }

    /** By the place of a weight in the kernels' order, its place in the model; null when they are the same. */
    private static int[] order(Site site, ConvShape shape) {
        int[] filter = site.in(1).dimensions();
        boolean depthwise = site.operation().type() == OperationType.DEPTHWISE_CONV_2D;
        int taps = shape.kernelH() * shape.kernelW();
        int depth = depthwise ? 1 : filter[3];
        if (taps == 1 && (depthwise || !shape.transposed())) {
            return null;
        }
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
