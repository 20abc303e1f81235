package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.QuantizeOp;

/** QUANTIZE of floats to bytes, rounded as the reference does: the quotient by the scale in double. */
final class QuantizeOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        Problem problem = site.typeProblem(0);
        return problem != null
                        || site.isFloat()
                                && OperationView.SUPPORTED.contains(site.out().type())
                ? problem
                : Problem.of(
                        "types",
                        site.in(0).type() + " to " + site.out().type(),
                        "TENSOR_FLOAT32 or TENSOR_FLOAT16 to 8-bit");
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(
                site,
                new QuantizeOp(site.outQuantization(), Quantizing.Rule.QUOTIENT_HALF_EVEN),
                translation.in(site, 0));
    }
}
