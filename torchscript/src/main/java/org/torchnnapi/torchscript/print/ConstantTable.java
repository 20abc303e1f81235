package org.torchnnapi.torchscript.print;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;

/** Values that have no text, by their numbers; the same tensor elements stand only once. */
final class ConstantTable {
    private final List<Object> values = new ArrayList<>();
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();
    private final Map<Tensor, Tensor> detached = new IdentityHashMap<>();

    /** @param given a tensor that asks for gradients is taken without, as readers demand of constants */
    int number(Object given) {
        Object value = given instanceof Tensor tensor && tensor.requiresGrad()
                ? detached.computeIfAbsent(
                        tensor, t -> new Tensor(t.storage(), t.offset(), t.sizes(), t.strides(), t.quantization()))
                : given;
        Integer known = value instanceof String ? null : numbers.get(value);
        if (known != null) {
            return known;
        }
        int number = 0;
        while (number < values.size() && !isSame(values.get(number), value)) {
            number++;
        }
        if (number == values.size()) {
            values.add(value);
        }
        numbers.put(value, number);
        return number;
    }

    private static boolean isSame(Object a, Object b) {
        if (a instanceof Tensor x && b instanceof Tensor y) {
            return x.dtype() == y.dtype()
                    && x.quantization() == null
                    && y.quantization() == null
                    && Arrays.equals(x.sizes(), y.sizes())
                    && Arrays.equals(x.strides(), y.strides())
                    && x.storage().length() == y.storage().length()
                    && x.offset() == y.offset()
                    && x.requiresGrad() == y.requiresGrad()
                    && x.storage().toBytes().equals(y.storage().toBytes());
        }
        return a instanceof String && a.equals(b);
    }

    List<Object> values() {
        return values;
    }
}
