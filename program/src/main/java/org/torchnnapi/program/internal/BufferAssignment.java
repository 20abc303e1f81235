package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.CacheLines;
import org.torchnnapi.program.ArrayType;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;

/**
 * Gives every value its place. Values that are views of others, parts of a concatenation and results that may overwrite
 * an input share one <i>stretch</i> of memory; stretches never alive together share the arena.
 */
public final class BufferAssignment {
    private static final int NEVER = -2;

    private final MutableGraph draft;
    /** By value, the value in whose stretch it lies (its own if it is that) and how far in. */
    private final int[] stretch;

    private final int[] inside;
    /** By value that has a stretch: the nodes at which it begins and ends to be needed. */
    private final int[] first;

    private final int[] last;
    /** By store. */
    private final ArenaPlanner[] arenas = new ArenaPlanner[ArrayType.values().length];
    /**
     * By value its position among the inputs that nothing changes and that are no output, so that they can be read
     * elsewhere; else -1.
     */
    private final int[] sources;

    private PlacedValue[] operands;

    private BufferAssignment(MutableGraph draft) {
        this.draft = draft;
        int values = draft.values();
        stretch = new int[values];
        inside = new int[values];
        first = new int[values];
        last = new int[values];
        sources = new int[values];
        Arrays.setAll(stretch, value -> value);
        for (ArrayType store : ArrayType.values()) {
            arenas[store.ordinal()] = new ArenaPlanner(store.elementBytes());
        }
    }

    /** @throws IllegalArgumentException if they do not fit an array */
    public static BufferAssignment of(MutableGraph draft) {
        BufferAssignment places = new BufferAssignment(draft);
        places.joinParts();
        places.joinViews();
        places.findSources();
        places.measure();
        places.overwrite();
        places.allot();
        return places;
    }

    /** What computes a part of a concatenation writes into the whole. */
    private void joinParts() {
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = draft.nodes();
        for (int i = nodes.size() - 1; i >= 0; i--) {
            OpGraph.Node node = nodes.get(i);
            int[] parts = node.op().parts(draft.operands(node));
            for (int j = 0; parts != null && j < parts.length; j++) {
                int value = node.inputs()[j];
                boolean computed = producers[value] >= 0 && !isView(nodes.get(producers[value]));
                if (computed && stretch[value] == value && value != node.output()) {
                    stretch[value] = node.output();
                    inside[value] = parts[j];
                }
            }
        }
    }

    private boolean isView(OpGraph.Node node) {
        return node.op().view(draft.operands(node)) >= 0;
    }

    private void joinViews() {
        for (OpGraph.Node node : draft.nodes()) {
            int at = node.op().view(draft.operands(node));
            // A view that is itself a part stays one: it is copied there.
            if (at >= 0 && stretch[node.output()] == node.output()) {
                stretch[node.output()] = node.inputs()[0];
                inside[node.output()] = at;
            }
        }
    }

    private void findSources() {
        Arrays.fill(sources, -1);
        for (int i = 0; i < draft.inputs().length; i++) {
            sources[draft.inputs()[i]] = i;
        }
        for (int output : draft.outputs()) {
            sources[root(output)] = -1;
        }
    }

    /** When each stretch is needed. */
    private void measure() {
        Arrays.fill(first, Integer.MAX_VALUE);
        Arrays.fill(last, NEVER);
        for (int input : draft.inputs()) {
            need(input, -1, -1);
        }
        List<OpGraph.Node> nodes = draft.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            for (int input : nodes.get(i).inputs()) {
                need(input, i, i);
            }
            need(nodes.get(i).output(), i, i);
        }
        for (int output : draft.outputs()) {
            need(output, nodes.size(), nodes.size());
        }
    }

    private void need(int value, int from, int to) {
        int root = root(value);
        first[root] = Math.min(first[root], from);
        last[root] = Math.max(last[root], to);
    }

    private int root(int value) {
        int root = value;
        while (stretch[root] != root) {
            root = stretch[root];
        }
        return root;
    }

    private int offset(int value) {
        int at = 0;
        for (int link = value; stretch[link] != link; link = stretch[link]) {
            at += inside[link];
        }
        return at;
    }

    private int size(int value) {
        return (draft.storage(value) == null ? ImageStorage.DECLARED : draft.storage(value)).size(draft.type(value));
    }

    /** A result takes the stretch of an input that nothing needs afterwards. */
    private void overwrite() {
        List<OpGraph.Node> nodes = draft.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            int output = node.output();
            if (stretch[output] != output || first[output] < i) {
                continue;
            }
            Operands types = draft.operands(node);
            for (int j = 0; j < node.inputs().length; j++) {
                int root = root(node.inputs()[j]);
                if (root != output
                        && !draft.isConstant(root)
                        && sources[root] < 0
                        && last[root] == i
                        && draft.type(root).element() == draft.type(output).element()
                        && size(root) == size(output)
                        && types.in(j).size() == size(output)
                        && once(node.inputs(), root)
                        && node.op().overwrites(types, j)) {
                    stretch[output] = root;
                    inside[output] = 0;
                    last[root] = last[output];
                    break;
                }
            }
        }
    }

    private boolean once(int[] inputs, int root) {
        int count = 0;
        for (int input : inputs) {
            count += root(input) == root ? 1 : 0;
        }
        return count == 1;
    }

    private void allot() {
        for (int value = 0; value < stretch.length; value++) {
            if (stretch[value] == value && !draft.isConstant(value) && last[value] > NEVER && !isUnused(value)) {
                arena(value).add(value, size(value), first[value], last[value]);
            }
        }
        for (ArrayType store : ArrayType.values()) {
            ArenaPlanner arena = arenas[store.ordinal()];
            arena.plan();
            if (arena.size() > Integer.MAX_VALUE - 2 * CacheLines.BYTES) {
                throw new IllegalArgumentException(
                        "values of the graph: " + arena.size() + " " + store + " at once (expected: under 2^31)");
            }
        }
        operands = new PlacedValue[stretch.length];
        for (int value = 0; value < stretch.length; value++) {
            if (draft.storage(value) != null) {
                int root = root(value);
                Object constant = draft.constant(root);
                int base = constant != null ? 0 : arena(root).offset(root);
                operands[value] = new PlacedValue(
                        draft.type(value),
                        draft.storage(value),
                        constant,
                        base < 0 ? -1 : base + offset(value),
                        sources[root]);
            }
        }
    }

    /** Whether it is an input that nothing reads. */
    private boolean isUnused(int value) {
        return first[value] == -1 && last[value] == -1;
    }

    private ArenaPlanner arena(int value) {
        return arenas[draft.type(value).element().store().ordinal()];
    }

    /** A value where it lies; its offset is -1 if it is an input without use. */
    public PlacedValue operand(int value) {
        return operands[value];
    }

    public Operands operands(OpGraph.Node node) {
        List<PlacedValue> in = new ArrayList<>(node.inputs().length);
        for (int input : node.inputs()) {
            in.add(operands[input]);
        }
        return new Operands(in, operands[node.output()]);
    }

    /** Elements of each store that a run needs. */
    public int[] sizes() {
        return Arrays.stream(arenas).mapToInt(arena -> (int) arena.size()).toArray();
    }
}
