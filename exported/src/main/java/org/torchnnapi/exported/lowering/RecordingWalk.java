package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Goes over all of a recording, in its order: what it is made of, and every number in it. Two recordings of one method
 * that are made of the same differ in numbers alone. Confined to one thread.
 */
final class RecordingWalk {
    /** Constants of more elements are compared as a whole. */
    private static final int MOST_ELEMENTS = 64;

    /** What is told of a recording. */
    interface Visitor {
        /** The next thing that has to be alike. */
        void part(String text, SourceRange place);

        /**
         * A number among arguments and results, or an element of a constant.
         *
         * @param inner whether it is in a graph that a call takes
         * @return what stands in its place
         */
        Object number(Number value, SourceRange place, boolean inner);

        /** How a tensor lies. */
        void layout(GraphTensor tensor);

        /** A fact, at its place among the calls. */
        void fact(NumberFacts.Fact fact);

        /**
         * A constant that the code makes.
         *
         * @param elements as {@link #number} gave them
         * @return what stands in its place
         */
        GraphTensor constant(GraphTensor tensor, List<Object> elements);
    }

    private final Visitor visitor;
    private final Map<GraphTensor, GraphTensor> seen = new IdentityHashMap<>();
    private final Map<GraphTensor, Integer> numbers = new IdentityHashMap<>();
    private Iterator<NumberFacts.Fact> facts = Collections.emptyIterator();
    private NumberFacts.Fact next;

    RecordingWalk(Visitor visitor) {
        this.visitor = visitor;
    }

    /** Goes over a recording, and puts in what the visitor gave. */
    void over(ProgramGraph graph) {
        facts = graph.facts().iterator();
        step();
        over(graph, graph.recordedCalls());
    }

    /** Goes over those calls of a recording that its results follow from, without facts. */
    void overUsed(ProgramGraph graph) {
        over(graph, SubGraph.used(graph.recordedCalls(), graph.results()));
    }

    private void over(ProgramGraph graph, List<RecordedCall> calls) {
        graph.leaves().forEach((name, value) -> {
            visitor.part(name, SourceRange.NONE);
            value(value, SourceRange.NONE, false);
        });
        for (int i = 0; i < calls.size(); i++) {
            factsBefore(i);
            call(calls.get(i), false);
        }
        factsBefore(Integer.MAX_VALUE);
        List<Object> results = graph.results();
        visitor.part("results " + results.size(), SourceRange.NONE);
        results.replaceAll(result -> value(result, SourceRange.NONE, false));
    }

    private void step() {
        next = facts.hasNext() ? facts.next() : null;
    }

    private void factsBefore(int call) {
        while (next != null && next.before() <= call) {
            visitor.part(next.kind().name(), next.place());
            visitor.fact(next);
            step();
        }
    }

    private void call(RecordedCall call, boolean inner) {
        visitor.part(call.target() + " " + call.arguments().size(), call.place());
        call.replaceArguments(argument -> value(argument, call.place(), inner));
        call.eachGraph(graph -> {
            visitor.part(graph.kind(), call.place());
            graph.eachInput(input -> value(input, call.place(), true));
            graph.calls().forEach(part -> call(part, true));
        });
        call.eachResult(result -> value(result, call.place(), inner));
    }

    private Object value(Object value, SourceRange place, boolean inner) {
        if (value instanceof GraphTensor tensor) {
            return tensor(tensor, place, inner);
        }
        if (value instanceof List<?> list) {
            visitor.part("list " + list.size(), place);
            List<Object> made = new ArrayList<>();
            list.forEach(item -> made.add(value(item, place, inner)));
            return made;
        }
        if (value instanceof Long || value instanceof Double) {
            visitor.part(value.getClass().getSimpleName(), place);
            return visitor.number((Number) value, place, inner);
        }
        visitor.part(value instanceof SubGraph ? "graph" : String.valueOf(value), place);
        return value;
    }

    private GraphTensor tensor(GraphTensor tensor, SourceRange place, boolean inner) {
        GraphTensor known = seen.get(tensor);
        if (known != null) {
            visitor.part("tensor " + numbers.get(tensor), place);
            return known;
        }
        numbers.put(tensor, numbers.size());
        Tensor stored = tensor.stored();
        visitor.part(
                "new " + tensor.origin() + " " + (stored == null || tensor.isLifted() ? "" : tensor.path()) + " "
                        + tensor.dtype() + " of " + tensor.sizes().length,
                place);
        GraphTensor made = tensor;
        if (stored == null) {
            visitor.layout(tensor);
        } else if (tensor.isLifted()) {
            made = constant(tensor, place, inner);
        }
        seen.put(tensor, made);
        return made;
    }

    static double[] elements(Tensor tensor) {
        double[] elements = new double[Math.toIntExact(tensor.numel())];
        Arrays.setAll(elements, tensor::getDouble);
        return elements;
    }

    private GraphTensor constant(GraphTensor tensor, SourceRange place, boolean inner) {
        Tensor stored = tensor.stored();
        visitor.part(Arrays.toString(stored.sizes()), place);
        boolean few = stored.rank() <= 1
                && stored.numel() <= MOST_ELEMENTS
                && !stored.dtype().isComplex()
                && !stored.dtype().isQuantized();
        if (!few) {
            visitor.part("elements " + Arrays.hashCode(elements(stored)), place);
            return tensor;
        }
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < stored.numel(); i++) {
            Number element = stored.dtype().isFloating() ? (Number) stored.getDouble(i) : (Number) stored.getLong(i);
            elements.add(visitor.number(element, place, inner));
        }
        return visitor.constant(tensor, elements);
    }
}
