package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.ChainProfit;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * A chain row by row, see float_chain.c; a unit is an output row. Units that a thread does one after the other share
 * the wide rows between them; only where one thread's units end and another's begin are some computed twice.
 */
final class NativeFloatChain implements FloatConvKernel {
    private static final FloatWork CHAIN = new FloatWork("float_chain");
    private static final int LANES = NativeFloatConv.LANES;
    /** An element of some tens of multiply-adds; a thread's start of rows lasts some microseconds. */
    private static final ChainProfit PROFIT = new ChainProfit(Float.BYTES, 28, 128 << 10);

    private final NativeMemory struct;
    private final NativeMemory resumed;
    private final int units;
    private final long scratch;

    NativeFloatChain(FloatChainSpec spec) {
        ConvShape shape = spec.depthwise().shape();
        int inBlock = spec.depthwise().in().block(shape.inC());
        int outBlock = spec.depthwise().out().block(shape.outC());
        units = shape.outH();
        long blocks = (shape.outC() + LANES - 1) / LANES;
        FloatChainStruct chain = new FloatChainStruct()
                .expand(spec.expand() == null ? null : expand(spec.expand()))
                .depthwise(NativeFloatDepthwise.struct(spec.depthwise(), inBlock, outBlock, 1))
                .project(spec.project() == null ? null : project(spec.project()));
        struct = chain.resumed(false).memory();
        resumed = chain.resumed(true).memory();
        long ringRows = (shape.kernelH() - 1L) * shape.dilationH() + 1;
        scratch = blocks * LANES * (shape.outW() + ringRows * shape.inW());
    }

    static boolean covers(FloatChainSpec spec) {
        ConvShape shape = spec.depthwise().shape();
        return NativeFloatDepthwise.covers(shape)
                && shape.inC() == shape.outC()
                && (spec.expand() != null || isBlocked(spec.depthwise().in()))
                && (spec.project() != null || isBlocked(spec.depthwise().out()));
    }

    static boolean pays(ConvShape depthwise, long weights) {
        return PROFIT.pays(Machine.current(), depthwise, weights);
    }

    private static boolean isBlocked(ImageLayout layout) {
        return layout == ImageLayout.BLOCKED;
    }

    /** Writes one row at a time, {@code [block][width][lane]}, wherever the output points. */
    private static NativeMemory expand(FloatConvSpec spec) {
        ConvShape shape = spec.shape();
        int block = spec.in().block(shape.inC());
        NativeFloatConv.Geometry geometry = new NativeFloatConv.Geometry(
                (long) shape.inH() * shape.inW() * block,
                (long) shape.outW() * LANES,
                (long) shape.inW() * block,
                0,
                LANES,
                0,
                shape.inH(),
                shape.inW(),
                block,
                LANES);
        return struct(spec, ConvPhase.of(shape).get(0), geometry);
    }

    /** Reads such a row as an image. */
    private static NativeMemory project(FloatConvSpec spec) {
        ConvShape shape = spec.shape();
        int block = spec.out().block(shape.outC());
        NativeFloatConv.Geometry geometry = new NativeFloatConv.Geometry(
                (long) shape.outW() * LANES,
                (long) shape.outH() * shape.outW() * block,
                0,
                (long) shape.outW() * block,
                block,
                0,
                1,
                shape.inW(),
                LANES,
                block);
        return struct(spec, FloatGrid.flat(shape), geometry);
    }

    private static NativeMemory struct(FloatConvSpec spec, ConvPhase phase, NativeFloatConv.Geometry geometry) {
        boolean large = 4L * spec.shape().weightCount() > NativeFloatConv.keptWeights();
        return NativeFloatConv.struct(spec, phase, geometry, 1, 1, 1, large, false);
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        CHAIN.run(
                struct, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }

    @Override
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        CHAIN.run(
                resumed, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }
}
