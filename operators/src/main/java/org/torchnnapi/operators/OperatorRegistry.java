package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SchemaParser;

/**
 * Operators by qualified name. The schema texts of all operators there are come from an index that the build writes;
 * they are looked for and parsed when their name is first asked for, and a family is made when one of its operators
 * first runs. Safe for use by several threads.
 */
public final class OperatorRegistry implements OperatorFacts {
    private record Entry(String schema, OperatorKernel kernel, Set<OperatorTrait> traits, String family) {}

    private final List<OperatorIndex> indexes = new ArrayList<>();
    private final Map<String, IndexedFamily> families = new HashMap<>();
    /** Behind those of the indexes. */
    private final Map<String, List<Entry>> entries = new HashMap<>();

    private final Map<String, List<Operator>> parsed = new ConcurrentHashMap<>();

    /** A registry without operators. */
    public OperatorRegistry() {}

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

    /**
     * The operators on tensors and, behind them, those on other values; built once. Callers extend a {@link #copy}, not
     * this.
     */
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

    /**
     * Adds the operators of families; overloads of one name keep the order in which they come.
     *
     * @throws DuplicateOperatorException if an overload is there already, or comes twice; none of the family that
     *     brought it is added then
     */
    public synchronized OperatorRegistry add(List<? extends OperatorFamily> families) {
        for (OperatorFamily family : families) {
            RegisteredOverloads overloads = new RegisteredOverloads();
            List<Entry> news = new ArrayList<>();
            family.register(overloads.of(family, (schema, kernel, traits) -> {
                requireNew(schema, family);
                news.add(new Entry(
                        schema,
                        kernel,
                        traits(kernel, traits),
                        family.getClass().getName()));
            }));
            for (Entry entry : news) {
                String name = OperatorIndex.nameOf(entry.schema);
                entries.computeIfAbsent(name, n -> new ArrayList<>(2)).add(entry);
                parsed.remove(name);
            }
        }
        return this;
    }

    /** Not behind families that were added one by one. */
    private synchronized OperatorRegistry addIndexed(String index) {
        indexes.add(OperatorIndex.read(OperatorRegistry.class.getResourceAsStream(index), index));
        return this;
    }

    private void requireNew(String schema, OperatorFamily family) {
        String name = OperatorIndex.nameOf(schema);
        RegisteredOverloads known = new RegisteredOverloads();
        for (OperatorIndex index : indexes) {
            for (String line : index.find(name)) {
                known.add(line, line.substring(line.lastIndexOf(OperatorIndex.SEPARATOR) + 1));
            }
        }
        for (Entry entry : entries.getOrDefault(name, List.of())) {
            known.add(entry.schema, entry.family);
        }
        known.add(schema, family.getClass().getName());
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
                operators.add(new Operator(
                        SchemaParser.parse(entry.schema).with(entry.traits),
                        entry.kernel,
                        () -> entry.kernel instanceof Composite composite ? composite.function() : null));
            }
            if (operators.isEmpty() && qualifiedName.endsWith("_") && !qualifiedName.endsWith("__")) {
                operators.addAll(
                        DerivedForms.inPlace(overloads(qualifiedName.substring(0, qualifiedName.length() - 1))));
            }
            if (operators.isEmpty()) {
                return List.of();
            }
            List<Operator> result = List.copyOf(operators);
            parsed.put(qualifiedName, result);
            return result;
        }
    }

    /**
     * A line is a schema, with line breaks as backslash n, its traits with commas between them, and the name of its
     * family's class.
     */
    private Operator indexed(String line) {
        int end = line.lastIndexOf(OperatorIndex.SEPARATOR);
        int traits = line.lastIndexOf(OperatorIndex.SEPARATOR, end - 1);
        String schema = line.substring(0, traits);
        if (schema.indexOf('\\') >= 0) {
            schema = schema.replace("\\n", "\n");
        }
        IndexedFamily family = families.computeIfAbsent(line.substring(end + 1), IndexedFamily::new);
        String text = schema;
        return new Operator(
                SchemaParser.parse(schema).with(read(line.substring(traits + 1, end))),
                family.kernel(schema),
                () -> family.decomposition(text));
    }

    private static Set<OperatorTrait> read(String traits) {
        Set<OperatorTrait> read = EnumSet.noneOf(OperatorTrait.class);
        for (String trait : traits.isEmpty() ? new String[0] : traits.split(",")) {
            read.add(OperatorTrait.valueOf(trait));
        }
        return read;
    }

    /** The traits of an operator: those that were given and whether it is said in others. */
    static Set<OperatorTrait> traits(OperatorKernel kernel, OperatorTrait... given) {
        Set<OperatorTrait> traits = EnumSet.noneOf(OperatorTrait.class);
        Collections.addAll(traits, given);
        if (kernel instanceof Composite composite) {
            traits.add(OperatorTrait.COMPOSITE);
            if (!composite.hasPlain()) {
                traits.add(OperatorTrait.ONLY_COMPOSITE);
            }
        }
        return traits;
    }

    /** A line of an index that the build writes. */
    public static String indexLine(String schema, OperatorKernel kernel, OperatorTrait[] given, Class<?> family) {
        if (schema.indexOf('\\') >= 0) {
            throw new IllegalArgumentException(
                    "schema: " + schema + " (expected: no backslash, which stands for a line break in the index)");
        }
        String traits = traits(kernel, given).stream().map(OperatorTrait::name).collect(Collectors.joining(","));
        return schema.replace("\n", "\\n")
                + OperatorIndex.SEPARATOR
                + traits
                + OperatorIndex.SEPARATOR
                + family.getName();
    }

    @Override
    public List<FunctionSchema> schemas(String kind) {
        return overloads(kind).stream().map(Operator::schema).collect(Streams.toList());
    }

    @Override
    public List<FunctionSchema> derived(String kind) {
        return DerivedForms.of(kind, this::overloads).stream()
                .map(Operator::schema)
                .collect(Streams.toList());
    }

    @Override
    public FunctionSchema derived(String kind, String overload, int given) {
        return DerivedForms.named(DerivedForms.of(kind, this::overloads), overload, given);
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
