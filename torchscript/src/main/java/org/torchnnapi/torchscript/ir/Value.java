package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A value in static single assignment form: an output of a node, or a parameter of a block. */
public final class Value {
    /** A place where a value is used: input number {@code index} of {@code user}. */
    public record Use(Node user, int index) {}

    private final Node definition;
    private final Block block;
    private Type type;
    private String name;
    private final List<Use> uses = new ArrayList<>();

    Value(Node definition, Block block, Type type, String name) {
        this.definition = definition;
        this.block = block;
        this.type = type;
        this.name = name;
    }

    /** The node this is an output of, or null for a block parameter. */
    public Node definition() {
        return definition;
    }

    /** The block this is a parameter of, or null for a node output. */
    public Block parameterOf() {
        return block;
    }

    /** Position among the outputs of its node or the parameters of its block. */
    public int index() {
        return (definition != null ? definition.outputs() : block.parameters()).indexOf(this);
    }

    public Type type() {
        return type;
    }

    public Value type(Type newType) {
        type = newType;
        return this;
    }

    /** Name of the variable in the source, or null. Not unique. */
    public String name() {
        return name;
    }

    public Value name(String newName) {
        name = newName;
        return this;
    }

    /** Current uses, unmodifiable; a block's results are used by its {@link Block#results() return node}. */
    public List<Use> uses() {
        return Collections.unmodifiableList(uses);
    }

    /**
     * The uses but those of nodes that read no more of their first argument than sizes, types and flags, as checks of a
     * layer's input do.
     */
    public List<Use> elementUses() {
        List<Use> reading = new ArrayList<>();
        for (Use use : uses) {
            if (use.index() != 0 || !OperatorTrait.READS_GEOMETRY.of(use.user())) {
                reading.add(use);
            }
        }
        return reading;
    }

    public boolean isUsed() {
        return !uses.isEmpty();
    }

    /** Makes every user take {@code other} instead. */
    public void replaceAllUsesWith(Value other) {
        for (Use use : List.copyOf(uses)) {
            use.user().setInput(use.index(), other);
        }
    }

    void addUse(Node user, int index) {
        uses.add(new Use(user, index));
    }

    void removeUse(Node user, int index) {
        for (int i = uses.size() - 1; i >= 0; i--) {
            Use use = uses.get(i);
            if (use.user() == user && use.index() == index) {
                uses.remove(i);
                return;
            }
        }
        throw new IllegalStateException(
                "use: input " + index + " of " + user.kind() + " (expected: recorded for its value)");
    }

    @Override
    public String toString() {
        return "%" + (name != null ? name : Integer.toHexString(System.identityHashCode(this)));
    }
}
