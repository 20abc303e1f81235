package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Batch normalization as PyTorch 2's decompositions call it, and root mean square normalization. */
public final class BatchNormForms implements OperatorFamily {
    private static final String STATISTICS = "Tensor running_mean, Tensor running_var, ";
    private static final String INPUT = "(Tensor input, Tensor? weight, Tensor? bias, ";
    private static final String MOMENTUM = "float momentum, float eps) -> (";

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.TRAINS);
        String three = "Tensor, Tensor, Tensor)";
        String moved = "Tensor(a!) running_mean, Tensor(b!) running_var, ";
        r.composite("aten::_native_batch_norm_legit" + INPUT + moved + "bool training, " + MOMENTUM + three, """
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, running_mean, running_var, training, \
            momentum, eps)
            return (result, mean, inverse)""");
        r.composite("aten::_native_batch_norm_legit.no_stats" + INPUT + "bool training, " + MOMENTUM + three, """
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, None, None, training, momentum, eps)
            return (result, mean, inverse)""");
        // What training would keep is empty.
        all.composite("aten::_native_batch_norm_legit_no_training" + INPUT + STATISTICS + MOMENTUM + three, """
            result = torch.batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps, True)
            none = torch.empty([0], dtype=ops.prim.dtype(input))
            return (result, none, none)""");
        r.composite(
                "aten::_native_batch_norm_legit_functional" + INPUT + STATISTICS + "bool training, " + MOMENTUM
                        + "Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
                """
            next_mean = torch.clone(running_mean)
            next_var = torch.clone(running_var)
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, next_mean, next_var, training, \
            momentum, eps)
            return (result, mean, inverse, next_mean, next_var)""");
        // The fourth result is memory that only some devices reserve.
        all.composite(
                "aten::_batch_norm_with_update" + INPUT + moved + MOMENTUM + three.replace(")", ", Tensor)"), """
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, running_mean, running_var, True, \
            momentum, eps)
            return (result, mean, inverse, torch.empty([0], dtype=0))""");
        all.composite(
                "aten::_batch_norm_no_update" + INPUT + "Tensor? running_mean, Tensor? running_var, " + MOMENTUM
                        + three.replace(")", ", Tensor)"),
                """
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, running_mean, running_var, False, \
            momentum, eps)
            return (result, mean, inverse, torch.empty([0], dtype=0))""");
        all.composite(
                "aten::_batch_norm_with_update_functional" + INPUT + STATISTICS + MOMENTUM
                        + "Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
                """
            next_mean = torch.clone(running_mean)
            next_var = torch.clone(running_var)
            result, mean, inverse = torch.native_batch_norm(input, weight, bias, next_mean, next_var, True, momentum, \
            eps)
            return (result, mean, inverse, torch.empty([0], dtype=0), next_mean, next_var)""");
        all.composite(
                "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> "
                        + "Tensor",
                """
            dims = annotate(List[int], [])
            for i in range(torch.len(normalized_shape)):
              own = torch.size(input, torch.sub(i, torch.len(normalized_shape)))
              if torch.ne(own, normalized_shape[i]):
                ops.prim.RaiseException("rms_norm: the last dimensions of input (expected: normalized_shape)")
              else:
                pass
              _0 = torch.append(dims, torch.sub(i, torch.len(normalized_shape)))
            type = ops.prim.dtype(input)
            double = torch.eq(type, 7)
            if torch.__is__(eps, None):
              if double:
                least = 2.2204460492503131e-16
              else:
                least = 1.1920928955078125e-07
            else:
              least = unchecked_cast(float, eps)
            if double:
              x = input
            else:
              x = torch.to(input, 6)
            squares = torch.mean(torch.mul(x, x), dims, True)
            scaled = torch.mul(x, torch.rsqrt(torch.add(squares, least)))
            if torch.__is__(weight, None):
              weighted = scaled
            else:
              weighted = torch.mul(scaled, unchecked_cast(Tensor, weight))
            return torch.to(weighted, type)""",
                OperatorTrait.KEEPS_SHAPE);
    }
}
