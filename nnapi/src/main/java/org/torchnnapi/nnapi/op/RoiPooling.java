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

/** Each region, rounded to pixels, divided into bins; a bin is the largest of its pixels, 0 if it has none. */
final class RoiPooling extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "regions", "batches", "height", "width", "strides[2]", "layout");
    private static final int INPUT = INPUTS.at("input");
    private static final int REGIONS = INPUTS.at("regions");
    private static final int BATCHES = INPUTS.at("batches");
    private static final int HEIGHT = INPUTS.at("height");
    private static final int WIDTH = INPUTS.at("width");
    private static final int STRIDES = INPUTS.at("strides");
    private static final int LAYOUT = INPUTS.at("layout");

    RoiPooling() {
        super(
                OperationType.ROI_POOLING,
                Signatures.builder(INPUTS)
                        .row(V1_2, inputs(TENSOR_FLOAT32, TENSOR_FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT16, TENSOR_FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, inputs(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM, FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(
                                V1_3,
                                inputs(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM, FLOAT32),
                                out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .range("height", 1, Integer.MAX_VALUE)
                        .range("width", 1, Integer.MAX_VALUE)
                        .sameQuantization("input", "output")
                        .rank("input", 4)
                        .rank("regions", 2)
                        .rank("batches", 1)
                        .inputQuantization(
                                "regions", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    private static OperandType[] inputs(OperandType map, OperandType regions, OperandType scalar) {
        return in(map, regions, TENSOR_INT32, INT32, INT32, scalar, scalar, BOOL);
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

    /** The pixels of one bin along one axis. */
    private record Span(int from, int to) {
        static Span of(int bin, int bins, float regionStart, float regionEnd, int size) {
            int start = (int) RoundingArithmetic.halfAwayFromZero(regionStart);
            int length = Math.max((int) RoundingArithmetic.halfAwayFromZero(regionEnd) - start + 1, 1);
            float step = (float) length / bins;
            int from = Math.min(Math.max(start + (int) Math.floor(step * bin), 0), size);
            int to = Math.min(Math.max(start + (int) Math.ceil(step * (bin + 1)), 0), size);
            return new Span(from, to);
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] dims = operation.dims(INPUT);
        int[] outDims = operation.outDims(OUT);
        int height = operation.intValue(HEIGHT);
        int width = operation.intValue(WIDTH);
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        for (int region = 0; region < operation.dim(REGIONS, 0); region++) {
            RegionOfInterest area = RegionOfInterest.of(operation, layout, INPUT, REGIONS, BATCHES, STRIDES, region);
            for (int y = 0; y < height; y++) {
                Span rows = Span.of(y, height, area.y1(), area.y2(), layout.height(dims));
                for (int x = 0; x < width; x++) {
                    Span columns = Span.of(x, width, area.x1(), area.x2(), layout.width(dims));
                    boolean empty = rows.from() >= rows.to() || columns.from() >= columns.to();
                    for (int c = 0; c < layout.channels(dims); c++) {
                        float max = empty ? 0 : Float.NEGATIVE_INFINITY;
                        for (int i = rows.from(); i < rows.to(); i++) {
                            for (int j = columns.from(); j < columns.to(); j++) {
                                max = Math.max(max, input.get(layout.index(dims, area.batch(), i, j, c)));
                            }
                        }
                        out.set(layout.index(outDims, region, y, x, c), max);
                    }
                }
            }
        }
    }
}
