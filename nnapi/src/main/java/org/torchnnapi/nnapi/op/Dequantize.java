package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** Quantized elements to the real numbers they stand for. */
final class Dequantize extends ElementwiseUnary {
    Dequantize() {
        super(
                OperationType.DEQUANTIZE,
                described()
                        .row(V1_0, in(TENSOR_QUANT8_ASYMM), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_QUANT8_SYMM), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_QUANT8_SYMM), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_QUANT8_SYMM_PER_CHANNEL), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_QUANT8_SYMM_PER_CHANNEL), out(TENSOR_FLOAT16))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_FLOAT32))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_FLOAT16))
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .build());
    }

    @Override
    double apply(double x) {
        return x;
    }
}
