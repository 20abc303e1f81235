package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Scaled dot-product attention, {@code softmax(q k^T * scale + mask) v}, under the names that PyTorch 2 gives it
 * (native/transformers/attention.cpp). A row in which the mask hides everything gives zeros.
 */
public final class DotProductAttention implements OperatorFamily {
    private static final String QUERIES = "Tensor query, Tensor key, Tensor value, ";

    /** Sets {@code weights} and {@code repeated}, the values for all heads. */
    private static final String WEIGHTS = """
        if torch.__is__(scale, None):
          factor = torch.div(1., torch.sqrt(float(torch.size(query, -1))))
        else:
          factor = unchecked_cast(float, scale)
        if enable_gqa:
          keys = torch.repeat_interleave(key, torch.floordiv(torch.size(query, -3), torch.size(key, -3)), -3)
          repeated = torch.repeat_interleave(value, torch.floordiv(torch.size(query, -3), torch.size(value, -3)), -3)
        else:
          keys = key
          repeated = value
        scores = torch.matmul(torch.mul(query, factor), torch.transpose(keys, -2, -1))
        if is_causal:
          if torch.__isnot__(attn_mask, None):
            ops.prim.RaiseException("_scaled_dot_product_attention: Explicit attn_mask should not be set when \
        is_causal=True")
          else:
            pass
          ones = torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11)
          weights = torch.softmax(torch.masked_fill(scores, torch.logical_not(torch.tril(ones)), -inf), -1)
        else:
          if torch.__is__(attn_mask, None):
            weights = torch.softmax(scores, -1)
          else:
            mask = unchecked_cast(Tensor, attn_mask)
            if torch.eq(ops.prim.dtype(mask), 11):
              masked = torch.masked_fill(scores, torch.logical_not(mask), -inf)
            else:
              masked = torch.add(scores, mask)
            weights = torch._safe_softmax(masked, -1)
        """;

    private static final String KEPT = """
        if torch.gt(dropout_p, 0.):
          kept = torch.dropout(weights, dropout_p, True)
        else:
          kept = weights
        """;

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::scaled_dot_product_attention(" + QUERIES
                        + "Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, "
                        + "float? scale=None, bool enable_gqa=False) -> Tensor",
                WEIGHTS + KEPT + "return torch.matmul(kept, repeated)",
                OperatorTrait.TRAINS);
        r.composite(
                "aten::_scaled_dot_product_attention_math(" + QUERIES
                        + "Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, "
                        + "Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)",
                WEIGHTS + KEPT + """
            if torch.__is__(dropout_mask, None):
              shares = kept
              result = torch.matmul(kept, repeated)
            else:
              shares = torch.masked_fill(weights, torch.logical_not(unchecked_cast(Tensor, dropout_mask)), 0.)
              result = torch.matmul(shares, torch.mul(repeated, torch.div(1., torch.sub(1., dropout_p))))
            return (result, shares)""",
                OperatorTrait.TRAINS);
        r.composite(
                "aten::_scaled_dot_product_flash_attention_for_cpu(" + QUERIES
                        + "float dropout_p=0., bool is_causal=False, *, "
                        + "Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
                "enable_gqa = False\n" + WEIGHTS + """
            if is_causal:
              hidden = torch.logical_not(torch.tril(torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11)))
              seen = torch.masked_fill(scores, hidden, -inf)
            else:
              if torch.__is__(attn_mask, None):
                seen = scores
              else:
                seen = torch.add(scores, unchecked_cast(Tensor, attn_mask))
            return (torch.matmul(weights, repeated), torch.logsumexp(seen, [-1]))""");
        r.composite("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", """
            weights = torch.softmax(self, dim, dtype=dtype)
            hidden = torch.all(torch.eq(self, -inf), dim, True)
            return torch.masked_fill(weights, hidden, 0.)""");
    }
}
