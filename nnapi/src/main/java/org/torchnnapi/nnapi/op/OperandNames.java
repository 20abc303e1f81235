package org.torchnnapi.nnapi.op;

import java.util.Arrays;

/**
 * What the operands of a signature are called, in their order. {@code "inputWeights[4]"} stands for four adjacent
 * operands, as many as a layer has gates; one entry {@code "tensors[]"} for any number of them. An operation that ends
 * before the last name lacks what is behind its end.
 */
public final class OperandNames {
    private static final int ANY = -1;

    private final String[] names;
    private final int[] counts;
    /** Position of each entry; of those behind the open one as if that stood for none. */
    private final int[] starts;
    /** The entry that stands for any number, as long as the list where there is none. */
    private final int open;
    /** Operands that the other entries stand for. */
    private final int settled;

    private OperandNames(String[] entries) {
        names = new String[entries.length];
        counts = new int[entries.length];
        starts = new int[entries.length];
        int any = entries.length;
        int next = 0;
        for (int i = 0; i < entries.length; i++) {
            int bracket = entries[i].indexOf('[');
            names[i] = bracket < 0 ? entries[i] : entries[i].substring(0, bracket);
            String count = bracket < 0 ? "1" : entries[i].substring(bracket + 1, entries[i].length() - 1);
            counts[i] = count.isEmpty() ? ANY : Integer.parseInt(count);
            starts[i] = next;
            any = counts[i] == ANY ? i : any;
            next += Math.max(counts[i], 0);
        }
        open = any;
        settled = next;
    }

    /** @param entries names, each of one operand, or with how many in brackets */
    public static OperandNames of(String... entries) {
        return new OperandNames(entries);
    }

    private int entry(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether there is an operand of this name. */
    public boolean has(String name) {
        return entry(name) >= 0;
    }

    /**
     * Where an operand is in every operation that has it: the first where several have the name, or the one whose
     * number follows in brackets.
     *
     * @throws IllegalArgumentException if no operand has the name, or its position depends on how many there are
     */
    public int at(String name) {
        int bracket = name.indexOf('[');
        if (bracket >= 0) {
            return at(name.substring(0, bracket)) + Integer.parseInt(name.substring(bracket + 1, name.length() - 1));
        }
        int entry = entry(name);
        if (entry < 0 || entry > open) {
            throw new IllegalArgumentException("operand: " + name + " (expected: one of " + Arrays.toString(names)
                    + (entry < 0 ? ")" : " before " + names[open] + ")"));
        }
        return starts[entry];
    }

    /**
     * Where an operand is in an operation of {@code count} operands; -1 where it ends before, or has no operand of this
     * name.
     */
    public int at(String name, int count) {
        int entry = entry(name);
        int position = entry < 0 ? -1 : entry <= open ? starts[entry] : starts[entry] + count - settled;
        return position < count ? position : -1;
    }

    /** How many operands of that name an operation of {@code count} operands has. */
    int count(String name, int count) {
        int entry = entry(name);
        return entry < 0 || at(name, count) < 0 ? 0 : counts[entry] == ANY ? count - settled : counts[entry];
    }

    /**
     * What the operand at a position is called in an operation of {@code count} operands; of several of one name with
     * its number.
     */
    public String name(int position, int count) {
        for (int i = 0; i < names.length; i++) {
            int from = i <= open ? starts[i] : starts[i] + count - settled;
            int to = from + (counts[i] == ANY ? count - settled : counts[i]);
            if (position >= from && position < to) {
                return counts[i] == 1 ? names[i] : names[i] + "[" + (position - from) + "]";
            }
        }
        throw new IllegalArgumentException(
                "operand: " + position + " of " + count + " (expected: one of " + Arrays.toString(names) + ")");
    }

    /** Whether they name {@code count} operands. */
    boolean covers(int count) {
        return open < names.length ? count >= settled : count <= settled;
    }

    @Override
    public String toString() {
        return Arrays.toString(names);
    }
}
