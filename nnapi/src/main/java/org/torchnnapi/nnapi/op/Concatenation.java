package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Tensors put one after the other along one axis. Quantized inputs with another scale or zero point than the output are
 * requantized.
 */
final class Concatenation extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("tensors[]", "axis");

    Concatenation() {
        super(
                OperationType.CONCATENATION,
                Signatures.builder(INPUTS)
                        .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .variadic()
                        .zeroSizedInputs()
                        .rank("tensors", 1, 4)
                        .later(
                                "scales",
                                V1_2,
                                "another quantization of an input than of the output",
                                Concatenation::hasSeveralScales)
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        int tensors = operation.at("axis");
        operation.require(tensors >= 1, "inputs", operation.inputCount(), ">= 2: tensors and an axis");
        operation.require(operation.outputCount() == 1, "outputs", operation.outputCount(), "1");
        if (tensors < 1 || operation.outputCount() != 1) {
            return;
        }
        operation.require(
                operation.type(tensors) == INT32,
                "type of input " + tensors,
                operation.type(tensors),
                "INT32, the axis");
        for (int i = 0; i < tensors; i++) {
            operation.require(
                    operation.type(i) == operation.type(0),
                    "type of input " + i,
                    operation.type(i),
                    operation.type(0).toString());
            if (operation.rank(0) > 0) {
                operation.requireRank(i, operation.rank(0));
            }
        }
        if (operation.rank(0) > 0) {
            operation.requireInt(tensors, 0, operation.rank(0) - 1);
        }
    }

    private static boolean hasSeveralScales(ValidationContext operation) {
        OperandDescriptor out = operation.output(OUT);
        for (int i = 0; i < operation.at("axis"); i++) {
            OperandDescriptor in = operation.input(i);
            if (in.type().isQuantized() && (in.scale() != out.scale() || in.zeroPoint() != out.zeroPoint())) {
                return true;
            }
        }
        return false;
    }

    private static int axis(OperationContext operation) {
        int axis = operation.intValue(operation.at("axis"));
        operation.require(axis >= 0 && axis < operation.rank(0), "axis", axis, "0 to " + (operation.rank(0) - 1));
        return axis;
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int axis = axis(operation);
        int[] dims = operation.dims(0).clone();
        long size = dims[axis];
        for (int i = 1; i < operation.inputCount() - 1; i++) {
            operation.requireRank(i, dims.length);
            size += operation.dim(i, axis);
            int[] expected = dims.clone();
            expected[axis] = operation.dim(i, axis);
            operation.requireDims(i, expected);
        }
        operation.require(size <= Integer.MAX_VALUE, "concatenated size", size, "a 32-bit integer");
        dims[axis] = (int) size;
        operation.setOutput(OUT, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int axis = axis(operation);
        int[] outDims = operation.outDims(OUT);
        int outer = Dims.product(outDims, 0, axis);
        int outRun = Dims.product(outDims, axis, outDims.length);
        int start = 0;
        for (int i = 0; i < operation.inputCount() - 1; i++) {
            int run = Dims.product(operation.dims(i), axis, outDims.length);
            boolean same = !operation.type(i).isQuantized()
                    || operation.scale(i) == operation.outScale(OUT)
                            && operation.zeroPoint(i) == operation.outZeroPoint(OUT);
            for (int j = 0; j < outer * run; j++) {
                int to = j / run * outRun + start + j % run;
                if (same) {
                    operation.outInts(OUT).set(to, operation.ints(i).get(j));
                } else {
                    operation.outFloats(OUT).set(to, operation.floats(i).get(j));
                }
            }
            start += run;
        }
    }
}
