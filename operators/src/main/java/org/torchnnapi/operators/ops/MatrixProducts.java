package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Gemm;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.DoubleProduct;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/**
 * Matrix products and what is made of them. float32 products run on the fast kernels, all others in double or 64-bit
 * integers.
 */
public final class MatrixProducts implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::mm(Tensor self, Tensor mat2) -> Tensor",
                a -> mm(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.MULTIPLIES_MATRICES);
        r.op(
                "aten::bmm(Tensor self, Tensor mat2) -> Tensor",
                a -> bmm(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.MULTIPLIES_MATRICES);
        r.composite(
                "aten::mv(Tensor self, Tensor vec) -> Tensor",
                a -> matmul(tensor(a, 0), tensor(a, 1)),
                "return torch.matmul(self, vec)");
        r.composite(
                "aten::dot(Tensor self, Tensor tensor) -> Tensor",
                a -> matmul(tensor(a, 0), tensor(a, 1)),
                "return torch.matmul(self, tensor)");
        r.op(
                "aten::vdot(Tensor self, Tensor other) -> Tensor",
                a -> matmul(ComplexOperators.conj(tensor(a, 0)), tensor(a, 1)));
        r.composite("aten::inner(Tensor self, Tensor other) -> Tensor", a -> inner(tensor(a, 0), tensor(a, 1)), """
            if torch.eq(torch.dim(self), 0):
              result = torch.mul(self, other)
            else:
              if torch.eq(torch.dim(other), 0):
                result = torch.mul(self, other)
              else:
                result = torch.tensordot(self, other, [-1], [-1])
            return result""");
        r.op(
                "aten::matmul(Tensor self, Tensor other) -> Tensor",
                a -> matmul(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.MULTIPLIES_MATRICES);
        r.composite(
                "aten::outer(Tensor self, Tensor vec2) -> Tensor",
                a -> outer(tensor(a, 0), tensor(a, 1)),
                "return torch.mul(torch.unsqueeze(self, 1), torch.unsqueeze(vec2, 0))");
        r.composite(
                "aten::ger(Tensor self, Tensor vec2) -> Tensor",
                a -> outer(tensor(a, 0), tensor(a, 1)),
                "return torch.mul(torch.unsqueeze(self, 1), torch.unsqueeze(vec2, 0))");
        r.op(
                "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
                a -> linear(tensor(a, 0), tensor(a, 1), tensorOrNull(a, 2)),
                OperatorTrait.MULTIPLIES_MATRICES);
        r.composite(
                "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                a -> plus(tensor(a, 0), mm(tensor(a, 1), tensor(a, 2)), scalar(a, 3), scalar(a, 4)),
                addedTo("torch.mm(mat1, mat2)"));
        r.composite(
                "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                MatrixProducts::addOuter,
                "return torch.add(torch.mul(self, beta), torch.outer(vec1, vec2), alpha=alpha)");
        r.composite(
                "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                a -> plus(tensor(a, 0), matmul(tensor(a, 1), tensor(a, 2)), scalar(a, 3), scalar(a, 4)),
                addedTo("torch.matmul(mat, vec)"));
        r.composite(
                "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                a -> plus(tensor(a, 0), bmm(tensor(a, 1), tensor(a, 2)), scalar(a, 3), scalar(a, 4)),
                addedTo("torch.bmm(batch1, batch2)"));
        r.op(
                "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                MatrixProducts::addBatches);
        r.composite(
                "aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
                a -> bilinear(tensor(a, 0), tensor(a, 1), tensor(a, 2), tensorOrNull(a, 3)),
                """
            product = torch.einsum("...i,oij,...j->...o", [input1, weight, input2])
            if torch.__is__(bias, None):
              result = product
            else:
              result = torch.add(product, unchecked_cast(Tensor, bias))
            return result""");
        r.composite(
                "aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
                a -> tensordot(tensor(a, 0), tensor(a, 1), ints(a, 2), ints(a, 3)),
                """
            first = annotate(List[int], [])
            second = annotate(List[int], [])
            rows = annotate(List[int], [])
            columns = annotate(List[int], [])
            sizes = annotate(List[int], [])
            count = 1
            left, right = self, other
            for i in range(torch.len(dims_self)):
              _0 = torch.append(first, torch.remainder(dims_self[i], torch.dim(self)))
              _1 = torch.append(second, torch.remainder(dims_other[i], torch.dim(other)))
              x, y = torch.size(self, dims_self[i]), torch.size(other, dims_other[i])
              if torch.eq(x, y):
                count = torch.mul(count, x)
              else:
                if torch.eq(x, 1):
                  right = torch.sum(right, [dims_other[i]], True)
                else:
                  left = torch.sum(left, [dims_self[i]], True)
            for d in range(torch.dim(self)):
              if torch.__contains__(first, d):
                _2 = 0
              else:
                _3 = torch.append(rows, d)
                _4 = torch.append(sizes, torch.size(self, d))
            for d in range(torch.dim(other)):
              if torch.__contains__(second, d):
                _5 = 0
              else:
                _6 = torch.append(columns, d)
                _7 = torch.append(sizes, torch.size(other, d))
            a = torch.reshape(torch.permute(left, torch.add(rows, first)), [-1, count])
            b = torch.reshape(torch.permute(right, torch.add(second, columns)), [count, -1])
            return torch.reshape(torch.mm(a, b), sizes)""");
        r.composite("aten::kron(Tensor self, Tensor other) -> Tensor", a -> kron(tensor(a, 0), tensor(a, 1)), """
            rank = ops.prim.max(torch.dim(self), torch.dim(other))
            left = annotate(List[int], [])
            right = annotate(List[int], [])
            sizes = annotate(List[int], [])
            for i in range(rank):
              a = torch.sub(torch.add(torch.dim(self), i), rank)
              b = torch.sub(torch.add(torch.dim(other), i), rank)
              if torch.ge(a, 0):
                x = torch.size(self, a)
              else:
                x = 1
              if torch.ge(b, 0):
                y = torch.size(other, b)
              else:
                y = 1
              _0 = torch.append(left, x)
              _1 = torch.append(left, 1)
              _2 = torch.append(right, 1)
              _3 = torch.append(right, y)
              _4 = torch.append(sizes, torch.mul(x, y))
            return torch.reshape(torch.mul(torch.reshape(self, left), torch.reshape(other, right)), sizes)""");
    }

    /** The definition of {@code beta * self + alpha * product}; what beta 0 leaves out is not read. */
    private static String addedTo(String product) {
        return String.format("""
            product = %s
            if torch.eq(float(alpha), 1.):
              scaled = product
            else:
              scaled = torch.mul(product, alpha)
            if torch.eq(float(beta), 1.):
              added = torch.add(scaled, self)
            else:
              if torch.eq(float(beta), 0.):
                added = scaled
              else:
                added = torch.add(scaled, torch.mul(self, beta))
            return added""", product);
    }

    /** Narrow types are rounded after each matrix. */
    private static Tensor addBatches(Object[] a) {
        Tensor first = tensor(a, 1);
        Tensor second = tensor(a, 2);
        if (first.dtype() != DType.BFLOAT16 && first.dtype() != DType.FLOAT16
                || first.rank() != 3
                || second.rank() != 3) {
            return plus(
                    tensor(a, 0),
                    ReduceOps.sum(bmm(first, second), new long[] {0}, false, first.dtype()),
                    scalar(a, 3),
                    scalar(a, 4));
        }
        Tensor sum = Tensor.zeros(first.dtype(), first.size(1), second.size(2));
        sum = plus(tensor(a, 0), sum, scalar(a, 3), scalar(a, 4));
        for (int i = 0; i < first.size(0); i++) {
            sum = plus(sum, mm(TensorViews.select(first, 0, i), TensorViews.select(second, 0, i)), 1L, scalar(a, 4));
        }
        return sum;
    }

    /** {@code beta * base + alpha * product}; a beta of 0 ignores even NaN in base. */
    private static Tensor plus(Tensor base, Tensor product, Object beta, Object alpha) {
        Tensor scaled = is(alpha, 1) ? product : BinaryOps.multiply(product, number(product, alpha));
        if (is(beta, 0)) {
            return scaled;
        }
        Tensor first = is(beta, 1) ? base : BinaryOps.multiply(base, number(base, beta));
        if (!Arrays.equals(BroadcastShapes.shape(first.sizes(), product.sizes()), product.sizes())) {
            throw new IllegalArgumentException("self: " + Arrays.toString(base.sizes())
                    + " (expected: a shape that expands to " + Arrays.toString(product.sizes()) + ")");
        }
        return BinaryOps.add(scaled, first, 1L);
    }

    private static boolean is(Object number, double value) {
        return number instanceof Complex c ? c.real() == value && c.imaginary() == 0 : Promotion.real(number) == value;
    }

    /** A factor of the type of a tensor. */
    private static Object number(Tensor t, Object value) {
        return t.dtype().isIntegral() ? (Object) (long) Promotion.real(value) : value;
    }

    /** The sum of {@code beta * self}, and {@code alpha} times the products of all pairs of two vectors' elements. */
    private static Tensor addOuter(Object[] a) {
        Tensor self = tensor(a, 0);
        Tensor left = tensor(a, 1);
        Tensor right = tensor(a, 2);
        if (left.rank() != 1 || right.rank() != 1) {
            throw new IllegalArgumentException("addr: Expected 1-D argument vec1 and vec2, but got " + left.rank()
                    + "-D and " + right.rank() + "-D");
        }
        return Elements.cast(
                plus(self, outer(left, right), scalar(a, 3), scalar(a, 4)), Promotion.of(self, left, right));
    }

    private static Tensor inner(Tensor a, Tensor b) {
        if (a.rank() == 0 || b.rank() == 0) {
            return BinaryOps.multiply(a, b);
        }
        int[] sizes = Arrays.copyOf(a.sizes(), a.rank() + b.rank() - 2);
        System.arraycopy(b.sizes(), 0, sizes, a.rank() - 1, b.rank() - 1);
        Tensor x = TensorViews.reshape(a, Shape.numel(Arrays.copyOf(a.sizes(), a.rank() - 1)), a.size(-1));
        Tensor y = TensorViews.reshape(b, Shape.numel(Arrays.copyOf(b.sizes(), b.rank() - 1)), b.size(-1));
        return TensorViews.reshape(mm(x, TensorViews.transpose(y, 0, 1)), sizes);
    }

    static Tensor mm(Tensor a, Tensor b) {
        if (a.rank() != 2 || b.rank() != 2) {
            throw new IllegalArgumentException((a.rank() != 2 ? "self" : "mat2") + " must be a matrix");
        }
        if (a.sizes()[1] != b.sizes()[0]) {
            throw new IllegalArgumentException(
                    "mat1 and mat2 shapes cannot be multiplied (" + shown(a) + " and " + shown(b) + ")");
        }
        return TensorViews.squeeze(bmm(TensorViews.unsqueeze(a, 0), TensorViews.unsqueeze(b, 0)), 0);
    }

    private static String shown(Tensor t) {
        return Arrays.toString(t.sizes()).replace("[", "").replace("]", "").replace(", ", "x");
    }

    /** Products of a batch of matrices, {@code [b, m, k] x [b, k, n]}; any strides. */
    static Tensor bmm(Tensor a, Tensor b) {
        if (a.rank() != 3 || b.rank() != 3 || a.sizes()[0] != b.sizes()[0] || a.sizes()[2] != b.sizes()[1]) {
            throw new IllegalArgumentException("batch1 " + Arrays.toString(a.sizes()) + " and batch2 "
                    + Arrays.toString(b.sizes()) + " (expected: [b, m, k] and [b, k, n])");
        }
        if (a.dtype() != b.dtype()) {
            throw new IllegalArgumentException("expected m1 and m2 to have the same dtype, but got: "
                    + a.dtype().torchName() + " != " + b.dtype().torchName());
        }
        int m = a.sizes()[1];
        int n = b.sizes()[2];
        int k = a.sizes()[2];
        DType type = a.dtype();
        if (type.isIntegral()) {
            return integers(a, b, m, n, k);
        }
        if (type == DType.FLOAT64) {
            return doubles(a, b, m, n, k);
        }
        if (type.isComplex()) {
            return complex(a, b, m, n, k);
        }
        Tensor x = Elements.cast(a, DType.FLOAT32);
        Tensor y = Elements.cast(b, DType.FLOAT32);
        Tensor out = Tensors.empty(DType.FLOAT32, a.sizes()[0], m, n);
        if (out.numel() > 0 && k > 0) {
            Gemm gemm = Gemm.plan(
                    m, n, k, x.strides()[1], x.strides()[2], y.strides()[1], y.strides()[2], n, 1, 0, Clamp.NONE);
            for (int i = 0; i < a.sizes()[0]; i++) {
                gemm.run(
                        x.storage().floatArray(),
                        x.offset() + i * x.strides()[0],
                        y.storage().floatArray(),
                        y.offset() + i * y.strides()[0],
                        out.storage().floatArray(),
                        i * m * n,
                        KernelPool.shared());
            }
        }
        return Elements.cast(out, type);
    }

    private static Tensor doubles(Tensor a, Tensor b, int m, int n, int k) {
        double[] x = Elements.doubles(a);
        double[] y = Elements.doubles(b);
        double[] z = new double[Tensors.count(a.sizes()[0], m, n)];
        for (int i = 0; i < a.sizes()[0]; i++) {
            double[] left = Arrays.copyOfRange(x, i * m * k, (i + 1) * m * k);
            double[] right = Arrays.copyOfRange(y, i * k * n, (i + 1) * k * n);
            System.arraycopy(DoubleProduct.of(left, right, m, n, k), 0, z, i * m * n, m * n);
        }
        return Elements.ofDoubles(DType.FLOAT64, z, a.sizes()[0], m, n);
    }

    private static Tensor integers(Tensor a, Tensor b, int m, int n, int k) {
        long[] x = Elements.longs(a);
        long[] y = Elements.longs(b);
        long[] z = new long[Tensors.count(a.sizes()[0], m, n)];
        for (int row = 0; row < a.sizes()[0] * m; row++) {
            for (int p = 0; p < k; p++) {
                long factor = x[row * k + p];
                int from = (row / m * k + p) * n;
                for (int j = 0; j < n; j++) {
                    z[row * n + j] += factor * y[from + j];
                }
            }
        }
        return Elements.ofLongs(a.dtype(), z, a.sizes()[0], m, n);
    }

    private static Tensor complex(Tensor a, Tensor b, int m, int n, int k) {
        double[] x = ComplexOperators.parts(a);
        double[] y = ComplexOperators.parts(b);
        double[] z = new double[Tensors.count(2, a.sizes()[0], m, n)];
        for (int row = 0; row < a.sizes()[0] * m; row++) {
            for (int p = 0; p < k; p++) {
                double re = x[2 * (row * k + p)];
                double im = x[2 * (row * k + p) + 1];
                for (int j = 0; j < n; j++) {
                    int from = 2 * ((row / m * k + p) * n + j);
                    z[2 * (row * n + j)] += re * y[from] - im * y[from + 1];
                    z[2 * (row * n + j) + 1] += re * y[from + 1] + im * y[from];
                }
            }
        }
        return ComplexOperators.ofParts(z, a.dtype(), a.sizes()[0], m, n);
    }

    /** torch.matmul: vectors count as matrices, leading dimensions broadcast. */
    static Tensor matmul(Tensor a, Tensor b) {
        if (a.rank() == 0 || b.rank() == 0) {
            throw new IllegalArgumentException("both arguments to matmul need to be at least 1D, but they are "
                    + a.rank() + "D and " + b.rank() + "D");
        }
        Tensor x = a.rank() == 1 ? TensorViews.unsqueeze(a, 0) : a;
        Tensor y = b.rank() == 1 ? TensorViews.unsqueeze(b, 1) : b;
        int m = x.size(-2);
        int k = x.size(-1);
        int n = y.size(-1);
        if (y.size(-2) != k) {
            throw new IllegalArgumentException(
                    "mat1 and mat2 shapes cannot be multiplied (" + shown(a) + " and " + shown(b) + ")");
        }
        int[] batch =
                BroadcastShapes.shape(Arrays.copyOf(x.sizes(), x.rank() - 2), Arrays.copyOf(y.sizes(), y.rank() - 2));
        Tensor product;
        if (y.rank() == 2 && x.rank() > 2) {
            product = mm(TensorViews.reshape(x, (int) (x.numel() / Math.max(k, 1)), k), y);
            if (k == 0) {
                product = Tensors.empty(a.dtype(), (int) Shape.numel(batch) * m, n);
            }
        } else {
            int count = Math.toIntExact(Shape.numel(batch));
            product = bmm(
                    TensorViews.reshape(BroadcastShapes.expand(x, with(batch, m, k)), count, m, k),
                    TensorViews.reshape(BroadcastShapes.expand(y, with(batch, k, n)), count, k, n));
        }
        Tensor out = TensorViews.reshape(product, with(batch, m, n));
        if (a.rank() == 1) {
            out = TensorViews.select(out, b.rank() == 1 ? 0 : -2, 0);
        }
        return b.rank() == 1 ? TensorViews.select(out, -1, 0) : out;
    }

    private static int[] with(int[] batch, int rows, int columns) {
        int[] sizes = Arrays.copyOf(batch, batch.length + 2);
        sizes[batch.length] = rows;
        sizes[batch.length + 1] = columns;
        return sizes;
    }

    /** {@code input * weight^T + bias}. */
    static Tensor linear(Tensor input, Tensor weight, Tensor bias) {
        Tensor product = matmul(input, weight.rank() == 1 ? weight : TensorViews.transpose(weight, 0, 1));
        return bias == null ? product : BinaryOps.add(product, bias, 1L);
    }

    private static Tensor outer(Tensor a, Tensor b) {
        return BinaryOps.multiply(TensorViews.unsqueeze(a, 1), b);
    }

    /** {@code out[.., o] = left^T weight[o] right + bias[o]}. */
    private static Tensor bilinear(Tensor left, Tensor right, Tensor weight, Tensor bias) {
        int i = left.size(-1);
        int j = right.size(-1);
        int o = weight.sizes()[0];
        Tensor x = TensorViews.reshape(left, -1L, i);
        Tensor y = TensorViews.reshape(right, -1L, j);
        Tensor half =
                TensorViews.reshape(mm(x, TensorViews.reshape(weight.permute(1, 0, 2), i, o * j)), x.sizes()[0], o, j);
        Tensor out = TensorViews.select(bmm(half, TensorViews.unsqueeze(y, 2)), 2, 0);
        int[] sizes = left.sizes().clone();
        sizes[sizes.length - 1] = o;
        out = TensorViews.reshape(out, sizes);
        return bias == null ? out : BinaryOps.add(out, bias, 1L);
    }

    private static Tensor tensordot(Tensor a, Tensor b, int[] first, int[] second) {
        if (first.length != second.length) {
            throw new IllegalArgumentException("both dimension lists should have same length");
        }
        int[] p = ends(a.rank(), first, true);
        int[] q = ends(b.rank(), second, false);
        Tensor x = a.permute(p);
        Tensor y = b.permute(q);
        int free = a.rank() - first.length;
        // Where one of a pair of contracted sizes is 1, the elements of the other are added up.
        for (int i = 0; i < first.length; i++) {
            int one = x.size(free + i);
            int other = y.size(i);
            if (one != other && one != 1 && other != 1) {
                throw new IllegalArgumentException("contracted dimensions need to match, but first has size " + one
                        + " in dim " + first[i] + " and second has size " + other + " in dim " + second[i]);
            }
            if (one == 1 && other != 1) {
                y = ReduceOps.sum(y, new long[] {i}, true, y.dtype());
            } else if (other == 1 && one != 1) {
                x = ReduceOps.sum(x, new long[] {free + i}, true, x.dtype());
            }
        }
        int[] rows = Arrays.copyOf(x.sizes(), free);
        int[] columns = Arrays.copyOfRange(y.sizes(), second.length, b.rank());
        int k = Math.toIntExact(Shape.numel(Arrays.copyOfRange(x.sizes(), free, a.rank())));
        Tensor product = mm(
                TensorViews.reshape(x, Math.toIntExact(Shape.numel(rows)), k),
                TensorViews.reshape(y, k, Math.toIntExact(Shape.numel(columns))));
        int[] sizes = Arrays.copyOf(rows, rows.length + columns.length);
        System.arraycopy(columns, 0, sizes, rows.length, columns.length);
        return TensorViews.reshape(product, sizes);
    }

    /** All dimensions, the contracted ones last or first. */
    private static int[] ends(int rank, int[] contracted, boolean last) {
        int[] order = new int[rank];
        boolean[] taken = new boolean[rank];
        int at = last ? rank - contracted.length : 0;
        for (int d : contracted) {
            int wrapped = Shape.wrap(d, rank);
            taken[wrapped] = true;
            order[at++] = wrapped;
        }
        at = last ? 0 : contracted.length;
        for (int d = 0; d < rank; d++) {
            if (!taken[d]) {
                order[at++] = d;
            }
        }
        return order;
    }

    private static Tensor kron(Tensor a, Tensor b) {
        int rank = Math.max(a.rank(), b.rank());
        int[] left = new int[2 * rank];
        int[] right = new int[2 * rank];
        int[] sizes = new int[rank];
        for (int d = 0; d < rank; d++) {
            int p = d < rank - a.rank() ? 1 : a.sizes()[d - rank + a.rank()];
            int q = d < rank - b.rank() ? 1 : b.sizes()[d - rank + b.rank()];
            left[2 * d] = p;
            left[2 * d + 1] = 1;
            right[2 * d] = 1;
            right[2 * d + 1] = q;
            sizes[d] = p * q;
        }
        return TensorViews.reshape(
                BinaryOps.multiply(TensorViews.reshape(a, left), TensorViews.reshape(b, right)), sizes);
    }
}
