package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.program.op.VarianceOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Norms of vectors, as reductions of what is done to each element; variances and standard deviations. */
final class MomentsLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::norm", (lowered, node, a) -> norm(lowered, node, a, order(node, a, "p")));
        r.add("aten::linalg_vector_norm", (lowered, node, a) -> norm(lowered, node, a, order(node, a, "ord")));
        r.add("aten::frobenius_norm", (lowered, node, a) -> norm(lowered, node, a, 2));
        r.add("aten::var", (lowered, node, a) -> variance(lowered, node, a, false));
        r.add("aten::std", (lowered, node, a) -> variance(lowered, node, a, true));
    }

    private static double order(Node node, Object[] a, String name) {
        Object order = argument(node, a, name);
        return order == null ? 2 : ((Number) order).doubleValue();
    }

    /** Null also where this form of the operator has no such argument. */
    private static Object argument(Node node, Object[] a, String name) {
        int at = node.schema().indexOf(name);
        return at < 0 ? null : a[at];
    }

    private static long[] dims(Node node, Object[] a) {
        int at = node.schema().indexOf("dim");
        return at < 0 || a[at] == null ? null : Args.integers(a, at);
    }

    private static boolean keep(Node node, Object[] a) {
        return argument(node, a, "keepdim") instanceof Boolean keep && keep;
    }

    private static Tensor vectors(Object[] a) {
        Tensor t = Support.floats(a, 0);
        Support.require(t.rank() > 0 && t.numel() > 0, "elements to reduce");
        return t;
    }

    private static Tensor norm(Lowered lowered, Node node, Object[] a, double order) {
        Tensor t = vectors(a);
        int type = node.schema().indexOf("dtype");
        Support.require(type < 0 || a[type] == null || Args.dtype(a, type) == DType.FLOAT32, "a result of float32");
        long[] dims = dims(node, a);
        boolean keep = keep(node, a);
        if (order == 2) {
            Tensor squares = ArithmeticLowering.lower(lowered, BinaryOp.MUL, t, t);
            return unary(lowered, UnaryOp.SQRT, reduce(lowered, ReductionKernel.SUM, squares, dims, keep));
        }
        Support.require(order == 1 || Double.isInfinite(order), "a norm of order 1, 2 or infinity");
        ReductionKernel reduction =
                order == 1 ? ReductionKernel.SUM : order > 0 ? ReductionKernel.MAX : ReductionKernel.MIN;
        return reduce(lowered, reduction, unary(lowered, UnaryOp.ABS, t), dims, keep);
    }

    private static Tensor variance(Lowered lowered, Node node, Object[] a, boolean root) {
        Tensor t = vectors(a);
        long[] dims = dims(node, a);
        ReducedRows rows = ReducedRows.of(t, dims);
        double correction = correction(node, a);
        boolean keep = keep(node, a);
        Support.require(rows.length() > correction, "more elements than " + correction);
        return lowered.compute(
                new VarianceOp(ReductionLowering.axes(t, dims), correction, root, keep),
                Lowered.tensor(DType.FLOAT32, null, rows.sizes(keep)),
                t);
    }

    /** Less elements that the sum is divided by than there are: 1 unless the call says otherwise. */
    private static double correction(Node node, Object[] a) {
        Object unbiased = argument(node, a, "unbiased");
        Object correction = argument(node, a, "correction");
        return unbiased != null
                ? (boolean) unbiased ? 1 : 0
                : correction == null ? 1 : ((Number) correction).doubleValue();
    }

    private static Tensor reduce(Lowered lowered, ReductionKernel reduction, Tensor t, long[] dims, boolean keep) {
        return ReductionLowering.reduce(lowered, reduction, t, dims, keep);
    }

    private static Tensor unary(Lowered lowered, UnaryOp op, Tensor t) {
        return lowered.compute(new UnaryMathOp(op), Support.like(t, DType.FLOAT32, null), t);
    }
}
