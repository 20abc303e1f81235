package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Inputs of several callers as those of one call, joined along dimension 0. */
final class JoinedInputs {
    /** What inputs have in common that can be joined: all but their numbers of rows. */
    record Key(List<DType> types, List<List<Integer>> sizes, List<Object> quantizations) {
        /** @throws IllegalArgumentException if there is no input, or the inputs have not the same rows */
        static Key of(Tensor... inputs) {
            if (inputs.length == 0) {
                throw new IllegalArgumentException("inputs: none (expected: at least one tensor)");
            }
            Key key = new Key(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (Tensor input : inputs) {
                if (input.rank() == 0 || inputs[0].rank() == 0 || input.size(0) != inputs[0].size(0)) {
                    throw new IllegalArgumentException(
                            "inputs: " + Arrays.toString(inputs) + " (expected: the same size in dimension 0)");
                }
                key.types.add(input.dtype());
                int[] sizes = input.sizes();
                key.sizes.add(ModelSignature.list(Arrays.copyOfRange(sizes, 1, sizes.length)));
                // Those of each channel are no one's but its own.
                key.quantizations.add(
                        input.quantization() instanceof Quantization.PerChannel ? new Object() : input.quantization());
            }
            return key;
        }
    }

    private final Tensor[] tensors;
    /** First row of each caller, and all rows in the end. */
    private final int[] starts;

    /** @param callers the inputs of each, of one {@link Key} */
    JoinedInputs(List<Tensor[]> callers) {
        starts = new int[callers.size() + 1];
        for (int i = 0; i < callers.size(); i++) {
            starts[i + 1] = Math.addExact(starts[i], callers.get(i)[0].size(0));
        }
        tensors = new Tensor[callers.get(0).length];
        for (int input = 0; input < tensors.length; input++) {
            Tensor like = callers.get(0)[input];
            int[] sizes = like.sizes().clone();
            sizes[0] = starts[callers.size()];
            Quantization quantization = like.quantization();
            tensors[input] = new Tensor(
                    Storage.allocate(like.dtype(), Shape.numel(sizes)),
                    0,
                    sizes,
                    Shape.contiguousStrides(sizes),
                    quantization);
            for (int i = 0; i < callers.size(); i++) {
                rows(tensors[input], i).copyFrom(callers.get(i)[input]);
            }
        }
    }

    /** One for each of the inputs. */
    Tensor[] tensors() {
        return tensors;
    }

    private Tensor rows(Tensor all, int caller) {
        int[] sizes = all.sizes().clone();
        sizes[0] = starts[caller + 1] - starts[caller];
        return all.asStrided(sizes, all.strides(), all.offset() + starts[caller] * all.strides()[0]);
    }

    /** What each caller gets of an answer, copied; null if that has not a row for each of the inputs'. */
    List<Object> parts(Object answer) {
        List<Object> parts = new ArrayList<>();
        for (int caller = 0; caller < starts.length - 1; caller++) {
            if (!hasRows(answer)) {
                return null;
            }
            parts.add(part(answer, caller));
        }
        return parts;
    }

    private boolean hasRows(Object value) {
        if (value instanceof Tensor tensor) {
            return tensor.rank() > 0
                    && tensor.size(0) == starts[starts.length - 1]
                    && !(tensor.quantization() instanceof Quantization.PerChannel channels && channels.axis() == 0);
        }
        if (value instanceof ScriptTuple tuple) {
            return tuple.items().stream().allMatch(this::hasRows);
        }
        if (value instanceof ScriptList list) {
            return list.size() > 0 && list.items().stream().allMatch(this::hasRows);
        }
        return value instanceof ScriptDict dict
                && dict.items().values().stream().allMatch(this::hasRows);
    }

    private Object part(Object value, int caller) {
        if (value instanceof Tensor tensor) {
            return rows(tensor, caller).copy(MemoryFormat.CONTIGUOUS);
        }
        if (value instanceof ScriptTuple tuple) {
            List<Object> items = new ArrayList<>();
            tuple.items().forEach(item -> items.add(part(item, caller)));
            return new ScriptTuple(items, tuple.type());
        }
        if (value instanceof ScriptList list) {
            List<Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(part(item, caller)));
            return new ScriptList(list.elementType(), items);
        }
        ScriptDict dict = (ScriptDict) value;
        ScriptDict own = new ScriptDict(dict.keyType(), dict.valueType());
        dict.items().forEach((key, item) -> own.items().put(key, part(item, caller)));
        return own;
    }
}
