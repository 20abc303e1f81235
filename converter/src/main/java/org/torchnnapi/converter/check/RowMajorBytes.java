package org.torchnnapi.converter.check;

import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Lets the element-wise operators of a run compute what they mean, where quantized tensors lie in memory in another
 * order than row-major: PyTorch's limits of such tensors ({@link org.torchnnapi.operators.support.QuantizedMath#clamp})
 * move elements to other places, those of row-major ones do not.
 */
final class RowMajorBytes implements OperatorHook {
    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
        if (!OperatorTrait.ELEMENTWISE.of(node)) {
            return kernel.call(arguments);
        }
        Object[] given = arguments.clone();
        Map<Object, Tensor> originals = new IdentityHashMap<>();
        for (int i = 0; i < given.length; i++) {
            if (given[i] instanceof Tensor tensor && tensor.dtype().isQuantized() && !tensor.isContiguous()) {
                Tensor copy = tensor.copy(MemoryFormat.CONTIGUOUS);
                originals.put(copy, tensor);
                given[i] = copy;
            }
        }
        Object result = kernel.call(given);
        Tensor written = originals.get(result);
        return written == null ? result : Tensors.copyInto(written, (Tensor) result);
    }
}
