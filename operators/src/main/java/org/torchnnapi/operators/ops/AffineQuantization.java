package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;

/**
 * Steps to and from integers by {@code torchao}, on plain tensors: blocks of a tensor have a scale and a zero point
 * each. A block as large as the tensor is per tensor, one of size 1 in one dimension alone per channel, and a part of a
 * row per group. The formulas are those of its {@code quant_primitives}.
 */
public final class AffineQuantization implements OperatorFamily {
    private static final String RANGE = "Scalar? quant_min=None, Scalar? quant_max=None";
    /**
     * {@code apart}: the sizes where blocks have dimensions of their own; {@code ones}: those of one number a block.
     */
    private static final String BLOCKS = """
            apart = annotate(List[int], [])
            ones = annotate(List[int], [])
            within = annotate(List[int], [])
            for i in range(torch.len(block_size)):
              size = torch.size(input, i)
              block = block_size[i]
              if torch.__and__(torch.ne(block, size), torch.gt(block, 1)):
                count = torch.floordiv(size, block)
                _0 = torch.append(apart, count)
                _1 = torch.append(apart, block)
                _2 = torch.append(ones, count)
                _3 = torch.append(ones, 1)
                _4 = torch.append(within, torch.sub(torch.len(apart), 1))
              else:
                _5 = torch.append(apart, size)
                if torch.eq(block, 1):
                  _6 = torch.append(ones, size)
                else:
                  _7 = torch.append(ones, 1)
                  _8 = torch.append(within, torch.sub(torch.len(apart), 1))
            """;
    /** {@code low} and {@code high}: what is given, or the ends of the integers' type. */
    private static final String ENDS = """
            if torch.eq(%1$s, 0):
              first = 0
              last = 255
            else:
              if torch.eq(%1$s, 1):
                first = -128
                last = 127
              else:
                if torch.eq(%1$s, 2):
                  first = -32768
                  last = 32767
                else:
                  first = -2147483648
                  last = 2147483647
            if torch.__is__(quant_min, None):
              low = float(first)
            else:
              low = float(unchecked_cast(number, quant_min))
            if torch.__is__(quant_max, None):
              high = float(last)
            else:
              high = float(unchecked_cast(number, quant_max))
            """;

    /** What {@code zero_point_domain} says: whether zero points are integers, real numbers, or not to be looked at. */
    private static final String DOMAIN = """
            if torch.__is__(zero_point_domain, None):
              domain = "NONE"
            else:
              domain = unchecked_cast(str, zero_point_domain)
            plain = torch.__or__(torch.__is__(zero_point, None), torch.eq(domain, "NONE"))
            middle = torch.div(torch.add(torch.add(high, low), 1), 2)
            factors = torch.reshape(scale, ones)
            """;

    @Override
    public void register(Registrar r) {
        // Its first releases called themselves otherwise.
        for (String library : new String[] {"torchao::", "quant::"}) {
            register(r, library);
        }
    }

    private static void register(Registrar r, String library) {
        r.composite(
                library + "quantize_affine(Tensor input, int[] block_size, Tensor scale, Tensor? zero_point, "
                        + "ScalarType output_dtype, " + RANGE + ", str? zero_point_domain=\"INT\") -> Tensor",
                BLOCKS + String.format(ENDS, "output_dtype") + DOMAIN + """
            values = torch.reshape(input, apart)
            if plain:
              levels = torch.round(torch.mul(values, torch.reciprocal(factors)))
            else:
              zeros = torch.reshape(unchecked_cast(Tensor, zero_point), ones)
              if torch.eq(domain, "FLOAT"):
                below = torch.sub(zeros, torch.mul(factors, middle))
                levels = torch.round(torch.div(torch.sub(values, below), factors))
              else:
                levels = torch.add(torch.round(torch.mul(values, torch.reciprocal(factors))), zeros)
            bounded = torch.clamp(levels, low, high)
            return torch.to(torch.reshape(bounded, torch.size(input)), output_dtype)""");
        r.composite(
                library + "dequantize_affine(Tensor input, int[] block_size, Tensor scale, Tensor? zero_point, "
                        + "ScalarType input_dtype, " + RANGE
                        + ", str? zero_point_domain=\"INT\", ScalarType output_dtype=6) -> Tensor",
                BLOCKS + String.format(ENDS, "input_dtype") + DOMAIN + """
            levels = torch.to(torch.reshape(input, apart), output_dtype)
            if torch.eq(domain, "FLOAT"):
              origin = middle
            else:
              origin = 0.
            moved = torch.sub(levels, origin)
            if plain:
              real = torch.mul(moved, factors)
            else:
              zeros = torch.to(torch.reshape(unchecked_cast(Tensor, zero_point), ones), output_dtype)
              if torch.eq(domain, "FLOAT"):
                real = torch.add(torch.mul(moved, factors), zeros)
              else:
                real = torch.mul(torch.sub(moved, zeros), factors)
            return torch.to(torch.reshape(real, torch.size(input)), output_dtype)""");
        r.composite(
                library + "choose_qparams_affine(Tensor input, str mapping_type, int[] block_size, ScalarType "
                        + "target_dtype, " + RANGE + ", float? eps=None, ScalarType? scale_dtype=None, ScalarType? "
                        + "zero_point_dtype=3, bool keepdim=False, bool preserve_zero=True, str? "
                        + "zero_point_domain=\"INT\") -> (Tensor, Tensor)",
                BLOCKS + String.format(ENDS, "target_dtype") + """
            blocks = torch.reshape(input, apart)
            least_one = torch.amin(blocks, within, keepdim)
            greatest = torch.amax(blocks, within, keepdim)
            if preserve_zero:
              below = torch.clamp_max(least_one, 0)
              above = torch.clamp_min(greatest, 0)
            else:
              below = least_one
              above = greatest
            if torch.__is__(zero_point_domain, None):
              domain = "NONE"
            else:
              domain = unchecked_cast(str, zero_point_domain)
            if torch.__is__(eps, None):
              least = 1.1754943508222875e-38
            else:
              least = unchecked_cast(float, eps)
            if torch.eq(mapping_type, "ASYMMETRIC"):
              span = torch.sub(above, below)
              factor = torch.clamp_min(torch.div(span, torch.sub(high, low)), least)
              if torch.eq(domain, "FLOAT"):
                center = torch.div(torch.add(torch.add(high, low), 1), 2)
                zero = torch.add(below, torch.mul(factor, center))
              else:
                zero = torch.clamp(torch.rsub(torch.round(torch.div(below, factor)), low), low, high)
            else:
              if torch.eq(mapping_type, "SYMMETRIC"):
                most = torch.maximum(torch.neg(below), above)
                even = torch.div(most, torch.div(torch.sub(high, low), 2))
              else:
                even = torch.maximum(torch.div(below, low), torch.div(above, high))
              factor = torch.clamp_min(even, least)
              zero = torch.full_like(factor, int(torch.div(torch.add(torch.add(high, low), 1), 2)))
            if torch.__is__(scale_dtype, None):
              scales = factor
            else:
              scales = torch.to(factor, unchecked_cast(int, scale_dtype))
            if torch.__is__(zero_point_dtype, None):
              zeros = torch.to(zero, 3)
            else:
              zeros = torch.to(zero, unchecked_cast(int, zero_point_dtype))
            if keepdim:
              sizes = annotate(List[int], [])
              for i in range(torch.len(block_size)):
                _9 = torch.append(sizes, torch.floordiv(torch.size(input, i), block_size[i]))
              result = (torch.reshape(scales, sizes), torch.reshape(zeros, sizes))
            else:
              result = (scales, zeros)
            return result""");
    }
}
