package org.torchnnapi.converter.emit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.support.TensorBytes;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Weights of NNAPI models that a module has too, maybe with its dimensions in another order: these become views of the
 * module's, and a file holds them once, and so are those of one model that an earlier one has. PyTorch's NNAPI modules
 * make them contiguous when they are loaded.
 */
public final class WeightViews implements UnaryOperator<Tensor> {
    /** Orders of dimensions: as they are, of convolutions, of depthwise convolutions. */
    private static final int[][] ORDERS = {{0, 1, 2, 3}, {0, 2, 3, 1}, {1, 2, 3, 0}};

    private static final int IMAGE_RANK = 4;

    private final Map<Integer, List<Tensor>> views = new HashMap<>();

    /** Of models alone: what an earlier one has. */
    WeightViews() {}

    /** @param module whose tensors are shared, those of its submodules too */
    public WeightViews(ScriptObject module) {
        collect(module, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /**
     * A view of one of the module's tensors, or of an earlier weight, with the same shape and elements, or the weight
     * itself.
     */
    @Override
    public Tensor apply(Tensor weight) {
        for (Tensor view : views.getOrDefault(TensorBytes.fingerprint(weight), List.of())) {
            if (TensorBytes.areEqual(view, weight)) {
                return view;
            }
        }
        put(weight);
        return weight;
    }

    private void collect(ScriptObject object, Set<Object> seen) {
        if (!seen.add(object)) {
            return;
        }
        for (ClassType.Attribute attribute : object.type().attributes()) {
            Object value = object.get(attribute.name());
            if (value instanceof ScriptObject inner) {
                collect(inner, seen);
            } else if (value instanceof Tensor tensor && tensor.dtype() == DType.FLOAT32 && seen.add(tensor)) {
                add(tensor);
            }
        }
    }

    private void add(Tensor tensor) {
        for (int[] order : ORDERS) {
            if (tensor.rank() != IMAGE_RANK) {
                put(tensor);
                return;
            }
            int[] sizes = new int[IMAGE_RANK];
            int[] strides = new int[IMAGE_RANK];
            for (int d = 0; d < IMAGE_RANK; d++) {
                sizes[d] = tensor.size(order[d]);
                strides[d] = tensor.strides()[order[d]];
            }
            put(tensor.asStrided(sizes, strides, tensor.offset()));
        }
    }

    private void put(Tensor view) {
        views.computeIfAbsent(TensorBytes.fingerprint(view), h -> new ArrayList<>())
                .add(view);
    }
}
