package org.torchnnapi.converter.check;

import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;

/** How much a converted model computes. */
public final class Work {
    private static final int WEIGHTS = 1;
    /** Stands for an open size. */
    private static final int OPEN_SIZE = 32;

    private Work() {}

    /** Multiplications of the model's convolutions and fully connected layers, which take nearly all of its time. */
    public static long multiplications(LoweredModel lowered) {
        ModelAssembler model = lowered.model();
        long sum = 0;
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            TensorOperand out = model.operand(operation.outputs()[0]);
            sum += switch (operation.type()) {
                case CONV_2D, DEPTHWISE_CONV_2D ->
                    elements(model.operand(operation.inputs()[WEIGHTS])) * size(out, 0) * size(out, 2) * size(out, 3);
                case TRANSPOSE_CONV_2D -> {
                    TensorOperand in = model.operand(operation.inputs()[0]);
                    yield elements(model.operand(operation.inputs()[WEIGHTS]))
                            * size(in, 0)
                            * size(in, 2)
                            * size(in, 3);
                }
                case FULLY_CONNECTED -> elements(model.operand(operation.inputs()[WEIGHTS])) * size(out, 0);
                default -> 0L;
            };
        }
        return sum;
    }

    private static long elements(TensorOperand operand) {
        long product = 1;
        for (int d = 0; d < operand.rank(); d++) {
            product *= size(operand, d);
        }
        return product;
    }

    private static long size(TensorOperand operand, int dimension) {
        return operand.isFixed(dimension) ? operand.size(dimension) : OPEN_SIZE;
    }
}
