package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * Real numbers to quantized elements: {@code x / scale + zeroPoint}, rounded to nearest (halves to even) and saturated.
 */
final class Quantize extends ElementwiseUnary {
    Quantize() {
        super(
                OperationType.QUANTIZE,
                described()
                        .row(V1_2, in(TENSOR_FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_2, in(TENSOR_FLOAT16), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_3, in(TENSOR_FLOAT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .row(V1_3, in(TENSOR_FLOAT16), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    double apply(double x) {
        return x;
    }
}
