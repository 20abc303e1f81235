package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** One of the activations that can also be fused, as an operation of its own. */
abstract class Rectifier extends ElementwiseUnary {
    private final FusedActivation activation;

    Rectifier(OperationType type, FusedActivation activation) {
        super(
                type,
                described()
                        .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .sameQuantization("input", "output")
                        .build());
        this.activation = activation;
    }

    @Override
    final double apply(double x) {
        return activation.apply((float) x);
    }
}
