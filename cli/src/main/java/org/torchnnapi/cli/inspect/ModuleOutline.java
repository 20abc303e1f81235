package org.torchnnapi.cli.inspect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The modules of a file as they are stored, without running any of its code, so that also a model with operators
 * unknown here can be looked at.
 */
final class ModuleOutline {
    private static final Pattern CALL = Pattern.compile("\\b(torch|ops\\.(\\w+))\\.(\\w+)\\(");
    private static final Pattern METHOD = Pattern.compile("(?m)^  def (\\w+)\\(");
    private static final Pattern CLASS = Pattern.compile("(?m)^class (\\w+)\\(");

    private static final int MAX_PATH = 1000;

    /**
     * A module at a place. One that is at several has what it holds at the first.
     *
     * @param parent that it is an attribute of, or null for the top
     * @param name of the attribute that it is, which may have dots of its own; "" for the top
     * @param depth number of modules that it is in
     * @param bytes of the tensors that are its own attributes
     * @param first the place where the same object was before, or null
     */
    record Entry(
            Entry parent,
            String name,
            int depth,
            String className,
            int tensors,
            long bytes,
            PickledObject object,
            Entry first) {
        /** Attribute names from the top, joined by dots, the last of them of a path too long; "" for the top. */
        String path() {
            StringBuilder path = new StringBuilder();
            for (Entry at = this; at.parent != null; at = at.parent) {
                if (path.length() + at.name.length() > MAX_PATH) {
                    return path.insert(0, "..").toString();
                }
                path.insert(0, path.length() == 0 ? at.name : at.name + ".");
            }
            return path.toString();
        }
    }

    /**
     * A constant of the source text that holds tensors, as frozen and optimised models have instead of attributes.
     *
     * @param name as the source has it, such as CONSTANTS.c0
     * @param kind the class of packed parameters, or the type of a tensor with its sizes
     */
    record Constant(String name, String kind, int tensors, long bytes) {}

    private final Map<String, String> sources;
    private final Map<String, Map<String, Integer>> callsOfClass = new TreeMap<>();
    private final List<Entry> entries = new ArrayList<>();
    private final List<Constant> constants = new ArrayList<>();
    private final Map<String, Integer> operators = new TreeMap<>();
    private final Map<String, long[]> tensorsByType = new TreeMap<>();
    private final Map<Storage, Boolean> seen = new IdentityHashMap<>();
    private final Map<PickledObject, Entry> places = new IdentityHashMap<>();
    /** Of the objects, lists and others that tensors were collected from. */
    private final Map<Object, Boolean> collected = new IdentityHashMap<>();
    /** Texts of the classes of a file by name. */
    private final Map<String, Map<String, String>> classes = new HashMap<>();

    ModuleOutline(TorchScriptArchive archive) {
        sources = archive.sources();
        if (archive.data() instanceof PickledObject top) {
            visit(null, "", 0, top);
        }
        if (archive.has("constants.pkl")) {
            List<Object> values = archive.constants();
            for (int i = 0; i < values.size(); i++) {
                List<Tensor> own = new ArrayList<>();
                collect(values.get(i), own);
                if (!own.isEmpty()) {
                    constants.add(new Constant("CONSTANTS.c" + i, kind(values.get(i)), own.size(), count(own)));
                }
            }
        }
    }

    private static String kind(Object constant) {
        if (constant instanceof Tensor tensor) {
            return tensor.dtype().torchName() + Arrays.toString(tensor.sizes());
        }
        return constant instanceof PickledObject object ? object.className() : "";
    }

    List<Entry> entries() {
        return entries;
    }

    /** Names of the methods of the top that are in the file's text, but those that run at load and save. */
    List<String> methods() {
        List<String> names = new ArrayList<>();
        Matcher matcher =
                METHOD.matcher(entries.isEmpty() ? "" : source(entries.get(0).className()));
        while (matcher.find()) {
            if (!matcher.group(1).startsWith("__")) {
                names.add(matcher.group(1));
            }
        }
        return names;
    }

    /** Those that hold tensors, in order. */
    List<Constant> constants() {
        return constants;
    }

    /** Calls of operators in the methods of all modules, by kind. */
    Map<String, Integer> operators() {
        return operators;
    }

