package org.torchnnapi.torchscript.print;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Value;

/** Names of variables: distinct in a function, and numbered on through all functions of a file. */
final class NameTable {
    /** Names that TorchScript's reader or Python take for something else. */
    private static final Set<String> RESERVED = Set.of("_", "as", "aten", "attribute", "CONSTANTS", "fork", "getattr", "inf", "nan", "infj", "nanj",
        "ops", "__torch__", "torch", "False", "None", "True", "and", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
        "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
        "try", "while", "with", "yield", "uninitialized", "unchecked_cast", "annotate", "isinstance", "range", "print", "int", "float", "bool",
        "str", "rpc_async", "rpc_sync", "rpc_remote");

    private final Set<String> used = new HashSet<>();
    private final Map<String, Integer> next = new HashMap<>();

    /** From here on names may be those of an earlier function. */
    void startFunction() {
        used.clear();
    }

    /** A name that nothing else has in this function: the wanted one if it is free. */
    String fresh(String wanted) {
        String name = wanted;
        while (RESERVED.contains(name) || used.contains(name)) {
            int number = next.merge(name, 1, Integer::sum) - 1;
            name = wanted + number;
        }
        used.add(name);
        return name;
    }

    String fresh(Value value) {
        return fresh(isNamed(value) ? identifier(value.name()) : "_");
    }

    /** Whether a value was given a name by a person; {@code _12} is what a printer calls those that have none. */
    static boolean isNamed(Value value) {
        String name = value.name();
        if (name == null || name.isEmpty()) {
            return false;
        }
        if (name.charAt(0) != '_') {
            return true;
        }
        for (int i = 1; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return true;
            }
        }
        return false;
    }

    static boolean isIdentifier(String name) {
        return !name.isEmpty() && identifier(name).equals(name);
    }

    /** A name with what may not stand in one replaced. */
    private static String identifier(String name) {
        StringBuilder out = new StringBuilder(name.length() + 1);
        if (name.charAt(0) >= '0' && name.charAt(0) <= '9') {
            out.append('_');
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            out.append(plain ? c : '_');
        }
        return out.toString();
    }
}
