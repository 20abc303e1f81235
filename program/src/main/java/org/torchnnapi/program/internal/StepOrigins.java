package org.torchnnapi.program.internal;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.torchnnapi.program.OpGraph;

/**
 * Which nodes of a graph each node that the passes left computes. Passes keep the number of a value that they do not
 * take away, so that a node computes what lies between its result and the values that others make. What a pass put in
 * between, such as a relayout, counts to the node that reads it.
 */
public final class StepOrigins {
    private final OpGraph graph;
    private final MutableGraph rewritten;
    private final int[] producers;
    /** By value of the first graph, whether a node of the rewritten one makes it. */
    private final boolean[] made;

    private StepOrigins(OpGraph graph, MutableGraph rewritten) {
        this.graph = graph;
        this.rewritten = rewritten;
        producers = new int[graph.values().size()];
        Arrays.fill(producers, -1);
        for (int i = 0; i < graph.nodes().size(); i++) {
            producers[graph.nodes().get(i).output()] = i;
        }
        made = new boolean[producers.length];
        for (OpGraph.Node node : rewritten.nodes()) {
            int result = rewritten.original(node.output());
            if (result >= 0) {
                made[result] = true;
            }
        }
    }

    /**
     * @param rewritten the graph after passes
     * @return by node of the rewritten graph the nodes of the first, in their order
     */
    public static int[][] of(OpGraph graph, MutableGraph rewritten) {
        return new StepOrigins(graph, rewritten).find();
    }

    private int[][] find() {
        List<OpGraph.Node> nodes = rewritten.nodes();
        int[][] found = new int[nodes.size()][];
        Map<Integer, SortedSet<Integer>> ofReaders = new HashMap<>();
        for (int i = nodes.size() - 1; i >= 0; i--) {
            OpGraph.Node node = nodes.get(i);
            int result = rewritten.original(node.output());
            SortedSet<Integer> here =
                    result >= 0 ? between(result) : ofReaders.getOrDefault(node.output(), new TreeSet<>());
            for (int input : node.inputs()) {
                if (rewritten.original(input) < 0) {
                    ofReaders.computeIfAbsent(input, v -> new TreeSet<>()).addAll(here);
                }
            }
            found[i] = here.stream().mapToInt(Integer::intValue).toArray();
        }
        return found;
    }

    /** The node that made a value in the first graph, and those before it as far as no other node makes them. */
    private SortedSet<Integer> between(int result) {
        SortedSet<Integer> nodes = new TreeSet<>();
        ArrayDeque<Integer> open = new ArrayDeque<>(List.of(result));
        while (!open.isEmpty()) {
            int producer = producers[open.pop()];
            if (producer >= 0 && nodes.add(producer)) {
                for (int input : graph.nodes().get(producer).inputs()) {
                    if (!made[input] && !rewritten.isConstant(input)) {
                        open.push(input);
                    }
                }
            }
        }
        return nodes;
    }
}
