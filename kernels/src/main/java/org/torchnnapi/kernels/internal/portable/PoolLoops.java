package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.PoolSpec;

/** Pooling over any channel block: an output row at a time, its windows cut to the image, channels innermost. */
public final class PoolLoops {
    private PoolLoops() {}

    /**
     * The part of a window along one axis that lies inside the image: positions first, first + dilation, ... below end.
     */
    public static int first(int start, int dilation) {
        return start >= 0 ? start : (int) (start + (dilation - 1L - start) / dilation * dilation);
    }

    private static int count(int first, int end, int dilation) {
        return end <= first ? 0 : (int) ((end - 1L - first) / dilation) + 1;
    }

    /** Where taps of a window end that are inside the image. */
    private static int end(int start, int kernel, int dilation, int extent) {
        return (int) Math.min(start + (long) kernel * dilation, extent);
    }

    public static void max(
            Pooling.Window w,
            int block,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end,
            Clamp clamp) {
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / w.outH() * w.inH() * w.inW() * block;
            int startY = unit % w.outH() * w.strideH() - w.padTop();
            int y0 = first(startY, w.dilationH());
            int y1 = end(startY, w.kernelH(), w.dilationH(), w.inH());
            for (int ox = 0; ox < w.outW(); ox++) {
                int startX = ox * w.strideW() - w.padLeft();
                int x0 = first(startX, w.dilationW());
                int x1 = end(startX, w.kernelW(), w.dilationW(), w.inW());
                int rows = count(y0, y1, w.dilationH());
                int columns = count(x0, x1, w.dilationW());
                int target = outOffset + (unit * w.outW() + ox) * block;
                for (int c = 0; c < block; c++) {
                    out[target + c] = Float.NEGATIVE_INFINITY;
                }
                for (int i = 0; i < rows; i++) {
                    for (int j = 0; j < columns; j++) {
                        int source = plane + ((y0 + i * w.dilationH()) * w.inW() + x0 + j * w.dilationW()) * block;
                        for (int c = 0; c < block; c++) {
                            out[target + c] = Math.max(out[target + c], in[source + c]);
                        }
                    }
                }
                PortableElementwise.limit(out, target, block, clamp);
            }
        }
    }

    public static void average(
            Pooling.Window w,
            boolean countPadding,
            int block,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end,
            Clamp clamp) {
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / w.outH() * w.inH() * w.inW() * block;
            int startY = unit % w.outH() * w.strideH() - w.padTop();
            int y0 = Math.max(startY, 0);
            int y1 = end(startY, w.kernelH(), 1, w.inH());
            for (int ox = 0; ox < w.outW(); ox++) {
                int startX = ox * w.strideW() - w.padLeft();
                int x0 = Math.max(startX, 0);
                int x1 = end(startX, w.kernelW(), 1, w.inW());
                int target = outOffset + (unit * w.outW() + ox) * block;
                for (int c = 0; c < block; c++) {
                    out[target + c] = 0;
                }
                for (int y = y0; y < y1; y++) {
                    for (int x = x0; x < x1; x++) {
                        int source = plane + (y * w.inW() + x) * block;
                        for (int c = 0; c < block; c++) {
                            out[target + c] += in[source + c];
                        }
                    }
                }
                float divisor = countPadding ? paddedArea(w, startY, startX) : (y1 - y0) * (x1 - x0);
                for (int c = 0; c < block; c++) {
                    out[target + c] = clamp.apply(out[target + c] / divisor);
                }
            }
        }
    }

    /** Elements of the window that lie inside the padded image. */
    public static long paddedArea(Pooling.Window w, int startY, int startX) {
        long h = Math.min((long) startY + w.kernelH(), w.inH() + w.padBottom()) - startY;
        long width = Math.min((long) startX + w.kernelW(), w.inW() + w.padRight()) - startX;
        return h * width;
    }

    /** The rounded mean of {@code area} integers with that sum. */
    public static int mean(PoolSpec spec, long sum, long area, Rounding rounding) {
        return spec.factor() != 0 ? (int) Math.rint((float) sum * spec.factor()) : rounding.quotient(sum, area);
    }

    /** As {@link org.torchnnapi.kernels.internal.PoolKernel} describes. */
    public static void quantized(
            PoolSpec spec,
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int origin,
            int padding,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end) {
        Pooling.Window w = spec.window();
        Pooling.Kind kind = spec.kind();
        int block = spec.block();
        int groups = (block + spec.group() - 1) / spec.group();
        int mask = signed ? -1 : 0xff;
        int dilationH = kind == Pooling.Kind.MAX ? w.dilationH() : 1;
        int dilationW = kind == Pooling.Kind.MAX ? w.dilationW() : 1;
        for (int unit = begin; unit < end; unit++) {
            int row = unit / groups;
            int from = unit % groups * spec.group();
            int to = Math.min(from + spec.group(), block);
            int plane = inOffset + row / w.outH() * w.inH() * w.inW() * block;
            int startY = row % w.outH() * w.strideH() - w.padTop();
            int y0 = first(startY, dilationH);
            int y1 = end(startY, w.kernelH(), dilationH, w.inH());
            for (int ox = 0; ox < w.outW(); ox++) {
                int startX = ox * w.strideW() - w.padLeft();
                int x0 = first(startX, dilationW);
                int x1 = end(startX, w.kernelW(), dilationW, w.inW());
                int rows = count(y0, y1, dilationH);
                int columns = count(x0, x1, dilationW);
                long inside = (long) rows * columns;
                long area = kind == Pooling.Kind.AVERAGE_WITH_PADDING ? paddedArea(w, startY, startX) : inside;
                int target = outOffset + (row * w.outW() + ox) * block;
                for (int c = from; c < to; c++) {
                    int largest = Integer.MIN_VALUE;
                    long sum = (area - inside) * padding - area * origin;
                    for (int i = 0; i < rows; i++) {
                        for (int j = 0; j < columns; j++) {
                            int value = in[plane + ((y0 + i * dilationH) * w.inW() + x0 + j * dilationW) * block + c]
                                    & mask;
                            largest = Math.max(largest, value);
                            sum += value;
                        }
                    }
                    int result = kind == Pooling.Kind.MAX ? largest : mean(spec, sum, area, rounding) + origin;
                    out[target + c] = (byte) Math.min(Math.max(result, min), max);
                }
            }
        }
    }
}
