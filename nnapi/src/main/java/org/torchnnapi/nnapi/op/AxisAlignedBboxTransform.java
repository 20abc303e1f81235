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
    private static final OperandNames INPUTS = OperandNames.of("boxes", "deltas", "batches", "imageInfo");
    private static final int BOXES = INPUTS.at("boxes");
    private static final int DELTAS = INPUTS.at("deltas");
    private static final int BATCHES = INPUTS.at("batches");
    private static final int IMAGE_INFO = INPUTS.at("imageInfo");

    /** Quantized coordinates are in eighths of a pixel. */
    static final float COORDINATE_SCALE = 0.125f;

    AxisAlignedBboxTransform() {
        super(
                OperationType.AXIS_ALIGNED_BBOX_TRANSFORM,
                Signatures.builder(INPUTS)
                        .row(
                                V1_2,
                                in(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_FLOAT32),
                                out(TENSOR_FLOAT32))
                        .row(
                                V1_2,
                                in(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_FLOAT16),
                                out(TENSOR_FLOAT16))
                        .row(
                                V1_2,
                                in(TENSOR_QUANT16_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32, TENSOR_QUANT16_ASYMM),
                                out(TENSOR_QUANT16_ASYMM))
                        .row(
                                V1_3,
                                in(
                                        TENSOR_QUANT16_ASYMM,
                                        TENSOR_QUANT8_ASYMM_SIGNED,
                                        TENSOR_INT32,
                                        TENSOR_QUANT16_ASYMM),
                                out(TENSOR_QUANT16_ASYMM))
                        .zeroSizedInputs()
                        .rank("boxes", 2)
                        .rank("deltas", 2)
                        .rank("batches", 1)
                        .rank("imageInfo", 2)
                        .inputQuantization("boxes", COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .inputQuantization("imageInfo", COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .outputQuantization("output", COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int boxes = operation.dim(BOXES, 0);
        int numbers = operation.dim(DELTAS, 1);
        operation.requireDims(BOXES, boxes, Boxes.SIZE);
        operation.require(
                numbers > 0 && numbers % Boxes.SIZE == 0, "numbers a regression", numbers, "a positive multiple of 4");
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
            operation.require(
                    batches[i] >= 0 && batches[i] < images, "batch index", batches[i], "0 to " + (images - 1));
            Boxes.requireOrdered(operation, box, i * Boxes.SIZE);
            for (int at = 0; at < numbers; at += Boxes.SIZE) {
                Boxes.regress(
                        box,
                        i * Boxes.SIZE,
                        deltas,
                        i * numbers + at,
                        info[batches[i] * 2],
                        info[batches[i] * 2 + 1],
                        out,
                        i * numbers + at);
            }
        }
        Reals.write(operation, OUT, out);
    }
}
