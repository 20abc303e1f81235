package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * AVERAGE_POOL_2D, MAX_POOL_2D and, of floats, L2_POOL_2D.
 *
 * @param norm whether the root of the mean of squares
 */
record PoolingOperationLowering(Pooling.Kind kind, boolean norm) implements OperationLowering {
    /** Beyond this many elements a mean in float32, as the reference has it, may round otherwise than the exact one. */
    private static final int EXACT_WINDOW = 1 << 14;

    private record Numbers(Pooling.Window window, ImageLayout layout, FusedActivation activation) {
        static Numbers of(OperationView site) {
            ImageLayout layout = site.flagged(site.at("layout"));
            int[] in = ConvolutionGeometry.image(site.in(0).dimensions(), layout);
            int[] out = ConvolutionGeometry.image(site.out().dimensions(), layout);
            int strideW = site.intValue(site.at("strideWidth"));
            int strideH = site.intValue(site.at("strideHeight"));
            int filterW = site.intValue(site.at("filterWidth"));
            int filterH = site.intValue(site.at("filterHeight"));
            int[] pads = ConvolutionGeometry.pads(site, in, filterH, filterW, strideH, strideW, 1, 1);
            Pooling.Window window = new Pooling.Window(
                    in[0], in[1], in[2], out[1], out[2], filterH, filterW, strideH, strideW, 1, 1, pads[0], pads[2],
                    pads[1], pads[3]);
            return new Numbers(window, layout, FusedActivation.ofCode(site.intValue(site.at("activation"))));
        }
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return norm ? site.realProblem(0) : site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        try {
            Pooling.Window window = Numbers.of(site).window();
            long elements = (long) window.kernelH() * window.kernelW();
            return site.isFloat() || elements <= EXACT_WINDOW
                    ? null
                    : Problem.of("window", elements + " elements", "<= " + EXACT_WINDOW);
        } catch (IllegalArgumentException e) {
            return Problem.ofMessage(e.getMessage());
        }
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        Numbers numbers = Numbers.of(site);
        FusedActivation activation = numbers.activation();
        int in = translation.in(site, 0);
        if (norm) {
            int squares = translation.add(BinaryMathOp.of(BinaryOp.MUL), in, in);
            int means = translation.add(new PoolOp(kind, numbers.window(), numbers.layout(), Clamp.NONE), squares);
            translation.result(
                    site,
                    new ClampOp(OperationView.clamp(activation.ordinal())),
                    translation.add(new UnaryMathOp(UnaryOp.SQRT), means));
            return;
        }
        // The reference rounds a mean's distance from the zero point.
        Op op = site.isFloat()
                ? new PoolOp(kind, numbers.window(), numbers.layout(), OperationView.clamp(activation.ordinal()))
                : new QuantizedPoolOp(
                        kind,
                        numbers.window(),
                        numbers.layout(),
                        Rounding.HALF_EVEN,
                        true,
                        site.low(activation),
                        site.high(activation));
        translation.result(site, op, in);
    }
}
