package org.torchnnapi.converter.partial;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Which values of a graph are rows whose number elements decide, and which are such numbers. */
public final class RowTable {
    private final Map<Value, RowFacts> tensors = new IdentityHashMap<>();
    private final Map<Value, RowFacts.Count> numbers = new IdentityHashMap<>();
    /** What is known of a graph whose rows of one count are so many. */
    private final Map<RowFacts.Count, Map<Integer, PartialEvaluation.Facts>> given = new IdentityHashMap<>();

    private final Map<Node, Boolean> apart = new IdentityHashMap<>();

    void put(Value value, RowFacts rows) {
        tensors.put(value, rows);
    }

    void number(Value value, RowFacts.Count count) {
        numbers.put(value, count);
    }

    /** What is known of rows, or null. */
    public RowFacts of(Value value) {
        return tensors.get(value);
    }

    /** Which count a number is, or null. */
    RowFacts.Count counted(Value value) {
        return numbers.get(value);
    }

    /**
     * How many rows all results of a node that takes such have, where elements decide that; null where some are no such
     * tensors.
     */
    public RowFacts.Count of(Node node) {
        RowFacts.Count count = null;
        for (Value output : node.outputs()) {
            RowFacts rows = output.type() == Type.Basic.TENSOR ? tensors.get(output) : null;
            if (rows == null || count != null && rows.count() != count) {
                return null;
            }
            count = rows.count();
        }
        return node.inputs().stream().anyMatch(this::isOfRows) ? count : null;
    }

    private boolean isOfRows(Value value) {
        boolean listed = value.definition() != null && value.definition().is(Prim.LIST_CONSTRUCT);
        return tensors.containsKey(value)
                || listed && value.definition().inputs().stream().anyMatch(tensors::containsKey);
    }

    /** Whether a value is a number of rows, or lists one. */
    boolean isCounted(Value value) {
        boolean listed = value.definition() != null && value.definition().is(Prim.LIST_CONSTRUCT);
        return numbers.containsKey(value)
                || listed && value.definition().inputs().stream().anyMatch(numbers::containsKey);
    }

    /** Whether each row of a node's results is made of the same row of what it takes. */
    public boolean isApart(Node node, PartialEvaluation.Facts facts) {
        return apart.computeIfAbsent(node, n -> RowDimensions.isApart(n, facts));
    }

    /** What is known where the rows of a count are so many. */
    public PartialEvaluation.Facts at(PartialEvaluation.Facts facts, RowFacts.Count count, int rows) {
        return given.computeIfAbsent(count, c -> new HashMap<>()).computeIfAbsent(rows, number -> {
            Map<Value, List<TensorFacts>> all = new IdentityHashMap<>(facts.tensors());
            Map<Value, Long> counted = new IdentityHashMap<>();
            tensors.forEach((value, known) -> {
                if (known.count() == count) {
                    all.put(value, List.of(known.of(number)));
                }
            });
            numbers.forEach((value, of) -> {
                if (of == count) {
                    counted.put(value, (long) number);
                }
            });
            return new PartialEvaluation.Facts(
                    all, facts.writers(), facts.memory(), this, counted, facts.sources(), facts.wholes());
        });
    }
}
