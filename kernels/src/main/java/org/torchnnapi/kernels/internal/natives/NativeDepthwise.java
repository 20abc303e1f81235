package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** Depthwise convolutions of NHWC images, one filter a channel, whose centred weights fit signed bytes; a unit is an output row. */
final class NativeDepthwise implements QuantizedConvKernel {
    private static final NativeCall DEPTHWISE = NativeCall.of("depthwise");
    private static final NativeCall SCRATCH = NativeCall.of("depthwise_scratch");
    /** Whether the kernel takes dot products over four rows. */
    private static final boolean DOTS = NativeLibrary.number("depthwise_dots") != 0;
    private static final int GROUP = 64;
    private static final int STRUCT_SIZE = 136;

    private final ConvShape shape;
    private final int padded;
    private final NativeMemory struct;
    private final long scratchSize;

    NativeDepthwise(QuantizedConvSpec spec) {
        this(spec, spec.shape().inH(), 0);
    }

    /** With input row y at row {@code y % ring} of a buffer, behind which another {@code slack} bytes may be read. */
    NativeDepthwise(QuantizedConvSpec spec, int ring, int slack) {
        shape = spec.shape();
        padded = (shape.inC() + GROUP - 1) / GROUP * GROUP;
        NativeRule rule = new NativeRule(spec.requantization(), shape.inC(), GROUP, padded, this::channelAt, SumBounds.of(spec));
        struct = new NativeStruct(STRUCT_SIZE).pointers(packWeights(spec), packBias(spec, rule)).pointers(rule.pointers())
            .ints(shape.inC(), shape.inH(), shape.inW(), shape.outW(), shape.kernelH(), shape.kernelW(), shape.strideH(), shape.strideW(),
                shape.dilationH(), shape.dilationW(), shape.padTop(), shape.padLeft(), spec.inputZeroPoint() & 0xff,
                spec.signedInput() ? 1 : 0, ring, slack).memory();
        scratchSize = SCRATCH.scratchSize(struct);
    }

    static boolean covers(ConvShape shape) {
        return shape.isDepthwise() && shape.inC() == shape.outC() && !shape.transposed();
    }

    /** The channel at a place of a group of 64: with dot products vector, lane, four, as unpacking leaves them. */
    private int channelAt(int place) {
        if (!DOTS) {
            return place;
        }
        int inGroup = place % GROUP;
        return place - inGroup + inGroup % 16 / 4 * 16 + inGroup / 16 * 4 + inGroup % 4;
    }

    private NativeMemory packWeights(QuantizedConvSpec spec) {
        int rows = DOTS ? (shape.kernelH() + 3) / 4 * 4 : shape.kernelH();
        byte[] packed = new byte[Math.multiplyExact(rows * shape.kernelW(), padded)];
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel >= shape.inC()) {
                continue;
            }
            for (int ky = 0; ky < shape.kernelH(); ky++) {
                for (int kx = 0; kx < shape.kernelW(); kx++) {
                    int at = DOTS ? ((ky / 4 * shape.kernelW() + kx) * padded + place) * 4 + ky % 4
                        : (ky * shape.kernelW() + kx) * padded + place;
                    packed[at] = (byte) spec.weight(channel, 0, ky * shape.kernelW() + kx);
                }
            }
        }
        return NativeMemory.copyOf(packed);
    }

    private NativeMemory packBias(QuantizedConvSpec spec, NativeRule rule) {
        int[] bias = new int[padded];
        int zero = DOTS ? spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0) : 0;
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel < shape.inC()) {
                int sum = 0;
                for (int tap = 0; tap < shape.kernelH() * shape.kernelW(); tap++) {
                    sum += spec.weight(channel, 0, tap);
                }
                bias[place] = spec.bias()[channel] - zero * sum - rule.centre(place);
            }
        }
        return NativeMemory.copyOf(bias);
    }

    @Override
    public int units() {
        return shape.outH();
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        for (int y = begin; y < end; y++) {
            row(in, inOffset, out, outOffset + (long) y * shape.outW() * shape.outC(), y);
        }
    }

    /** Row y of the output, to {@code outOffset}. */
    void row(Object in, long inOffset, Object out, long outOffset, int y) {
        DEPTHWISE.run(struct, in, inOffset, ByteScratch.get().work(scratchSize), 0, out, outOffset, y, 0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void runAdding(byte[] in, int inOffset, byte[] residual, int residualOffset, QuantizedSum sum, byte[] out, int outOffset, int begin,
                          int end) {
        int rowBytes = shape.outW() * shape.outC();
        for (int y = begin; y < end; y++) {
            run(in, inOffset, out, outOffset, y, y + 1);
            int at = y * rowBytes;
            sum.run(out, outOffset + at, residual, residualOffset + at, out, outOffset + at, rowBytes);
        }
    }
}
