package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * Rules and data movement that IF and WHILE share. Rules on a model that is not set yet hold; they are asked again when
 * it is.
 */
final class ReferencedModels {
    private ReferencedModels() {}

    static void checkCounts(ValidationContext operation, int model, int inputs, int outputs) {
        Model referenced = operation.inputModel(model);
        if (referenced != null) {
            operation.require(
                    referenced.inputCount() == inputs,
                    "inputs of model " + model,
                    referenced.inputCount(),
                    String.valueOf(inputs));
            operation.require(
                    referenced.outputCount() == outputs,
                    "outputs of model " + model,
                    referenced.outputCount(),
                    String.valueOf(outputs));
        }
    }

    static void checkInput(ValidationContext operation, int model, int position, OperandDescriptor outer) {
        Model referenced = operation.inputModel(model);
        if (referenced != null && position < referenced.inputCount()) {
            checkSameType(
                    operation,
                    "input " + position + " of model " + model,
                    referenced.input(position).descriptor(),
                    outer);
        }
    }

    static void checkOutput(ValidationContext operation, int model, int position, OperandDescriptor outer) {
        Model referenced = operation.inputModel(model);
        if (referenced != null && position < referenced.outputCount()) {
            checkSameType(
                    operation,
                    "output " + position + " of model " + model,
                    referenced.output(position).descriptor(),
                    outer);
        }
    }

    /** Demands the same type and quantization, and shapes that can be the same. */
    static void checkSameType(
            ValidationContext operation, String what, OperandDescriptor inner, OperandDescriptor outer) {
        boolean same = inner.type() == outer.type()
                && inner.scale() == outer.scale()
                && inner.zeroPoint() == outer.zeroPoint();
        if (same && inner.rank() > 0 && outer.rank() > 0) {
            same = inner.rank() == outer.rank();
            for (int i = 0; same && i < inner.rank(); i++) {
                same = inner.dimension(i) == 0 || outer.dimension(i) == 0 || inner.dimension(i) == outer.dimension(i);
            }
        }
        if (!same) {
            operation.require(false, what, inner, "as outside, " + outer);
        }
    }

    /** Demands the single output of a condition model to be one TENSOR_BOOL8 element. */
    static void checkConditionOutput(ValidationContext operation, int model) {
        Model referenced = operation.inputModel(model);
        if (referenced != null && referenced.outputCount() > 0) {
            checkBool(operation, "condition", referenced.output(0).descriptor());
        }
    }

    static void checkSingleBool(ValidationContext operation, int position) {
        checkBool(operation, "condition", operation.input(position));
    }

    private static void checkBool(ValidationContext operation, String what, OperandDescriptor operand) {
        boolean single = operand.type() == OperandType.TENSOR_BOOL8
                && (!operand.isFullySpecified() || operand.elementCount() == 1);
        if (!single) {
            operation.require(false, what, operand, "TENSOR_BOOL8 of one element");
        }
    }

    /** Copies a value, its shape included. */
    static void assign(OperandValue from, OperandValue to) {
        to.resize(from.dimensions());
        if (from.count() > 0 || !from.type().isTensor()) {
            OperandBuffers.copy(from.data(), to.data(), from.count());
        }
        to.setKnown(true);
    }
}
