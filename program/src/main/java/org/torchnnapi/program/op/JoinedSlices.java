package org.torchnnapi.program.op;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;

/**
 * A {@link VolumeConvolutionOp} as one two-dimensional convolution for each slice of the result: slices of the input
 * that follow each other in memory are an image with the channels of all of them. So sums stay in registers.
 */
final class JoinedSlices {
    private JoinedSlices() {}

    /** Whether all slices that one of the result is made of follow each other, and their channels do so too. */
    static boolean covers(VolumeConvolutionOp op, Operands operands) {
        ConvShape shape = op.shape();
        PlacedValue in = operands.in(0);
        boolean adjacent = in.storage().isBlocked()
                ? shape.inC() % Kernels.channelBlock() == 0
                : in.storage().layout(ImageLayout.NCHW) == ImageLayout.NCHW || shape.inH() * shape.inW() == 1;
        if (shape.groups() != 1 || !adjacent) {
            return false;
        }
        for (int[] taps : op.taps()) {
            List<Integer> slices = met(taps);
            for (int i = 1; i < slices.size(); i++) {
                if (taps[slices.get(i)] != taps[slices.get(i - 1)] + 1) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The slices of the kernel that meet the input, in the order of what they meet. */
    private static List<Integer> met(int[] taps) {
        List<Integer> slices = new ArrayList<>();
        for (int k = 0; k < taps.length; k++) {
            if (taps[k] >= 0) {
                slices.add(k);
            }
        }
        slices.sort(Comparator.comparingInt(k -> taps[k]));
        return slices;
    }

    static Step step(VolumeConvolutionOp op, Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int count = op.taps().length;
        FloatConv[] convs = new FloatConv[count];
        int[] first = new int[count];
        // Slices at the edges meet fewer; most meet all, and share one plan.
        Map<List<Integer>, FloatConv> plans = new HashMap<>();
        int units = Integer.MAX_VALUE;
        for (int o = 0; o < count; o++) {
            List<Integer> met = met(op.taps()[o]);
            first[o] = op.taps()[o][met.get(0)];
            convs[o] = plans.computeIfAbsent(met, slices -> plan(op, slices, in, out));
            units = Math.min(units, convs[o].units());
        }
        int inSize = in.imageSize();
        int shares = units;
        return op.step(
                operands,
                shares,
                (slice, source, volume, added, addedAt, target, outAt, begin, end) -> VolumeConvolutionOp.run(
                        convs[slice],
                        source,
                        volume + first[slice] * inSize,
                        added,
                        addedAt,
                        target,
                        outAt,
                        begin,
                        end,
                        shares));
    }

    private static FloatConv plan(VolumeConvolutionOp op, List<Integer> slices, PlacedValue in, PlacedValue out) {
        ConvShape s = op.shape();
        ConvShape joined = new ConvShape(
                slices.size() * s.inC(),
                s.inH(),
                s.inW(),
                s.outC(),
                s.kernelH(),
                s.kernelW(),
                s.strideH(),
                s.strideW(),
                s.dilationH(),
                s.dilationW(),
                s.padTop(),
                s.padBottom(),
                s.padLeft(),
                s.padRight(),
                1,
                s.transposed(),
                s.outputPadH(),
                s.outputPadW());
        return FloatConv.plan(
                joined,
                in.storage().layout(ImageLayout.NCHW, in.type()),
                out.storage().layout(ImageLayout.NCHW, out.type()),
                op.weights().made(new KernelSlices(s, op.taps()[0].length, slices)),
                op.bias(),
                op.activation());
    }

    /** The weights of some slices of the kernel: for each one the weights of all its input channels. */
    private record KernelSlices(int ins, int outs, int plane, boolean transposed, int kernel, List<Integer> slices)
            implements Weights.Rule {
        KernelSlices(ConvShape shape, int kernel, List<Integer> slices) {
            this(shape.inC(), shape.outC(), shape.kernelH() * shape.kernelW(), shape.transposed(), kernel, slices);
        }

        @Override
        public int length(int given) {
            return given / kernel * slices.size();
        }

        @Override
        public float[] of(float[] given) {
            float[] joined = new float[length(given.length)];
            for (int i = 0; i < slices.size(); i++) {
                for (int in = 0; in < ins; in++) {
                    int channel = i * ins + in;
                    for (int o = 0; o < outs; o++) {
                        int from = transposed ? in * outs + o : o * ins + in;
                        int to = transposed ? channel * outs + o : o * slices.size() * ins + channel;
                        System.arraycopy(given, (from * kernel + slices.get(i)) * plane, joined, to * plane, plane);
                    }
                }
            }
            return joined;
        }
    }
}
