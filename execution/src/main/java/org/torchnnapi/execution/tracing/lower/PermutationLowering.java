package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Views with dimensions in another order. */
final class PermutationLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {
            "permute", "transpose", "swapaxes", "swapdims", "t", "numpy_T", "mT", "movedim", "moveaxis"
        }) {
            r.add("aten::" + name, (lowered, node, a) -> lower(lowered, a));
        }
    }

    private static Tensor lower(Lowered lowered, Object[] a) {
        Tensor t = (Tensor) a[0];
        Tensor turned = (Tensor) lowered.kernel(a);
        int[] permutation = permutation(lowered, a, t.rank());
        return lowered.compute(new TransposeOp(permutation), turned, t);
    }

    /** The order that the operator gives dimensions, read off strides that no two dimensions share. */
    private static int[] permutation(Lowered lowered, Object[] a, int rank) {
        int[] ones = new int[rank];
        int[] strides = new int[rank];
        Arrays.fill(ones, 1);
        Arrays.setAll(strides, d -> d);
        Object[] numbered = a.clone();
        numbered[0] = new Tensor(Storage.withoutData(DType.FLOAT32, 1), 0, ones, strides, null);
        return ((Tensor) lowered.kernel(numbered)).strides();
    }
}
