package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The hyperbolic tangent of each element; quantized results have a fixed scale. */
final class Tanh extends ElementwiseUnary {
    private static final float OUTPUT_SCALE = 1f / 128;

    Tanh() {
        super(
                OperationType.TANH,
                described()
                        .rows(V1_0, 1, TENSOR_FLOAT32)
                        .rows(V1_2, 1, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .outputQuantization("output", OUTPUT_SCALE, 128, TENSOR_QUANT8_ASYMM)
                        .outputQuantization("output", OUTPUT_SCALE, 0, TENSOR_QUANT8_ASYMM_SIGNED)
                        .build());
    }

    @Override
    double apply(double x) {
        return StrictMath.tanh(x);
    }
}
