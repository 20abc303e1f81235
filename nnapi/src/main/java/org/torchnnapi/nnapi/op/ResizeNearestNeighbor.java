package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** Each pixel of the resized image is the nearest of the input's. */
final class ResizeNearestNeighbor extends Resizing {
    ResizeNearestNeighbor() {
        super(
                OperationType.RESIZE_NEAREST_NEIGHBOR,
                described()
                        .row(V1_2, in(TENSOR_FLOAT32, INT32, INT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT32, FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, INT32, INT32), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_FLOAT16, FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM, INT32, INT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM, FLOAT32, FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, INT32, INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, FLOAT32, FLOAT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .tail(V1_2, BOOL)
                        .tail(V1_3, BOOL, BOOL)
                        .tail(V1_3, BOOL, BOOL, BOOL)
                        .zeroSizedInputs()
                        .build());
    }

    private static int nearest(Scale scale, int index) {
        float at = (index + (scale.halfPixelCenters() ? 0.5f : 0)) * scale.factor();
        int nearest = (int) (scale.alignCorners() ? RoundingArithmetic.halfAwayFromZero(at) : (long) Math.floor(at));
        return Math.min(nearest, scale.input() - 1);
    }

    @Override
    void resize(ExecutionContext operation, ImageOrder layout, Scale rows, Scale columns) {
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        int[] dims = operation.dims(INPUT);
        int[] outDims = operation.outDims(OUT);
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < rows.output(); y++) {
                for (int x = 0; x < columns.output(); x++) {
                    for (int c = 0; c < layout.channels(dims); c++) {
                        out.set(
                                layout.index(outDims, b, y, x, c),
                                input.get(layout.index(dims, b, nearest(rows, y), nearest(columns, x), c)));
                    }
                }
            }
        }
    }
}
