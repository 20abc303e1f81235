package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;

/** {@code affine_grid}: sampling positions of an affine transform, for {@code grid_sample}. */
public final class AffineGrid implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor",
                a -> grid(tensor(a, 0), ints(a, 1), flag(a, 2)),
                """
            dims = torch.sub(torch.len(size), 2)
            spatial = torch.slice(size, 2, None, 1)
            axes = annotate(List[Tensor], [])
            for i in range(dims):
              extent = spatial[torch.sub(torch.sub(dims, 1), i)]
              at = torch.arange(extent, dtype=ops.prim.dtype(theta))
              if torch.le(extent, 1):
                line = torch.zeros_like(at)
              else:
                if align_corners:
                  line = torch.sub(torch.div(torch.mul(at, 2.), float(torch.sub(extent, 1))), 1.)
                else:
                  line = torch.sub(torch.div(torch.add(torch.mul(at, 2.), 1.), float(extent)), 1.)
              ones = torch.mul([1], i)
              _0 = torch.append(axes, torch.expand(torch.reshape(line, torch.add([-1], ones)), spatial))
            _1 = torch.append(axes, torch.ones(spatial, dtype=ops.prim.dtype(theta)))
            points = torch.reshape(torch.stack(axes, -1), [1, -1, torch.add(dims, 1)])
            many = torch.expand(points, [size[0], -1, -1])
            moved = torch.bmm(many, torch.transpose(theta, 1, 2))
            return torch.reshape(moved, torch.add(torch.add([size[0]], spatial), [dims]))""");
    }

    /**
     * @param theta matrices [n, 2, 3] or [n, 3, 4]
     * @param size of the output: [n, c, h, w] or [n, c, d, h, w]
     * @return [n, h, w, 2] or [n, d, h, w, 3], x first
     */
    private static Tensor grid(Tensor theta, int[] size, boolean alignCorners) {
        int dims = size.length - 2;
        if (dims < 2
                || dims > 3
                || theta.rank() != 3
                || theta.size(0) != size[0]
                || theta.size(1) != dims
                || theta.size(2) != dims + 1) {
            throw new IllegalArgumentException("affine_grid_generator: " + theta + " for " + size.length
                    + " dimensions (expected: [n, 2, 3] for 4, " + "[n, 3, 4] for 5)");
        }
        double[] t = Elements.doubles(theta);
        int[] sizes = new int[dims + 2];
        sizes[0] = size[0];
        System.arraycopy(size, 2, sizes, 1, dims);
        sizes[dims + 1] = dims;
        double[] out = new double[Tensors.count(sizes)];
        double[] point = new double[dims + 1];
        point[dims] = 1;
        int points = size[0] == 0 ? 0 : out.length / dims / size[0];
        for (int n = 0; n < size[0]; n++) {
            for (int p = 0; p < points; p++) {
                int rest = p;
                for (int d = 0; d < dims; d++) {
                    // The last dimension is x, the first coordinate.
                    int extent = size[size.length - 1 - d];
                    int at = rest % extent;
                    rest /= extent;
                    point[d] = extent <= 1
                            ? 0
                            : alignCorners ? -1 + 2.0 * at / (extent - 1) : -1 + (2.0 * at + 1) / extent;
                }
                for (int row = 0; row < dims; row++) {
                    double sum = 0;
                    for (int k = 0; k <= dims; k++) {
                        sum += t[(n * dims + row) * (dims + 1) + k] * point[k];
                    }
                    out[(n * points + p) * dims + row] = sum;
                }
            }
        }
        return Elements.ofDoubles(theta.dtype(), out, sizes);
    }
}
