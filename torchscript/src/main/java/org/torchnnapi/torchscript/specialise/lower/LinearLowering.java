package org.torchnnapi.torchscript.specialise.lower;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.op.Linear;
import org.torchnnapi.program.op.MatrixProduct;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;

/** Matrix products with a constant matrix, and of two matrices that vary. */
final class LinearLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::linear", (lowered, node, a) -> linear(lowered, Support.floats(a, 0), Support.constant(lowered, a, 1),
            Support.constantOrNull(lowered, a, 2), Clamp.NONE));
        r.add("aten::addmm", (lowered, node, a) -> {
            Support.require(Args.real(a, 3) == 1 && Args.real(a, 4) == 1 && Args.tensor(a, 1).rank() == 2, "a plain sum");
            return linear(lowered, Support.floats(a, 1), transposed(Support.constant(lowered, a, 2)), Support.constant(lowered, a, 0), Clamp.NONE);
        });
        r.add("aten::mm", (lowered, node, a) -> product(lowered, a));
        r.add("aten::bmm", (lowered, node, a) -> product(lowered, a));
        r.add("aten::matmul", (lowered, node, a) -> product(lowered, a));
    }

    private static Tensor product(Lowered lowered, Object[] a) {
        Tensor left = Support.floats(a, 0);
        Tensor right = Support.floats(a, 1);
        if (right.rank() == 2 && !lowered.varies(right)) {
            return linear(lowered, left, transposed(right), null, Clamp.NONE);
        }
        boolean fits = left.rank() >= 2 && left.rank() == right.rank();
        int[] sizes = left.sizes().clone();
        for (int d = 0; fits && d < left.rank() - 2; d++) {
            fits = left.sizes()[d] == right.sizes()[d];
        }
        Support.require(fits && left.size(-1) == right.size(-2), "equal batches of matrices");
        sizes[sizes.length - 1] = right.size(-1);
        return lowered.compute(new MatrixProduct(false, 1), Lowered.tensor(DType.FLOAT32, null, sizes), left, right);
    }

    private static Tensor transposed(Tensor matrix) {
        Support.require(matrix.rank() == 2, "a matrix");
        return matrix.permute(1, 0);
    }

    /** @param weight {@code [out, in]} */
    static Tensor linear(Lowered lowered, Tensor input, Tensor weight, Tensor bias, Clamp clamp) {
        Support.require(weight.rank() == 2 && input.rank() >= 1 && input.size(-1) == weight.size(1), "rows as wide as the matrix");
        Support.require(bias == null || bias.rank() <= 1 && bias.numel() == weight.size(0), "a bias for each result");
        int[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = weight.size(0);
        return lowered.compute(new Linear(weight.size(1), weight.size(0), Support.weights(weight), Support.valuesOrNull(bias), clamp),
            Lowered.tensor(DType.FLOAT32, null, sizes), input);
    }
}
