package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.INT32;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * An image to another size, given as width and height in pixels (INT32) or as factors (float). Signatures: the layout
 * is optional where the subclass says so; two flags came with 1.3: align the corners, and take half pixels as centers.
 */
abstract class Resizing extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "width", "height", "layout", "alignCorners", "halfPixelCenters");
    static final int INPUT = INPUTS.at("input");
    private static final int WIDTH = INPUTS.at("width");
    private static final int HEIGHT = INPUTS.at("height");
    private static final int LAYOUT = INPUTS.at("layout");
    private static final int ALIGN_CORNERS = INPUTS.at("alignCorners");
    private static final int HALF_PIXEL_CENTERS = INPUTS.at("halfPixelCenters");

    /** Signatures with what all operations of the family demand. */
    static Signatures.Builder described() {
        return Signatures.builder(INPUTS)
                .rank("input", 4)
                .range("width", 1, Integer.MAX_VALUE)
                .range("height", 1, Integer.MAX_VALUE)
                .sameQuantization("input", "output");
    }

    Resizing(OperationType type, Signatures signatures) {
        super(type, signatures);
    }

    /** Fills the output image. */
    abstract void resize(ExecutionContext operation, ImageOrder layout, Scale rows, Scale columns);

    /** How positions along one axis of the output map to the input. */
    record Scale(int input, int output, boolean alignCorners, boolean halfPixelCenters) {
        float factor() {
            return alignCorners && output > 1 ? (input - 1) / (float) (output - 1) : input / (float) output;
        }
    }

    private static int size(OperationContext operation, String what, int operand, int input) {
        if (operation.type(operand) == INT32) {
            return operation.intValue(operand);
        }
        double size = Math.floor(input * operation.floatValue(operand));
        operation.require(
                size >= 1 && size <= Integer.MAX_VALUE, what + " times factor", size, ">= 1, a 32-bit integer");
        return (int) size;
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] dims = operation.dims(INPUT);
        operation.require(
                layout.height(dims) > 0 && layout.width(dims) > 0 && layout.channels(dims) > 0,
                "input shape",
                Arrays.toString(dims),
                "empty in the batches only");
        operation.require(
                !operation.bool(ALIGN_CORNERS, false) || !operation.bool(HALF_PIXEL_CENTERS, false),
                "align corners and half pixel centers",
                "both",
                "at most one");
        operation.setOutput(
                OUT,
                layout.dims(
                        dims[0],
                        size(operation, "height", HEIGHT, layout.height(dims)),
                        size(operation, "width", WIDTH, layout.width(dims)),
                        layout.channels(dims)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        boolean align = operation.bool(ALIGN_CORNERS, false);
        boolean half = operation.bool(HALF_PIXEL_CENTERS, false);
        int[] from = operation.dims(INPUT);
        int[] to = operation.outDims(OUT);
        resize(
                operation,
                layout,
                new Scale(layout.height(from), layout.height(to), align, half),
                new Scale(layout.width(from), layout.width(to), align, half));
    }
}
