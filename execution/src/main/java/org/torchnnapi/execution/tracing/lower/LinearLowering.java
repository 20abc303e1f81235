package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Matrix products with a constant matrix, and of two matrices that vary. */
final class LinearLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add(
                "aten::linear",
                (lowered, node, a) -> linear(
                        lowered,
                        Support.floats(a, 0),
                        Support.constant(lowered, a, 1),
                        Support.constantOrNull(lowered, a, 2),
                        Clamp.NONE));
        r.add("aten::addmm", (lowered, node, a) -> {
            Support.require(
                    Args.real(a, 3) == 1
                            && Args.real(a, 4) == 1
                            && Args.tensor(a, 1).rank() == 2,
                    "a plain sum");
            return linear(
                    lowered,
                    Support.floats(a, 1),
                    transposed(Support.constant(lowered, a, 2)),
                    Support.constant(lowered, a, 0),
                    Clamp.NONE);
        });
        r.add("aten::baddbmm", (lowered, node, a) -> {
            Tensor product = batches(lowered, a[1], a[2]);
            Tensor scaled = Args.real(a, 4) == 1
                    ? product
                    : ArithmeticLowering.lower(lowered, BinaryOp.MUL, product, Args.real(a, 4));
            Object base = Args.real(a, 3) == 1 || Args.real(a, 3) == 0
                    ? a[0]
                    : ArithmeticLowering.lower(lowered, BinaryOp.MUL, a[0], Args.real(a, 3));
            return Args.real(a, 3) == 0 ? scaled : ArithmeticLowering.lower(lowered, BinaryOp.ADD, scaled, base);
        });
        r.add("aten::mm", (lowered, node, a) -> {
            Support.require(
                    Support.floats(a, 0).rank() == 2 && Support.floats(a, 1).rank() == 2, "matrices");
            return product(lowered, a);
        });
        r.add("aten::bmm", (lowered, node, a) -> batches(lowered, a[0], a[1]));
        r.add("aten::matmul", (lowered, node, a) -> product(lowered, a));
    }

    /** Products of as many matrices as matrices, which are not broadcast. */
    private static Tensor batches(Lowered lowered, Object... operands) {
        Tensor left = Support.floats(operands, 0);
        Tensor right = Support.floats(operands, 1);
        Support.require(
                left.rank() == 3 && right.rank() == 3 && left.size(0) == right.size(0),
                "batches of equally many matrices");
        return product(lowered, operands);
    }

    private static Tensor product(Lowered lowered, Object[] a) {
        Tensor left = Support.floats(a, 0);
        Tensor right = Support.floats(a, 1);
        if (right.rank() == 2 && !lowered.varies(right)) {
            return linear(lowered, left, transposed(right), null, Clamp.NONE);
        }
        Support.require(left.rank() >= 1 && right.rank() >= 1, "matrices or vectors");
        Tensor x = left.rank() > 1 ? left : reshape(lowered, left, 1, left.size(0));
        Tensor y = right.rank() > 1 ? right : reshape(lowered, right, right.size(0), 1);
        Support.require(x.size(-1) == y.size(-2), "columns as many as rows");
        int[] batch = BroadcastShapes.shape(leading(x), leading(y));
        boolean one = Shape.numel(leading(y)) == 1;
        int[] sizes = ends(batch, x.size(-2), y.size(-1));
        // One matrix on the right serves all on the left; otherwise there must be as many.
        Tensor many = expanded(lowered, x, ends(batch, x.size(-2), x.size(-1)));
        Tensor others = one ? y : expanded(lowered, y, ends(batch, y.size(-2), y.size(-1)));
        Tensor product = lowered.compute(
                new MatrixProductOp(false, 1), Lowered.tensor(DType.FLOAT32, null, sizes), many, others);
        if (left.rank() > 1 && right.rank() > 1) {
            return product;
        }
        int[] shape = left.rank() > 1 ? ends(batch, x.size(-2)) : right.rank() > 1 ? ends(batch, y.size(-1)) : batch;
        return reshape(lowered, product, shape);
    }

    private static int[] leading(Tensor t) {
        return Arrays.copyOf(t.sizes(), t.rank() - 2);
    }

    private static int[] ends(int[] batch, int... last) {
        int[] sizes = Arrays.copyOf(batch, batch.length + last.length);
        System.arraycopy(last, 0, sizes, batch.length, last.length);
        return sizes;
    }

    private static Tensor expanded(Lowered lowered, Tensor t, int[] sizes) {
        return Arrays.equals(t.sizes(), sizes)
                ? t
                : ArrangementLowering.expand(lowered, t, Lowered.tensor(DType.FLOAT32, null, sizes));
    }

    private static Tensor reshape(Lowered lowered, Tensor t, int... sizes) {
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), t);
    }

    private static Tensor transposed(Tensor matrix) {
        Support.require(matrix.rank() == 2, "a matrix");
        return matrix.permute(1, 0);
    }

    /** @param weight {@code [out, in]} */
    static Tensor linear(Lowered lowered, Tensor input, Tensor weight, Tensor bias, Clamp clamp) {
        Support.require(
                weight.rank() == 2 && input.rank() >= 1 && input.size(-1) == weight.size(1),
                "rows as wide as the matrix");
        Support.require(bias == null || bias.rank() <= 1 && bias.numel() == weight.size(0), "a bias for each result");
        int[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = weight.size(0);
        return lowered.compute(
                new LinearOp(
                        weight.size(1), weight.size(0), Support.weights(weight), Support.valuesOrNull(bias), clamp),
                Lowered.tensor(DType.FLOAT32, null, sizes),
                input);
    }
}
