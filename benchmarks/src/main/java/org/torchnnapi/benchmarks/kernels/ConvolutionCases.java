package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.ScaledConv;
import org.torchnnapi.kernels.Weights;

/**
 * Convolutions of floats and of bytes: the layers of MobileNetV2, MobileNetV3 and ResNet18 that differ, and of U-Nets
 * what goes up.
 */
final class ConvolutionCases {
    private ConvolutionCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        both(cases, "1X1_12544X16_96", ConvShape.of(16, 112, 112, 96, 1, 1));
        both(cases, "1X1_3136X24_144", ConvShape.of(24, 56, 56, 144, 1, 1));
        both(cases, "1X1_784X32_192", ConvShape.of(32, 28, 28, 192, 1, 1));
        both(cases, "1X1_196X64_384", ConvShape.of(64, 14, 14, 384, 1, 1));
        both(cases, "1X1_196X576_96", ConvShape.of(576, 14, 14, 96, 1, 1));
        both(cases, "1X1_49X160_960", ConvShape.of(160, 7, 7, 960, 1, 1));
        both(cases, "1X1_49X320_1280", ConvShape.of(320, 7, 7, 1280, 1, 1));
        both(
                cases,
                "FIRST_3X3_224",
                ConvShape.of(3, 224, 224, 32, 3, 3).stride(2, 2).padding(1, 1));
        both(cases, "3X3_56_64", ConvShape.of(64, 56, 56, 64, 3, 3).padding(1, 1));
        both(cases, "3X3_28_128", ConvShape.of(128, 28, 28, 128, 3, 3).padding(1, 1));
        both(cases, "3X3_14_256", ConvShape.of(256, 14, 14, 256, 3, 3).padding(1, 1));
        both(cases, "3X3_55_16_64", ConvShape.of(16, 55, 55, 64, 3, 3).padding(1, 1));
        both(
                cases,
                "3X3_28_128_STRIDE_2",
                ConvShape.of(128, 28, 28, 256, 3, 3).padding(1, 1).stride(2, 2));
        both(
                cases,
                "3X3_28_128_DILATED_2",
                ConvShape.of(128, 28, 28, 128, 3, 3).padding(2, 2).dilation(2, 2));
        both(cases, "3X3_7_512", ConvShape.of(512, 7, 7, 512, 3, 3).padding(1, 1));
        both(
                cases,
                "GROUPED_3X3_28_64",
                ConvShape.of(64, 28, 28, 64, 3, 3).padding(1, 1).groups(4));
        both(
                cases,
                "TRANSPOSED_2X2_28_64",
                ConvShape.of(64, 28, 28, 32, 2, 2).stride(2, 2).transposed(0, 0));
        both(
                cases,
                "DEPTHWISE_112_32",
                ConvShape.of(32, 112, 112, 32, 3, 3).padding(1, 1).groups(32));
        both(
                cases,
                "DEPTHWISE_56_144",
                ConvShape.of(144, 56, 56, 144, 3, 3).padding(1, 1).groups(144));
        both(
                cases,
                "DEPTHWISE_14_384",
                ConvShape.of(384, 14, 14, 384, 3, 3).padding(1, 1).groups(384));
        both(
                cases,
                "DEPTHWISE_14_576_STRIDE_2",
                ConvShape.of(576, 14, 14, 576, 3, 3).padding(1, 1).groups(576).stride(2, 2));
        both(
                cases,
                "DEPTHWISE_5X5_14_240",
                ConvShape.of(240, 14, 14, 240, 5, 5).padding(2, 2).groups(240));
        both(cases, "LINEAR_1280_1000", ConvShape.of(1280, 1, 1, 1000, 1, 1));
        chains(cases, "CHAIN_112_16_96_24", new Block(16, 96, 24, 112, 2));
        chains(cases, "CHAIN_28_32_192_32", new Block(32, 192, 32, 28, 1));
        widenings(cases, "WIDENING_7_160_960", new Block(160, 960, 160, 7, 1));
        scaled(cases, "SCALED_1X1_196X240_40", ConvShape.of(240, 14, 14, 40, 1, 1));
        scaled(cases, "SCALED_1X1_49X576_96", ConvShape.of(576, 7, 7, 96, 1, 1));

