package org.torchnnapi.torchscript.aten;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Operators by qualified name. The schema texts of all operators there are come from an index that the build writes; a text is
 * parsed when its name is first asked for, and a family is made when one of its operators first runs, so that starting up
 * costs no more than filling a table. Safe for use by several threads.
 */
public final class OperatorRegistry {
    private record Entry(String schema, OperatorKernel kernel) {
    }

    private final Map<String, List<Entry>> entries = new HashMap<>();
    private final Map<String, List<Operator>> parsed = new ConcurrentHashMap<>();

    /** A registry without operators. */
    public OperatorRegistry() {
    }

    private static final class Standard {
        private static final OperatorRegistry INSTANCE = new OperatorRegistry().addIndexed("tensor-operators.txt");
    }

    private static final class WithBuiltins {
        private static final OperatorRegistry INSTANCE = standard().copy().addIndexed("builtin-operators.txt");
    }

    /** The operators on tensors; built once. Callers extend a {@link #copy}, not this. */
    public static OperatorRegistry standard() {
        return Standard.INSTANCE;
    }

    /** The operators on tensors and, behind them, those on other values; built once. Callers extend a {@link #copy}, not this. */
    public static OperatorRegistry withBuiltins() {
        return WithBuiltins.INSTANCE;
    }

    /** A registry with the same operators, to which families can be added. */
    public synchronized OperatorRegistry copy() {
        OperatorRegistry copy = new OperatorRegistry();
        entries.forEach((name, list) -> copy.entries.put(name, new ArrayList<>(list)));
        return copy;
    }

    /** Adds the operators of families; overloads of one name keep the order in which they come. */
    public synchronized OperatorRegistry add(List<? extends OperatorFamily> families) {
        for (OperatorFamily family : families) {
            family.register(this::add);
        }
        return this;
    }

    private synchronized OperatorRegistry addIndexed(String index) {
        for (IndexedFamily family : IndexedFamily.read(index)) {
            for (String schema : family.schemas()) {
                add(schema, family.kernel(schema));
            }
        }
        return this;
    }

    private void add(String schema, OperatorKernel kernel) {
        String name = nameOf(schema);
        List<Entry> overloads = entries.get(name);
        if (overloads == null) {
            overloads = new ArrayList<>(2);
            entries.put(name, overloads);
        }
        overloads.add(new Entry(schema, kernel));
        parsed.remove(name);
    }

    /**
     * All overloads of an operator in the order they were added.
     *
     * @param qualifiedName for example {@code aten::add}
     * @return empty if the operator is unknown
     * @throws IllegalArgumentException if a family gave a malformed schema for this name
     */
    public List<Operator> overloads(String qualifiedName) {
        List<Operator> known = parsed.get(qualifiedName);
        if (known != null) {
            return known;
        }
        synchronized (this) {
            List<Entry> found = entries.get(qualifiedName);
            if (found == null) {
                return List.of();
            }
            List<Operator> operators = new ArrayList<>(found.size());
            for (Entry entry : found) {
                operators.add(new Operator(SchemaParser.parse(entry.schema), entry.kernel));
            }
            List<Operator> result = List.copyOf(operators);
            parsed.put(qualifiedName, result);
            return result;
        }
    }

    /** The overload with that full name, for example {@code aten::add.Tensor}, or null. */
    public Operator find(String fullName) {
        for (Operator operator : overloads(nameOf(fullName))) {
            if (operator.schema().fullName().equals(fullName)) {
                return operator;
            }
        }
        return null;
    }

    /** Names of all operators, for example {@code aten::add}. */
    public synchronized List<String> names() {
        return entries.keySet().stream().sorted().toList();
    }

    private static String nameOf(String schema) {
        int end = schema.indexOf('(');
        String full = end < 0 ? schema : schema.substring(0, end);
        int dot = full.indexOf('.', Math.max(full.indexOf("::"), 0));
        return dot < 0 ? full : full.substring(0, dot);
    }
}
