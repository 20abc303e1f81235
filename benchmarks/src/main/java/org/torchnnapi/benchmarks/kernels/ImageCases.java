package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.LayoutConversion;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Resize;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.TransposeKernel;

/** Pooling, resizing and changes of layout, of floats in the layout that kernels prefer and of bytes in NHWC. */
final class ImageCases {
    private ImageCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        pools(
                cases,
                "MAX_POOL_3X3_112_64",
                Pooling.Kind.MAX,
                new Pooling.Window(64, 112, 112, 56, 56, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1));
        pools(
                cases,
                "AVERAGE_POOL_3X3_28_192",
                Pooling.Kind.AVERAGE,
                new Pooling.Window(192, 28, 28, 28, 28, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1));
        pools(
                cases,
                "AVERAGE_POOL_7X7_1280",
                Pooling.Kind.AVERAGE,
                new Pooling.Window(1280, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1, 0, 0, 0, 0));
        for (boolean bilinear : new boolean[] {true, false}) {
            String name = "RESIZE_" + (bilinear ? "BILINEAR" : "NEAREST") + "_28_56_32";
            cases.add(KernelCase.elements(name, 32 * 56 * 56, () -> floatResize(bilinear)));
            cases.add(KernelCase.elements("BYTE_" + name, 32 * 56 * 56, () -> byteResize(bilinear)));
        }
        conversions(cases, "NCHW_TO_PREFERRED_112_32", ImageLayout.NCHW, Kernels.preferredFloatLayout());
        conversions(cases, "NHWC_TO_PREFERRED_112_32", ImageLayout.NHWC, Kernels.preferredFloatLayout());
        conversions(cases, "NCHW_TO_NHWC_112_32", ImageLayout.NCHW, ImageLayout.NHWC);
        transposes(cases, "384X196", new int[] {384, 196}, new int[] {1, 0});
        transposes(cases, "197X3X64", new int[] {197, 3, 64}, new int[] {1, 2, 0});
        return cases;
    }

    private static void pools(List<KernelCase> cases, String name, Pooling.Kind kind, Pooling.Window window) {
        long work = (long) window.channels() * window.outH() * window.outW() * window.kernelH() * window.kernelW();
        cases.add(KernelCase.elements(name, work, () -> {
            ImageLayout layout = Kernels.preferredFloatLayout();
            float[] in = floats(layout.size(window.channels(), window.inH(), window.inW()));
            float[] out = new float[layout.size(window.channels(), window.outH(), window.outW())];
            Pooling pooling = Pooling.plan(kind, window, layout, Clamp.NONE);
            return () -> pooling.run(in, 0, out, 0, 0, pooling.units());
        }));
        cases.add(KernelCase.elements("BYTE_" + name, work, () -> {
            Pooling pooling = Pooling.plan(kind, window, ImageLayout.NHWC, Clamp.NONE);
            byte[] in = bytes(window.channels() * window.inH() * window.inW());
            byte[] out = new byte[window.channels() * window.outH() * window.outW()];
            // As QNNPACK rounds means, and as NNAPI has it for all.
            return kind == Pooling.Kind.AVERAGE
                    ? () -> pooling.runAboveZero(
                            in, 0, out, 0, false, 3, Rounding.HALF_EVEN, 0, 255, 0, pooling.byteUnits())
                    : () -> pooling.run(in, 0, out, 0, false, 0, Rounding.HALF_EVEN, 0, 255, 0, pooling.byteUnits());
        }));
    }

    private static Resize resize(boolean bilinear, ImageLayout layout) {
        return bilinear
                ? Resize.bilinear(layout, 32, 28, 28, 56, 56, Resize.Coordinates.HALF_PIXEL, 0.5f, 0.5f)
                : Resize.nearest(layout, 32, 28, 28, 56, 56, Resize.Coordinates.ASYMMETRIC, 0.5f, 0.5f);
    }

    private static Runnable floatResize(boolean bilinear) {
        ImageLayout layout = Kernels.preferredFloatLayout();
        Resize resize = resize(bilinear, layout);
        float[] in = floats(layout.size(32, 28, 28));
        float[] out = new float[layout.size(32, 56, 56)];
        return () -> resize.run(in, 0, out, 0, 0, resize.units());
    }

    private static Runnable byteResize(boolean bilinear) {
        Resize resize = resize(bilinear, ImageLayout.NHWC);
        byte[] in = bytes(32 * 28 * 28);
        byte[] out = new byte[32 * 56 * 56];
        return () -> resize.run(in, 0, out, 0, false, Rounding.HALF_EVEN, 0, resize.units());
    }

    private static void conversions(List<KernelCase> cases, String name, ImageLayout from, ImageLayout to) {
        int channels = 32;
        int pixels = 112 * 112;
        cases.add(KernelCase.elements("LAYOUT_" + name, (long) channels * pixels, () -> {
            float[] in = floats(from.size(channels, pixels, 1));
            float[] out = new float[to.size(channels, pixels, 1)];
            return () -> LayoutConversion.convert(channels, pixels, from, in, 0, to, out, 0);
        }));
        cases.add(KernelCase.elements("BYTE_LAYOUT_" + name, (long) channels * pixels, () -> {
            byte[] in = bytes(from.size(channels, pixels, 1));
            byte[] out = new byte[to.size(channels, pixels, 1)];
            return () -> LayoutConversion.convert(channels, pixels, from, in, 0, to, out, 0);
        }));
    }

    private static void transposes(List<KernelCase> cases, String name, int[] dims, int[] order) {
        int count = 1;
        for (int dimension : dims) {
            count *= dimension;
        }
        int elements = count;
        cases.add(KernelCase.elements("TRANSPOSE_" + name, elements, () -> {
            TransposeKernel transpose = TransposeKernel.plan(dims, order);
            float[] in = floats(elements);
            float[] out = new float[elements];
            return () -> transpose.run(in, 0, out, 0, 0, transpose.units());
        }));
        cases.add(KernelCase.elements("TRANSPOSE_" + name + "_BYTES", elements, () -> {
            TransposeKernel transpose = TransposeKernel.plan(dims, order);
            byte[] in = bytes(elements);
            byte[] out = new byte[elements];
            return () -> transpose.run(in, 0, out, 0, 0, transpose.units());
        }));
    }
}
