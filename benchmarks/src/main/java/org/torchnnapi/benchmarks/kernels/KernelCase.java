package org.torchnnapi.benchmarks.kernels;

import java.util.Arrays;
import java.util.Random;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.Gemm;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.LayoutConversion;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.Resize;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.Softmax;
import org.torchnnapi.kernels.Transpose;
import org.torchnnapi.kernels.UnaryOp;

/** The kernels that are measured, one a constant: the layers of MobileNetV2 and ResNet18 that differ, and the others at a usual size. */
public enum KernelCase {
    FLOAT_1X1_12544X16_96(ConvShape.of(16, 112, 112, 96, 1, 1)),
    FLOAT_1X1_3136X24_144(ConvShape.of(24, 56, 56, 144, 1, 1)),
    FLOAT_1X1_784X32_192(ConvShape.of(32, 28, 28, 192, 1, 1)),
    FLOAT_1X1_196X64_384(ConvShape.of(64, 14, 14, 384, 1, 1)),
    FLOAT_1X1_196X576_96(ConvShape.of(576, 14, 14, 96, 1, 1)),
    FLOAT_1X1_49X160_960(ConvShape.of(160, 7, 7, 960, 1, 1)),
    FLOAT_1X1_49X320_1280(ConvShape.of(320, 7, 7, 1280, 1, 1)),
    FLOAT_FIRST_3X3_224(ConvShape.of(3, 224, 224, 32, 3, 3).stride(2, 2).padding(1, 1)),
    FLOAT_3X3_56_64(ConvShape.of(64, 56, 56, 64, 3, 3).padding(1, 1)),
    FLOAT_3X3_28_128(ConvShape.of(128, 28, 28, 128, 3, 3).padding(1, 1)),
    FLOAT_3X3_14_256(ConvShape.of(256, 14, 14, 256, 3, 3).padding(1, 1)),
    FLOAT_3X3_55_16_64(ConvShape.of(16, 55, 55, 64, 3, 3).padding(1, 1)),
    FLOAT_3X3_28_128_STRIDE_2(ConvShape.of(128, 28, 28, 256, 3, 3).padding(1, 1).stride(2, 2)),
    FLOAT_3X3_7_512(ConvShape.of(512, 7, 7, 512, 3, 3).padding(1, 1)),
    FLOAT_GROUPED_3X3_28_64(ConvShape.of(64, 28, 28, 64, 3, 3).padding(1, 1).groups(4)),
    FLOAT_TRANSPOSED_2X2_28_64(ConvShape.of(64, 28, 28, 32, 2, 2).stride(2, 2).transposed(0, 0)),
    FLOAT_DEPTHWISE_112_32(ConvShape.of(32, 112, 112, 32, 3, 3).padding(1, 1).groups(32)),
    FLOAT_DEPTHWISE_56_144(ConvShape.of(144, 56, 56, 144, 3, 3).padding(1, 1).groups(144)),
    FLOAT_DEPTHWISE_14_384(ConvShape.of(384, 14, 14, 384, 3, 3).padding(1, 1).groups(384)),
    FLOAT_DEPTHWISE_14_576_STRIDE_2(ConvShape.of(576, 14, 14, 576, 3, 3).padding(1, 1).groups(576).stride(2, 2)),
    FLOAT_DEPTHWISE_5X5_14_240(ConvShape.of(240, 14, 14, 240, 5, 5).padding(2, 2).groups(240)),
    FLOAT_LINEAR_1280_1000(ConvShape.of(1280, 1, 1, 1000, 1, 1)),
    FLOAT_CHAIN_112_16_96_24(Sizes.chainWork(16, 96, 24, 112, 2)) {
        @Override
        Runnable prepare() {
            return chain(16, 96, 24, 112, 2);
        }
    },
    FLOAT_CHAIN_28_32_192_32(Sizes.chainWork(32, 192, 32, 28, 1)) {
        @Override
        Runnable prepare() {
            return chain(32, 192, 32, 28, 1);
        }
    },
    INT8_1X1_12544X16_96(ConvShape.of(16, 112, 112, 96, 1, 1)),
    INT8_1X1_3136X24_144(ConvShape.of(24, 56, 56, 144, 1, 1)),
    INT8_1X1_784X32_192(ConvShape.of(32, 28, 28, 192, 1, 1)),
    INT8_1X1_196X64_384(ConvShape.of(64, 14, 14, 384, 1, 1)),
    INT8_1X1_196X576_96(ConvShape.of(576, 14, 14, 96, 1, 1)),
    INT8_1X1_49X160_960(ConvShape.of(160, 7, 7, 960, 1, 1)),
    INT8_1X1_49X320_1280(ConvShape.of(320, 7, 7, 1280, 1, 1)),
    INT8_FIRST_3X3_224(ConvShape.of(3, 224, 224, 32, 3, 3).stride(2, 2).padding(1, 1)),
    INT8_3X3_56_64(ConvShape.of(64, 56, 56, 64, 3, 3).padding(1, 1)),
    INT8_DEPTHWISE_112_32(ConvShape.of(32, 112, 112, 32, 3, 3).padding(1, 1).groups(32)),
    INT8_DEPTHWISE_56_144(ConvShape.of(144, 56, 56, 144, 3, 3).padding(1, 1).groups(144)),
    INT8_DEPTHWISE_14_384(ConvShape.of(384, 14, 14, 384, 3, 3).padding(1, 1).groups(384)),
    INT8_DEPTHWISE_14_576_STRIDE_2(ConvShape.of(576, 14, 14, 576, 3, 3).padding(1, 1).groups(576).stride(2, 2)),
    INT8_LINEAR_1280_1000(ConvShape.of(1280, 1, 1, 1000, 1, 1)),
    INT8_CHAIN_112_16_96_24(Sizes.chainWork(16, 96, 24, 112, 2)) {
        @Override
        Runnable prepare() {
            return int8Chain(16, 96, 24, 112, 2);
        }
    },
    INT8_CHAIN_28_32_192_32(Sizes.chainWork(32, 192, 32, 28, 1)) {
        @Override
        Runnable prepare() {
            return int8Chain(32, 192, 32, 28, 1);
        }
    },
    GEMM_128(128L * 128 * 128) {
        @Override
        Runnable prepare() {
            float[] a = floats(128 * 128);
            float[] b = floats(128 * 128);
            float[] c = new float[128 * 128];
            Gemm gemm = Gemm.plan(128, 128, 128);
            return () -> gemm.run(a, 0, b, 0, c, 0, 0, gemm.units());
        }
    },
    /** A layer of a keyword spotter over a second. */
    RECURRENT_GRU_128_STEPS_100(100L * 3 * 128 * (128 + 128)) {
        @Override
        Runnable prepare() {
            return recurrent(FloatRecurrent.Cell.GRU);
        }
    },
    RECURRENT_LSTM_128_STEPS_100(100L * 4 * 128 * (128 + 128)) {
        @Override
        Runnable prepare() {
            return recurrent(FloatRecurrent.Cell.LSTM);
        }
    },
    ADD_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            float[] a = floats(Sizes.ELEMENTS);
            float[] b = floats(Sizes.ELEMENTS);
            return () -> ElementwiseOps.binary(BinaryOp.ADD, a, 0, b, 0, a, 0, Sizes.ELEMENTS, Clamp.RELU6);
        }
    },
    SIGMOID_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            float[] a = floats(Sizes.ELEMENTS);
            float[] out = new float[Sizes.ELEMENTS];
            return () -> ElementwiseOps.unary(UnaryOp.SIGMOID, a, 0, out, 0, Sizes.ELEMENTS);
        }
    },
    SOFTMAX_1000(1000) {
        @Override
        Runnable prepare() {
            float[] a = floats(1000);
            float[] out = new float[1000];
            return () -> Softmax.run(a, 0, out, 0, 1000, 1, 1, 0, 1);
        }
    },
    MEAN_32X3136(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            float[] a = floats(Sizes.ELEMENTS);
            float[] out = new float[32];
            return () -> Reduction.MEAN.run(a, 0, out, 0, 3136, 1, 0, 32);
        }
    },
    MAX_POOL_3X3_112_64(64L * 56 * 56 * 9) {
        @Override
        Runnable prepare() {
            return pool(Pooling.Kind.MAX, new Pooling.Window(64, 112, 112, 56, 56, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1));
        }
    },
    AVERAGE_POOL_7X7_1280(1280L * 49) {
        @Override
        Runnable prepare() {
            return pool(Pooling.Kind.AVERAGE, new Pooling.Window(1280, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1, 0, 0, 0, 0));
        }
    },
    RESIZE_BILINEAR_28_56_32(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            ImageLayout layout = Kernels.preferredFloatLayout();
            float[] in = floats(layout.size(32, 28, 28));
            float[] out = new float[layout.size(32, 56, 56)];
            Resize resize = Resize.bilinear(layout, 32, 28, 28, 56, 56, Resize.Coordinates.HALF_PIXEL, 0.5f, 0.5f);
            return () -> resize.run(in, 0, out, 0, 0, resize.units());
        }
    },
    LAYOUT_NHWC_TO_PREFERRED_112_32(32L * 112 * 112) {
        @Override
        Runnable prepare() {
            ImageLayout layout = Kernels.preferredFloatLayout();
            float[] in = floats(32 * 112 * 112);
            float[] out = new float[layout.size(32, 112, 112)];
            return () -> LayoutConversion.convert(32, 112 * 112, ImageLayout.NHWC, in, 0, layout, out, 0);
        }
    },
    QUANTIZE_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            float[] in = floats(Sizes.ELEMENTS);
            byte[] out = new byte[Sizes.ELEMENTS];
            return () -> Quantizing.quantize(in, 0, out, 0, Sizes.ELEMENTS, 0.01f, 128, false, Rounding.HALF_EVEN);
        }
    },
    DEQUANTIZE_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            byte[] in = bytes(Sizes.ELEMENTS);
            float[] out = new float[Sizes.ELEMENTS];
            return () -> Quantizing.dequantize(in, 0, out, 0, Sizes.ELEMENTS, 0.01f, 128, false);
        }
    },
    TABLE_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            byte[] in = bytes(Sizes.ELEMENTS);
            byte[] out = new byte[Sizes.ELEMENTS];
            byte[] table = bytes(256);
            return () -> Quantizing.lookUp(in, 0, out, 0, Sizes.ELEMENTS, table);
        }
    },
    BYTE_SUM_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            byte[] a = bytes(Sizes.ELEMENTS);
            byte[] b = bytes(Sizes.ELEMENTS);
            byte[] out = new byte[Sizes.ELEMENTS];
            QuantizedSum sum = QuantizedSum.fixedPoint(0.021f, 17, 0.05f, 120, false, 0.07f, 90, false, 0, 255);
            return () -> sum.run(a, 0, b, 0, out, 0, Sizes.ELEMENTS);
        }
    },
    TANH_100352(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            float[] a = floats(Sizes.ELEMENTS);
            float[] out = new float[Sizes.ELEMENTS];
            return () -> ElementwiseOps.unary(UnaryOp.TANH, a, 0, out, 0, Sizes.ELEMENTS);
        }
    },
    SCALE_CHANNELS_32X3136(Sizes.ELEMENTS) {
        @Override
        Runnable prepare() {
            ImageLayout layout = Kernels.preferredFloatLayout();
            float[] a = floats(layout.size(32, 56, 56));
            float[] b = floats(32);
            return () -> ElementwiseOps.perChannel(BinaryOp.MUL, layout, 32, 3136, a, 0, b, 0, a, 0, Clamp.NONE);
        }
    },
    BYTE_MAX_POOL_3X3_112_64(64L * 56 * 56 * 9) {
        @Override
        Runnable prepare() {
            Pooling pooling = Pooling.plan(Pooling.Kind.MAX, new Pooling.Window(64, 112, 112, 56, 56, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1),
                ImageLayout.NHWC, Clamp.NONE);
            byte[] in = bytes(64 * 112 * 112);
            byte[] out = new byte[64 * 56 * 56];
            return () -> pooling.run(in, 0, out, 0, false, 0, Rounding.HALF_EVEN, 0, 255, 0, pooling.units());
        }
    },
    BYTE_AVERAGE_POOL_7X7_1280(1280L * 49) {
        @Override
        Runnable prepare() {
            Pooling pooling = Pooling.plan(Pooling.Kind.AVERAGE, new Pooling.Window(1280, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1, 0, 0, 0, 0),
                ImageLayout.NHWC, Clamp.NONE);
            byte[] in = bytes(1280 * 49);
            byte[] out = new byte[1280];
            return () -> pooling.runAboveZero(in, 0, out, 0, false, 3, Rounding.HALF_EVEN, 0, 255, 0, pooling.units());
        }
    },
    TRANSPOSE_384X196_BYTES(384L * 196) {
        @Override
        Runnable prepare() {
            byte[] in = bytes(384 * 196);
            byte[] out = new byte[384 * 196];
            Transpose transpose = Transpose.plan(new int[] {384, 196}, new int[] {1, 0});
            return () -> transpose.run(in, 0, out, 0, 0, transpose.units());
        }
    },
    TRANSPOSE_197X3X64(197L * 3 * 64) {
        @Override
        Runnable prepare() {
            float[] in = floats(197 * 3 * 64);
            float[] out = new float[197 * 3 * 64];
            Transpose transpose = Transpose.plan(new int[] {197, 3, 64}, new int[] {1, 2, 0});
            return () -> transpose.run(in, 0, out, 0, 0, transpose.units());
        }
    };

    private final ConvShape shape;
    private final long work;

    /** Constants of an enum cannot use its own statics. */
    private static final class Sizes {
        static final int ELEMENTS = 32 * 56 * 56;

        static long chainWork(int inC, int wide, int outC, int size, int stride) {
            long pixels = (long) size * size;
            return pixels * inC * wide + pixels / (stride * stride) * wide * (9 + outC);
        }
    }

    KernelCase(ConvShape shape) {
        this.shape = shape;
        work = shape.weightCount() * (shape.transposed() ? (long) shape.inH() * shape.inW() : (long) shape.outH() * shape.outW());
    }

    KernelCase(long work) {
        shape = null;
        this.work = work;
    }

    /**
     * Multiply-adds of one run, or elements where there are none to count. Convolutions count those of the plain sum, of which kernels may do
     * fewer: 3x3 ones may pass the peak.
     */
    long work() {
        return work;
    }

    /** Whether {@link #work} counts multiply-adds, which the machine's peak bounds. */
    boolean isProduct() {
        return shape != null || name().startsWith("GEMM") || name().contains("_CHAIN_") || name().startsWith("RECURRENT");
    }

    boolean isInt8() {
        return name().startsWith("INT8");
    }

    /** Packs what it needs and returns one run. */
    Runnable prepare() {
        return isInt8() ? int8Conv() : floatConv();
    }

    private Runnable floatConv() {
        ImageLayout layout = Kernels.preferredFloatLayout();
        // The images that a network begins with come as they are.
        ImageLayout inLayout = shape.inC() == 3 ? ImageLayout.NCHW : layout;
        float[] in = floats(inLayout.size(shape.inC(), shape.inH(), shape.inW()));
        float[] out = new float[layout.size(shape.outC(), shape.outH(), shape.outW())];
        FloatConv conv = FloatConv.plan(shape, inLayout, layout, floats((int) shape.weightCount()), null, Clamp.RELU6);
        return () -> conv.run(in, 0, out, 0, 0, conv.units());
    }

    private static Runnable chain(int inC, int wide, int outC, int size, int stride) {
        ImageLayout layout = Kernels.preferredFloatLayout();
        ConvShape depthwise = ConvShape.of(wide, size, size, wide, 3, 3).groups(wide).padding(1, 1).stride(stride, stride);
        int outSize = depthwise.outH();
        FloatChain chain = FloatChain.plan(stage(ConvShape.of(inC, size, size, wide, 1, 1), Clamp.RELU6), stage(depthwise, Clamp.RELU6),
            stage(ConvShape.of(wide, outSize, outSize, outC, 1, 1), Clamp.NONE), layout, layout);
        float[] in = floats(layout.size(inC, size, size));
        float[] out = new float[layout.size(outC, outSize, outSize)];
        return () -> chain.run(in, 0, null, 0, out, 0, 0, chain.units());
    }

    private static FloatChain.Stage stage(ConvShape shape, Clamp clamp) {
        return new FloatChain.Stage(shape, floats((int) shape.weightCount()), null, clamp);
    }

    private Runnable int8Conv() {
        byte[] in = bytes(shape.inC() * shape.inH() * shape.inW());
        byte[] out = new byte[shape.outC() * shape.outH() * shape.outW()];
        QuantizedChain.Stage stage = int8Stage(shape);
        QuantizedConv conv = QuantizedConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, false, stage.inputZeroPoint(), stage.weights(), null,
            stage.requantization());
        return () -> conv.run(in, 0, out, 0, 0, conv.units());
    }

    private static Runnable int8Chain(int inC, int wide, int outC, int size, int stride) {
        ConvShape depthwise = ConvShape.of(wide, size, size, wide, 3, 3).groups(wide).padding(1, 1).stride(stride, stride);
        int outSize = depthwise.outH();
        QuantizedChain chain = QuantizedChain.plan(int8Stage(ConvShape.of(inC, size, size, wide, 1, 1)), int8Stage(depthwise),
            int8Stage(ConvShape.of(wide, outSize, outSize, outC, 1, 1)), ImageLayout.NHWC, ImageLayout.NHWC, null);
        byte[] in = bytes(inC * size * size);
        byte[] out = new byte[outC * outSize * outSize];
        return () -> chain.run(in, 0, null, 0, out, 0, 0, chain.units());
    }

    /** With results that spread over the bytes. */
    private static QuantizedChain.Stage int8Stage(ConvShape shape) {
        double[] scales = new double[shape.outC()];
        Arrays.fill(scales, 0.01 / Math.sqrt(shape.weightCount() / (double) shape.outC()));
        return new QuantizedChain.Stage(shape, false, 128, new QuantizedWeights(bytes((int) shape.weightCount()), true, new int[] {0}), null,
            Requantization.fixedPoint(scales, 0, 0, 255));
    }

    private static byte[] bytes(int count) {
        byte[] values = new byte[count];
        new Random(count).nextBytes(values);
        return values;
    }

    private static Runnable recurrent(FloatRecurrent.Cell cell) {
        int units = 128;
        int steps = 100;
        int rows = cell.gates() * units;
        FloatRecurrent layer = FloatRecurrent.plan(cell, units, units, floats(rows * units), floats(rows * units), null, null);
        FloatRecurrent.Strides at = new FloatRecurrent.Strides(0, units, units);
        float[] in = floats(steps * units);
        float[] out = new float[steps * units];
        float[] hidden = new float[units];
        float[] cells = new float[units];
        return () -> layer.run(in, at, out, at, steps, 1, false, hidden, 0, cells, 0, 0, 1);
    }

    private static Runnable pool(Pooling.Kind kind, Pooling.Window window) {
        ImageLayout layout = Kernels.preferredFloatLayout();
        float[] in = floats(layout.size(window.channels(), window.inH(), window.inW()));
        float[] out = new float[layout.size(window.channels(), window.outH(), window.outW())];
        Pooling pooling = Pooling.plan(kind, window, layout, Clamp.NONE);
        return () -> pooling.run(in, 0, out, 0, 0, pooling.units());
    }

    private static float[] floats(int count) {
        Random random = new Random(count);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }
}
