package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;

/** The float kernels in C; what has none there is the portable one. */
public final class NativeFloatKernels extends PortableFloatKernels {
    /** Linked for benchmarks alone. */
    private static final class Peak {
        private static final MethodHandle FUNCTION = NativeLibrary.floatFunction("float_peak", FunctionDescriptor.of(JAVA_FLOAT, JAVA_INT));
        private static final int ROUND = NativeLibrary.number("tnn_" + NativeLibrary.FLOAT_ISA + "_float_peak_round");
    }

    private static volatile float sink;

    @Override
    public String toString() {
        return "native (" + NativeLibrary.floatIsaLabel() + ", C through java.lang.foreign)";
    }

    @Override
    public int channelBlock() {
        return NativeFloatConv.LANES;
    }

    @Override
    public long exercise(long multiplyAdds) {
        int rounds = (int) Math.min(multiplyAdds / Peak.ROUND, 1 << 20);
        try {
            sink = (float) Peak.FUNCTION.invokeExact(rounds);
            return (long) rounds * Peak.ROUND;
        } catch (Throwable e) {
            throw NativeLibrary.unexpected(e);
        }
    }

    @Override
    public FloatConvKernel conv(FloatConvSpec spec) {
        if (NativeFloatDepthwise.covers(spec.shape())) {
            return new NativeFloatDepthwise(spec);
        }
        int tile = NativeFloatWinograd.bestTile(spec);
        return tile > 0 ? new NativeFloatWinograd(spec, tile) : new NativeFloatConv(spec);
    }

    @Override
    public GemmKernel gemm(GemmSpec spec) {
        return new NativeGemm(spec);
    }

    @Override
    public boolean fusesChain(ConvShape depthwise) {
        return NativeFloatChain.pays(depthwise);
    }

    @Override
    public FloatConvKernel chain(FloatChainSpec spec) {
        return NativeFloatChain.covers(spec) ? new NativeFloatChain(spec) : super.chain(spec);
    }
}
