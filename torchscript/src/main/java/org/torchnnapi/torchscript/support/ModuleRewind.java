package org.torchnnapi.torchscript.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Puts a module back as it was, with {@link #close}: the attributes that a run sets, of it and of the modules in it,
 * the items of its lists and dicts, and what is written in place to its tensors and its code's constants. A run that is
 * to be compared begins with what the file holds, and leaves nothing for who writes the file.
 */
public final class ModuleRewind implements AutoCloseable {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Step> steps = new ArrayList<>();
    private final boolean writes;

    /** One thing that a run may change. */
    private record Step(BooleanSupplier isChanged, Runnable undo) {}

    /**
     * @param writes whether the runs may write to what they did not make; parameters and constants are not looked at
     *     otherwise
     */
    public ModuleRewind(ScriptObject module, boolean writes) {
        this.writes = writes;
        note(module);
    }

    private void note(ScriptObject object) {
        if (!seen.add(object)) {
            return;
        }
        if (writes && seen.add(object.type())) {
            object.type()
                    .methods()
                    .forEach(method ->
                            noteConstants(method.representative().graph().block()));
        }
        List<ClassType.Attribute> attributes = object.type().attributes();
        for (int i = 0; i < attributes.size(); i++) {
            int slot = i;
            Object value = object.slot(i);
            steps.add(new Step(() -> object.slot(slot) != value, () -> object.slot(slot, value)));
            if (writes || !(value instanceof Tensor && attributes.get(i).isParameter())) {
                note(value);
            }
        }
    }

    private void noteConstants(Block block) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.CONSTANT)) {
                note(node.attribute("value"));
            }
            node.blocks().forEach(this::noteConstants);
        }
    }

    private void note(Object value) {
        if (value instanceof ScriptObject object) {
            note(object);
        } else if (value instanceof Tensor tensor && seen.add(tensor)) {
            int written = tensor.storage().writes();
            Tensor copy = tensor.copy(MemoryFormat.CONTIGUOUS);
            Tensor before = tensor.asStrided(tensor.sizes(), tensor.strides(), tensor.offset());
            steps.add(new Step(
                    () -> tensor.storage() != before.storage()
                            || before.storage().writes() != written,
                    () -> {
                        // Its sizes may have been changed in place, too.
                        tensor.become(before);
                        tensor.copyFrom(copy);
                    }));
        } else if (value instanceof ScriptTuple tuple) {
            tuple.items().forEach(this::note);
        } else if (value instanceof ScriptList list && seen.add(list)) {
            List<Object> items = new ArrayList<>(list.items());
            steps.add(new Step(() -> !isSame(items, list.items()), () -> {
                list.items().clear();
                list.items().addAll(items);
            }));
            items.forEach(this::note);
        } else if (value instanceof ScriptDict dict && seen.add(dict)) {
            Map<Object, Object> items = new LinkedHashMap<>(dict.items());
            List<Object> keys = new ArrayList<>(items.keySet());
            List<Object> values = new ArrayList<>(items.values());
            steps.add(new Step(
                    () -> !keys.equals(new ArrayList<>(dict.items().keySet()))
                            || !isSame(values, new ArrayList<>(dict.items().values())),
                    () -> {
                        dict.items().clear();
                        dict.items().putAll(items);
                    }));
            items.values().forEach(this::note);
        }
    }

    private static boolean isSame(List<Object> one, List<Object> other) {
        boolean same = one.size() == other.size();
        for (int i = 0; same && i < one.size(); i++) {
            same = one.get(i) == other.get(i);
        }
        return same;
    }

    /** Whether the module is not as it was. */
    public boolean isChanged() {
        return steps.stream().anyMatch(step -> step.isChanged().getAsBoolean());
    }

    /** How many attributes, tensors, lists and dicts are not as they were. */
    public int changes() {
        return (int)
                steps.stream().filter(step -> step.isChanged().getAsBoolean()).count();
    }

    @Override
    public void close() {
        steps.stream()
                .filter(step -> step.isChanged().getAsBoolean())
                .forEach(step -> step.undo().run());
    }
}
