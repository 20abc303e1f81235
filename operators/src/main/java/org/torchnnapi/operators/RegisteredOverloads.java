package org.torchnnapi.operators;

import java.util.HashMap;
import java.util.Map;

/** The full names that have been registered, each of which may be once. Not for several threads. */
public final class RegisteredOverloads {
    private final Map<String, String> owners = new HashMap<>();

    /** Nothing yet. */
    public RegisteredOverloads() {}

    /**
     * Hands on what a family registers.
     *
     * @return throws {@link DuplicateOperatorException} at an overload that was registered before, by this family or
     *     another
     */
    public OperatorFamily.Registrar of(OperatorFamily family, OperatorFamily.Registrar next) {
        String name = family.getClass().getName();
        return (schema, kernel, traits) -> {
            add(schema, name);
            next.op(schema, kernel, traits);
        };
    }

    void add(String schema, String owner) {
        String fullName = fullName(schema);
        String first = owners.putIfAbsent(fullName, owner);
        if (first != null) {
            throw new DuplicateOperatorException(fullName, first, owner);
        }
    }

    /** What stands before the arguments, as PyTorch tells overloads apart. */
    private static String fullName(String schema) {
        int end = schema.indexOf('(');
        return (end < 0 ? schema : schema.substring(0, end)).trim();
    }
}