        ConvShape projection = ConvShape.of(576, 14, 14, 96, 1, 1);
        floatCase(cases, "ADDING_1X1_196X576_96", projection, () -> floatAdding(projection));
        byteCase(cases, "ADDING_1X1_196X576_96", projection, () -> byteAdding(projection));
        ConvShape square = ConvShape.of(128, 28, 28, 128, 3, 3).padding(1, 1);
        floatCase(cases, "RESUMED_3X3_28_128", square, () -> floatResumed(square));
        byteCase(cases, "AGAIN_3X3_28_128", square, () -> byteAgain(square));
        return cases;
    }

    private static void both(List<KernelCase> cases, String name, ConvShape shape) {
        floatCase(cases, name, shape, () -> floatConv(shape));
        byteCase(cases, name, shape, () -> byteConv(shape));
    }

    private static void chains(List<KernelCase> cases, String name, Block block) {
        for (boolean resumed : new boolean[] {false, true}) {
            String all = (resumed ? "RESUMED_" : "") + name;
            cases.add(new KernelCase(
                    "FLOAT_" + all,
                    KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                    block.work(),
                    () -> floatChain(block, resumed)));
            cases.add(new KernelCase(
                    "INT8_" + all, KernelCase.Unit.BYTE_MULTIPLY_ADDS, block.work(), () -> byteChain(block, resumed)));
        }
    }

    private static void widenings(List<KernelCase> cases, String name, Block block) {
        long work = (long) block.size * block.size * block.wide * (block.inC + 9);
        for (boolean resumed : new boolean[] {false, true}) {
            cases.add(new KernelCase(
                    "FLOAT_" + (resumed ? "RESUMED_" : "") + name,
                    KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                    work,
                    () -> floatWidening(block, resumed)));
        }
    }

    private static void scaled(List<KernelCase> cases, String name, ConvShape shape) {
        floatCase(cases, name, shape, () -> floatScaled(shape, false));
        floatCase(cases, "RESUMED_" + name, shape, () -> floatScaled(shape, true));
    }

    private static void floatCase(
            List<KernelCase> cases, String name, ConvShape shape, Supplier<Runnable> preparation) {
        cases.add(new KernelCase("FLOAT_" + name, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, work(shape), preparation));
    }

    private static void byteCase(List<KernelCase> cases, String name, ConvShape shape, Supplier<Runnable> preparation) {
        cases.add(new KernelCase("INT8_" + name, KernelCase.Unit.BYTE_MULTIPLY_ADDS, work(shape), preparation));
    }

    private static long work(ConvShape shape) {
        return shape.weightCount()
                * (shape.transposed() ? (long) shape.inH() * shape.inW() : (long) shape.outH() * shape.outW());
    }

    /** The images that a network begins with come as they are. */
    private static ImageLayout inLayout(ConvShape shape) {
        return shape.inC() == 3 ? ImageLayout.NCHW : Kernels.preferredFloatLayout();
    }

    private static FloatConv plan(ConvShape shape) {
        return FloatConv.plan(
                shape,
                inLayout(shape),
                Kernels.preferredFloatLayout(),
                floats((int) shape.weightCount()),
                null,
                Clamp.RELU6);
    }

    private static float[] input(ConvShape shape) {
        return floats(inLayout(shape).size(shape.inC(), shape.inH(), shape.inW()));
    }

    private static float[] output(ConvShape shape) {
        return new float[Kernels.preferredFloatLayout().size(shape.outC(), shape.outH(), shape.outW())];
    }

    private static Runnable floatConv(ConvShape shape) {
        FloatConv conv = plan(shape);
        float[] in = input(shape);
        float[] out = output(shape);
        return () -> conv.run(in, 0, out, 0, 0, conv.units());
    }

    private static Runnable floatAdding(ConvShape shape) {
        FloatConv conv = plan(shape);
        float[] in = input(shape);
        float[] out = output(shape);
        float[] residual = floats(out.length);
        return () -> conv.runAdding(in, 0, residual, 0, out, 0, 0, conv.units());
    }

    /** Work on units [begin, end). */
    @FunctionalInterface
    private interface Units {
        void run(int begin, int end);
    }

    /** As a thread does them that fetches one unit after the other. */
    private static Runnable oneByOne(int units, Units first, Units next) {
        return () -> {
            first.run(0, 1);
            for (int unit = 1; unit < units; unit++) {
                next.run(unit, unit + 1);
            }
        };
    }

    private static Runnable floatResumed(ConvShape shape) {
        FloatConv conv = plan(shape);
        float[] in = input(shape);
        float[] out = output(shape);
        return oneByOne(
                conv.units(),
                (begin, end) -> conv.run(in, 0, out, 0, begin, end),
                (begin, end) -> conv.resume(in, 0, null, 0, out, 0, begin, end));
    }

    private static QuantizedConv bytePlan(ConvShape shape) {
        QuantizedChain.Stage stage = byteStage(shape);
        return QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                false,
                stage.inputZeroPoint(),
                stage.weights(),
                null,
                stage.requantization());
    }

    private static Runnable byteConv(ConvShape shape) {
        QuantizedConv conv = bytePlan(shape);
        byte[] in = bytes(shape.inC() * shape.inH() * shape.inW());
        byte[] out = new byte[shape.outC() * shape.outH() * shape.outW()];
        return () -> conv.run(in, 0, out, 0, 0, conv.units());
    }

    private static Runnable byteAgain(ConvShape shape) {
        QuantizedConv conv = bytePlan(shape);
        byte[] in = bytes(shape.inC() * shape.inH() * shape.inW());
        byte[] out = new byte[shape.outC() * shape.outH() * shape.outW()];
        return oneByOne(
                conv.units(),
                (begin, end) -> conv.run(in, 0, out, 0, begin, end),
                (begin, end) -> conv.runAgain(in, 0, null, 0, null, out, 0, begin, end));
    }

    private static Runnable byteAdding(ConvShape shape) {
        QuantizedConv conv = bytePlan(shape);
        byte[] in = bytes(shape.inC() * shape.inH() * shape.inW());
        byte[] out = new byte[shape.outC() * shape.outH() * shape.outW()];
        byte[] residual = bytes(out.length);
        QuantizedSum sum = QuantizedSum.fixedPoint(0.021f, 17, 0.05f, 120, false, 0.07f, 90, false, 0, 255);
        return () -> conv.runAdding(in, 0, residual, 0, sum, out, 0, 0, conv.units());
    }

    /** An inverted residual block of MobileNetV2: 1x1, 3x3 depthwise over {@code wide} channels, 1x1. */
    private record Block(int inC, int wide, int outC, int size, int stride) {
        long work() {
            long pixels = (long) size * size;
            return pixels * inC * wide + pixels / (stride * stride) * wide * (9 + outC);
        }

        ConvShape expand() {
            return ConvShape.of(inC, size, size, wide, 1, 1);
        }

        ConvShape depthwise() {
            return ConvShape.of(wide, size, size, wide, 3, 3)
                    .groups(wide)
                    .padding(1, 1)
                    .stride(stride, stride);
        }

        ConvShape project() {
            return ConvShape.of(wide, outSize(), outSize(), outC, 1, 1);
        }

        int outSize() {
            return depthwise().outH();
        }
    }

    private static Runnable floatChain(Block block, boolean resumed) {
        ImageLayout layout = Kernels.preferredFloatLayout();
        FloatChain chain = FloatChain.plan(
                floatStage(block.expand(), Clamp.RELU6),
                floatStage(block.depthwise(), Clamp.RELU6),
                floatStage(block.project(), Clamp.NONE),
                layout,
                layout);
        float[] in = floats(layout.size(block.inC, block.size, block.size));
        float[] out = new float[layout.size(block.outC, block.outSize(), block.outSize())];
        return !resumed
                ? () -> chain.run(in, 0, null, 0, out, 0, 0, chain.units())
                : oneByOne(
                        chain.units(),
                        (begin, end) -> chain.run(in, 0, null, 0, out, 0, begin, end),
                        (begin, end) -> chain.resume(in, 0, null, 0, out, 0, begin, end));
    }

    private static Runnable floatScaled(ConvShape shape, boolean resumed) {
        ScaledConv conv = ScaledConv.plan(
                shape, ImageLayout.BLOCKED, Weights.of(floats((int) shape.weightCount())), null, Activation.NONE);
        float[] in = floats(ImageLayout.BLOCKED.size(shape.inC(), shape.inH(), shape.inW()));
        float[] factors = floats(shape.inC());
        float[] out = new float[ImageLayout.BLOCKED.size(shape.outC(), shape.outH(), shape.outW())];
        return !resumed
                ? () -> conv.run(in, 0, factors, 0, null, 0, out, 0, 0, conv.units())
                : oneByOne(
                        conv.units(),
                        (begin, end) -> conv.run(in, 0, factors, 0, null, 0, out, 0, begin, end),
                        (begin, end) -> conv.resume(in, 0, null, 0, out, 0, begin, end));
    }

    /** The block's first two stages, over an image that comes in halves. */
    private static Runnable floatWidening(Block block, boolean resumed) {
        FloatWidening widening = FloatWidening.plan(
                floatStage(block.expand(), Clamp.RELU6),
                floatStage(block.depthwise(), Clamp.RELU6),
                ImageLayout.BLOCKED,
                true);
        float[] in = floats(2 * ImageLayout.BLOCKED.size(block.inC, block.size, block.size));
        float[] out = new float[ImageLayout.BLOCKED.size(block.wide, block.outSize(), block.outSize())];
        return !resumed
                ? () -> widening.run(in, 0, out, 0, 0, widening.units())
                : oneByOne(
                        widening.units(),
                        (begin, end) -> widening.run(in, 0, out, 0, begin, end),
                        (begin, end) -> widening.resume(in, 0, out, 0, begin, end));
    }

    private static FloatChain.Stage floatStage(ConvShape shape, Clamp clamp) {
        return new FloatChain.Stage(shape, floats((int) shape.weightCount()), null, clamp);
    }

    private static Runnable byteChain(Block block, boolean resumed) {
        QuantizedChain chain = QuantizedChain.plan(
                byteStage(block.expand()),
                byteStage(block.depthwise()),
                byteStage(block.project()),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                null);
        byte[] in = bytes(block.inC * block.size * block.size);
        byte[] out = new byte[block.outC * block.outSize() * block.outSize()];
        return !resumed
                ? () -> chain.run(in, 0, null, 0, out, 0, 0, chain.units())
                : oneByOne(
                        chain.units(),
                        (begin, end) -> chain.run(in, 0, null, 0, out, 0, begin, end),
                        (begin, end) -> chain.resume(in, 0, null, 0, out, 0, begin, end));
    }

    /** With results that spread over the bytes. */
    static QuantizedChain.Stage byteStage(ConvShape shape) {
        float[] scales = new float[shape.outC()];
        Arrays.fill(scales, (float) (0.01 / Math.sqrt(shape.weightCount() / (double) shape.outC())));
        return new QuantizedChain.Stage(
                shape,
                false,
                128,
                new QuantizedWeights(bytes((int) shape.weightCount()), true, new int[] {0}),
                null,
                Requantization.halfEven(scales, 0, 0, 255));
    }
}