    /** Number of tensors and bytes of their storages by data type; storages shared by several tensors count once. */
    Map<String, long[]> tensorsByType() {
        return tensorsByType;
    }

    /** The text of a class, from its header to the next class or the end; "" if the file has none. */
    String source(String className) {
        int dot = className.lastIndexOf('.');
        String file = dot < 0 ? "" : "code/" + className.substring(0, dot).replace('.', '/') + ".py";
        return classes.computeIfAbsent(file, this::classesOf).getOrDefault(className.substring(dot + 1), "");
    }

    private Map<String, String> classesOf(String file) {
        Map<String, String> found = new HashMap<>();
        String text = sources.getOrDefault(file, "");
        Matcher matcher = CLASS.matcher(text);
        String name = null;
        int start = 0;
        while (matcher.find()) {
            if (name != null) {
                found.putIfAbsent(name, text.substring(start, matcher.start()));
            }
            name = matcher.group(1);
            start = matcher.start();
        }
        if (name != null) {
            found.putIfAbsent(name, text.substring(start));
        }
        return found;
    }

    private void visit(Entry parent, String name, int depth, PickledObject object) {
        Entry first = places.get(object);
        if (first != null) {
            entries.add(new Entry(parent, name, depth, object.className(), 0, 0, object, first));
            return;
        }
        calls(object.className()).forEach((kind, count) -> operators.merge(kind, count, Integer::sum));
        List<Tensor> own = new ArrayList<>();
        List<Map.Entry<String, PickledObject>> children = new ArrayList<>();
        if (object.state() instanceof PickledDict attributes) {
            for (Map.Entry<Object, Object> attribute : attributes.entries()) {
                if (attribute.getValue() instanceof PickledObject child) {
                    children.add(Map.entry(String.valueOf(attribute.getKey()), child));
                } else {
                    collect(attribute.getValue(), own);
                }
            }
        } else {
            collect(object.state(), own);
        }
        Entry entry = new Entry(parent, name, depth, object.className(), own.size(), count(own), object, null);
        places.put(object, entry);
        entries.add(entry);
        children.forEach(child -> visit(entry, child.getKey(), depth + 1, child.getValue()));
    }

    /** Adds tensors to the sums by type; bytes of the storages that no earlier tensor had. */
    private long count(List<Tensor> tensors) {
        long bytes = 0;
        for (Tensor tensor : tensors) {
            long size = seen.putIfAbsent(tensor.storage(), true) == null
                    ? (long) tensor.storage().length() * tensor.dtype().bytes()
                    : 0;
            bytes += size;
            long[] sum = tensorsByType.computeIfAbsent(tensor.dtype().torchName(), type -> new long[2]);
            sum[0]++;
            sum[1] += size;
        }
        return bytes;
    }

    private Map<String, Integer> calls(String className) {
        return callsOfClass.computeIfAbsent(className, name -> {
            Map<String, Integer> calls = new TreeMap<>();
            for (String method : source(name).split("(?m)^  def ")) {
                if (method.startsWith("__")) {
                    continue; // __setstate__ and __getstate__ run at load and save
                }
                Matcher matcher = CALL.matcher(method);
                while (matcher.find()) {
                    String space = matcher.group(2) == null ? "aten" : matcher.group(2);
                    calls.merge(space + "::" + matcher.group(3), 1, Integer::sum);
                }
            }
            return calls;
        });
    }

    /** Tensors in lists, tuples and packed parameters, each of which counts where it is first. */
    private void collect(Object value, List<Tensor> tensors) {
        if (value instanceof Tensor tensor) {
            tensors.add(tensor);
        } else if (value instanceof PickledList list && isNew(list)) {
            list.items().forEach(item -> collect(item, tensors));
        } else if (value instanceof ScriptTuple tuple && isNew(tuple)) {
            tuple.items().forEach(item -> collect(item, tensors));
        } else if (value instanceof PickledObject object && isNew(object)) {
            collect(object.state(), tensors);
        } else if (value instanceof PickledDict dict && isNew(dict)) {
            dict.entries().forEach(entry -> collect(entry.getValue(), tensors));
        }
    }

    private boolean isNew(Object container) {
        return collected.putIfAbsent(container, true) == null;
    }
}
