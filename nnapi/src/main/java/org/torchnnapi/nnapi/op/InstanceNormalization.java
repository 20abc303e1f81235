package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code (x - mean) * gamma / sqrt(variance + epsilon) + beta}, mean and variance over each channel of each image. */
final class InstanceNormalization extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "gamma", "beta", "epsilon", "layout");
    private static final int INPUT = INPUTS.at("input");
    private static final int GAMMA = INPUTS.at("gamma");
    private static final int BETA = INPUTS.at("beta");
    private static final int EPSILON = INPUTS.at("epsilon");
    private static final int LAYOUT = INPUTS.at("layout");

    InstanceNormalization() {
        super(
                OperationType.INSTANCE_NORMALIZATION,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32, FLOAT32, FLOAT32, FLOAT32, BOOL), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, FLOAT16, FLOAT16, FLOAT16, BOOL), out(TENSOR_FLOAT16))
                        .rank("input", 4)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        double gamma = operation.floatValue(GAMMA);
        double beta = operation.floatValue(BETA);
        double epsilon = operation.floatValue(EPSILON);
        int[] dims = operation.dims(INPUT);
        int pixels = layout.height(dims) * layout.width(dims);
        for (int b = 0; b < dims[0]; b++) {
            for (int c = 0; c < layout.channels(dims); c++) {
                double sum = 0;
                for (int i = 0; i < pixels; i++) {
                    sum += input.get(pixel(layout, dims, b, i, c));
                }
                double mean = sum / pixels;
                double squares = 0;
                for (int i = 0; i < pixels; i++) {
                    double distance = input.get(pixel(layout, dims, b, i, c)) - mean;
                    squares += distance * distance;
                }
                double factor = gamma / Math.sqrt(squares / pixels + epsilon);
                for (int i = 0; i < pixels; i++) {
                    int at = pixel(layout, dims, b, i, c);
                    out.set(at, (float) ((input.get(at) - mean) * factor + beta));
                }
            }
        }
    }

    private static int pixel(ImageOrder layout, int[] dims, int batch, int pixel, int channel) {
        return layout.index(dims, batch, pixel / layout.width(dims), pixel % layout.width(dims), channel);
    }
}
