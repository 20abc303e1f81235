package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.lower.PackedState;
import org.torchnnapi.converter.lower.QuantizedParameters;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** {@code quantized::linear} with packed parameters, as FULLY_CONNECTED. */
final class CompatQuantizedLinearLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("quantized::linear", 4, CompatQuantizedLinearLowering::lower);
    }

    private static void lower(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        if (in.operand().rank() != 2 || in.operand().type() != OperandType.TENSOR_QUANT8_ASYMM) {
            throw new Refused(
                    "FULLY_CONNECTED takes a matrix",
                    in.operand().text(),
                    "quint8 (batch, features)",
                    "flatten the input to two dimensions");
        }
        Object state = context.packedState(node.input(1), "LinearPackedParamsBase");
        Tensor raw = PackedState.tensor(state, 0);
        Tensor rawBias = PackedState.tensor(state, 1);
        double scale = context.floatConstant(node.input(2));
        int zeroPoint = Math.toIntExact(context.intConstant(node.input(3)));
        if (raw == null
                || rawBias == null
                || raw.rank() != 2
                || rawBias.rank() != 1
                || rawBias.size(0) != raw.size(0)
                || raw.size(1) != in.size(1)) {
            throw new Refused(
                    "the sizes must fit",
                    in.operand().text() + " times " + raw + " plus " + rawBias,
                    "(batch, in) x (out, in) + (out)",
                    "");
        }
        Tensor weight = QuantizedParameters.unsigned(raw);
        double weightScale = QuantizedParameters.scale(weight);
        QuantizedParameters.requireMultiplier(in.operand().scale(), weightScale, scale);
        CompatLoweringContext.Ref bias =
                context.weight(QuantizedParameters.bias(rawBias, in.operand().scale() * weightScale));
        CompatLoweringContext.Ref matrix = context.weight(weight.contiguous());
        TensorOperand out = in.operand().withShape(in.size(0), matrix.size(0)).withQuantization(scale, zeroPoint);
        context.emit(
                node.output(),
                OperationType.FULLY_CONNECTED,
                out,
                in.id(),
                matrix.id(),
                bias.id(),
                context.model().int32(FuseCode.NONE));
    }
}
