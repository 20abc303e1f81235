package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::quantize_per_tensor} and {@code aten::dequantize}. */
final class CompatQuantizationLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::quantize_per_tensor", 4, CompatQuantizationLowering::quantize);
        registrar.lowering("aten::dequantize", 1, CompatQuantizationLowering::dequantize);
    }

    private static void quantize(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        if (in.operand().layout() != OperandLayout.CHANNELS_LAST) {
            throw new Refused(
                    "quantized tensors should be NHWC, as most accelerators want them",
                    in.operand().text(),
                    "an NHWC operand",
                    "mark the input as NHWC");
        }
        double scale = context.floatConstant(node.input(1));
        int zeroPoint = Math.toIntExact(context.intConstant(node.input(2)));
        long dtype = context.intConstant(node.input(3));
        if (dtype != DType.QUINT8.code()) {
            throw new Refused(
                    "NNAPI quantizes to unsigned bytes",
                    "dtype " + DType.ofCode(dtype).torchName(),
                    "quint8",
                    "quantize activations to torch.quint8");
        }
        requireFloat(in.operand());
        context.emit(
                node.output(),
                OperationType.QUANTIZE,
                in.operand().withType(OperandType.TENSOR_QUANT8_ASYMM, scale, zeroPoint),
                in.id());
    }

    private static void dequantize(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        if (in.operand().type() != OperandType.TENSOR_QUANT8_ASYMM) {
            throw new Refused(
                    "only quantized tensors can be dequantized", in.operand().text(), "quint8", "");
        }
        context.emit(
                node.output(),
                OperationType.DEQUANTIZE,
                in.operand().withType(OperandType.TENSOR_FLOAT32, 0, 0),
                in.id());
    }

    private static void requireFloat(TensorOperand operand) {
        if (operand.type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused("only real numbers can be quantized", operand.text(), "float32", "");
        }
    }
}
