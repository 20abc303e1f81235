package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.NestedTensor;

/** The fused forms that PyTorch's transformer modules take for inference (native/transformers/attention.cpp). */
public final class Attention implements OperatorFamily {
    /**
     * Kinds of mask: of pairs of positions for all, of padded positions of each sequence, or as the mask's rank says.
     */
    private static final int PADDING_MASK = 1;

    private static final String HEADS = """
        size = torch.floordiv(embed_dim, num_head)
        batch = torch.size(query, 0)
        time = torch.size(query, 1)
        source = torch.size(key, 1)
        wq = torch.slice(qkv_weight, 0, 0, embed_dim, 1)
        wk = torch.slice(qkv_weight, 0, embed_dim, torch.mul(embed_dim, 2), 1)
        wv = torch.slice(qkv_weight, 0, torch.mul(embed_dim, 2), torch.mul(embed_dim, 3), 1)
        bq = torch.slice(qkv_bias, 0, 0, embed_dim, 1)
        bk = torch.slice(qkv_bias, 0, embed_dim, torch.mul(embed_dim, 2), 1)
        bv = torch.slice(qkv_bias, 0, torch.mul(embed_dim, 2), torch.mul(embed_dim, 3), 1)
        q = torch.transpose(torch.reshape(torch.linear(query, wq, bq), [batch, time, num_head, size]), 1, 2)
        k = torch.transpose(torch.reshape(torch.linear(key, wk, bk), [batch, source, num_head, size]), 1, 2)
        v = torch.transpose(torch.reshape(torch.linear(value, wv, bv), [batch, source, num_head, size]), 1, 2)
        scores = torch.matmul(torch.div(q, torch.sqrt(float(size))), torch.transpose(k, -2, -1))
        if torch.__is__(mask, None):
          bounded = scores
        else:
          given = unchecked_cast(Tensor, mask)
          if torch.__is__(mask_type, None):
            kind = 0
          else:
            kind = unchecked_cast(int, mask_type)
          if torch.__and__(torch.eq(kind, 1), torch.eq(torch.dim(given), 2)):
            shaped = torch.reshape(given, [batch, 1, 1, source])
          else:
            shaped = given
          if torch.is_floating_point(given):
            bounded = torch.add(scores, shaped)
          else:
            bounded = torch.masked_fill(scores, shaped, -inf)
        weights = torch.softmax(bounded, -1)
        joined = torch.reshape(torch.transpose(torch.matmul(weights, v), 1, 2), [batch, time, embed_dim])
        if need_weights:
          if average_attn_weights:
            told = torch.mean(weights, [1])
          else:
            told = weights
        else:
          told = torch.zeros([0], dtype=ops.prim.dtype(query))
        return (torch.linear(joined, proj_weight, proj_bias), told)""";
    private static final String LAYER = """
        if norm_first:
          into = torch.layer_norm(src, [embed_dim], norm_weight_1, norm_bias_1, eps)
        else:
          into = src
        attended, weights = torch._native_multi_head_attention(into, into, into, embed_dim, num_heads, qkv_weight, \
        qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type)
        sum = torch.add(src, attended)
        if norm_first:
          middle = sum
          inner = torch.layer_norm(sum, [embed_dim], norm_weight_2, norm_bias_2, eps)
        else:
          middle = torch.layer_norm(sum, [embed_dim], norm_weight_1, norm_bias_1, eps)
          inner = middle
        hidden = torch.linear(inner, ffn_weight_1, ffn_bias_1)
        if use_gelu:
          active = torch.gelu(hidden)
        else:
          active = torch.relu(hidden)
        out = torch.add(middle, torch.linear(active, ffn_weight_2, ffn_bias_2))
        if norm_first:
          result = out
        else:
          result = torch.layer_norm(out, [embed_dim], norm_weight_2, norm_bias_2, eps)
        return result""";
    private static final String SCALED_PRODUCT = """
        scores = torch.matmul(torch.div(query, torch.sqrt(float(torch.size(query, -1)))), torch.transpose(key, -2, -1))
        if is_causal:
          past = torch.tril(torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11))
          bounded = torch.masked_fill(scores, torch.logical_not(past), -inf)
        else:
          if torch.__is__(attn_mask, None):
            bounded = scores
          else:
            given = unchecked_cast(Tensor, attn_mask)
            if torch.is_floating_point(given):
              bounded = torch.add(scores, given)
            else:
              bounded = torch.masked_fill(scores, torch.logical_not(given), -inf)
        weights = torch.dropout(torch.softmax(bounded, -1), dropout_p, torch.gt(dropout_p, 0.))
        return (torch.matmul(weights, value), weights)""";

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int "
                        + "num_head, "
                        + "Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? "
                        + "mask=None, "
                        + "bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, "
                        + "Tensor)",
                a -> {
                    Tensor[] out = attention(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensor(a, 2),
                            int32(a, 3),
                            int32(a, 4),
                            tensor(a, 5),
                            tensor(a, 6),
                            tensor(a, 7),
                            tensor(a, 8),
                            tensorOrNull(a, 9),
                            integerOrNull(a, 12));
                    Tensor weights = !flag(a, 10)
                            ? Tensor.zeros(out[0].dtype(), 0)
                            : flag(a, 11) ? ReduceOps.mean(out[1], new long[] {1}, false, null) : out[1];
                    return new Object[] {out[0], weights};
                },
                HEADS);
        r.composite(
                "aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, "
                        + "Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, "
                        + "float eps, "
                        + "Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, "
                        + "Tensor ffn_weight_1, "
                        + "Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? "
                        + "mask_type=None)"
                        + " -> Tensor",
                Attention::encoderLayer,
                LAYER);
        r.composite(
                "aten::_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
                        + "float dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
                SCALED_PRODUCT,
                OperatorTrait.TRAINS);
    }

    private static Tensor scores(Tensor q, Tensor k, double scale) {
        int rank = k.rank();
        int[] order = new int[rank];
        for (int d = 0; d < rank; d++) {
            order[d] = d;
        }
        order[rank - 1] = rank - 2;
        order[rank - 2] = rank - 1;
        Tensor scaled = Pointwise.unary(q, q.dtype(), x -> x * scale);
        return MatrixProducts.matmul(scaled, k.permute(order));
    }

    /** Adds a real mask, or hides what a bool mask marks as hidden (or, if {@code trueIsVisible}, does not mark). */
    private static Tensor masked(Tensor scores, Tensor mask, boolean additive, boolean trueIsVisible) {
        double[] values = Elements.doubles(scores).clone();
        double[] marks = Elements.doubles(BroadcastShapes.expand(mask, scores.sizes()));
        for (int i = 0; i < values.length; i++) {
            if (additive) {
                values[i] += marks[i];
            } else if (marks[i] != 0 != trueIsVisible) {
                values[i] = Double.NEGATIVE_INFINITY;
            }
        }
        return Elements.ofDoubles(scores.dtype(), values, scores.sizes());
    }

    /** Result [batch, time, embedding] and weights [batch, head, time, source]. */
    private static Tensor[] attention(
            Tensor query,
            Tensor key,
            Tensor value,
            int embedding,
            int heads,
            Tensor weight,
            Tensor bias,
            Tensor outWeight,
            Tensor outBias,
            Tensor mask,
            Long maskType) {
        boolean sound = query.rank() == 3
                && key.rank() == 3
                && value.rank() == 3
                && heads > 0
                && embedding % heads == 0
                && weight.rank() == 2
                && weight.size(0) == 3 * embedding
                && bias.numel() == 3L * embedding;
        if (!sound) {
            throw new IllegalArgumentException(
                    "_native_multi_head_attention: " + query + ", weight " + weight + ", " + heads
                            + " heads (expected: [batch, time, embedding], weight [3 * embedding, embedding], a "
                            + "whole size for each head)");
        }
        Tensor q = split(project(query, weight, bias, 0, embedding), heads);
        Tensor k = split(project(key, weight, bias, 1, embedding), heads);
        Tensor v = split(project(value, weight, bias, 2, embedding), heads);
        Tensor scores = scores(q, k, 1 / Math.sqrt((double) embedding / heads));
        if (mask != null) {
            scores = masked(scores, shaped(mask, maskType), mask.dtype().isFloating(), false);
        }
        Tensor weights = SoftMax.softmax(scores, -1, null, false);
        Tensor joined = MatrixProducts.matmul(weights, v).permute(0, 2, 1, 3).copy(MemoryFormat.CONTIGUOUS);
        int[] sizes = {query.size(0), query.size(1), embedding};
        Tensor flat = joined.asStrided(sizes, new int[] {query.size(1) * embedding, embedding, 1}, 0);
        return new Tensor[] {MatrixProducts.linear(flat, outWeight, outBias), weights};
    }

    private static Tensor shaped(Tensor mask, Long maskType) {
        boolean padding = maskType == null ? false : maskType == PADDING_MASK;
        if (padding && mask.rank() == 2) {
            return mask.asStrided(
                    new int[] {mask.size(0), 1, 1, mask.size(1)},
                    new int[] {mask.strides()[0], 0, 0, mask.strides()[1]},
                    mask.offset());
        }
        return mask;
    }

    private static Tensor project(Tensor x, Tensor weight, Tensor bias, int which, int embedding) {
        Tensor w = weight.asStrided(
                new int[] {embedding, weight.size(1)},
                weight.strides(),
                weight.offset() + which * embedding * weight.strides()[0]);
        Tensor b = bias.asStrided(
                new int[] {embedding},
                new int[] {bias.strides()[0]},
                bias.offset() + which * embedding * bias.strides()[0]);
        return MatrixProducts.linear(x, w, b);
    }

    /** [batch, time, heads * size] as [batch, heads, time, size]. */
    private static Tensor split(Tensor x, int heads) {
        Tensor dense = x.contiguous();
        int batch = x.size(0);
        int time = x.size(1);
        int size = x.size(2) / heads;
        return dense.asStrided(
                        new int[] {batch, time, heads, size},
                        new int[] {time * heads * size, heads * size, size, 1},
                        dense.offset())
                .permute(0, 2, 1, 3);
    }

    private static Object encoderLayer(Object[] a) {
        if (!(a[0] instanceof NestedTensor nested)) {
            return encoderLayer(a, tensor(a, 0), tensorOrNull(a, 18), integerOrNull(a, 19));
        }
        if (a[18] != null) {
            throw new IllegalArgumentException(
                    "mask: " + a[18] + " (expected: none for a nested tensor, whose sequences have no padding)");
        }
        Tensor hidden = Pointwise.unary(nested.visible(), DType.BOOL, visible -> 1 - visible);
        return new NestedTensor(encoderLayer(a, nested.padded(), hidden, (long) PADDING_MASK), nested.visible());
    }

    private static Tensor encoderLayer(Object[] a, Tensor x, Tensor mask, Long maskType) {
        boolean gelu = flag(a, 7);
        boolean normFirst = flag(a, 8);
        double eps = real(a, 9);
        Tensor in = normFirst ? layerNorm(x, tensor(a, 10), tensor(a, 11), eps) : x;
        Tensor attended = attention(
                in,
                in,
                in,
                int32(a, 1),
                int32(a, 2),
                tensor(a, 3),
                tensor(a, 4),
                tensor(a, 5),
                tensor(a, 6),
                mask,
                maskType)[0];
        Tensor middle = sum(x, attended);
        if (!normFirst) {
            middle = layerNorm(middle, tensor(a, 10), tensor(a, 11), eps);
        }
        Tensor hiddenIn = normFirst ? layerNorm(middle, tensor(a, 12), tensor(a, 13), eps) : middle;
        Tensor hidden = MatrixProducts.linear(hiddenIn, tensor(a, 14), tensor(a, 15));
        hidden = Pointwise.unary(
                hidden, hidden.dtype(), gelu ? ActivationOperators.gelu("none") : ActivationOperators::relu);
        Tensor out = sum(middle, MatrixProducts.linear(hidden, tensor(a, 16), tensor(a, 17)));
        return normFirst ? out : layerNorm(out, tensor(a, 12), tensor(a, 13), eps);
    }

    private static Tensor sum(Tensor a, Tensor b) {
        return Pointwise.binary(a, b, a.dtype(), Double::sum, Long::sum);
    }

    /** Over the last dimension. */
    private static Tensor layerNorm(Tensor x, Tensor weight, Tensor bias, double eps) {
        ReducedRows rows = ReducedRows.along(x, -1);
        double[] values = rows.doubles().clone();
        double[] w = Elements.doubles(weight);
        double[] b = Elements.doubles(bias);
        int n = rows.length();
        for (int row = 0; row < rows.count(); row++) {
            double mean = 0;
            for (int i = 0; i < n; i++) {
                mean += values[row * n + i] / n;
            }
            double variance = 0;
            for (int i = 0; i < n; i++) {
                variance += (values[row * n + i] - mean) * (values[row * n + i] - mean) / n;
            }
            double factor = 1 / Math.sqrt(variance + eps);
            for (int i = 0; i < n; i++) {
                values[row * n + i] = (values[row * n + i] - mean) * factor * w[i] + b[i];
            }
        }
        return Elements.ofDoubles(x.dtype(), values, x.sizes());
    }
}
