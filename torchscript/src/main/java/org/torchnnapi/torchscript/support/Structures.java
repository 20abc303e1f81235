package org.torchnnapi.torchscript.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Arguments and results that are lists, tuples and dicts of tensors. */
public final class Structures {
    private Structures() {}

    /** The tensors among values, those of lists, tuples and dicts in their order. */
    public static List<Tensor> tensors(Iterable<?> values) {
        List<Tensor> out = new ArrayList<>();
        values.forEach(value -> collect(value, out));
        return out;
    }

    /** A copy of an argument, whose tensors and containers share nothing with it; tensors keep their memory format. */
    public static Object copy(Object value) {
        if (value instanceof Tensor tensor) {
            return tensor.copy(
                    tensor.isContiguous(MemoryFormat.CHANNELS_LAST) && !tensor.isContiguous()
                            ? MemoryFormat.CHANNELS_LAST
                            : MemoryFormat.CONTIGUOUS);
        }
        return isContainer(value) ? map(value, Structures::copy) : value;
    }

    /** Whether a value is a list, a tuple or a dict. */
    public static boolean isContainer(Object value) {
        return value instanceof ScriptList || value instanceof ScriptTuple || value instanceof ScriptDict;
    }

    /** The items of a list, a tuple or a dict, without its keys; not to be changed. */
    public static Collection<Object> items(Object container) {
        return container instanceof ScriptList list
                ? list.items()
                : container instanceof ScriptTuple tuple
                        ? tuple.items()
                        : ((ScriptDict) container).items().values();
    }

    /** A list, tuple or dict of the same type, of other items. */
    public static Object map(Object container, UnaryOperator<Object> change) {
        if (container instanceof ScriptDict dict) {
            ScriptDict made = new ScriptDict(dict.keyType(), dict.valueType());
            dict.items().forEach((key, item) -> made.items().put(key, change.apply(item)));
            return made;
        }
        List<Object> items = new ArrayList<>();
        items(container).forEach(item -> items.add(change.apply(item)));
        return container instanceof ScriptList list
                ? new ScriptList(list.elementType(), items)
                : new ScriptTuple(items, ((ScriptTuple) container).type());
    }

    /**
     * A tensor in another dtype and shape of as many elements, as it passes into and out of NNAPI's models; quantized
     * ones keep their dtype.
     */
    public static Tensor cast(Tensor tensor, DType dtype, int[] shape) {
        Tensor whole = tensor.copy(MemoryFormat.CONTIGUOUS);
        Tensor shaped = new Tensor(
                whole.storage(), whole.offset(), shape.clone(), Shape.contiguousStrides(shape), whole.quantization());
        if (shaped.dtype() == dtype) {
            return shaped;
        }
        Tensor made = Tensor.zeros(dtype, shape);
        for (int i = 0; i < shaped.numel(); i++) {
            double value = shaped.getDouble(i);
            Object elements = made.storage().array();
            if (elements instanceof int[] a) {
                a[i] = (int) value;
            } else if (elements instanceof long[] a) {
                a[i] = (long) value;
            } else {
                ((byte[]) elements)[i] = (byte) value;
            }
        }
        return made;
    }

    private static void collect(Object value, List<Tensor> out) {
        if (value instanceof Tensor tensor) {
            out.add(tensor);
        } else if (isContainer(value)) {
            items(value).forEach(item -> collect(item, out));
        }
    }
}
