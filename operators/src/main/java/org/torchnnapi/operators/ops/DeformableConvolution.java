package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;

/**
 * {@code torchvision::deform_conv2d}: a convolution whose taps are moved by offsets and weighted by a mask (Dai et al.
 * 2017, Zhu et al. 2018).
 */
public final class DeformableConvolution implements OperatorFamily {
    /**
     * Where each tap looks is sampled, groups of offsets taking the part of images, and the taps are multiplied with
     * the weights.
     */
    private static final String SAMPLED = """
        n, c, h, w = torch.size(input)
        out, within, kh, kw = torch.size(weight)
        rows, columns = torch.size(offset, 2), torch.size(offset, 3)
        taps, places = torch.mul(kh, kw), torch.mul(rows, columns)
        images = torch.mul(n, offset_groups)
        moved = torch.reshape(offset, [images, taps, 2, places])
        down = torch.reshape(torch.mul(torch.arange(kh, dtype=6), dilation_h), [kh, 1, 1, 1])
        across = torch.reshape(torch.mul(torch.arange(kw, dtype=6), dilation_w), [1, kw, 1, 1])
        top = torch.reshape(torch.sub(torch.mul(torch.arange(rows, dtype=6), stride_h), pad_h), [1, 1, rows, 1])
        left = torch.reshape(torch.sub(torch.mul(torch.arange(columns, dtype=6), stride_w), pad_w), [1, 1, 1, columns])
        ys = torch.reshape(torch.expand(torch.add(down, top), [kh, kw, rows, columns]), [1, taps, places])
        xs = torch.reshape(torch.expand(torch.add(across, left), [kh, kw, rows, columns]), [1, taps, places])
        y = torch.add(torch.select(moved, 2, 0), ys)
        x = torch.add(torch.select(moved, 2, 1), xs)
        gy = torch.sub(torch.div(torch.add(torch.mul(y, 2.), 1.), h), 1.)
        gx = torch.sub(torch.div(torch.add(torch.mul(x, 2.), 1.), w), 1.)
        parts = torch.reshape(input, [images, torch.floordiv(c, offset_groups), h, w])
        sampled = torch.grid_sampler(parts, torch.stack([gx, gy], 3), 0, 0, False)
        if use_mask:
          weighted = torch.mul(sampled, torch.reshape(mask, [images, 1, taps, places]))
        else:
          weighted = sampled
        looked = torch.reshape(weighted, [n, groups, torch.mul(within, taps), places])
        kernel = torch.reshape(weight, [groups, torch.floordiv(out, groups), torch.mul(within, taps)])
        made = torch.reshape(torch.matmul(kernel, looked), [n, out, rows, columns])
        return torch.add(made, torch.reshape(bias, [1, out, 1, 1]))""";

    @Override
    public void register(Registrar r) {
        r.composite(
                "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
                        + "int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, int "
                        + "groups, "
                        + "int offset_groups, bool use_mask) -> Tensor",
                DeformableConvolution::run,
                SAMPLED);
    }

