package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.ValueType;

/** A graph in the making of a program: passes change it in place. */
public final class MutableGraph {
    private final List<ValueType> types = new ArrayList<>();
    private final List<Object> constants = new ArrayList<>();
    private final List<ImageStorage> storages = new ArrayList<>();
    /** By value the one of the graph before all passes that says the same, -1 if none does. */
    private final List<Integer> originals = new ArrayList<>();

    private List<OpGraph.Node> nodes;
    private final int[] inputs;
    private final int[] outputs;

    public MutableGraph(OpGraph graph) {
        for (OpGraph.Value value : graph.values()) {
            types.add(value.type());
            constants.add(value.constant());
            storages.add(value.storage());
            originals.add(originals.size());
        }
        nodes = new ArrayList<>(graph.nodes());
        inputs = graph.inputs();
        outputs = graph.outputs().clone();
    }

    /** Another value, made by a pass; a constant if there is an array. */
    int add(ValueType type, Object constant, ImageStorage storage) {
        types.add(type);
        constants.add(constant);
        storages.add(storage);
        originals.add(-1);
        return types.size() - 1;
    }

    /** Another value, made by a pass, that says the same as one whose place it takes: in another shape, or in parts. */
    int addInPlaceOf(ValueType type, Object constant, int replaced) {
        int value = add(type, constant, null);
        originals.set(value, originals.get(replaced));
        return value;
    }

    /** The value of the graph before all passes that says the same as a value, -1 if none does. */
    int original(int value) {
        return originals.get(value);
    }

    int values() {
        return types.size();
    }

    ValueType type(int value) {
        return types.get(value);
    }

    List<ValueType> types(int[] values) {
        List<ValueType> list = new ArrayList<>(values.length);
        for (int value : values) {
            list.add(types.get(value));
        }
        return list;
    }

    Object constant(int value) {
        return constants.get(value);
    }

    boolean isConstant(int value) {
        return constants.get(value) != null;
    }

    /** Makes a value the constant that a pass found it to be. */
    void fix(int value, Object constant) {
        constants.set(value, constant);
    }

    /** How a value lies, once decided; before that only how inputs and outputs do outside, else null. */
    ImageStorage storage(int value) {
        return storages.get(value);
    }

    void lay(int value, ImageStorage storage) {
        storages.set(value, storage);
    }

    /** In an order in which they can run; to be changed only by {@link #replace}. */
    public List<OpGraph.Node> nodes() {
        return nodes;
    }

    /** Puts other nodes in; those that are null are left out. */
    void replace(List<OpGraph.Node> others) {
        nodes = new ArrayList<>(others);
        nodes.removeIf(node -> node == null);
    }

    public int[] inputs() {
        return inputs;
    }

    public int[] outputs() {
        return outputs;
    }

    boolean isOutput(int value) {
        for (int output : outputs) {
            if (output == value) {
                return true;
            }
        }
        return false;
    }

    /** How many inputs of nodes, and outputs of the graph, each value is. */
    int[] uses() {
        int[] uses = new int[values()];
        for (OpGraph.Node node : nodes) {
            for (int input : node.inputs()) {
                uses[input]++;
            }
        }
        for (int output : outputs) {
            uses[output]++;
        }
        return uses;
    }

    /** By value the node that makes it, -1 if none does. */
    int[] producers() {
        int[] producers = new int[values()];
        Arrays.fill(producers, -1);
        for (int i = 0; i < nodes.size(); i++) {
            producers[nodes.get(i).output()] = i;
        }
        return producers;
    }

    /** A node's values as far as they are known: storages decided, places not. */
    Operands operands(OpGraph.Node node) {
        List<PlacedValue> in = new ArrayList<>(node.inputs().length);
        for (int input : node.inputs()) {
            in.add(new PlacedValue(types.get(input), storages.get(input), constants.get(input), -1));
        }
        return new Operands(in, new PlacedValue(types.get(node.output()), storages.get(node.output()), null, -1));
    }
}
