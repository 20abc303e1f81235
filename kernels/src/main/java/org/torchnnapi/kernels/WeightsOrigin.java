package org.torchnnapi.kernels;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Where weights come from, which tells them from others without reading them: the memory that holds them, as an object,
 * which part and state of it they are, and what is made of them. Two that are equal have the same numbers. It does not
 * keep the memory from being collected. Immutable.
 */
public final class WeightsOrigin {
    private final WeakReference<Object> memory;
    private final List<Object> parts;
    private final int memoryHash;
    private final int hash;

    private WeightsOrigin(WeakReference<Object> memory, int memoryHash, List<Object> parts) {
        this.memory = memory;
        this.memoryHash = memoryHash;
        this.parts = parts;
        hash = 31 * memoryHash + parts.hashCode();
    }

    /**
     * Weights in some memory.
     *
     * @param memory compared as an object
     * @param parts which part of it, and a number that differs once it was written to; compared as values
     */
    public static WeightsOrigin of(Object memory, Object... parts) {
        return new WeightsOrigin(new WeakReference<>(memory), System.identityHashCode(memory), List.of(parts));
    }

    /** Of what a rule makes of the weights; see {@link Weights.Rule}. */
    WeightsOrigin then(Weights.Rule rule) {
        List<Object> more = new ArrayList<>(parts);
        more.add(rule);
        return new WeightsOrigin(memory, memoryHash, more);
    }

    /** Whether the memory was collected, so that this equals no other any more. */
    public boolean isGone() {
        return memory.get() == null;
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (!(other instanceof WeightsOrigin origin) || origin.hash != hash || !origin.parts.equals(parts)) {
            return false;
        }
        Object held = memory.get();
        return held != null && origin.memory.get() == held;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
