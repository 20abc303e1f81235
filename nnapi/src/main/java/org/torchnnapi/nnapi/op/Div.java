package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * Element-wise quotient of two tensors that broadcast, with a fused activation. Integers divide towards minus infinity;
 * an integer divided by zero, which the specification leaves undefined, is zero.
 */
final class Div extends FusedArithmetic {
    Div() {
        super(
                OperationType.DIV,
                described()
                        .rows(V1_1, 2, TENSOR_FLOAT32)
                        .rows(V1_2, 2, TENSOR_FLOAT16)
                        .rows(V1_3, 2, TENSOR_INT32)
                        .tail(V1_1, INT32)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    float apply(float a, float b) {
        return a / b;
    }

    @Override
    double apply(double a, double b) {
        return a / b;
    }

    @Override
    int apply(int a, int b) {
        return b == 0 ? 0 : Math.floorDiv(a, b);
    }
}
