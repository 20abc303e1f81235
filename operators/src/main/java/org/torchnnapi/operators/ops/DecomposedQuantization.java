package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;

/**
 * Steps to and from integers on plain tensors, {@code quantized_decomposed}: what PyTorch 2 exports of quantized models
 * has these around operators on real numbers.
 */
public final class DecomposedQuantization implements OperatorFamily {
    private static final String RANGE = "int quant_min, int quant_max, ScalarType dtype";
    private static final String OUT = ", *, ScalarType? out_dtype=None";
    private static final String REAL = """
            if torch.__is__(out_dtype, None):
              real = 6
            else:
              real = unchecked_cast(int, out_dtype)
            """;
    private static final String CALLS = "return ops.quantized_decomposed.";

    @Override
    public void register(Registrar r) {
        perTensor(r);
        perChannel(r);
        perToken(r);
        perGroup(r);
        choosing(r);
        r.composite(
                "quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor",
                "return torch.to(input, dtype)");
    }

    private static void perTensor(Registrar r) {
        r.composite(
                "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, " + RANGE
                        + ") -> Tensor",
                """
            levels = torch.round(torch.mul(torch.to(input, 6), torch.div(1.0, scale)))
            return torch.to(torch.clamp(torch.add(levels, zero_point), quant_min, quant_max), dtype)""");
        r.composite(
                "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, " + RANGE + OUT
                        + ") -> Tensor",
                REAL + "return torch.mul(torch.sub(torch.to(input, real), zero_point), scale)");
        String numbers = "(input, float(scale), int(zero_point), ";
        for (String overload : new String[] {"tensor", "tensor2"}) {
            boolean both = overload.equals("tensor2");
            String range = both ? "Tensor quant_min, Tensor quant_max, ScalarType dtype" : RANGE;
            String limits = both ? "int(quant_min), int(quant_max), dtype" : "quant_min, quant_max, dtype";
            r.composite(
                    "quantized_decomposed::quantize_per_tensor." + overload
                            + "(Tensor input, Tensor scale, Tensor zero_point, " + range + ") -> Tensor",
                    CALLS + "quantize_per_tensor" + numbers + limits + ")");
            r.composite(
                    "quantized_decomposed::dequantize_per_tensor." + overload
                            + "(Tensor input, Tensor scale, Tensor zero_point, " + range + OUT + ") -> Tensor",
                    CALLS + "dequantize_per_tensor" + numbers + limits + ", out_dtype=out_dtype)");
        }
    }

    private static void perChannel(Registrar r) {
        String shape = """
            sizes = torch.mul([1], torch.dim(input))
            _0 = torch._set_item(sizes, axis, -1)
            """;
        r.composite(
                "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, "
                        + RANGE + ") -> Tensor",
                shape + """
            steps = torch.reciprocal(torch.reshape(torch.to(scales, 6), sizes))
            levels = torch.round(torch.mul(torch.to(input, 6), steps))
            moved = torch.add(levels, torch.reshape(zero_points, sizes))
            return torch.to(torch.clamp(moved, quant_min, quant_max), dtype)""");
        r.composite(
                "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int "
                        + "axis, " + RANGE + OUT + ") -> Tensor",
                shape + REAL + """
            levels = torch.to(input, real)
            if torch.__is__(zero_points, None):
              moved = levels
            else:
              zeros = unchecked_cast(Tensor, zero_points)
              moved = torch.sub(levels, torch.reshape(torch.to(zeros, real), sizes))
            return torch.mul(moved, torch.reshape(torch.to(scales, real), sizes))""");
    }

    private static void perToken(Registrar r) {
        r.composite(
                "quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, " + RANGE
                        + ") -> Tensor",
                """
            levels = torch.round(torch.add(torch.mul(input, torch.reciprocal(scales)), zero_points))
            return torch.to(torch.clamp(levels, quant_min, quant_max), dtype)""");
        r.composite(
                "quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
                        + "quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor",
                """
            levels = torch.to(torch.sub(input, zero_points), output_dtype)
            return torch.to(torch.mul(levels, scales), output_dtype)""");
    }

