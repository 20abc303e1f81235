package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.List;

/** Inputs were given by names that are not those of the method. */
public final class InputNamesException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> unknown;
    private final transient List<String> missing;
    private final transient List<String> known;

    InputNamesException(String method, List<String> unknown, List<String> missing, List<String> known) {
        super(method + " inputs: " + described(unknown, missing) + " (expected: those of " + known + ")");
        this.unknown = List.copyOf(unknown);
        this.missing = List.copyOf(missing);
        this.known = List.copyOf(known);
    }

    private static String described(List<String> unknown, List<String> missing) {
        List<String> parts = new ArrayList<>();
        if (!unknown.isEmpty()) {
            parts.add(String.join(", ", unknown) + " unknown");
        }
        if (!missing.isEmpty()) {
            parts.add(String.join(", ", missing) + " missing");
        }
        return String.join("; ", parts);
    }

    /** Names that were given and that the method does not have. */
    public List<String> unknown() {
        return unknown;
    }

    /** Names of inputs that have no default and were not given. */
    public List<String> missing() {
        return missing;
    }

    /** The names of all inputs, in order. */
    public List<String> known() {
        return known;
    }
}
