package org.torchnnapi.torchscript.ir;

import java.util.List;
import java.util.Objects;

/**
 * A type that consists of others. Types may share their parts, so that a line of source can double a type; how often
 * each part occurs is counted as the type is made, and more than {@value #MAX_PARTS} in all are refused. Text and hash
 * code are made once.
 */
public abstract sealed class CompositeType implements Type
        permits Type.ListType, Type.DictType, Type.OptionalType, Type.TupleType, Type.UnionType, Type.FutureType {
    /** Far above those of models, which return some hundred tensors at most. */
    public static final int MAX_PARTS = 10_000;

    private static final int PART_CHARACTERS = 64;

    private final List<Type> parts;
    private final String name;
    private final int size;
    private final int hash;
    private String text;

    /**
     * @param kind a number of the class
     * @param name of a class, or null
     * @throws IllegalArgumentException if it had more than {@value #MAX_PARTS} parts
     */
    CompositeType(int kind, List<Type> parts, String name) {
        this.parts = List.copyOf(parts);
        this.name = name;
        int sum = 1;
        for (Type part : this.parts) {
            CompositeType composite = part instanceof CompositeType c ? c : null;
            String named = composite == null ? part.text() : composite.name;
            // Long names count for more, as they stand in the text each time.
            sum += (composite == null ? 1 : composite.size) + (named == null ? 0 : named.length() / PART_CHARACTERS);
            if (sum > MAX_PARTS) {
                throw new IllegalArgumentException("type: more than " + MAX_PARTS
                        + " parts, counted as often as they are repeated (expected: at most that)");
            }
        }
        size = sum;
        hash = 31 * (31 * kind + this.parts.hashCode()) + (name == null ? 0 : name.hashCode());
    }

    /** The types that it consists of, in the order of the annotation. */
    public final List<Type> parts() {
        return parts;
    }

    String name() {
        return name;
    }

    abstract String written();

    final String joined() {
        StringBuilder joined = new StringBuilder();
        for (Type part : parts) {
            joined.append(joined.length() == 0 ? "" : ", ").append(part.text());
        }
        return joined.toString();
    }

    @Override
    public final String text() {
        String known = text;
        if (known == null) {
            known = written();
            text = known;
        }
        return known;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof CompositeType type
                        && type.getClass() == getClass()
                        && type.hash == hash
                        && type.size == size
                        && Objects.equals(type.name, name)
                        && type.parts.equals(parts);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return text();
    }
}
