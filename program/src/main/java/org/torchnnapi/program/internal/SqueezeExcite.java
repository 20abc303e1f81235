package org.torchnnapi.program.internal;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.ConvolutionOp;

/**
 * What a squeeze-and-excitation block does between the means of an image's channels and the factors of them: two small
 * matrix products. What is done of it where the channels are computed is left in parts, to be added up: the first
 * product, of some channels each, by a {@link ExpandDepthwise}; the sums of the channels, over some rows each, by
 * {@link SumsOfRows}. The rest is done for some channels by whoever needs their factors.
 *
 * @param parts how many there are
 * @param pixels of an image whose channels' sums these are parts of; 0 for parts of the first product
 * @param squeeze over images of one pixel
 * @param excite the same; gives as many channels as the images have
 */
record SqueezeExcite(int parts, int pixels, ConvolutionOp squeeze, ConvolutionOp excite) {
    /** One thread's sums and factors; they grow to the most that the thread has had and are kept. */
    private static final ThreadLocal<float[][]> SCRATCH = ThreadLocal.withInitial(() -> new float[1][0]);

    /** Floats from one part to the next. */
    int step() {
        return FloatWidening.Squeeze.step(
                pixels > 0 ? squeeze.shape().inC() : squeeze.shape().outC());
    }

    Factors factors(int begin, int end) {
        return new Factors(this, begin, end);
    }

    /** The factors of some channels, ready to be computed. */
    static final class Factors {
        private final SqueezeExcite excitation;
        private final int sums;
        private final float[] bias;
        /** The first product; null where it is what there are parts of. */
        private final FloatConv first;

        private final FloatConv second;
        private final int count;

        private Factors(SqueezeExcite excitation, int begin, int end) {
            ConvolutionOp squeeze = excitation.squeeze;
            ConvolutionOp excite = excitation.excite;
            this.excitation = excitation;
            sums = squeeze.shape().outC();
            bias = squeeze.bias() == null ? new float[sums] : squeeze.bias();
            first = excitation.pixels == 0 ? null : product(squeeze, 0, sums);
            count = end - begin;
            second = product(excite, begin, end);
        }

        /** The product for outputs [begin, end). */
        private static FloatConv product(ConvolutionOp convolution, int begin, int end) {
            int inputs = convolution.shape().inC();
            return FloatConv.plan(
                    ConvShape.of(inputs, 1, 1, end - begin, 1, 1),
                    ImageLayout.NHWC,
                    ImageLayout.NHWC,
                    convolution.weights().part(begin * inputs, end * inputs),
                    convolution.bias() == null ? null : Arrays.copyOfRange(convolution.bias(), begin, end),
                    convolution.activation());
        }

        /** Where the factors begin in what {@link #of} returns. */
        int at() {
            return excitation.step() + FloatWidening.Squeeze.step(sums);
        }

        /** An array of the thread's with the factors, given the parts. */
        float[] of(float[] from, int partsAt) {
            float[][] scratch = SCRATCH.get();
            int size = at() + count;
            if (scratch[0].length < size) {
                scratch[0] = new float[size];
            }
            float[] to = scratch[0];
            int productAt = excitation.step();
            if (first == null) {
                ReductionKernel.SUM.runRows(from, partsAt, excitation.step(), to, productAt, excitation.parts, sums);
                activate(to, productAt);
            } else {
                int channels = excitation.squeeze.shape().inC();
                ReductionKernel.SUM.runRows(from, partsAt, excitation.step(), to, 0, excitation.parts, channels);
                ElementwiseOps.binary(BinaryOp.MUL, to, 0, 1f / excitation.pixels, to, 0, channels, Clamp.NONE);
                first.run(to, 0, to, productAt, 0, first.units());
            }
            second.run(to, productAt, to, at(), 0, second.units());
            return to;
        }

        private void activate(float[] product, int at) {
            Clamp limits = excitation.squeeze.activation().clamp();
            UnaryOp function = excitation.squeeze.activation().function();
            ElementwiseOps.binary(
                    BinaryOp.ADD, product, at, bias, 0, product, at, sums, function == null ? limits : Clamp.NONE);
            if (function != null) {
                ElementwiseOps.unary(function, product, at, product, at, sums);
                ElementwiseOps.clamp(product, at, product, at, sums, limits);
            }
        }
    }
}
