package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;

/**
 * How a graph is divided for one of several sizes of its inputs, step by step. The same steps are gone for each: what
 * is found to differ from one to another, and what was decided for the first, are told by the numbers of nodes in the
 * graph that a step begins with.
 */
public final class SizeTrial {
    /** Tells nothing and is told nothing. */
    public static final SizeTrial NONE = new SizeTrial(null, null, null);
    /** Attribute of nodes that NNAPI does not compute, as it would by something that depends on the sizes: by what. */
    public static final String SIZED = "sized";
    /** Attribute of nodes that are not merged with others, by which they differ. */
    private static final String APART = "apart";
    /** Larger results are told apart by their sizes: they are weights, of which NNAPI's models are compared later. */
    private static final long MOST_HASHED = 1L << 20;

    private final Marks marks;
    private final SizeTrial like;
    private final SearchWork work;
    private final List<Step> steps = new ArrayList<>();

    /**
     * @param like the trial whose division is taken over, or null
     * @param work of the search that the trial is part of
     */
    public SizeTrial(Marks marks, SizeTrial like, SearchWork work) {
        this.marks = marks;
        this.like = like;
        this.work = work;
    }

    /** Tells nothing and is told nothing, as part of a search. */
    public static SizeTrial of(SearchWork work) {
        return new SizeTrial(null, null, work);
    }

    /** What keeps the graphs for several sizes alike; each does more than the one before. */
    public enum Likeness {
        /** Nothing but what is found to differ. */
        AS_FOUND,
        /**
         * Nodes stay as many as they are: numbers that follow from the sizes in other ways are equal for some, and so
         * nodes that take them.
         */
        NODES_APART,
        /** So do loops whose turns are counted when the model runs, which may be as many as a size says. */
        LOOPS_STAY
    }

    /** What all trials of a model are told. */
    public static final class Marks {
        private final Map<Integer, Set<Integer>> staying = new HashMap<>();
        private final Map<Integer, Map<Integer, String>> sized = new HashMap<>();
        private final Likeness likeness;

        public Marks(Likeness likeness) {
            this.likeness = likeness;
        }

        public Likeness likeness() {
            return likeness;
        }

        /** @return whether that is news */
        public boolean stays(int step, int node) {
            return staying.computeIfAbsent(step, s -> new TreeSet<>()).add(node);
        }

        /** @return whether that is news */
        public boolean sized(int step, int node, String why) {
            return sized.computeIfAbsent(step, s -> new HashMap<>()).putIfAbsent(node, why) == null;
        }
    }

    public List<Step> steps() {
        return steps;
    }

    /** The next step. */
    public Step step(Graph graph) {
        if (marks == null) {
            return new Step(Map.of(), null, 0, work);
        }
        Map<Node, Integer> numbers = new IdentityHashMap<>();
        number(graph.block(), numbers);
        int index = steps.size();
        Set<Integer> staying = marks.staying.getOrDefault(index, Set.of());
        Map<Integer, String> sized = marks.sized.getOrDefault(index, Map.of());
        numbers.forEach((node, number) -> {
            if (marks.likeness != Likeness.AS_FOUND) {
                node.attribute(APART, number);
            }
            if (marks.likeness == Likeness.LOOPS_STAY
                    && node.is(Prim.LOOP)
                    && (node.input(0).definition() == null
                            || !node.input(0).definition().is(Prim.CONSTANT))) {
                node.attribute(Node.STAYS, true);
            }
            if (staying.contains(number)) {
                node.attribute(Node.STAYS, true);
            }
            if (sized.containsKey(number)) {
                node.attribute(SIZED, sized.get(number));
            }
        });
        Step step = new Step(
                numbers, like == null ? null : index < like.steps.size() ? like.steps.get(index) : null, index, work);
        steps.add(step);
        return step;
    }

    /** Takes what was noted at nodes off them. */
    public static void clear(Block block) {
        for (Node node : block.nodes()) {
            node.attributes().remove(Node.STAYS);
            node.attributes().remove(SIZED);
            node.attributes().remove(APART);
            node.blocks().forEach(SizeTrial::clear);
        }
    }

