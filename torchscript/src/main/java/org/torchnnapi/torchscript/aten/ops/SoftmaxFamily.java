package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.dtypeOr;
import static org.torchnnapi.torchscript.aten.support.Args.integer;
import static org.torchnnapi.torchscript.aten.support.Args.tensor;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.support.Elements;
import org.torchnnapi.torchscript.aten.support.Rows;

/** softmax and its logarithm along a dimension, computed in double with the greatest value subtracted first. */
public final class SoftmaxFamily implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", a -> softmax(tensor(a, 0), integer(a, 1), dtypeOr(a, 2, null), false));
        r.op("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", a -> softmax(tensor(a, 0), integer(a, 1), null, false));
        r.op("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", a -> softmax(tensor(a, 0), integer(a, 1), dtypeOr(a, 2, null), true));
        r.op("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", a -> softmax(tensor(a, 0), integer(a, 1), null, true));
    }

    static Tensor softmax(Tensor given, long dim, DType type, boolean logarithm) {
        Tensor t = type == null ? given : Elements.cast(given, type);
        if (!t.dtype().isFloating()) {
            throw new IllegalArgumentException("\"softmax_lastdim_kernel_impl\" not implemented for '" + t.dtype().torchName() + "'");
        }
        if (t.numel() == 0) {
            return t;
        }
        Rows rows = Rows.of(t, (int) dim);
        double[] out = new double[rows.values.length];
        for (int row = 0; row < rows.count; row++) {
            int at = row * rows.length;
            double max = Double.NEGATIVE_INFINITY;
            for (int i = at; i < at + rows.length; i++) {
                max = Math.max(max, rows.values[i]);
            }
            double sum = 0;
            for (int i = at; i < at + rows.length; i++) {
                out[i] = Math.exp(rows.values[i] - max);
                sum += out[i];
            }
            double log = Math.log(sum);
            for (int i = at; i < at + rows.length; i++) {
                out[i] = logarithm ? rows.values[i] - max - log : out[i] / sum;
            }
        }
        return rows.restore(Elements.ofDoubles(t.dtype(), out, out.length), rows.length);
    }
}
