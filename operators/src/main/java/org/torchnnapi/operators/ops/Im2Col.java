package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;

/** Sliding blocks of images as columns (unfold), columns summed back to images (fold), and max pooling undone. */
public final class Im2Col implements OperatorFamily {
    /** The places of a kernel over an image. */
    private record Sliding(WindowAxis rows, WindowAxis columns) {
        static Sliding of(int height, int width, int[] kernel, int[] dilation, int[] padding, int[] stride) {
            if (height < 1 || width < 1) {
                throw new IllegalArgumentException(
                        "image of " + height + " x " + width + " (expected: large enough for one block)");
            }
            return new Sliding(
                    WindowAxis.of(height, kernel[0], stride[0], dilation[0], padding[0], padding[0]),
                    WindowAxis.of(width, kernel[1], stride[1], dilation[1], padding[1], padding[1]));
        }

        int blocks() {
            return Tensors.count(rows.output(), columns.output());
        }

        int taps() {
            return Tensors.count(rows.taps(), columns.taps());
        }

        int plane() {
            return rows.input() * columns.input();
        }

        /** Position in the image of a tap at a block, or -1 in the padding. */
        int at(int tap, int block) {
            int y = rows.inputUnder(block / columns.output(), tap / columns.taps());
            int x = columns.inputUnder(block % columns.output(), tap % columns.taps());
            return y < 0 || x < 0 ? -1 : y * columns.input() + x;
        }
    }

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> "
                        + "Tensor",
                a -> unfold(tensor(a, 0), ints(a, 1, 2), ints(a, 2, 2), ints(a, 3, 2), ints(a, 4, 2)));
        r.op(
                "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, "
                        + "int[2] stride) -> Tensor",
                a -> fold(tensor(a, 0), ints(a, 1, 2), ints(a, 2, 2), ints(a, 3, 2), ints(a, 4, 2), ints(a, 5, 2)));
        r.composite(
                "aten::max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor",
                a -> unpool(tensor(a, 0), tensor(a, 1), ints(a, 2, 2)),
                """
            lead = torch.slice(torch.size(self), None, -2, 1)
            flat = torch.zeros(torch.add(lead, [torch.mul(output_size[0], output_size[1])]), dtype=ops.prim.dtype(self))
            spread = torch.scatter(flat, -1, torch.flatten(indices, -2), torch.flatten(self, -2))
            return torch.reshape(spread, torch.add(lead, output_size))""");
    }

    private static Tensor unfold(Tensor image, int[] kernel, int[] dilation, int[] padding, int[] stride) {
        if (image.dtype().isComplex()) {
            return ComplexParts.apply(image, part -> unfold(part, kernel, dilation, padding, stride));
        }
        if (image.rank() != 3 && image.rank() != 4) {
            throw new IllegalArgumentException("im2col: " + image + " (expected: 3 or 4 dimensions)");
        }
        Sliding s = Sliding.of(image.size(-2), image.size(-1), kernel, dilation, padding, stride);
        int channels = image.size(-3);
        int batch = image.rank() == 3 ? 1 : image.size(0);
        int blocks = s.blocks();
        int[] sizes = {batch, Tensors.count(channels, s.taps()), blocks};
        double[] in = Elements.doubles(image);
        double[] out = new double[Tensors.count(sizes)];
        int to = 0;
        for (int plane = 0; plane < batch * channels; plane++) {
            for (int tap = 0; tap < s.taps(); tap++) {
                for (int block = 0; block < blocks; block++) {
                    int from = s.at(tap, block);
                    out[to++] = from < 0 ? 0 : in[plane * s.plane() + from];
                }
            }
        }
        return Elements.ofDoubles(image.dtype(), out, image.rank() == 3 ? new int[] {sizes[1], sizes[2]} : sizes);
    }

    private static Tensor fold(Tensor columns, int[] size, int[] kernel, int[] dilation, int[] padding, int[] stride) {
        if (columns.dtype().isComplex()) {
            return ComplexParts.apply(columns, part -> fold(part, size, kernel, dilation, padding, stride));
        }
        Sliding s = Sliding.of(size[0], size[1], kernel, dilation, padding, stride);
        boolean batched = columns.rank() == 3;
        int blocks = s.blocks();
        if (!batched && columns.rank() != 2 || columns.size(-1) != blocks || columns.size(-2) % s.taps() != 0) {
            throw new IllegalArgumentException(
                    "col2im: " + columns + " (expected: [.., multiple of " + s.taps() + ", " + blocks + "])");
        }
        int channels = columns.size(-2) / s.taps();
        int batch = batched ? columns.size(0) : 1;
        int[] sizes = {batch, channels, size[0], size[1]};
        double[] in = Elements.doubles(columns);
        double[] out = new double[Tensors.count(sizes)];
        int from = 0;
        for (int plane = 0; plane < batch * channels; plane++) {
            for (int tap = 0; tap < s.taps(); tap++) {
                for (int block = 0; block < blocks; block++, from++) {
                    int to = s.at(tap, block);
                    if (to >= 0) {
                        out[plane * size[0] * size[1] + to] += in[from];
                    }
                }
            }
        }
        return Elements.ofDoubles(columns.dtype(), out, batched ? sizes : new int[] {channels, size[0], size[1]});
    }

    /** Puts each element where the pooling found it. */
    private static Tensor unpool(Tensor t, Tensor indices, int[] size) {
        if (t.rank() < 3 || t.rank() > 4 || !Arrays.equals(t.sizes(), indices.sizes()) || size[0] < 0 || size[1] < 0) {
            throw new IllegalArgumentException(
                    "max_unpool2d: " + t + ", indices " + indices + " (expected: equal shapes of 3 or 4 dimensions)");
        }
        int[] sizes = t.sizes().clone();
        sizes[t.rank() - 2] = size[0];
        sizes[t.rank() - 1] = size[1];
        double[] in = Elements.doubles(t);
        long[] places = Elements.longs(indices);
        double[] out = new double[Tensors.count(sizes)];
        int inner = t.size(-1) * t.size(-2);
        int plane = Tensors.count(size);
        for (int i = 0; i < in.length; i++) {
            if (places[i] < 0 || places[i] >= plane) {
                throw new IndexOutOfBoundsException("Found an invalid max index: " + places[i]
                        + " (output volumes are of size " + size[0] + "x" + size[1] + ")");
            }
            out[i / inner * plane + (int) places[i]] = in[i];
        }
        return Elements.ofDoubles(t.dtype(), out, sizes);
    }
}