    private static void number(Block block, Map<Node, Integer> numbers) {
        for (Node node : block.nodes()) {
            if (!node.is(Prim.CONSTANT)) {
                numbers.put(node, numbers.size());
            }
            node.blocks().forEach(inner -> number(inner, numbers));
        }
    }

    /** A walk through the graph, or a division of it. */
    public static final class Step {
        private final Map<Node, Integer> numbers;
        private final Step like;
        private final int index;
        private final SearchWork work;
        private final Map<Integer, List<Integer>> folds = new LinkedHashMap<>();
        private final List<SizeTerm.Decision> decisions = new ArrayList<>();
        private final Map<Integer, Node> nodes = new HashMap<>();
        private final Map<Integer, String> kinds = new HashMap<>();
        private final Map<Integer, List<?>> forms = new HashMap<>();
        private Set<Integer> taken;
        private Set<Integer> refused;

        Step(Map<Node, Integer> numbers, Step like, int index, SearchWork work) {
            this.numbers = numbers;
            this.like = like;
            this.index = index;
            this.work = work;
            numbers.forEach((node, number) -> {
                nodes.put(number, node);
                kinds.put(number, node.kind());
            });
        }

        public int index() {
            return index;
        }

        /**
         * What a search finds out once for all its trials.
         *
         * @param key of all that it depends on
         */
        public <T> T once(Object key, Supplier<T> found) {
            return work == null ? found.get() : work.once(key, found);
        }

        /** Nodes are visited. */
        public void visits(int nodes) {
            if (work != null) {
                work.add(nodes);
            }
        }

        public int numberOf(Node node) {
            return numbers.getOrDefault(node, -1);
        }

        public Node node(int number) {
            return nodes.get(number);
        }

        public String kind(int number) {
            return kinds.get(number);
        }

        public int size() {
            return nodes.size();
        }

        /** Of nodes whose results became constants, what those were, in short. */
        public Map<Integer, List<Integer>> folds() {
            return folds;
        }

        /** A node by itself becomes these. */
        public void lowered(Node node, List<?> form) {
            Integer number = numbers.get(node);
            if (number != null) {
                forms.put(number, form);
            }
        }

        /** Of nodes, what each becomes by itself. */
        public Map<Integer, List<?>> forms() {
            return forms;
        }

        /** Null unless the step divides. */
        public Set<Integer> refused() {
            return refused;
        }

        /** What numbers that follow from sizes decided, in the order of the walk. */
        public List<SizeTerm.Decision> decisions() {
            return decisions;
        }

        void clear() {
            folds.clear();
            decisions.clear();
        }

        void decided(SizeTerm.Decision decision) {
            decisions.add(decision);
        }

        void folded(Node node, Object result) {
            Integer number = numbers.get(node);
            if (number != null && result instanceof Tensor tensor) {
                folds.computeIfAbsent(number, n -> new ArrayList<>()).add(hash(tensor));
            }
        }

        /** Whether another trial says what is taken. */
        public boolean isGiven() {
            return like != null;
        }

        public boolean mayTake(Node node) {
            return like == null || like.taken != null && like.taken.contains(numbers.get(node));
        }

        public void divided(Set<Node> takenNodes, Set<Node> refusedNodes) {
            taken = numbersOf(takenNodes);
            refused = numbersOf(refusedNodes);
        }

        public Set<Integer> taken() {
            return taken;
        }

        private Set<Integer> numbersOf(Set<Node> of) {
            Set<Integer> found = new TreeSet<>();
            of.forEach(node -> found.add(numbers.getOrDefault(node, -1)));
            return found;
        }
    }

    private static int hash(Tensor tensor) {
        int shape = 31 * Arrays.hashCode(tensor.sizes()) + tensor.dtype().hashCode();
        if (tensor.numel() > MOST_HASHED) {
            return shape;
        }
        Tensor dense = tensor.copy(MemoryFormat.CONTIGUOUS);
        return 31 * shape + dense.storage().view().hashCode();
    }
}
