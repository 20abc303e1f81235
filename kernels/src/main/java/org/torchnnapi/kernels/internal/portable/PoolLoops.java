package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.PoolAxis;
import org.torchnnapi.kernels.internal.PoolSpec;

/** Pooling over any channel block: an output row at a time, its windows cut to the image, channels innermost. */
public final class PoolLoops {
    private PoolLoops() {}

    public static void max(PoolSpec spec, float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Pooling.Window w = spec.window();
        int block = spec.block();
        PoolAxis down = PoolAxis.down(spec);
        PoolAxis across = PoolAxis.across(spec);
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / w.outH() * w.inH() * w.inW() * block;
            int y0 = down.first(unit % w.outH());
            int rows = down.count(unit % w.outH());
            for (int ox = 0; ox < w.outW(); ox++) {
                int x0 = across.first(ox);
                int columns = across.count(ox);
                int target = outOffset + (unit * w.outW() + ox) * block;
                for (int c = 0; c < block; c++) {
                    out[target + c] = Float.NEGATIVE_INFINITY;
                }
                for (int i = 0; i < rows; i++) {
                    for (int j = 0; j < columns; j++) {
                        int source =
                                plane + ((y0 + i * down.dilation()) * w.inW() + x0 + j * across.dilation()) * block;
                        for (int c = 0; c < block; c++) {
                            out[target + c] = Math.max(out[target + c], in[source + c]);
                        }
                    }
                }
                PortableElementwise.limit(out, target, block, spec.clamp());
            }
        }
    }

    public static void average(
            PoolSpec spec, float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Pooling.Window w = spec.window();
        int block = spec.block();
        PoolAxis down = PoolAxis.down(spec);
        PoolAxis across = PoolAxis.across(spec);
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / w.outH() * w.inH() * w.inW() * block;
            int oy = unit % w.outH();
            int y0 = down.first(oy);
            int y1 = y0 + down.count(oy);
            for (int ox = 0; ox < w.outW(); ox++) {
                int x0 = across.first(ox);
                int x1 = x0 + across.count(ox);
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
                float divisor = (long) down.divisor(oy) * across.divisor(ox);
                for (int c = 0; c < block; c++) {
                    out[target + c] = spec.clamp().apply(out[target + c] / divisor);
                }
            }
        }
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
        PoolAxis down = PoolAxis.down(spec);
        PoolAxis across = PoolAxis.across(spec);
        for (int unit = begin; unit < end; unit++) {
            int row = unit / groups;
            int from = unit % groups * spec.group();
            int to = Math.min(from + spec.group(), block);
            int plane = inOffset + row / w.outH() * w.inH() * w.inW() * block;
            int y0 = down.first(row % w.outH());
            int rows = down.count(row % w.outH());
            for (int ox = 0; ox < w.outW(); ox++) {
                int x0 = across.first(ox);
                int columns = across.count(ox);
                long inside = (long) rows * columns;
                long area = (long) down.divisor(row % w.outH()) * across.divisor(ox);
                int target = outOffset + (row * w.outW() + ox) * block;
                for (int c = from; c < to; c++) {
                    int largest = Integer.MIN_VALUE;
                    long sum = (area - inside) * padding - area * origin;
                    for (int i = 0; i < rows; i++) {
                        for (int j = 0; j < columns; j++) {
                            int pixel = (y0 + i * down.dilation()) * w.inW() + x0 + j * across.dilation();
                            int value = in[plane + pixel * block + c] & mask;
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
