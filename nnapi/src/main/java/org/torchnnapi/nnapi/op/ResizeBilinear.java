package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
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

/** Each pixel of the resized image is interpolated between the four nearest of the input's. */
final class ResizeBilinear extends Resizing {
    ResizeBilinear() {
        super(
                OperationType.RESIZE_BILINEAR,
                described()
                        .row(V1_0, in(TENSOR_FLOAT32, INT32, INT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT32, FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, INT32, INT32), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_FLOAT16, FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM, INT32, INT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM, FLOAT32, FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, INT32, INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, FLOAT32, FLOAT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .tail(V1_0)
                        .tail(V1_2, BOOL)
                        .tail(V1_3, BOOL, BOOL)
                        .tail(V1_3, BOOL, BOOL, BOOL)
                        .zeroSizedInputs()
                        .build());
    }

    /** Two neighbouring input positions, and how much the second weighs. */
    private record Neighbours(int first, int second, float weight) {
        static Neighbours of(Scale scale, int index) {
            float at = scale.halfPixelCenters() ? (index + 0.5f) * scale.factor() - 0.5f : index * scale.factor();
            float inside = Math.max(0, Math.min(at, scale.input() - 1));
            int first = (int) inside;
            return new Neighbours(first, Math.min(first + 1, scale.input() - 1), inside - first);
        }

        float between(float a, float b) {
            return a * (1 - weight) + b * weight;
        }
    }

    @Override
    void resize(ExecutionContext operation, ImageOrder layout, Scale rows, Scale columns) {
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        int[] dims = operation.dims(INPUT);
        int[] outDims = operation.outDims(OUT);
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < rows.output(); y++) {
                Neighbours row = Neighbours.of(rows, y);
                for (int x = 0; x < columns.output(); x++) {
                    Neighbours column = Neighbours.of(columns, x);
                    for (int c = 0; c < layout.channels(dims); c++) {
                        float top = column.between(
                                input.get(layout.index(dims, b, row.first, column.first, c)),
                                input.get(layout.index(dims, b, row.first, column.second, c)));
                        float bottom = column.between(
                                input.get(layout.index(dims, b, row.second, column.first, c)),
                                input.get(layout.index(dims, b, row.second, column.second, c)));
                        out.set(layout.index(outDims, b, y, x, c), row.between(top, bottom));
                    }
                }
            }
        }
    }
}
