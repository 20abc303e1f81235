package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::linear} and {@code aten::addmm} with constant weights, as FULLY_CONNECTED. */
final class CompatLinearLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering(
                "aten::linear",
                3,
                (node, context) ->
                        lower(node, context, node.input(0), context.tensorConstant(node.input(1)), node.input(2)));
        registrar.lowering("aten::addmm", 5, CompatLinearLowering::addmm);
    }

    private static void addmm(Node node, CompatLoweringContext context) {
        for (int i = 3; i <= 4; i++) {
            if (context.numberConstant(node.input(i)) != 1) {
                throw new Refused(
                        "FULLY_CONNECTED adds without factors",
                        (i == 3 ? "beta " : "alpha ") + context.describe(node.input(i)),
                        "1",
                        "multiply the weights by the factor");
            }
        }
        Tensor weight = context.tensorConstant(node.input(2));
        requireMatrix(weight);
        lower(node, context, node.input(1), weight.permute(1, 0), node.input(0));
    }

    private static void lower(Node node, CompatLoweringContext context, Value input, Tensor weight, Value biasValue) {
        CompatLoweringContext.Ref in = context.operand(input);
        if (in.operand().rank() != 2 || in.operand().type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused(
                    "FULLY_CONNECTED takes a matrix",
                    in.operand().text(),
                    "float32 (batch, features)",
                    "flatten the input to two dimensions");
        }
        requireMatrix(weight);
        Tensor given = context.optionalTensorConstant(biasValue);
        if (given != null && (given.rank() != 1 || given.size(0) != weight.size(0)) || in.size(1) != weight.size(1)) {
            throw new Refused(
                    "the sizes must fit",
                    in.operand().text() + " times " + weight + " plus " + given,
                    "(batch, in) x (out, in) + (out)",
                    "");
        }
        CompatLoweringContext.Ref bias =
                context.weight(given != null ? given : Tensor.zeros(weight.dtype(), weight.size(0)));
        CompatLoweringContext.Ref matrix = context.weight(weight.contiguous());
        int out = context.define(node.output(), in.operand().withShape(in.size(0), matrix.size(0)));
        if (in.size(0) == TensorOperand.AT_LOAD) {
            context.shapes().forward(out, 0, in.id(), 0);
        }
        context.model()
                .operation(
                        OperationType.FULLY_CONNECTED,
                        out,
                        in.id(),
                        matrix.id(),
                        bias.id(),
                        context.model().int32(FuseCode.NONE));
    }

    private static void requireMatrix(Tensor weight) {
        if (weight.rank() != 2) {
            throw new Refused("the weight must be a matrix", weight.toString(), "rank 2", "");
        }
    }
}
