package org.torchnnapi.torchscript.pickle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Proves that an unpickled value is a directed acyclic graph of bounded depth. Memo tricks can make a list its own
 * element, or share one value so often that walking every path would never end; each value is walked once here.
 */
final class TreeCheck {
    private record Open(Object value, Iterator<?> children) {
    }

    private TreeCheck() {
    }

    static void check(String name, Object root) {
        // Height of finished values; 0 marks a value whose children are being walked.
        Map<Object, Integer> heights = new IdentityHashMap<>();
        Deque<Open> path = new ArrayDeque<>();
        if (children(root) != null) {
            path.push(new Open(root, children(root)));
            heights.put(root, 0);
        }
        while (!path.isEmpty()) {
            Open open = path.peek();
            if (!open.children().hasNext()) {
                path.pop();
                heights.put(open.value(), height(name, open.value(), heights));
                continue;
            }
            Object child = open.children().next();
            if (child instanceof PickleGlobal || child instanceof DType
                || child instanceof Storage) {
                throw new ArchiveException(name + ": a global or storage stands for a value (expected: only inside a tensor)");
            }
            Iterator<?> grandchildren = children(child);
            if (grandchildren == null) {
                continue;
            }
            Integer height = heights.get(child);
            if (height == null) {
                if (path.size() >= PickleReader.MAX_DEPTH) {
                    throw tooDeep(name);
                }
                heights.put(child, 0);
                path.push(new Open(child, grandchildren));
            } else if (height == 0) {
                throw new ArchiveException(name + ": a value contains itself (expected: no cycles)");
            }
        }
    }

    /** The tuples, lists and dictionaries that occur at more than one place, by identity; the tree must be sound. */
    static Set<Object> repeatedContainers(Object root) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Object> repeated = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Iterator<?>> open = new ArrayDeque<>();
        open.push(List.of(root == null ? "" : root).iterator());
        while (!open.isEmpty()) {
            if (!open.peek().hasNext()) {
                open.pop();
                continue;
            }
            Object value = open.peek().next();
            Iterator<?> children = children(value);
            if (children != null && !seen.add(value)) {
                repeated.add(value);
            } else if (children != null) {
                open.push(children);
            }
        }
        return repeated;
    }

    /** A shared value counts at every place, so depth is the longest path, not the first one walked. */
    private static int height(String name, Object value, Map<Object, Integer> heights) {
        int height = 0;
        for (Iterator<?> it = children(value); it.hasNext(); ) {
            height = Math.max(height, heights.getOrDefault(it.next(), 0));
        }
        if (height + 1 > PickleReader.MAX_DEPTH) {
            throw tooDeep(name);
        }
        return height + 1;
    }

    private static ArchiveException tooDeep(String name) {
        return new ArchiveException(name + ": values nested deeper than " + PickleReader.MAX_DEPTH + " levels (expected: at most that)");
    }

    /** Null for values without children. */
    private static Iterator<?> children(Object value) {
        if (value instanceof ScriptTuple tuple) {
            return tuple.items().iterator();
        }
        if (value instanceof PickledList list) {
            return list.items().iterator();
        }
        if (value instanceof PickledDict dict) {
            List<Object> both = new ArrayList<>(2 * dict.entries().size());
            for (Map.Entry<Object, Object> entry : dict.entries()) {
                both.add(entry.getKey());
                both.add(entry.getValue());
            }
            return both.iterator();
        }
        if (value instanceof PickledObject object) {
            return Collections.singletonList(object.state()).iterator();
        }
        return null;
    }
}
