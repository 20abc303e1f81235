package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.LeadingFlagsOp;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.PaddedSequencesOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.NestedTensor;

/**
 * The fused forms of attention that PyTorch's transformer modules take for inference, as the operations they consist
 * of.
 */
final class AttentionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::_transformer_encoder_layer_fwd", (lowered, node, a) -> {
            if (a[0] instanceof NestedTensor nested) {
                Support.require(a[18] == null, "no mask beside a nested tensor");
                Tensor out = encoderLayer(lowered, a, nested.padded(), Mask.of(lowered, nested));
                return new NestedTensor(out, nested.visible());
            }
            Tensor x = Support.floats(a, 0);
            return encoderLayer(lowered, a, x, Mask.of(lowered, x, a[18], Args.integerOrNull(a, 19)));
        });
        r.add("aten::_nested_tensor_from_mask", (lowered, node, a) -> {
            Tensor t = Support.floats(a, 0);
            Tensor mask = Args.tensor(a, 1);
            Support.require(
                    !Args.flag(a, 2)
                            && t.rank() == 3
                            && mask.dtype() == DType.BOOL
                            && Arrays.equals(mask.sizes(), Arrays.copyOf(t.sizes(), 2)),
                    "a mask of sequences that needs no check");
            return new NestedTensor(
                    t, lowered.compute(new LeadingFlagsOp(), Lowered.tensor(DType.BOOL, null, mask.sizes()), mask));
        });
        r.add("aten::to_padded_tensor", (lowered, node, a) -> {
            Support.require(a[0] instanceof NestedTensor && a[2] == null, "a nested tensor, and its own size");
            NestedTensor nested = (NestedTensor) a[0];
            return lowered.compute(
                    new PaddedSequencesOp((float) Args.real(a, 1)),
                    fresh(nested.padded().sizes()),
                    nested.padded(),
                    nested.visible());
        });
        r.add("aten::_native_multi_head_attention", (lowered, node, a) -> {
            Support.require(a[0] == a[1] && a[1] == a[2] && !Args.flag(a, 10), "attention to itself without weights");
            Tensor x = Support.floats(a, 0);
            Tensor out = attention(
                    lowered,
                    x,
                    Mask.of(lowered, x, a[9], Args.integerOrNull(a, 12)),
                    Args.int32(a, 4),
                    Support.constant(lowered, a, 5),
                    Support.constant(lowered, a, 6),
                    Support.constant(lowered, a, 7),
                    Support.constant(lowered, a, 8));
            return new Object[] {out, Tensor.zeros(DType.FLOAT32, 0)};
        });
        r.add("aten::_scaled_dot_product_attention", (lowered, node, a) -> {
            Support.require(a[3] == null && Args.real(a, 4) == 0 && !Args.flag(a, 6), "no mask and no dropout");
            Tensor q = Support.floats(a, 0);
            Tensor k = Support.floats(a, 1);
            Tensor weights = softmax(lowered, scores(lowered, q, k));
            return new Object[] {product(lowered, weights, Support.floats(a, 2)), weights};
        });
    }

    /**
     * What positions do not attend to.
     *
     * @param marks bool, of a shape that broadcasts to [batch, heads, time, time]
     * @param hidden whether marked ones are hidden, or else all others
     */
    private record Mask(Tensor marks, boolean hidden) {
        private static final int PADDING = 1;

        static Mask of(Lowered lowered, NestedTensor nested) {
            return new Mask(overKeys(lowered, nested.visible()), false);
        }

        /** @param type that of padded positions for each sequence, or of pairs of positions for all */
        static Mask of(Lowered lowered, Tensor x, Object mask, Long type) {
            if (mask == null) {
                return null;
            }
            Support.require(
                    mask instanceof Tensor m
                            && m.dtype() == DType.BOOL
                            && m.rank() == 2
                            && type != null
                            && x.rank() == 3,
                    "a mask of bool");
            Tensor marks = (Tensor) mask;
            boolean padding = type == PADDING;
            Support.require(
                    marks.size(0) == x.size(padding ? 0 : 1) && marks.size(1) == x.size(1), "a mask of all positions");
            return new Mask(padding ? overKeys(lowered, marks) : marks, true);
        }

        private static Tensor overKeys(Lowered lowered, Tensor marks) {
            int[] sizes = {marks.size(0), 1, 1, marks.size(1)};
            return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.BOOL, null, sizes), marks);
        }
    }

    private static Tensor encoderLayer(Lowered lowered, Object[] a, Tensor x, Mask mask) {
        boolean first = Args.flag(a, 8);
        Tensor in = first ? norm(lowered, x, a, 10) : x;
        Tensor attended = attention(
                lowered,
                in,
                mask,
                Args.int32(a, 2),
                Support.constant(lowered, a, 3),
                Support.constant(lowered, a, 4),
                Support.constant(lowered, a, 5),
                Support.constant(lowered, a, 6));
        Tensor sum = sum(lowered, x, attended);
        Tensor middle = first ? sum : norm(lowered, sum, a, 10);
        Tensor hiddenIn = first ? norm(lowered, middle, a, 12) : middle;
        Tensor hidden = LinearLowering.linear(
                lowered, hiddenIn, Support.constant(lowered, a, 14), Support.constant(lowered, a, 15), Clamp.NONE);
        Tensor active = lowered.compute(
                Args.flag(a, 7) ? new UnaryMathOp(UnaryOp.GELU) : new ClampOp(Clamp.RELU),
                fresh(hidden.sizes()),
                hidden);
        Tensor out = sum(
                lowered,
                middle,
                LinearLowering.linear(
                        lowered,
                        active,
                        Support.constant(lowered, a, 16),
                        Support.constant(lowered, a, 17),
                        Clamp.NONE));
        return first ? out : norm(lowered, out, a, 12);
    }

    private static Tensor norm(Lowered lowered, Tensor x, Object[] a, int weight) {
        return NormalizationLowering.layer(
                lowered,
                x,
                x.size(-1),
                Support.constant(lowered, a, weight),
                Support.constant(lowered, a, weight + 1),
                Args.real(a, 9));
    }

    private static Tensor sum(Lowered lowered, Tensor a, Tensor b) {
        return lowered.compute(BinaryMathOp.of(BinaryOp.ADD), fresh(a.sizes()), a, b);
    }

    private static Tensor fresh(int... sizes) {
        return Lowered.tensor(DType.FLOAT32, null, sizes);
    }

    /** Of sequences {@code [batch, time, embedding]} to themselves. */
    private static Tensor attention(
            Lowered lowered,
            Tensor x,
            Mask mask,
            int heads,
            Tensor weight,
            Tensor bias,
            Tensor outWeight,
            Tensor outBias) {
        Support.require(
                x.rank() == 3
                        && heads > 0
                        && x.size(2) % heads == 0
                        && weight.rank() == 2
                        && weight.size(0) == 3 * x.size(2),
                "[batch, time, embedding] and a whole size for each head");
        int batch = x.size(0);
        int time = x.size(1);
        int size = x.size(2) / heads;
        Tensor all = LinearLowering.linear(lowered, x, weight, bias, Clamp.NONE);
        Tensor split = reshape(lowered, all, batch, time, 3, heads, size);
        // Query, key and value one behind the other, so that each is there without a copy.
        Tensor turned =
                lowered.compute(new TransposeOp(new int[] {2, 0, 3, 1, 4}), fresh(3, batch, heads, time, size), split);
        Tensor scores = scores(lowered, third(lowered, turned, 0), third(lowered, turned, 1));
        Tensor seen = mask == null
                ? scores
                : lowered.compute(
                        new MaskedFillOp(Float.NEGATIVE_INFINITY, mask.hidden()),
                        fresh(scores.sizes()),
                        scores,
                        mask.marks());
        Tensor weights = softmax(lowered, seen);
        Tensor attended = product(lowered, weights, third(lowered, turned, 2));
        Tensor joined =
                lowered.compute(new TransposeOp(new int[] {0, 2, 1, 3}), fresh(batch, time, heads, size), attended);
        return LinearLowering.linear(
                lowered, reshape(lowered, joined, batch, time, heads * size), outWeight, outBias, Clamp.NONE);
    }

    private static Tensor third(Lowered lowered, Tensor turned, int which) {
        int[] begin = {which, 0, 0, 0, 0};
        int[] size = turned.sizes().clone();
        size[0] = 1;
        int[] step = {1, 1, 1, 1, 1};
        Tensor part = lowered.compute(new SliceOp(begin, size, step), fresh(size), turned);
        return reshape(lowered, part, Arrays.copyOfRange(size, 1, size.length));
    }

    private static Tensor reshape(Lowered lowered, Tensor x, int... sizes) {
        return lowered.compute(new ReshapeOp(sizes), fresh(sizes), x);
    }

    /** {@code q * k^T / sqrt(size)} for every matrix of two equal batches. */
    private static Tensor scores(Lowered lowered, Tensor q, Tensor k) {
        int[] sizes = q.sizes().clone();
        sizes[sizes.length - 1] = k.size(-2);
        return lowered.compute(new MatrixProductOp(true, (float) (1 / Math.sqrt(q.size(-1)))), fresh(sizes), q, k);
    }

    private static Tensor softmax(Lowered lowered, Tensor scores) {
        return lowered.compute(new SoftmaxOp(scores.rank() - 1, 1, false), fresh(scores.sizes()), scores);
    }

    private static Tensor product(Lowered lowered, Tensor weights, Tensor v) {
        int[] sizes = weights.sizes().clone();
        sizes[sizes.length - 1] = v.size(-1);
        return lowered.compute(new MatrixProductOp(false, 1), fresh(sizes), weights, v);
    }
}
