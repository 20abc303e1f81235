package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The attributes, and states of the thread, that a recording took for constant, and what they held. */
final class Attributes {
    /** An attribute of one object. */
    record Slot(ScriptObject object, int slot) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Slot s && s.object == object && s.slot == slot;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(object) + slot;
        }
    }

    private record Read(ScriptObject object, int slot, Object value) {}

    /** A list or dict among the attributes, and what it held. */
    private record Held(Object container, Object contents) {}

    /** What an operator without arguments told. */
    private record Told(OperatorKernel kernel, Object state) {}

    /** The memory of a tensor among the attributes, as often written to as it was. */
    private record Watched(Storage storage, int writes) {}

    private final List<Read> reads = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private final Map<Storage, Watched> watched = new IdentityHashMap<>();
    /**
     * Of {@link ScriptObject#changes} and {@link Storage#watchedWrites} when the slots and the memory were last found
     * to hold what they held; neither objects nor storages are in a cache, mostly.
     */
    private volatile long foundAt = -1;

    private volatile long keptAt = -1;

    void add(ScriptObject object, int slot, Object value) {
        reads.add(new Read(object, slot, value));
        foundAt = -1;
        keptAt = -1;
        NestedValues.any(value, leaf -> {
            if (leaf instanceof Tensor t) {
                watched.computeIfAbsent(t.storage(), Attributes::watch);
            }
            return false;
        });
    }

    private static Watched watch(Storage storage) {
        storage.watch();
        return new Watched(storage, storage.writes());
    }

    /** Of a list or dict among the attributes, as {@link RegionKey#contents} gives them. */
    void add(Object container, Object contents) {
        held.add(new Held(container, contents));
    }

    void add(OperatorKernel kernel, Object state) {
        told.add(new Told(kernel, state));
    }

    /**
     * Whether all still hold the same, and no one says that a tensor of theirs was written to; what lists or objects
     * hold is not looked at.
     */
    boolean unchanged() {
        long changes = ScriptObject.changes();
        if (foundAt != changes) {
            for (Read read : reads) {
                Object now = read.object.slot(read.slot);
                if (now != read.value && !(isPlain(now) && now.equals(read.value))) {
                    return false;
                }
            }
            foundAt = changes;
        }
        long writes = Storage.watchedWrites();
        if (keptAt != writes) {
            for (Watched memory : watched.values()) {
                if (memory.storage.writes() != memory.writes) {
                    return false;
                }
            }
            keptAt = writes;
        }
        for (Held container : held) {
            if (!container.contents.equals(RegionKey.contents(container.container))) {
                return false;
            }
        }
        for (Told state : told) {
            if (!state.state.equals(state.kernel.call(new Object[0]))) {
                return false;
            }
        }
        return true;
    }

    /** The attributes that hold something else now, or tensors that were written to. */
    List<Slot> changed() {
        List<Slot> found = new ArrayList<>();
        for (Read read : reads) {
            Object now = read.object.slot(read.slot);
            boolean written = NestedValues.any(
                    now,
                    leaf -> leaf instanceof Tensor t
                            && watched.containsKey(t.storage())
                            && watched.get(t.storage()).writes != t.storage().writes());
            if (written || now != read.value && !(isPlain(now) && now.equals(read.value))) {
                found.add(new Slot(read.object, read.slot));
            }
        }
        return found;
    }

    private static boolean isPlain(Object value) {
        return value instanceof Number || value instanceof Boolean || value instanceof String;
    }
}
