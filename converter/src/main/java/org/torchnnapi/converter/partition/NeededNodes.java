package org.torchnnapi.converter.partition;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * The nodes of a graph's outer block that decide what values of it come to be, where some values are given: those that
 * compute them, those that write to these or to what they are computed from, and those that act on objects. Whoever
 * reads a given value, reads that; a wanted one is computed all the same. What a model says and checks on the way is
 * left out, as it has run before; where it draws random numbers, all nodes run.
 */
final class NeededNodes {
    private final Block block;
    private final Set<Value> given;
    private final Map<Value, Set<Node>> writers;
    private final Set<Node> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Value> open = new ArrayDeque<>();

    private NeededNodes(Block block, Set<Value> given, Map<Value, Set<Node>> writers) {
        this.block = block;
        this.given = given;
        this.writers = writers;
    }

    /**
     * @param wanted values whose elements, as they are in the end, are wanted
     * @param given values that are known to be what they are in the end; those that someone reads who may find
     *     something else in them are taken out
     * @param writers of values that are written to in place, under any name, who writes
     */
    static Set<Node> of(Block block, Collection<Value> wanted, Set<Value> given, Map<Value, Set<Node>> writers) {
        while (true) {
            NeededNodes needed = new NeededNodes(block, given, writers);
            needed.collect(wanted);
            if (!given.removeIf(value -> writers.containsKey(value) && !needed.isSettled(value))) {
                return needed.nodes;
            }
        }
    }

    private void collect(Collection<Value> wanted) {
        boolean random = block.nodes().stream().anyMatch(node -> isAny(node, true));
        for (Node node : block.nodes()) {
            if (random || isAny(node, false)) {
                need(node);
            }
        }
        wanted.forEach(this::made);
        while (!open.isEmpty()) {
            Value value = open.pop();
            if (!given.contains(value)) {
                made(value);
            }
        }
    }

    /** Of what a value is made. */
    private void made(Value value) {
        if (seen.add(value)) {
            if (value.definition() != null) {
                need(value.definition().within(block));
            }
            writers.getOrDefault(value, Set.of()).forEach(writer -> need(writer.within(block)));
        }
    }

    /**
     * Whether a node, or one within, draws random numbers, or acts on objects: it is no operator whose schema says all.
     */
    private static boolean isAny(Node node, boolean random) {
        boolean own = random
                ? Effects.isRandom(node)
                : node.schema() == null && node.blocks().isEmpty() && Effects.hasSideEffects(node);
        return own
                || node.blocks().stream()
                        .anyMatch(inner -> inner.nodes().stream().anyMatch(each -> isAny(each, random)));
    }

    private void need(Node node) {
        if (node != null && nodes.add(node)) {
            read(node);
        }
    }

    private void read(Node node) {
        open.addAll(node.inputs());
        for (Block inner : node.blocks()) {
            inner.nodes().forEach(this::read);
            open.addAll(inner.results());
        }
    }

    /** Whether all that runs reads a value after all have written to it, and none of them runs again. */
    private boolean isSettled(Value value) {
        List<Node> order = block.nodes();
        int last = -1;
        for (Node writer : writers.get(value)) {
            Node at = writer.within(block);
            if (at == null || nodes.contains(at)) {
                return false;
            }
            last = Math.max(last, order.indexOf(at));
        }
        for (Value.Use use : value.uses()) {
            Node at = use.user().within(block);
            if (at != null && nodes.contains(at) && order.indexOf(at) < last) {
                return false;
            }
        }
        return true;
    }
}
