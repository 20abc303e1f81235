package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.SchemaParser;

/**
 * Operators by qualified name. The schema texts of all operators there are come from an index that the build writes; they are looked for
 * and parsed when their name is first asked for, and a family is made when one of its operators first runs. Safe for use by several
 * threads.
 */
public final class OperatorRegistry implements OperatorFacts {
    private record Entry(String schema, OperatorKernel kernel) {
    }

    private final List<OperatorIndex> indexes = new ArrayList<>();
    private final Map<String, IndexedFamily> families = new HashMap<>();
    /** Behind those of the indexes. */
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
        copy.indexes.addAll(indexes);
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

    /** Not behind families that were added one by one. */
    private synchronized OperatorRegistry addIndexed(String index) {
        indexes.add(OperatorIndex.read(OperatorRegistry.class.getResourceAsStream(index), index));
        return this;
    }

    private void add(String schema, OperatorKernel kernel) {
        String name = OperatorIndex.nameOf(schema);
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
            List<Operator> operators = new ArrayList<>();
            for (OperatorIndex index : indexes) {
                for (String line : index.find(qualifiedName)) {
                    operators.add(indexed(line));
                }
            }
            for (Entry entry : entries.getOrDefault(qualifiedName, List.of())) {
                operators.add(new Operator(SchemaParser.parse(entry.schema), entry.kernel));
            }
            if (operators.isEmpty()) {
                return List.of();
            }
            List<Operator> result = List.copyOf(operators);
            parsed.put(qualifiedName, result);
            return result;
        }
    }

    /** A line is a schema, with line breaks as backslash n, and the name of its family's class. */
    private Operator indexed(String line) {
        int end = line.lastIndexOf(OperatorIndex.SEPARATOR);
        String schema = line.substring(0, end);
        if (schema.indexOf('\\') >= 0) {
            schema = schema.replace("\\n", "\n");
        }
        IndexedFamily family = families.computeIfAbsent(line.substring(end + 1), IndexedFamily::new);
        return new Operator(SchemaParser.parse(schema), family.kernel(schema));
    }

    @Override
    public List<FunctionSchema> schemas(String kind) {
        return overloads(kind).stream().map(Operator::schema).toList();
    }

    /** The overload with that full name, for example {@code aten::add.Tensor}, or null. */
    public Operator find(String fullName) {
        for (Operator operator : overloads(OperatorIndex.nameOf(fullName))) {
            if (operator.schema().fullName().equals(fullName)) {
                return operator;
            }
        }
        return null;
    }

    /** Names of all operators, for example {@code aten::add}. */
    public synchronized List<String> names() {
        Set<String> names = new TreeSet<>(entries.keySet());
        for (OperatorIndex index : indexes) {
            names.addAll(index.names());
        }
        return List.copyOf(names);
    }
}
