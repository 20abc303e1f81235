package org.torchnnapi.converter.partial;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/** What walks through a graph found that they could not follow; each walk leaves it open from the beginning. */
final class WideningState {
    private final Set<Object> sites = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Node> loops = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> shapes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<ScriptObject, Set<String>> attributes = new IdentityHashMap<>();
    private final Map<ScriptObject, Map<String, Object>> lasting = new IdentityHashMap<>();
    private final Map<ScriptObject, Map<String, Object>> containers = new IdentityHashMap<>();
    private boolean allAttributes;
    private boolean changed;
    private final SizeTrial.Step step;

    /** @param step is told what is computed while the walks go on */
    WideningState(SizeTrial.Step step) {
        this.step = step;
    }

    /** A walk begins. */
    void begin() {
        step.clear();
    }

    /** A node is visited. */
    void visits() {
        step.visits(1);
    }

    /** A node's result was computed, and is a constant from now on. */
    void folded(Node node, Object result) {
        step.folded(node, result);
    }

    /** Whether sizes are tried, so that what they decide is asked for. */
    boolean isTrial() {
        return step.size() > 0;
    }

    /** Numbers that follow from sizes decided how the walk goes on. */
    void decided(SizeTerm.Decision decision) {
        step.decided(decision);
    }

    /** The walk cannot go on before something is left open. */
    static final class Again extends RuntimeException {
        private static final long serialVersionUID = 1;

        Again() {
            super("something to leave open", null, false, false);
        }
    }

    /** Whether something was added to, so that another walk follows this one. */
    boolean hasChanged() {
        return changed;
    }

    /** Whether something was added since the last call. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    /**
     * Leaves open what a node makes, or an input: a container that is written to where it cannot be followed, or a
     * tensor.
     */
    void site(Object made) {
        changed |= sites.add(made);
    }

    boolean isOpen(Object site) {
        return sites.contains(site);
    }

    /** What stands for a container that an attribute holds, the same in all walks. */
    Object container(ScriptObject object, String name) {
        return containers.computeIfAbsent(object, o -> new HashMap<>()).computeIfAbsent(name, n -> new Object());
    }

    /** Leaves a loop a loop. */
    void loop(Node loop) {
        changed |= loops.add(loop);
    }

    boolean staysLoop(Node loop) {
        return loops.contains(loop);
    }

    /** Leaves open what an attribute of a module holds. */
    void attribute(ScriptObject object, String name) {
        changed |= attributes.computeIfAbsent(object, o -> new HashSet<>()).add(name);
    }

    /**
     * An attribute that is None in the file, or has no elements there, holds something of the sizes of {@code sample}
     * once the method has run, a tensor or a list of a tuple's.
     */
    void lasts(ScriptObject object, String name, Object sample) {
        changed |= lasting.computeIfAbsent(object, o -> new HashMap<>()).put(name, sample) == null;
    }

    /** What an attribute that is None in the file, or has no elements there, holds later; or null. */
    Object lasting(ScriptObject object, String name) {
        return lasting.getOrDefault(object, Map.of()).get(name);
    }

    /** Leaves open what all attributes hold. */
    void attributes() {
        changed |= !allAttributes;
        allAttributes = true;
    }

    boolean isOpen(ScriptObject object, String name) {
        return allAttributes || attributes.getOrDefault(object, Set.of()).contains(name);
    }

    /** Leaves open the shape of what a loop carries. */
    void shape(Value parameter) {
        changed |= shapes.add(parameter);
    }

    boolean hasOpenShape(Value parameter) {
        return shapes.contains(parameter);
    }
}
