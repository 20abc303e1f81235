package org.torchnnapi.execution.interp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** Graphs to programs. */
final class Compiler {
    private static final int MAX_DEPTH = 1000;
    private static final int[] NONE = {};

    private final NodeCompiler nodes;
    private final List<GraphStep> steps = new ArrayList<>();
    private final List<Object> template = new ArrayList<>();
    private final Map<Value, Integer> slots = new IdentityHashMap<>();
    private final Regions regions = new Regions();

    private Compiler(NodeCompiler nodes) {
        this.nodes = nodes;
    }

    static InstructionList compile(Graph graph, NodeCompiler nodes) {
        Compiler compiler = new Compiler(nodes);
        compiler.slots(graph.inputs());
        compiler.body(graph.block(), 0);
        int[] results = compiler.slots(graph.outputs());
        GraphStep[] steps = compiler.steps.toArray(new GraphStep[0]);
        for (GraphStep step : steps) {
            if (step instanceof ControlSteps.Replaceable replaceable) {
                replaceable.steps = steps;
            }
        }
        compiler.regions.steps(steps);
        return new InstructionList(
                steps, compiler.template.toArray(), graph.inputs().size(), results, compiler.regions);
    }

    /** Adds the steps of a block's nodes; returns the slots that only the block's results still need. */
    private int[] body(Block block, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("blocks: nested deeper than " + MAX_DEPTH + " (expected: at most that)");
        }
        int[][] dead = lastUses(block);
        List<Node> all = block.nodes();
        int[] starts = new int[all.size() + 1];
        for (int i = 0; i < all.size(); i++) {
            starts[i] = steps.size();
            node(all.get(i), dead[i], depth);
        }
        starts[all.size()] = steps.size();
        regions.add(new LiveRange(block, starts, slots, regions));
        return dead[all.size()];
    }

    private void node(Node node, int[] dead, int depth) {
        switch (node.kind()) {
            case Prim.CONSTANT -> {
                int slot = slot(node.output());
                template.set(slot, node.attribute("value"));
            }
            case Prim.IF -> branch(node, dead, depth);
            case Prim.LOOP -> loop(node, dead, depth);
            case Prim.FORK -> {
                Block block = node.blocks().get(0);
                int[] inner = body(block, depth + 1);
                add(new ControlSteps.Fork(node, slot(block.results().get(0)), outputs(node)[0]), inner);
                release(node, dead);
            }
            default -> add(nodes.step(node, slots(node.inputs()), outputs(node)), dead);
        }
    }

    private void branch(Node node, int[] dead, int depth) {
        int[] outputs = outputs(node);
        ControlSteps.Branch branch = new ControlSteps.Branch(node, slot(node.input(0)), outputs);
        steps.add(branch);
        Block then = node.blocks().get(0);
        Block otherwise = node.blocks().get(1);
        int[] inner = body(then, depth + 1);
        move(node, slots(then.results()), outputs, inner);
        ControlSteps.Jump jump = new ControlSteps.Jump(node);
        steps.add(jump);
        branch.otherwise = steps.size();
        inner = body(otherwise, depth + 1);
        move(node, slots(otherwise.results()), outputs, inner);
        jump.target = steps.size();
        branch.end = steps.size();
        release(node, dead);
    }

    private void loop(Node node, int[] dead, int depth) {
        Block block = node.blocks().get(0);
        int[] variables = slots(block.parameters().subList(1, block.parameters().size()));
        int counter = fresh();
        int condition = fresh();
        int[] inputs = slots(node.inputs());
        add(new ControlSteps.LoopStart(node, counter), NONE);
        int[] starts = Arrays.copyOfRange(inputs, 1, inputs.length);
        int[] targets = prepend(condition, variables);
        move(node, starts, targets, NONE);
        ControlSteps.LoopHead head = new ControlSteps.LoopHead(
                node, counter, inputs[0], slot(block.parameters().get(0)), targets);
        int headAt = steps.size();
        steps.add(head);
        int[] inner = body(block, depth + 1);
        move(node, slots(block.results()), targets, inner);
        ControlSteps.LoopEnd end = new ControlSteps.LoopEnd(node, counter);
        end.head = headAt;
        steps.add(end);
        head.exit = steps.size();
        move(node, variables, outputs(node), variables);
        release(node, dead);
    }

    private static int[] prepend(int first, int[] rest) {
        int[] all = new int[rest.length + 1];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    private void add(GraphStep step, int[] dead) {
        step.dead = dead;
        steps.add(step);
    }

    /** Slots that are written again are not released. */
    private void move(Node node, int[] from, int[] to, int[] dead) {
        int[] released = new int[dead.length];
        int count = 0;
        for (int slot : dead) {
            if (!contains(to, slot)) {
                released[count++] = slot;
            }
        }
        if (from.length > 0 || count > 0) {
            add(new ControlSteps.Move(node, from, to), Arrays.copyOf(released, count));
        }
    }

    private static boolean contains(int[] slots, int wanted) {
        for (int slot : slots) {
            if (slot == wanted) {
                return true;
            }
        }
        return false;
    }

    private void release(Node node, int[] dead) {
        if (dead.length > 0) {
            add(new ControlSteps.Move(node, NONE, NONE), dead);
        }
    }

    /**
     * For each node of a block, and then for its results, the slots used there for the last time. A use in an inner
     * block counts for the node that has the block; only values defined in this very block are listed.
     */
    private int[][] lastUses(Block block) {
        List<Node> all = block.nodes();
        Map<Node, Integer> positions = new IdentityHashMap<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            positions.put(all.get(i), i);
        }
        int[][] dead = new int[all.size() + 1][];
        int[] counts = new int[dead.length];
        Arrays.fill(dead, NONE);
        for (Value parameter : block.parameters()) {
            note(parameter, block, positions, dead, counts, -1);
        }
        for (int i = 0; i < all.size(); i++) {
            Node node = all.get(i);
            if (!node.is(Prim.CONSTANT)) {
                for (Value output : node.outputs()) {
                    note(output, block, positions, dead, counts, i);
                }
            }
        }
        for (int i = 0; i < dead.length; i++) {
            dead[i] = counts[i] == dead[i].length ? dead[i] : Arrays.copyOf(dead[i], counts[i]);
        }
        return dead;
    }

    private void note(
            Value value, Block block, Map<Node, Integer> positions, int[][] dead, int[] counts, int definedAt) {
        int last = definedAt;
        List<Value.Use> uses = value.uses();
        for (int i = 0; i < uses.size(); i++) {
            Node user = uses.get(i).user().within(block);
            last = Math.max(last, user == block.returns() ? dead.length - 1 : positions.get(user));
        }
        if (last >= 0) {
            if (counts[last] == dead[last].length) {
                dead[last] = Arrays.copyOf(dead[last], 2 * counts[last] + 1);
            }
            dead[last][counts[last]++] = slot(value);
        }
    }

    private int slot(Value value) {
        Integer known = slots.get(value);
        if (known == null) {
            known = fresh();
            slots.put(value, known);
        }
        return known;
    }

    private int fresh() {
        template.add(null);
        return template.size() - 1;
    }

    private int[] slots(List<Value> values) {
        int[] all = new int[values.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = slot(values.get(i));
        }
        return all;
    }

    private int[] outputs(Node node) {
        return slots(node.outputs());
    }
}