    private static void perGroup(Registrar r) {
        String groups = """
            sizes = torch.size(%1$s)
            count = torch.div(torch.numel(%1$s), torch.numel(scales))
            grouped = torch.reshape(%1$s, [-1, torch.Int(count)])
            factors = torch.reshape(scales, [-1, 1])
            """;
        r.composite(
                "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, "
                        + RANGE + ", int group_size=128) -> Tensor",
                String.format(groups, "input") + """
            levels = torch.round(torch.mul(grouped, torch.reciprocal(factors)))
            moved = torch.add(levels, torch.reshape(zero_points, [-1, 1]))
            return torch.reshape(torch.to(torch.clamp(moved, quant_min, quant_max), dtype), sizes)""");
        r.composite(
                "quantized_decomposed::dequantize_per_channel_group(Tensor w_int8, Tensor scales, Tensor? zero_points, "
                        + RANGE + ", int group_size=128, ScalarType output_dtype=6) -> Tensor",
                String.format(groups, "w_int8") + """
            if torch.__is__(zero_points, None):
              moved = torch.to(grouped, output_dtype)
            else:
              moved = torch.sub(grouped, torch.reshape(unchecked_cast(Tensor, zero_points), [-1, 1]))
            return torch.to(torch.reshape(torch.mul(moved, factors), sizes), output_dtype)""");
    }

    private static void choosing(Registrar r) {
        String ends = """
            low = torch.clamp_max(torch.min(input), 0)
            high = torch.clamp_min(torch.max(input), 0)
            """;
        r.composite(
                "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, "
                        + "ScalarType dtype) -> (Tensor, Tensor)",
                ends + """
            span = torch.div(torch.sub(high, low), float(torch.sub(quant_max, quant_min)))
            scale = torch.reshape(torch.clamp(span, eps), [1])
            zero = torch.rsub(torch.to(torch.round(torch.div(low, scale)), 3), quant_min)
            return (torch.to(scale, 7), torch.to(torch.clamp(zero, quant_min, quant_max), 4))""");
        r.composite(
                "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, "
                        + "float eps, ScalarType dtype) -> (Tensor, Tensor)",
                ends + """
            span = torch.div(float(torch.sub(quant_max, quant_min)), 2)
            scale = torch.reshape(torch.clamp(torch.div(torch.maximum(torch.neg(low), high), span), eps), [1])
            if torch.eq(dtype, 0):
              zero = 128
            else:
              zero = 0
            return (torch.to(scale, 7), torch.full([1], zero, dtype=4))""");
        String tokens = """
            low = torch.clamp_max(torch.amin(input, [-1], True), 0)
            high = torch.clamp_min(torch.amax(input, [-1], True), 0)
            """;
        r.composite(
                "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
                """
            scale = torch.div(torch.clamp_min(torch.to(torch.amax(torch.abs(input), [-1], True), 6), \
            1.0000000000000001e-05), 127)
            return (torch.to(scale, 6), torch.to(torch.zeros_like(scale), 6))""");
        for (String name :
                new String[] {"_choose_qparams_per_token_asymmetric_impl", "choose_qparams_per_token_asymmetric"}) {
            r.composite(
                    "quantized_decomposed::" + name + "(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
                    tokens + """
            scale = torch.clamp_min(torch.div(torch.sub(high, low), 255.0), 1.1920928955078125e-07)
            below = torch.div(low, scale)
            above = torch.div(high, scale)
            nearer = torch.gt(torch.add(torch.add(below, -128), torch.add(above, 127)), 0)
            zero = torch.where(nearer, torch.rsub(below, -128), torch.rsub(above, 127))
            return (torch.to(scale, 7), torch.to(torch.round(torch.clamp(zero, -128, 127)), 4))""");
        }
    }
}
