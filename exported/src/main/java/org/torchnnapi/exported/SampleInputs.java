package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The arguments that a program was exported with: a pair of positional and keyword arguments that torch.save wrote. Of
 * no use if they name classes of the user, nothing of which is run.
 */
final class SampleInputs {
    private final String name;
    private final ByteBuffer bytes;
    private ReadBudget budget;

    /**
     * @param name for error messages
     * @param bytes none where there is no example
     * @param budget of the archive
     */
    SampleInputs(String name, ByteBuffer bytes, ReadBudget budget) {
        this.name = name;
        this.bytes = bytes;
        this.budget = budget;
    }

    /**
     * The arguments in order.
     *
     * @param structure of positional and keyword arguments
     * @param leaves types of the leaves
     * @return null if there is no example, or one of other parts
     */
    List<Object> arguments(Structure structure, List<Type> leaves, TensorModules classes) {
        if (!bytes.hasRemaining()) {
            return null;
        }
        try {
            Object whole = new SavedTensors(name, bytes, budget()).whole();
            Iterator<Type> types = leaves.iterator();
            List<Object> arguments = new ArrayList<>();
            List<?> halves = parts(structure, whole);
            for (int i = 0; i < halves.size(); i++) {
                Structure half = structure.children().get(i);
                List<?> parts = parts(half, halves.get(i));
                for (int k = 0; k < parts.size(); k++) {
                    arguments.add(value(half.children().get(k), parts.get(k), types, classes));
                }
            }
            return arguments;
        } catch (ArchiveException unfit) {
            return null;
        }
    }

    /** The archive's the first time, then one of its own: what was read then may be gone. */
    private synchronized ReadBudget budget() {
        ReadBudget first = budget;
        budget = ReadBudget.of(bytes.remaining());
        return first;
    }

    private List<?> parts(Structure structure, Object value) {
        List<?> parts = List.of();
        if (value instanceof ScriptTuple tuple) {
            parts = tuple.items();
        } else if (value instanceof PickledList list) {
            parts = list.items();
        } else if (value instanceof PickledDict dict && structure.form() == Structure.Form.DICT) {
            Map<Object, Object> found = new HashMap<>();
            dict.entries().forEach(entry -> found.put(entry.getKey(), entry.getValue()));
            parts = found.keySet().equals(new HashSet<>(structure.keys()))
                    ? structure.keys().stream().map(found::get).collect(Streams.toList())
                    : parts;
        }
        if (parts.size() != structure.children().size()) {
            throw new ArchiveException(name + ": " + parts.size() + " parts (expected: "
                    + structure.children().size() + ", as the program takes)");
        }
        return parts;
    }

    private Object value(Structure structure, Object value, Iterator<Type> leaves, TensorModules classes) {
        if (structure.form() == Structure.Form.LEAF) {
            Type type = leaves.next();
            if (!RuntimeTypes.of(value).equals(type)) {
                throw new ArchiveException(name + ": another leaf (expected: " + type.text() + ")");
            }
            return value;
        }
        List<?> parts = parts(structure, value);
        List<Type> types = new ArrayList<>();
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Structure child = structure.children().get(i);
            List<Type> own = child.leafTypes(leaves);
            types.add(child.type(own.iterator(), classes));
            items.add(value(child, parts.get(i), own.iterator(), classes));
        }
        Type type = structure.of(types, classes);
        if (type instanceof Type.ListType list) {
            return new ScriptList(list.element(), items);
        }
        if (type instanceof Type.DictType dict) {
            ScriptDict made = new ScriptDict(dict.key(), dict.value());
            for (int i = 0; i < items.size(); i++) {
                made.items().put(structure.keys().get(i), items.get(i));
            }
            return made;
        }
        return new ScriptTuple(items, (Type.TupleType) type);
    }
}
