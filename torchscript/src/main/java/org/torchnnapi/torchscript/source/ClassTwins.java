package org.torchnnapi.torchscript.source;

import java.util.HashMap;
import java.util.Map;

/**
 * The first classes of the files read so far, for others of the same name to be compared with: a module's class is
 * written once for every object, in a file of its own.
 */
final class ClassTwins {
    private final Map<String, Tree.ClassTree> classes = new HashMap<>();

    /** The class of that name in a file of the same folder, or null. */
    Tree.ClassTree find(String entry, String name) {
        return classes.get(key(entry, name));
    }

    void add(String entry, Tree.ClassTree type) {
        classes.putIfAbsent(key(entry, type.name()), type);
    }

    private static String key(String entry, String name) {
        return entry.substring(0, entry.lastIndexOf('/') + 1) + name;
    }
}
