package org.torchnnapi.exported;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Names of the classes of one file, each of which is another. */
final class ClassNames {
    static final String MODULE = "torch.nn.Module";

    private static final String ROOT = "__torch__.";

    private final Set<String> used = new HashSet<>();
    /** How often a name was asked for. */
    private final Map<String, Integer> numbers = new HashMap<>();

    /** A name that no class has yet, as TorchScript makes it of Python's. */
    String unused(String wanted) {
        String name = !Names.isQualified(wanted) || wanted.startsWith("torch.classes.") ? MODULE : wanted;
        int dot = name.lastIndexOf('.') + 1;
        String made = ROOT + (dot == 0 ? "exported." : "") + name;
        while (!used.add(made)) {
            int number = numbers.merge(name, 1, Integer::sum) - 1;
            made = ROOT + name.substring(0, dot) + "___torch_mangle_" + number + "." + name.substring(dot);
        }
        return made;
    }
}
