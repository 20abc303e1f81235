package org.torchnnapi.execution.interp;

import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.ImageCopies;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::quantize_per_tensor} by numbers. */
final class QuantizeStep extends ReusingStep {
    private final int[] inputs;

    QuantizeStep(Node node, int[] inputs, int[] outputs, OperatorKernel kernel) {
        super(node, inputs, outputs, kernel);
        this.inputs = inputs;
    }

    @Override
    Tensor make(Object[] slots, ImageCopies.Memory memory) {
        if (slots[inputs[0]] instanceof Tensor real
                && slots[inputs[1]] instanceof Double scale
                && slots[inputs[2]] instanceof Long zeroPoint
                && zeroPoint == zeroPoint.intValue()
                && slots[inputs[3]] instanceof Long type) {
            return QuantizedMath.quantize(
                    real, new Quantization.PerTensor(scale, zeroPoint.intValue()), DType.ofCode(type), memory);
        }
        return null;
    }
}
