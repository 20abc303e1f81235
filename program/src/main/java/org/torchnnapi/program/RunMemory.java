package org.torchnnapi.program;

import java.lang.reflect.Array;
import java.util.List;
import org.torchnnapi.kernels.CacheLines;

/**
 * What one run computes in: an array of each kind, and the arrays that its inputs are read from, which may be the
 * caller's. Places are counted from the first element that begins a cache line, wherever the garbage collector has
 * moved the arrays.
 */
public final class RunMemory {
    /** For operations on constants alone. */
    public static final RunMemory NONE = new RunMemory(new Object[ArrayType.values().length], List.of());

    /** What is smaller is computed with in less than it takes to find the cache lines. */
    private static final int LEAST_ALIGNED = 4096;

    /** By store. */
    private final Object[] arrays;

    private final int[] firsts;
    private final List<PlacedValue> inputs;
    /** By input the array it lies in, and what its places are counted from there. */
    private final Object[] sources;

    private final int[] sourceBases;

    private RunMemory(Object[] arrays, List<PlacedValue> inputs) {
        this.arrays = arrays;
        firsts = new int[arrays.length];
        this.inputs = inputs;
        sources = new Object[inputs.size()];
        sourceBases = new int[sources.length];
    }

    /** Of a program that the workspace has room for. */
    static RunMemory in(Workspace workspace, List<PlacedValue> inputs) {
        return new RunMemory(workspace.arrays().clone(), inputs);
    }

    /**
     * Finds the cache lines; false if they are where they were. What lay in places does not any more where they are
     * not.
     */
    boolean align() {
        boolean floats = isWorthwhile(ArrayType.FLOATS)
                && align(ArrayType.FLOATS, CacheLines.first((float[]) array(ArrayType.FLOATS)));
        boolean bytes = isWorthwhile(ArrayType.BYTES)
                && align(ArrayType.BYTES, CacheLines.first((byte[]) array(ArrayType.BYTES)));
        return floats || bytes;
    }

    private boolean isWorthwhile(ArrayType store) {
        return Array.getLength(array(store)) * (long) store.elementBytes() >= LEAST_ALIGNED;
    }

    private boolean align(ArrayType store, int now) {
        boolean moved = firsts[store.ordinal()] != now;
        firsts[store.ordinal()] = now;
        return moved;
    }

    /**
     * Has an input read from an array of the caller's.
     *
     * @param at where its first element is
     * @return whether that is another place than before
     */
    boolean read(int input, Object array, int at) {
        return source(input, array, at - inputs.get(input).offset());
    }

    /** Has an input read from its place here, with the same result. */
    boolean readHere(int input) {
        ArrayType store = inputs.get(input).type().element().store();
        return source(input, array(store), first(store));
    }

    private boolean source(int input, Object array, int base) {
        boolean other = sources[input] != array || sourceBases[input] != base;
        sources[input] = array;
        sourceBases[input] = base;
        return other;
    }

    /** The array that places of a store are in. */
    Object array(ArrayType store) {
        return arrays[store.ordinal()];
    }

    /** What places of a store are counted from; 32-bit numbers lie wherever their array begins. */
    int first(ArrayType store) {
        return firsts[store.ordinal()];
    }

    Object source(int input) {
        return sources[input];
    }

    int sourceBase(int input) {
        return sourceBases[input];
    }
}
