package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** softmax and its logarithm along a dimension, computed in double with the greatest value subtracted first. */
public final class SoftMax implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
                a -> softmax(tensor(a, 0), integer(a, 1), dtypeOr(a, 2, null), false),
                OperatorTrait.MIXES_ALONG);
        r.op(
                "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
                a -> softmax(tensor(a, 0), integer(a, 1), null, false),
                OperatorTrait.MIXES_ALONG);
        r.op(
                "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
                a -> softmax(tensor(a, 0), integer(a, 1), dtypeOr(a, 2, null), true),
                OperatorTrait.MIXES_ALONG);
        r.op(
                "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
                a -> softmax(tensor(a, 0), integer(a, 1), null, true),
                OperatorTrait.MIXES_ALONG);
    }

    static Tensor softmax(Tensor given, long dim, DType type, boolean logarithm) {
        Tensor t = type == null ? given : Elements.cast(given, type);
        if (!t.dtype().isFloating()) {
            throw new IllegalArgumentException("\"softmax_lastdim_kernel_impl\" not implemented for '"
                    + t.dtype().torchName() + "'");
        }
        if (t.numel() == 0) {
            return t;
        }
        ReducedRows rows = ReducedRows.along(t, dim);
        double[] values = rows.doubles();
        int length = rows.length();
        double[] out = new double[values.length];
        for (int row = 0; row < rows.count(); row++) {
            int at = row * length;
            double max = Double.NEGATIVE_INFINITY;
            for (int i = at; i < at + length; i++) {
                max = Math.max(max, values[i]);
            }
            double sum = 0;
            for (int i = at; i < at + length; i++) {
                out[i] = Math.exp(values[i] - max);
                sum += out[i];
            }
            double log = Math.log(sum);
            for (int i = at; i < at + length; i++) {
                out[i] = logarithm ? values[i] - max - log : out[i] / sum;
            }
        }
        int[] sizes = t.rank() == 0 ? new int[0] : Arrays.copyOf(rows.squeezed(), t.rank());
        if (t.rank() > 0) {
            sizes[t.rank() - 1] = length;
        }
        return ReducedRows.scatterBack(Elements.ofDoubles(t.dtype(), out, sizes), Shape.wrap(dim, t.rank()));
    }
}
