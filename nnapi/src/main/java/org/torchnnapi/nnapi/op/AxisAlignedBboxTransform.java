package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** Applies box regressions {@code [boxes, classes * 4]} to boxes {@code [boxes, 4]} and clips them to their image. */
final class AxisAlignedBboxTransform extends OperationDefinition {
    private static final int BOXES = 0;
    private static final int DELTAS = 1;
    private static final int BATCHES = 2;
    private static final int IMAGE_INFO = 3;
    private static final int OUT = 0;

    /** Quantized coordinates are in eighths of a pixel. */
    static final float COORDINATE_SCALE = 0.125f;

    AxisAlignedBboxTransform() {
        super(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM, Signatures.builder()
                .row(V1_2, in(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                .row(V1_2, in(TENSOR_QUANT16_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32, TENSOR_QUANT16_ASYMM), out(TENSOR_QUANT16_ASYMM))
                .row(V1_3, in(TENSOR_QUANT16_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32, TENSOR_QUANT16_ASYMM), out(TENSOR_QUANT16_ASYMM))
                .zeroSizedInputs()
                .build());
    }

    /** Demands the scale and zero point of quantized coordinates of an input. */
    static void requireCoordinates(ValidationContext operation, int input) {
        if (operation.type(input) == TENSOR_QUANT16_ASYMM) {
            operation.requireInTheEnd(operation.input(input).scale() == COORDINATE_SCALE && operation.input(input).zeroPoint() == 0,
                    "quantization of input " + input, operation.input(input).scale() + "/" + operation.input(input).zeroPoint(), "0.125/0");
        }
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(BOXES, 2);
        operation.requireRank(DELTAS, 2);
        operation.requireRank(BATCHES, 1);
        operation.requireRank(IMAGE_INFO, 2);
        requireCoordinates(operation, BOXES);
        requireCoordinates(operation, IMAGE_INFO);
        operation.requireOutputQuantization(OUT, operation.type(BOXES) == TENSOR_QUANT16_ASYMM ? COORDINATE_SCALE : 0, 0);
    }

    @Override
    public void prepare(OperationContext operation) {
        int boxes = operation.dim(BOXES, 0);
        int numbers = operation.dim(DELTAS, 1);
        operation.requireDims(BOXES, boxes, Boxes.SIZE);
        operation.require(numbers > 0 && numbers % Boxes.SIZE == 0, "numbers a regression", numbers, "a positive multiple of 4");
        operation.requireDims(DELTAS, boxes, numbers);
        operation.requireDims(BATCHES, boxes);
        operation.requireDims(IMAGE_INFO, operation.dim(IMAGE_INFO, 0), 2);
        operation.require(operation.dim(IMAGE_INFO, 0) > 0, "images", operation.dim(IMAGE_INFO, 0), "> 0");
        operation.setOutput(OUT, boxes, numbers);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int boxes = operation.dim(BOXES, 0);
        int numbers = operation.dim(DELTAS, 1);
        int images = operation.dim(IMAGE_INFO, 0);
        float[] box = Reals.read(operation, BOXES);
        float[] deltas = Reals.read(operation, DELTAS);
        float[] info = Reals.read(operation, IMAGE_INFO);
        int[] batches = operation.intArray(BATCHES);
        float[] out = new float[boxes * numbers];
        for (int i = 0; i < boxes; i++) {
            operation.require(batches[i] >= 0 && batches[i] < images, "batch index", batches[i], "0 to " + (images - 1));
            Boxes.requireOrdered(operation, box, i * Boxes.SIZE);
            for (int at = 0; at < numbers; at += Boxes.SIZE) {
                Boxes.regress(box, i * Boxes.SIZE, deltas, i * numbers + at, info[batches[i] * 2], info[batches[i] * 2 + 1], out,
                        i * numbers + at);
            }
        }
        Reals.write(operation, OUT, out);
    }
}
