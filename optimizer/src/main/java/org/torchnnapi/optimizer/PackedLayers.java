package org.torchnnapi.optimizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.support.TensorBytes;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * The packed layers of a module's methods: what several methods pack alike is one object, so that a file holds its
 * weights once.
 */
final class PackedLayers {
    private record Packed(List<Object> arguments, CustomObject object) {
        /** From the last argument to the first, which is the weight: weights are compared where all else is equal. */
        boolean isOf(List<Object> wanted) {
            for (int i = arguments.size() - 1; i >= 0; i--) {
                if (!equal(arguments.get(i), wanted.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean equal(Object a, Object b) {
            if (a instanceof Tensor one && b instanceof Tensor other) {
                return TensorBytes.areEqual(one, other);
            }
            return a instanceof ScriptList list && b instanceof ScriptList other
                    ? list.items().equals(other.items())
                    : Objects.equals(a, b);
        }
    }

    private final OperatorRegistry operators;
    private final Map<String, List<Packed>> made = new HashMap<>();

    PackedLayers(OperatorRegistry operators) {
        this.operators = operators;
    }

    /**
     * A layer of a kind that was packed before with equal arguments, or a new one.
     *
     * @param kind for example {@code conv2d_clamp}
     * @param arguments of {@code prepacked::KIND_prepack}
     */
    CustomObject of(String kind, List<Object> arguments) {
        List<Packed> alike = made.computeIfAbsent(kind, k -> new ArrayList<>());
        for (Packed known : alike) {
            if (known.isOf(arguments)) {
                return known.object();
            }
        }
        CustomObject object = (CustomObject) operators
                .overloads("prepacked::" + kind + "_prepack")
                .get(0)
                .kernel()
                .call(arguments.toArray());
        alike.add(new Packed(arguments, object));
        return object;
    }
}
