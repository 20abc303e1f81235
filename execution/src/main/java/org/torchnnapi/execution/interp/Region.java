package org.torchnnapi.execution.interp;

import java.util.function.Supplier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Nodes of a block that follow each other, with all that is in their own blocks and in what they call: what lies
 * between two breaks. A node is known by its place in its block. Immutable but for what a runner attaches.
 */
public final class Region {
    /** What a run of a region's steps on stand-ins came to: {@code failure} is null if it came to the end. */
    public record Trial(int node, RuntimeException failure) {}

    private final LiveRange stretch;
    private final int from;
    private final int to;
    private final int[] inputs;
    private final int[] outputs;
    private final int[] dead;
    private Object attachment;

    Region(LiveRange stretch, int from, int to) {
        this.stretch = stretch;
        this.from = from;
        this.to = to;
        inputs = stretch.inputs(from, to);
        outputs = stretch.outputs(from, to);
        dead = stretch.dead(from, to);
    }

    boolean covers(LiveRange other, int first, int end) {
        return stretch == other && from == first && to == end;
    }

    /** The step behind it. */
    int end() {
        return stretch.step(to);
    }

    void release(Object[] slots) {
        for (int slot : dead) {
            slots[slot] = null;
        }
    }

    /** Slots of the values from outside that it uses, each once. */
    public int[] inputs() {
        return inputs.clone();
    }

    /** Slots of its values that are used behind it. */
    public int[] outputs() {
        return outputs.clone();
    }

    /** How many inputs there are. */
    public int inputCount() {
        return inputs.length;
    }

    public Object input(Object[] slots, int index) {
        return slots[inputs[index]];
    }

    /** Puts results where the steps would. */
    public void put(Object[] slots, Object[] results) {
        for (int i = 0; i < outputs.length; i++) {
            slots[outputs[i]] = results[i];
        }
    }

    /** A node by its place in its block. */
    public Node node(int place) {
        return stretch.nodes().get(place);
    }

    /** Runs the steps under a hook, up to the end or to what fails; {@link OperatorHook#at} tells their nodes. */
    public Trial trial(Interpreter interpreter, Object[] slots, OperatorHook hook) {
        return stretch.trial(from, to, new SlotFrame(slots, new InterpretedRun(interpreter, hook, null)));
    }

    /** Divides it at a node, which is run as usual from now on. */
    public void breakAt(int node, String reason, SourceRange place) {
        if (node < from || node >= to) {
            throw new IllegalArgumentException("node: " + node + " (expected: " + from + " to " + (to - 1) + ")");
        }
        stretch.breakAt(node, reason, place);
    }

    /** Divides it at every node that takes an input, or has a block that does. */
    public void breakAtUsers(int input, String reason) {
        for (int node = from; node < to; node++) {
            if (stretch.uses(node, inputs[input])) {
                stretch.breakAt(node, reason, stretch.nodes().get(node).range());
            }
        }
    }

    /** What the runner keeps with this region. */
    public synchronized Object attachment(Supplier<?> first) {
        if (attachment == null) {
            attachment = first.get();
        }
        return attachment;
    }

    /** Where it begins; for people. */
    public SourceRange place() {
        return stretch.nodes().get(from).range();
    }
}
