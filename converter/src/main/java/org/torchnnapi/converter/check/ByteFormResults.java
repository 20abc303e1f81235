package org.torchnnapi.converter.check;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Gives a run of the original the roundings that a conversion promised, and no others: beside each tensor that is
 * computed element by element from bytes it computes what becomes of all 256 bytes, and where that is a function that
 * NNAPI computes in a {@link ByteForm} of its own, the result is that of the form. What the converted model returns
 * then has to agree as closely as if there were no forms.
 */
public final class ByteFormResults implements OperatorHook {
    private final Collection<ByteForm> forms;
    /** What is known of real tensors. */
    private final Map<Tensor, Shadow> shadows = new IdentityHashMap<>();

    /**
     * @param source the bytes that a tensor was computed from
     * @param values the same for all bytes
     */
    private record Shadow(Tensor source, Tensor values) {}

    /** @param forms that a converted model has */
    public ByteFormResults(Collection<ByteForm> forms) {
        this.forms = forms;
    }

    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
        Shadow shadow = ByteForm.isElementwise(node) ? shadow(node, kernel, arguments) : null;
        Object result = kernel.call(arguments);
        if (shadow == null || !(result instanceof Tensor tensor)) {
            return result;
        }
        if (!isBytes(tensor)) {
            shadows.put(tensor, shadow);
            return tensor;
        }
        byte[] exact = shadow.values.contiguous().storage().byteArray();
        for (ByteForm form : forms) {
            if (form.isOf(shadow.source.quantization(), tensor.quantization(), exact)
                    && shadow.source.numel() == tensor.numel()) {
                return Tensors.copyInto(tensor, made(form, shadow.source));
            }
        }
        return tensor;
    }

    private static boolean isBytes(Tensor tensor) {
        return tensor.dtype() == DType.QUINT8 && tensor.quantization() instanceof Quantization.PerTensor;
    }

    /** What an operator makes of all bytes; null unless its tensors come of the same ones. */
    private Shadow shadow(Node node, OperatorKernel kernel, Object[] arguments) {
        Object[] given = arguments.clone();
        Tensor source = null;
        for (int i = 0; i < given.length; i++) {
            if (!(given[i] instanceof Tensor tensor)) {
                continue;
            }
            Shadow known =
                    isBytes(tensor) ? new Shadow(tensor, ByteForm.all(tensor.quantization())) : shadows.get(tensor);
            if (known == null ? tensor.numel() != 1 : source != null && source != known.source) {
                return null;
            }
            if (known != null) {
                source = known.source;
                given[i] = known.values.copy(MemoryFormat.CONTIGUOUS);
            }
        }
        try {
            // An operator that writes in place changes the bytes.
            return source != null && kernel.call(given) instanceof Tensor values && values.numel() == ByteForm.BYTES
                    ? new Shadow(node.schema().isMutating() ? source.copy(MemoryFormat.CONTIGUOUS) : source, values)
                    : null;
        } catch (RuntimeException unfit) {
            return null;
        }
    }

    private static Tensor made(ByteForm form, Tensor source) {
        Tensor dense = source.copy(MemoryFormat.CONTIGUOUS);
        byte[] bytes = dense.storage().byteArray();
        byte[] results = new byte[bytes.length];
        for (int i = 0; i < results.length; i++) {
            results[i] = form.made()[bytes[i] & 0xff];
        }
        return Tensor.of(DType.QUINT8, results, source.sizes()).withQuantization(form.out());
    }
}
