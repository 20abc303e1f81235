package org.torchnnapi.torchscript.print;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Identifiers;
import org.torchnnapi.torchscript.ir.Value;

/** Names of variables: distinct in a function, and numbered on through all functions of a file. */
final class NameTable {
    /** Names that TorchScript's reader takes for something else, beside Python's keywords. */
    private static final Set<String> RESERVED = Set.of(
            "_",
            "aten",
            "attribute",
            "CONSTANTS",
            "fork",
            "getattr",
            "inf",
            "nan",
            "infj",
            "nanj",
            "ops",
            "__torch__",
            "torch",
            "uninitialized",
            "unchecked_cast",
            "annotate",
            "isinstance",
            "range",
            "print",
            "int",
            "float",
            "bool",
            "str",
            "rpc_async",
            "rpc_sync",
            "rpc_remote");

    private final Set<String> used = new HashSet<>();
    private final Map<String, Integer> next = new HashMap<>();

    /** From here on names may be those of an earlier function. */
    void startFunction() {
        used.clear();
    }

    /** A name that nothing else has in this function: the wanted one if it is free. */
    String fresh(String wanted) {
        String name = wanted;
        while (RESERVED.contains(name) || Identifiers.isKeyword(name) || used.contains(name)) {
            int number = next.merge(name, 1, Integer::sum) - 1;
            name = wanted + number;
        }
        used.add(name);
        return name;
    }

    String fresh(Value value) {
        return fresh(isNamed(value) ? Identifiers.plain(value.name()) : "_");
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
}