    private static Tensor run(Object[] a) {
        Tensor input = tensor(a, 0);
        Tensor weight = tensor(a, 1);
        Tensor offset = tensor(a, 2);
        Tensor bias = tensor(a, 4);
        int strideH = int32(a, 5);
        int strideW = int32(a, 6);
        int padH = int32(a, 7);
        int padW = int32(a, 8);
        int dilationH = int32(a, 9);
        int dilationW = int32(a, 10);
        int groups = int32(a, 11);
        int offsetGroups = int32(a, 12);
        boolean masked = flag(a, 13);
        boolean sound = input.rank() == 4
                && weight.rank() == 4
                && offset.rank() == 4
                && strideH > 0
                && strideW > 0
                && padH >= 0
                && padW >= 0
                && dilationH > 0
                && dilationW > 0
                && groups > 0
                && offsetGroups > 0;
        if (!sound) {
            throw new IllegalArgumentException("deform_conv2d: " + input + ", " + weight + ", " + offset
                    + " (expected: 4 dimensions each, " + "positive strides, dilations and groups)");
        }
        int kh = weight.size(2);
        int kw = weight.size(3);
        int outH =
                WindowAxis.of(input.size(2), kh, strideH, dilationH, padH, padH).output();
        int outW =
                WindowAxis.of(input.size(3), kw, strideW, dilationW, padW, padW).output();
        int channels = input.size(1);
        int outputs = weight.size(0);
        int taps = kh * kw;
        boolean fits = outH > 0
                && outW > 0
                && channels % groups == 0
                && outputs % groups == 0
                && channels % offsetGroups == 0
                && weight.size(1) == channels / groups
                && offset.size(0) == input.size(0)
                && offset.size(1) == 2 * taps * offsetGroups
                && offset.size(2) == outH
                && offset.size(3) == outW
                && bias.numel() == outputs
                && (!masked || tensor(a, 3).numel() == offset.numel() / 2);
        if (!fits) {
            throw new IllegalArgumentException("deform_conv2d: input " + input + ", weight " + weight + ", offset "
                    + offset + " (expected: offsets [n, " + 2 * taps * offsetGroups + ", " + outH + ", " + outW
                    + "] and weights that fit the channels)");
        }
        double[] x = Elements.doubles(input);
        double[] w = Elements.doubles(weight);
        double[] o = Elements.doubles(offset);
        double[] m = masked ? Elements.doubles(tensor(a, 3)) : null;
        double[] b = Elements.doubles(bias);
        int batch = input.size(0);
        int plane = outH * outW;
        double[] out = new double[Tensors.count(batch, outputs, outH, outW)];
        double[] columns = new double[channels * taps];
        int perGroup = channels / groups;
        int perOffset = channels / offsetGroups;
        for (int n = 0; n < batch; n++) {
            for (int at = 0; at < plane; at++) {
                int oy = at / outW;
                int ox = at % outW;
                for (int c = 0; c < channels; c++) {
                    int g = c / perOffset;
                    for (int tap = 0; tap < taps; tap++) {
                        int where = (n * offsetGroups + g) * taps + tap;
                        double y = oy * strideH - padH + tap / kw * dilationH + o[2 * where * plane + at];
                        double z = ox * strideW - padW + tap % kw * dilationW + o[(2 * where + 1) * plane + at];
                        double value = sample(
                                x,
                                (n * channels + c) * input.size(2) * input.size(3),
                                input.size(2),
                                input.size(3),
                                y,
                                z);
                        columns[c * taps + tap] = m == null ? value : value * m[where * plane + at];
                    }
                }
                for (int f = 0; f < outputs; f++) {
                    int first = f / (outputs / groups) * perGroup * taps;
                    double sum = b[f];
                    for (int i = 0; i < perGroup * taps; i++) {
                        sum += w[f * perGroup * taps + i] * columns[first + i];
                    }
                    out[(n * outputs + f) * plane + at] = sum;
                }
            }
        }
        return Elements.ofDoubles(input.dtype(), out, batch, outputs, outH, outW);
    }

    /** Bilinear with zeros outside. */
    private static double sample(double[] x, int base, int height, int width, double y, double z) {
        if (!(y > -1 && y < height && z > -1 && z < width)) {
            return 0;
        }
        int y0 = (int) Math.floor(y);
        int z0 = (int) Math.floor(z);
        double fy = y - y0;
        double fz = z - z0;
        double sum = 0;
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                int py = y0 + i;
                int pz = z0 + j;
                if (py >= 0 && py < height && pz >= 0 && pz < width) {
                    sum += (i == 0 ? 1 - fy : fy) * (j == 0 ? 1 - fz : fz) * x[base + py * width + pz];
                }
            }
        }
        return sum;
    }
}
