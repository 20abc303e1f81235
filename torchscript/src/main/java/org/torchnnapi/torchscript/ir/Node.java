package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One operation of a graph. Kinds are those of PyTorch's own IR: {@code aten::relu}, {@code prim::Constant} (attribute
 * {@code value}), {@code prim::GetAttr} / {@code prim::SetAttr} (attribute {@code name}), {@code prim::CallMethod}
 * (attribute {@code name}), {@code prim::CallFunction} (attribute {@code function}), {@code prim::If} (two blocks),
 * {@code prim::Loop} (inputs: maximum trip count, initial condition, carried values; one block with parameters trip
 * index and carried values and results condition and carried values), {@code prim::ListConstruct},
 * {@code prim::TupleConstruct}, {@code prim::TupleUnpack}, {@code prim::RaiseException} and so on.
 */
public final class Node {
    /**
     * Attribute, true, of an operator that byte code names: it takes its operands as they stand there, without what
     * PyTorch's executor rewrites.
     */
    public static final String AS_WRITTEN = "as_written";
    /**
     * Attribute, true, of an operator that is called in every run, though what it is given is known: for other shapes
     * it is given something else.
     */
    public static final String STAYS = "stays";

    private final Graph graph;
    private final String kind;
    private FunctionSchema schema;
    private SourceRange range = SourceRange.NONE;
    private final List<Value> inputs = new ArrayList<>();
    private final List<Value> outputs = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    Block owner;

    Node(Graph graph, String kind) {
        this.graph = graph;
        this.kind = kind;
    }

    public Graph graph() {
        return graph;
    }

    /** For example {@code aten::conv2d}. */
    public String kind() {
        return kind;
    }

    public boolean is(String otherKind) {
        return kind.equals(otherKind);
    }

    /** The resolved operator signature, or null for control nodes and unknown operators. */
    public FunctionSchema schema() {
        return schema;
    }

    public Node schema(FunctionSchema newSchema) {
        schema = newSchema;
        return this;
    }

    public SourceRange range() {
        return range;
    }

    public Node range(SourceRange newRange) {
        range = newRange;
        return this;
    }

    /** The block this node stands in, or null when it was taken out. */
    public Block owner() {
        return owner;
    }

    /** The node of a block that this one is, or stands in; null where it stands in none of the block. */
    public Node within(Block block) {
        Node at = this;
        while (at != null && at.owner != block) {
            at = at.owner == null ? null : at.owner.parent();
        }
        return at;
    }

    public List<Value> inputs() {
        return Collections.unmodifiableList(inputs);
    }

    public Value input(int index) {
        return inputs.get(index);
    }

    /** What is given for an argument that the schema names so, or null. */
    public Value argument(String name) {
        int index = schema == null ? -1 : schema.indexOf(name);
        return index < 0 || index >= inputs.size() ? null : inputs.get(index);
    }

    public Node addInput(Value value) {
        value.addUse(this, inputs.size());
        inputs.add(value);
        return this;
    }

    public void setInput(int index, Value value) {
        inputs.get(index).removeUse(this, index);
        inputs.set(index, value);
        value.addUse(this, index);
    }

    public void removeAllInputs() {
        for (int i = inputs.size() - 1; i >= 0; i--) {
            removeInput(i);
        }
    }

    public void removeInput(int index) {
        for (int i = index; i < inputs.size(); i++) {
            inputs.get(i).removeUse(this, i);
        }
        inputs.remove(index);
        for (int i = index; i < inputs.size(); i++) {
            inputs.get(i).addUse(this, i);
        }
    }

    public List<Value> outputs() {
        return Collections.unmodifiableList(outputs);
    }

    /** The only output. */
    public Value output() {
        if (outputs.size() != 1) {
            throw new IllegalStateException("outputs of " + kind + ": " + outputs.size() + " (expected: 1)");
        }
        return outputs.get(0);
    }

    public Value output(int index) {
        return outputs.get(index);
    }

    public Value addOutput(Type type) {
        Value value = new Value(this, null, type, null);
        outputs.add(value);
        return value;
    }

    /** @throws IllegalStateException if the output is still used */
    public void removeOutput(int index) {
        if (outputs.get(index).isUsed()) {
            throw new IllegalStateException("output " + index + " of " + kind + " is used (expected: no uses)");
        }
        outputs.remove(index);
    }

    public List<Block> blocks() {
        return Collections.unmodifiableList(blocks);
    }

    public Block addBlock() {
        Block block = new Block(graph, this);
        blocks.add(block);
        return block;
    }

    /** Attributes, live: runtime values, names, {@link Function}s. */
    public Map<String, Object> attributes() {
        return attributes;
    }

    public Object attribute(String name) {
        return attributes.get(name);
    }

    public Node attribute(String name, Object value) {
        attributes.put(name, value);
        return this;
    }

    /**
     * Takes the node out of its block and drops its inputs.
     *
     * @throws IllegalStateException if an output is still used
     */
    public void destroy() {
        for (Value output : outputs) {
            if (output.isUsed()) {
                throw new IllegalStateException("output " + output + " of " + kind + " is used (expected: no uses)");
            }
        }
        for (Block block : blocks) {
            block.destroyAll();
        }
        removeAllInputs();
        if (owner != null) {
            owner.remove(this);
        }
    }

    @Override
    public String toString() {
        return kind;
    }
}
