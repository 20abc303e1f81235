package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Each region divided into bins; a bin is the mean of bilinear samples at regular points. */
final class RoiAlign extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "input", "regions", "batches", "height", "width", "strides[2]", "rowSamples", "columnSamples", "layout");
    private static final int INPUT = INPUTS.at("input");
    private static final int REGIONS = INPUTS.at("regions");
    private static final int BATCHES = INPUTS.at("batches");
    private static final int HEIGHT = INPUTS.at("height");
    private static final int WIDTH = INPUTS.at("width");
    private static final int STRIDES = INPUTS.at("strides");
    private static final int ROW_SAMPLES = INPUTS.at("rowSamples");
    private static final int COLUMN_SAMPLES = INPUTS.at("columnSamples");
    private static final int LAYOUT = INPUTS.at("layout");

    private static final int SAMPLES_PER_CHECKPOINT = 1024;

    RoiAlign() {
        super(
                OperationType.ROI_ALIGN,
                Signatures.builder(INPUTS)
                        .row(V1_2, inputs(TENSOR_FLOAT32, TENSOR_FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT16, TENSOR_FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, inputs(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM, FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(
                                V1_3,
                                inputs(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM, FLOAT32),
                                out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .zeroSizedInputs()
                        .range("height", 1, Integer.MAX_VALUE)
                        .range("width", 1, Integer.MAX_VALUE)
                        .range("rowSamples", 0, Integer.MAX_VALUE)
                        .range("columnSamples", 0, Integer.MAX_VALUE)
                        .rank("input", 4)
                        .rank("regions", 2)
                        .rank("batches", 1)
                        .inputQuantization(
                                "regions", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    private static OperandType[] inputs(OperandType map, OperandType regions, OperandType scalar) {
        return in(map, regions, TENSOR_INT32, INT32, INT32, scalar, scalar, INT32, INT32, BOOL);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        RegionOfInterest.prepare(operation, layout, INPUT, REGIONS, BATCHES, STRIDES);
        int height = operation.intValue(HEIGHT);
        int width = operation.intValue(WIDTH);
        operation.setOutput(
                OUT, layout.dims(operation.dim(REGIONS, 0), height, width, layout.channels(operation.dims(INPUT))));
    }

    /** The two pixels a sample lies between along one axis, and how far it is from the first. */
    private record Sample(int first, int second, float distance) {
        static Sample at(float position, int size) {
            int first = (int) Math.floor(position);
            return first >= size - 1
                    ? new Sample(size - 1, size - 1, 0)
                    : new Sample(first, first + 1, position - first);
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int height = operation.intValue(HEIGHT);
        int width = operation.intValue(WIDTH);
        for (int region = 0; region < operation.dim(REGIONS, 0); region++) {
            RegionOfInterest area = RegionOfInterest.of(operation, layout, INPUT, REGIONS, BATCHES, STRIDES, region);
            float rowStep = Math.max(area.y2() - area.y1(), 1) / height;
            float columnStep = Math.max(area.x2() - area.x1(), 1) / width;
            int rows = operation.intValue(ROW_SAMPLES) > 0 ? operation.intValue(ROW_SAMPLES) : (int) Math.ceil(rowStep);
            int columns = operation.intValue(COLUMN_SAMPLES) > 0
                    ? operation.intValue(COLUMN_SAMPLES)
                    : (int) Math.ceil(columnStep);
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    bin(
                            operation,
                            layout,
                            area.batch(),
                            region,
                            y,
                            x,
                            area.y1() + rowStep * y,
                            area.x1() + columnStep * x,
                            rowStep / rows,
                            columnStep / columns,
                            rows,
                            columns);
                }
            }
        }
    }

    private static void bin(
            ExecutionContext operation,
            ImageOrder layout,
            int batch,
            int region,
            int y,
            int x,
            float top,
            float left,
            float rowStep,
            float columnStep,
            int rows,
            int columns) {
        int[] dims = operation.dims(INPUT);
        FloatView input = operation.floats(INPUT);
        double[] sums = new double[layout.channels(dims)];
        for (int r = 0; r < rows; r++) {
            Sample row = Sample.at(top + rowStep / 2 + rowStep * r, layout.height(dims));
            for (int s = 0; s < columns; s++) {
                if (s % SAMPLES_PER_CHECKPOINT == 0) {
                    operation.checkpoint();
                }
                Sample column = Sample.at(left + columnStep / 2 + columnStep * s, layout.width(dims));
                for (int c = 0; c < sums.length; c++) {
                    double upper = between(
                            input.get(layout.index(dims, batch, row.first(), column.first(), c)),
                            input.get(layout.index(dims, batch, row.first(), column.second(), c)),
                            column.distance());
                    double lower = between(
                            input.get(layout.index(dims, batch, row.second(), column.first(), c)),
                            input.get(layout.index(dims, batch, row.second(), column.second(), c)),
                            column.distance());
                    sums[c] += between(upper, lower, row.distance());
                }
            }
        }
        for (int c = 0; c < sums.length; c++) {
            operation.outFloats(OUT).set(layout.index(operation.outDims(OUT), region, y, x, c), (float)
                    (sums[c] / ((double) rows * columns)));
        }
    }

    private static double between(double a, double b, float distance) {
        return a * (1 - distance) + b * distance;
    }
}
