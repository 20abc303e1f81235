package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** Element-wise product of two tensors that broadcast, with a fused activation. */
final class Mul extends FusedArithmetic {
    Mul() {
        super(
                OperationType.MUL,
                described()
                        .rows(V1_0, 2, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 2, TENSOR_FLOAT16)
                        .rows(V1_3, 2, TENSOR_INT32, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_0, INT32)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        super.check(operation);
        if (operation.type(A).isQuantized()) {
            double product =
                    (double) operation.input(A).scale() * operation.input(B).scale();
            float scale = operation.output(OUT).scale();
            operation.require(
                    scale > product,
                    "scale of output 0",
                    scale,
                    "> the product of the inputs' scales, " + (float) product);
        }
    }

    @Override
    float apply(float a, float b) {
        return a * b;
    }

    @Override
    double apply(double a, double b) {
        return a * b;
    }

    @Override
    int apply(int a, int b) {
        return a * b;
    }
}
