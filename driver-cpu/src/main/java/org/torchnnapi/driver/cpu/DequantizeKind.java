package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.program.op.Dequantize;

/** DEQUANTIZE of bytes of one scale. */
final class DequantizeKind implements Kind {
    @Override
    public String typeRefusal(Site site) {
        String problem = site.typeProblem(0);
        if (problem == null && (site.isFloat() || !site.out().type().isFloat())) {
            problem = site.in(0).type() + " to " + site.out().type() + " (expected: 8-bit to TENSOR_FLOAT32 or TENSOR_FLOAT16)";
        }
        return problem;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new Dequantize(), translation.in(site, 0));
    }
}
