package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.internal.ChainProfit;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;
import org.torchnnapi.kernels.internal.QuantizedKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;
import org.torchnnapi.kernels.internal.portable.StagedChain;

/** The 8-bit kernels in C; what they do not cover is done by the portable ones. */
public final class NativeQuantizedKernels implements QuantizedKernels {
    /** Linked for benchmarks alone. */
    private static final class Peak {
        private static final NativePeak PEAK =
                new NativePeak(NativeLibrary.function("peak"), NativeLibrary.number("peak_round"));
    }

    /** Bytes are made several times as fast as they come from another core, so many are multiplied at once. */
    private static final ChainProfit PROFIT = new ChainProfit(Byte.BYTES, 3.5, 0);

    private final QuantizedKernels others = new PortableQuantizedKernels();

    @Override
    public String toString() {
        return "native (" + NativeLibrary.ISA + (NativeLibrary.TILES ? " and amx" : "") + ", C)";
    }

    @Override
    public long exercise(long multiplyAdds) {
        return Peak.PEAK.exercise(multiplyAdds);
    }

    @Override
    public QuantizedConvKernel conv(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        if (!isNhwc(spec.in(), shape.inC()) || !isNhwc(spec.out(), shape.outC()) || !fitsSignedBytes(spec)) {
            return others.conv(spec);
        }
        if (NativeDepthwise.covers(shape)) {
            return DepthwiseDotProduct.coversAlone(spec) ? new NativePairDepthwise(spec) : new NativeDepthwise(spec);
        }
        if (NativeByteWinograd.pays(shape)) {
            return new NativeByteWinograd(spec);
        }
        return shape.groups() == 1 ? new NativeDense(spec) : others.conv(spec);
    }

    @Override
    public boolean fusesChain(ConvShape depthwise, long weights) {
        return NativeDepthwise.covers(depthwise) && chainPays(depthwise, weights);
    }

    static boolean chainPays(ConvShape depthwise, long weights) {
        return PROFIT.pays(Machine.current(), depthwise, weights);
    }

    @Override
    public boolean widensByChannels(ConvShape depthwise, long weights) {
        return NativeGroupChain.pays(depthwise, weights);
    }

    @Override
    public QuantizedChainKernel chain(QuantizedChainSpec spec) {
        for (QuantizedConvSpec stage : spec.stages()) {
            ConvShape shape = stage.shape();
            boolean covered = NativeDepthwise.covers(shape) || shape.groups() == 1;
            if (!covered
                    || !isNhwc(stage.in(), shape.inC())
                    || !isNhwc(stage.out(), shape.outC())
                    || !fitsSignedBytes(stage)) {
                return new StagedChain(spec, this);
            }
        }
        if (!NativeChain.covers(spec)) {
            return new StagedChain(spec, this);
        }
        if (NativeGroupChain.covers(spec)) {
            return new NativeGroupChain(spec);
        }
        return NativePairChain.covers(spec) ? new NativePairChain(spec) : new NativeChain(spec);
    }

    private static boolean isNhwc(ImageLayout layout, int channels) {
        return layout.block(channels) == channels;
    }

    private static boolean fitsSignedBytes(QuantizedConvSpec spec) {
        return allFit(spec.weights()) || eachFits(spec);
    }

    /** Whether the least and the largest weight fit with every zero point, as nearly always. */
    private static boolean allFit(QuantizedWeights weights) {
        int flip = WeightBytes.flip(weights);
        int[] range = WeightBytes.range(weights);
        for (int zeroPoint : weights.zeroPoints()) {
            if (range[0] - (zeroPoint - flip) < Byte.MIN_VALUE || range[1] - (zeroPoint - flip) > Byte.MAX_VALUE) {
                return false;
            }
        }
        return true;
    }

    private static boolean eachFits(QuantizedConvSpec spec) {
        byte[] values = spec.weights().values();
        ConvShape shape = spec.shape();
        int perOut = values.length / shape.outC();
        for (int i = 0; i < values.length; i++) {
            // Transposed weights are not grouped by output channel; their zero points seldom differ, and are tried
            // each.
            int first = shape.transposed() ? 0 : i / perOut;
            int last = shape.transposed() ? spec.weights().zeroPoints().length - 1 : first;
            for (int oc = first; oc <= last; oc++) {
                int centred = spec.weights().centred(i, oc);
                if (centred != (byte) centred) {
                    return false;
                }
            }
        }
        return true;
    }
}
