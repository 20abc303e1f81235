package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.ByteTable;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.HalfFloats;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.UnaryOp;

/** What is done to each element on its own, over as many as an image of 32 channels and 56 x 56 pixels has. */
final class ElementCases {
    private static final int CHANNELS = 32;
    private static final int PIXELS = 56 * 56;
    static final int COUNT = CHANNELS * PIXELS;

    private ElementCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        for (BinaryOp op : BinaryOp.values()) {
            add(cases, op.name(), () -> {
                float[] a = floats(COUNT);
                float[] b = floats(COUNT);
                float[] out = new float[COUNT];
                return () -> ElementwiseOps.binary(op, a, 0, b, 0, out, 0, COUNT, Clamp.RELU6);
            });
        }
        for (UnaryOp op : UnaryOp.values()) {
            add(cases, op.name(), () -> {
                float[] in = floats(COUNT);
                float[] out = new float[COUNT];
                return () -> ElementwiseOps.unary(op, in, 0, out, 0, COUNT);
            });
        }
        add(cases, "CLAMP", () -> {
            float[] in = floats(COUNT);
            float[] out = new float[COUNT];
            return () -> ElementwiseOps.clamp(in, 0, out, 0, COUNT, Clamp.RELU6);
        });
        add(cases, "MASKED_FILL", () -> {
            float[] in = floats(COUNT);
            byte[] mask = bytes(COUNT);
            float[] out = new float[COUNT];
            return () -> ElementwiseOps.maskedFill(in, 0, mask, 0, false, true, -1, out, 0, COUNT);
        });
        cases.add(KernelCase.elements("SCALE_CHANNELS_32X3136", COUNT, ElementCases::scaleChannels));
        addHalves(cases);
        addBytes(cases);
        return cases;
    }

    private static void add(List<KernelCase> cases, String name, Supplier<Runnable> preparation) {
        cases.add(KernelCase.elements(name + "_" + COUNT, COUNT, preparation));
    }

    private static Runnable scaleChannels() {
        ImageLayout layout = Kernels.preferredFloatLayout();
        float[] image = floats(layout.size(CHANNELS, PIXELS, 1));
        float[] out = new float[image.length];
        float[] factors = floats(CHANNELS);
        return () -> ElementwiseOps.perChannel(
                BinaryOp.MUL, layout, CHANNELS, PIXELS, image, 0, factors, 0, out, 0, Clamp.NONE);
    }

    private static void addHalves(List<KernelCase> cases) {
        add(cases, "WIDEN_HALVES", () -> {
            short[] in = new short[COUNT];
            HalfFloats.narrow(floats(COUNT), 0, in, 0, COUNT);
            float[] out = new float[COUNT];
            return () -> HalfFloats.widen(in, 0, out, 0, COUNT);
        });
        add(cases, "NARROW_TO_HALVES", () -> {
            float[] in = floats(COUNT);
            short[] out = new short[COUNT];
            return () -> HalfFloats.narrow(in, 0, out, 0, COUNT);
        });
    }

    private static void addBytes(List<KernelCase> cases) {
        for (Quantizing.Rule rule : Quantizing.Rule.values()) {
            add(cases, "QUANTIZE_" + rule, () -> {
                float[] in = floats(COUNT);
                byte[] out = new byte[COUNT];
                return () -> Quantizing.quantize(in, 0, out, 0, COUNT, 0.01f, 128, false, rule);
            });
        }
        add(cases, "DEQUANTIZE", () -> {
            byte[] in = bytes(COUNT);
            float[] out = new float[COUNT];
            return () -> Quantizing.dequantize(in, 0, out, 0, COUNT, 0.01f, 128, false);
        });
        add(cases, "TABLE", () -> {
            byte[] in = bytes(COUNT);
            byte[] out = new byte[COUNT];
            byte[] table = bytes(256);
            return () -> Quantizing.lookUp(in, 0, out, 0, COUNT, table);
        });
        ByteTable lookUp = new ByteTable(bytes(256));
        add(cases, "TABLE_IN_PLACE", () -> {
            byte[] out = bytes(COUNT);
            ByteEpilogue after = lookUp;
            return () -> after.finish(null, 0, out, 0, COUNT);
        });
        cases.add(KernelCase.elements("TABLE_IN_PLACE_ROWS_3136X24", PIXELS * 24, () -> {
            byte[] out = bytes(COUNT);
            return () -> lookUp.finish(null, 0, out, 0, 24, PIXELS, CHANNELS);
        }));
        add(cases, "TABLE_OF_PAIRS", () -> {
            byte[] a = bytes(COUNT);
            byte[] b = bytes(COUNT + 1);
            byte[] out = new byte[COUNT];
            byte[] table = bytes(1 << 16);
            return () -> Quantizing.lookUpPairs(a, 0, 1, b, 0, 1, out, 0, COUNT, table);
        });
        add(cases, "BYTE_PRODUCT", () -> {
            byte[] a = bytes(COUNT);
            byte[] b = bytes(COUNT + 1);
            byte[] out = new byte[COUNT];
            ByteProduct product = product(0.021f, 17, 0.05f, 120, 0.07f, 90);
            return () -> product.run(a, 0, b, 0, 1, 0, out, 0, COUNT, 1);
        });
        sums(cases, "", QuantizedSum.fixedPoint(0.021f, 17, 0.05f, 120, false, 0.07f, 90, false, 0, 255));
        sums(cases, "_HALF_EVEN", QuantizedSum.halfEven(0.021f, 17, 0.05f, 120, false, 0.07f, 90, false, 0, 255));
    }

    /** As PyTorch rounds it. */
    private static ByteProduct product(float scaleA, int zeroA, float scaleB, int zeroB, float scale, int zeroPoint) {
        byte[] table = new byte[1 << 16];
        float factor = scaleA * scaleB * (1 / scale);
        for (int i = 0; i < table.length; i++) {
            double steps = (float) (((i >> 8) - zeroA) * ((i & 255) - zeroB)) * factor;
            table[i] = (byte) Math.min(Math.max(Math.rint(steps) + zeroPoint, 0), 255);
        }
        return ByteProduct.of(table, false, scaleA, zeroA, scaleB, zeroB, scale, zeroPoint);
    }

    private static void sums(List<KernelCase> cases, String rule, QuantizedSum sum) {
        add(cases, "BYTE_SUM" + rule, () -> {
            byte[] a = bytes(COUNT);
            byte[] b = bytes(COUNT + 1);
            byte[] out = new byte[COUNT];
            return () -> sum.run(a, 0, b, 0, out, 0, COUNT);
        });
        cases.add(KernelCase.elements("BYTE_SUM" + rule + "_IN_PLACE_ROWS_3136X24", PIXELS * 24, () -> {
            byte[] residual = bytes(COUNT);
            byte[] out = bytes(COUNT + 1);
            return () -> sum.finish(residual, 0, out, 0, 24, PIXELS, CHANNELS);
        }));
        cases.add(KernelCase.elements("BYTE_SUM" + rule + "_ROWS_3136X24", PIXELS * 24, () -> {
            // 24 of the 32 channels of each pixel.
            byte[] a = bytes(COUNT);
            byte[] b = bytes(COUNT + 1);
            byte[] out = new byte[COUNT];
            return () -> sum.runRows(a, 0, b, 0, out, 0, 24, PIXELS, CHANNELS);
        }));
    }
}
