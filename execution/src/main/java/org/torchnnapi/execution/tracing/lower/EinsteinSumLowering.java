package org.torchnnapi.execution.tracing.lower;

import java.util.List;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * einsum of two tensors as a matrix product: subscripts in both and in the result are its batch, those in both alone
 * are summed, each other one belongs to the rows or the columns.
 */
final class EinsteinSumLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::einsum", (lowered, node, a) -> sum(lowered, Args.text(a, 0).replace(" ", ""), Args.tensors(a, 1)));
    }

    private static Tensor sum(Lowered lowered, String equation, List<Tensor> operands) {
        String[] sides = equation.split("->", -1);
        String[] in = sides[0].split(",", -1);
        Support.require(
                sides.length == 2 && in.length == 2 && operands.size() == 2 && !equation.contains("."),
                "two tensors and their result");
        String result = sides[1];
        StringBuilder batch = new StringBuilder();
        StringBuilder rows = new StringBuilder();
        StringBuilder summed = new StringBuilder();
        for (char c : in[0].toCharArray()) {
            boolean right = in[1].indexOf(c) >= 0;
            boolean kept = result.indexOf(c) >= 0;
            Support.require(right || kept, "a subscript of the other tensor or the result");
            (right ? kept ? batch : summed : rows).append(c);
        }
        StringBuilder columns = new StringBuilder();
        for (char c : in[1].toCharArray()) {
            if (in[0].indexOf(c) < 0) {
                Support.require(result.indexOf(c) >= 0, "a subscript of the other tensor or the result");
                columns.append(c);
            }
        }
        Tensor left = Support.floats(new Object[] {operands.get(0)}, 0);
        Tensor right = Support.floats(new Object[] {operands.get(1)}, 0);
        Support.require(
                distinct(in[0], left)
                        && distinct(in[1], right)
                        && batch.length() + rows.length() + columns.length() == result.length(),
                "each subscript once a tensor");
        int[] sizes = new int[result.length()];
        String order = "" + batch + rows + columns;
        int[] unordered = new int[sizes.length];
        for (int d = 0; d < sizes.length; d++) {
            sizes[d] = size(result.charAt(d), in, left, right);
            unordered[d] = size(order.charAt(d), in, left, right);
        }
        Tensor a = matrices(lowered, left, in[0], batch.toString(), rows.toString(), summed.toString());
        Tensor b = matrices(lowered, right, in[1], batch.toString(), summed.toString(), columns.toString());
        Support.require(a.size(2) == b.size(1) && a.size(0) == b.size(0), "equal sizes of a subscript");
        Tensor product = lowered.compute(new MatrixProductOp(false, 1), fresh(a.size(0), a.size(1), b.size(2)), a, b);
        Tensor shaped = lowered.compute(new ReshapeOp(unordered), fresh(unordered), product);
        return order.equals(result)
                ? shaped
                : lowered.compute(new TransposeOp(permutation(order, result)), fresh(sizes), shaped);
    }

    private static boolean distinct(String subscripts, Tensor t) {
        return subscripts.length() == t.rank() && subscripts.chars().distinct().count() == t.rank();
    }

    private static int size(char subscript, String[] in, Tensor left, Tensor right) {
        int at = in[0].indexOf(subscript);
        return at >= 0 ? left.size(at) : right.size(in[1].indexOf(subscript));
    }

    /** The tensor with the dimensions of each of three lots of subscripts made one. */
    private static Tensor matrices(Lowered lowered, Tensor t, String own, String... lots) {
        String order = String.join("", lots);
        int[] turned = new int[order.length()];
        int[] permutation = permutation(own, order);
        int[] sizes = {1, 1, 1};
        for (int d = 0; d < turned.length; d++) {
            turned[d] = t.size(permutation[d]);
            sizes[d < lots[0].length() ? 0 : d < lots[0].length() + lots[1].length() ? 1 : 2] *= turned[d];
        }
        Tensor ordered = own.equals(order) ? t : lowered.compute(new TransposeOp(permutation), fresh(turned), t);
        return lowered.compute(new ReshapeOp(sizes), fresh(sizes), ordered);
    }

    private static int[] permutation(String from, String to) {
        return to.chars().map(from::indexOf).toArray();
    }

    private static Tensor fresh(int... sizes) {
        return Lowered.tensor(DType.FLOAT32, null, sizes);
    }
}
