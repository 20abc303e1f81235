package org.torchnnapi.execution.interp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptException;

/** The steps of a block's nodes, and how they are divided into regions. */
final class LiveRange {
    private final Block block;
    /** The first step of each node, and the one behind the last. */
    private final int[] starts;

    private final Map<Value, Integer> slots;
    private final Regions owner;
    private final boolean[] broken;

    LiveRange(Block block, int[] starts, Map<Value, Integer> slots, Regions owner) {
        this.block = block;
        this.starts = starts;
        this.slots = slots;
        this.owner = owner;
        broken = new boolean[starts.length - 1];
    }

    List<Node> nodes() {
        return block.nodes();
    }

    int step(int node) {
        return starts[node];
    }

    /** Puts the regions between breaks where they begin; those that were there before stay what they are. */
    void divide(Region[] before, Region[] now) {
        int from = 0;
        while (from < broken.length) {
            int to = from;
            while (to < broken.length && !broken[to]) {
                to++;
            }
            if (to > from && hasWork(from, to)) {
                Region known = before[starts[from]];
                now[starts[from]] = known != null && known.covers(this, from, to) ? known : new Region(this, from, to);
            }
            from = to + 1;
        }
    }

    private boolean hasWork(int from, int to) {
        if (starts[from] == starts[to]) {
            return false;
        }
        for (Node node : block.nodes().subList(from, to)) {
            if (node.schema() != null
                    || node.is(Prim.CALL_METHOD)
                    || node.is(Prim.CALL_FUNCTION)
                    || !node.blocks().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    void breakAt(int node, String reason, SourceRange place) {
        owner.breakAt(this, node, reason, place);
    }

    /** False if it is one already. */
    boolean mark(int node) {
        boolean is = broken[node];
        broken[node] = true;
        return !is;
    }

    Region.Trial trial(int from, int to, SlotFrame frame) {
        int node = from;
        int end = starts[to];
        int at = starts[from];
        try {
            while (at != end) {
                while (at >= starts[node + 1]) {
                    node++;
                }
                frame.execution.hook.at(node);
                GraphStep step = owner.step(at);
                at = step.run(frame, at);
                step.release(frame.slots);
            }
            return new Region.Trial(to, null);
        } catch (InterruptedRunException e) {
            throw e;
        } catch (ScriptException e) {
            e.addPlace(owner.step(at).node.range());
            return new Region.Trial(node, e);
        } catch (RuntimeException e) {
            return new Region.Trial(node, e);
        } catch (StackOverflowError e) {
            return new Region.Trial(node, new IllegalStateException("the thread's stack is full"));
        } catch (OutOfMemoryError e) {
            return new Region.Trial(node, new MemoryException("what the operator keeps meanwhile", e));
        }
    }

    int[] inputs(int from, int to) {
        Set<Value> inside = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Integer> found = new LinkedHashSet<>();
        for (Node node : block.nodes().subList(from, to)) {
            collect(node, inside, found);
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    private void collect(Node node, Set<Value> inside, Set<Integer> found) {
        for (Value input : node.inputs()) {
            use(input, inside, found);
        }
        for (Block inner : node.blocks()) {
            inside.addAll(inner.parameters());
            inner.nodes().forEach(one -> collect(one, inside, found));
            inner.results().forEach(result -> use(result, inside, found));
        }
        inside.addAll(node.outputs());
    }

    /** Constants are in every frame. */
    private void use(Value value, Set<Value> inside, Set<Integer> found) {
        if (!inside.contains(value)
                && !(value.definition() != null && value.definition().is(Prim.CONSTANT))) {
            found.add(slots.get(value));
        }
    }

    boolean uses(int node, int slot) {
        Set<Integer> found = new LinkedHashSet<>();
        collect(block.nodes().get(node), Collections.newSetFromMap(new IdentityHashMap<>()), found);
        return found.contains(slot);
    }

    int[] outputs(int from, int to) {
        Map<Node, Integer> positions = new IdentityHashMap<>();
        for (int i = 0; i < block.nodes().size(); i++) {
            positions.put(block.nodes().get(i), i);
        }
        List<Integer> found = new ArrayList<>();
        for (Node node : block.nodes().subList(from, to)) {
            if (node.is(Prim.CONSTANT)) {
                continue;
            }
            for (Value output : node.outputs()) {
                if (output.uses().stream().anyMatch(use -> isBehind(use.user(), positions, to))) {
                    found.add(slots.get(output));
                }
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    private boolean isBehind(Node user, Map<Node, Integer> positions, int to) {
        Node own = user.within(block);
        return own == block.returns() || positions.get(own) >= to;
    }

    /** Slots that nobody needs after these nodes. */
    int[] dead(int from, int to) {
        Set<Integer> found = new LinkedHashSet<>();
        for (int at = starts[from]; at < starts[to]; at++) {
            for (int slot : owner.step(at).dead) {
                found.add(slot);
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }
}
