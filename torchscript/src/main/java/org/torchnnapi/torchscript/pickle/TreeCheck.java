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
    private record Open(Object value, Iterator<?> children) {}

    private TreeCheck() {}

    /** What is known of a finished value: its height, and how many values a walk through it meets. */
    private record Extent(int height, long values) {}

    /** Of a value whose children are being walked. */
    private static final Extent OPEN = new Extent(0, 0);

    /**
     * Checks a value.
     *
     * @return how many values a walk meets that follows each path, as what is shared is there at several places; the
     *     content of an object counts once, since objects are known by their identity. At most {@link Long#MAX_VALUE}
     */
    static long check(String name, Object root) {
        Map<Object, Extent> extents = new IdentityHashMap<>();
        long walked = 1;
        Deque<Open> path = new ArrayDeque<>();
        if (children(root) != null) {
            path.push(new Open(root, children(root)));
            extents.put(root, OPEN);
        }
        while (!path.isEmpty()) {
            Open open = path.peek();
            if (!open.children().hasNext()) {
                path.pop();
                Extent extent = extent(name, open.value(), extents);
                extents.put(open.value(), extent);
                if (open.value() == root || open.value() instanceof PickledObject) {
                    walked = sum(walked, extent.values());
                }
                continue;
            }
            Object child = open.children().next();
            if (child instanceof PickleGlobal || child instanceof DType || child instanceof Storage) {
                throw new ArchiveException(
                        name + ": a global or storage stands for a value (expected: only inside a tensor)");
            }
            Iterator<?> grandchildren = children(child);
            if (grandchildren == null) {
                continue;
            }
            Extent extent = extents.get(child);
            if (extent == null) {
                if (path.size() >= PickleReader.MAX_DEPTH) {
                    throw tooDeep(name);
                }
                extents.put(child, OPEN);
                path.push(new Open(child, grandchildren));
            } else if (extent == OPEN) {
                throw new ArchiveException(name + ": a value contains itself (expected: no cycles)");
            }
        }
        return walked;
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
    private static Extent extent(String name, Object value, Map<Object, Extent> extents) {
        int height = 0;
        long values = 1;
        for (Iterator<?> it = children(value); it.hasNext(); ) {
            Object child = it.next();
            Extent below = extents.getOrDefault(child, OPEN);
            height = Math.max(height, below.height());
            values = sum(values, child instanceof PickledObject || below == OPEN ? 1 : below.values());
        }
        if (height + 1 > PickleReader.MAX_DEPTH) {
            throw tooDeep(name);
        }
        return new Extent(height + 1, values);
    }

    private static long sum(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }

    private static ArchiveException tooDeep(String name) {
        return new ArchiveException(
                name + ": values nested deeper than " + PickleReader.MAX_DEPTH + " levels (expected: at most that)");
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
