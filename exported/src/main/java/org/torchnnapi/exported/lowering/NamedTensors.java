package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.torchnnapi.exported.ElementTypes;
import org.torchnnapi.exported.Names;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The tensors of a module by name, and what a call changes of the module. */
final class NamedTensors {
    /** An attribute as it was. */
    private record Slot(ScriptObject object, int index, String path, Object value) {}

    /** A list or dictionary as it was. */
    private record Container(Object container, String path, List<Object> parts) {}

    /**
     * A tensor as it was.
     *
     * @param writes to its memory until then
     * @param view of the same memory
     */
    private record Before(int writes, Tensor view) {}

    /** An attribute that was set to another tensor. */
    record Assigned(GraphTensor attribute, Tensor old, Tensor now) {}

    /** What names of classes of one name have, to differ. */
    private static final String MANGLED = "___torch_mangle_\\d+\\.";

    private final Map<String, String> classNames = new HashMap<>();
    private final Map<Tensor, GraphTensor> byTensor = new IdentityHashMap<>();
    private final Set<String> paths = new HashSet<>();
    private final List<GraphTensor> declared = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private final List<Container> containers = new ArrayList<>();
    private final Map<Tensor, Before> before = new IdentityHashMap<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    NamedTensors(ScriptObject module) {
        object("", module);
    }

    private void object(String path, ScriptObject object) {
        if (!seen.add(object)) {
            return;
        }
        if (object.type().kind() == ClassType.Kind.MODULE) {
            classNames.put(
                    path, object.type().name().replaceFirst("^__torch__\\.", "").replaceAll(MANGLED, ""));
        }
        List<ClassType.Attribute> attributes = object.type().attributes();
        for (int i = 0; i < attributes.size(); i++) {
            ClassType.Attribute attribute = attributes.get(i);
            String place = path.isEmpty() ? attribute.name() : path + "." + attribute.name();
            Object value = object.slot(i);
            slots.add(new Slot(object, i, place, value));
            boolean parameter = attribute.isParameter()
                    && value instanceof Tensor tensor
                    && (tensor.dtype().isFloating());
            value(
                    place,
                    value,
                    parameter
                            ? GraphTensor.Origin.PARAMETER
                            : attribute.isParameter() || attribute.isBuffer()
                                    ? GraphTensor.Origin.BUFFER
                                    : GraphTensor.Origin.CONSTANT);
        }
    }

    private void value(String path, Object value, GraphTensor.Origin origin) {
        if (value instanceof Tensor tensor) {
            GraphTensor known = byTensor.get(tensor);
            GraphTensor named = GraphTensor.stored(origin, unused(path), tensor);
            if (known == null) {
                byTensor.put(tensor, named);
                Tensor view = tensor.asStrided(tensor.sizes(), tensor.strides(), tensor.offset());
                before.put(tensor, new Before(tensor.storage().writes(), view));
            }
            if (origin != GraphTensor.Origin.CONSTANT && ElementTypes.number(tensor.dtype()) != 0) {
                declared.add(named);
            }
        } else if (value instanceof ScriptObject object) {
            object(path, object);
        } else if (TreeSpec.isContainer(value) && seen.add(value)) {
            containers.add(new Container(value, path, parts(value)));
            TreeSpec.parts(
                    value,
                    (key, part) -> value(
                            path + "." + Names.identifier(String.valueOf(key)), part, GraphTensor.Origin.CONSTANT));
        }
    }

    private static List<Object> parts(Object container) {
        List<Object> parts = new ArrayList<>();
        TreeSpec.parts(container, (key, part) -> {
            parts.add(key);
            parts.add(part);
        });
        return parts;
    }

    /** A path that nothing of the program has yet: this one, or with a number behind it. */
    String unused(String path) {
        String free = path;
        for (int number = 1; !paths.add(free); number++) {
            free = path + "_" + number;
        }
        return free;
    }

    /** A tensor of the module; null for any other. */
    GraphTensor find(Tensor tensor) {
        return byTensor.get(tensor);
    }

    /** Names of Python's classes by path of the module. */
    Map<String, String> classNames() {
        return classNames;
    }

    /** Parameters and buffers, under each of their names. */
    List<GraphTensor> declared() {
        return declared;
    }

    private boolean isWritten(Tensor tensor) {
        Before was = before.get(tensor);
        return was != null
                && (tensor.storage() != was.view().storage() || tensor.storage().writes() != was.writes());
    }

    /** Tensors whose elements were written to since, or whose attribute was set. */
    Set<Tensor> changed() {
        Set<Tensor> changed = Collections.newSetFromMap(new IdentityHashMap<>());
        before.keySet().stream().filter(this::isWritten).forEach(changed::add);
        assigned().forEach(assigned -> changed.add(assigned.old()));
        return changed;
    }

    /** Attributes that are another tensor now. */
    List<Assigned> assigned() {
        List<Assigned> assigned = new ArrayList<>();
        for (Slot slot : slots) {
            if (slot.value() instanceof Tensor old
                    && slot.object().slot(slot.index()) instanceof Tensor now
                    && now != old) {
                assigned.add(new Assigned(byTensor.get(old), old, now));
            }
        }
        return assigned;
    }

    /** Tensors that have other sizes now. */
    private List<String> resized() {
        List<String> places = new ArrayList<>();
        before.forEach((tensor, was) -> {
            if (!Arrays.equals(tensor.sizes(), was.view().sizes())) {
                places.add(byTensor.get(tensor).path());
            }
        });
        return places;
    }

    /** Attributes that show the memory of others now, as they did not before: a write to one writes to both. */
    private List<String> joined() {
        Map<Storage, Slot> owners = new IdentityHashMap<>();
        List<String> places = new ArrayList<>();
        for (Slot slot : slots) {
            if (slot.object().slot(slot.index()) instanceof Tensor now && slot.value() instanceof Tensor old) {
                Slot owner = owners.putIfAbsent(now.storage(), slot);
                if (owner != null && ((Tensor) owner.value()).storage() != old.storage()) {
                    places.add(slot.path());
                }
            }
        }
        return places;
    }

    /** What attributes were set to that are no tensors, and what containers hold that changed, by path. */
    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        for (Slot slot : slots) {
            Object now = slot.object().slot(slot.index());
            if (!(now instanceof Tensor) && !isSame(slot.value(), now)) {
                settings.put(slot.path(), TreeSpec.isContainer(now) ? parts(now) : now);
            }
        }
        for (Container known : containers) {
            List<Object> now = parts(known.container());
            if (!isSame(known.parts(), now)) {
                settings.put(known.path(), now);
            }
        }
        return settings;
    }

    /** Whether all attributes and containers hold what they held, if other tensors of the same elements. */
    boolean isUnchanged() {
        return changed().isEmpty()
                && resized().isEmpty()
                && joined().isEmpty()
                && slots.stream()
                        .allMatch(slot -> isSame(slot.value(), slot.object().slot(slot.index())))
                && containers.stream().allMatch(known -> isSame(known.parts(), parts(known.container())));
    }

    private static boolean isSame(List<Object> old, List<Object> now) {
        boolean same = old.size() == now.size();
        for (int i = 0; same && i < now.size(); i++) {
            same = isSame(old.get(i), now.get(i));
        }
        return same;
    }

    /** What the attributes of an object are that are no objects; of these, which of them. */
    private static List<Object> values(ScriptObject object) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < object.type().attributes().size(); i++) {
            Object value = object.slot(i);
            values.add(value instanceof ScriptObject ? System.identityHashCode(value) : value);
        }
        return values;
    }

    /** Whether values are alike, elements of tensors included. */
    static boolean isSame(Object old, Object now) {
        if (old instanceof Tensor one && now instanceof Tensor other) {
            return one == other
                    || one.dtype() == other.dtype()
                            && Arrays.equals(one.sizes(), other.sizes())
                            && !one.dtype().isComplex()
                            && !one.dtype().isQuantized()
                            && Arrays.equals(RecordingWalk.elements(one), RecordingWalk.elements(other));
        }
        if (old instanceof List<?> one && now instanceof List<?> other) {
            return isSame(new ArrayList<>(one), new ArrayList<>(other));
        }
        if (old instanceof ScriptObject one && now instanceof ScriptObject other) {
            return one == other || one.type() == other.type() && isSame(values(one), values(other));
        }
        return TreeSpec.isContainer(old) && TreeSpec.isContainer(now)
                ? isSame(parts(old), parts(now))
                : Objects.equals(old, now);
    }

    /**
     * Where a call changed what is no tensor, gave tensors other sizes or joined two, or made one of what was none; a
     * program keeps tensors only.
     */
    List<String> unwritable() {
        List<String> places = new ArrayList<>();
        for (Slot slot : slots) {
            Object now = slot.object().slot(slot.index());
            if (now != slot.value()
                    && !(now instanceof Tensor && slot.value() instanceof Tensor)
                    && !Objects.equals(now, slot.value())) {
                places.add(slot.path());
            }
        }
        places.addAll(resized());
        places.addAll(joined());
        for (Container container : containers) {
            List<Object> now = parts(container.container());
            boolean same = now.size() == container.parts().size();
            for (int i = 0; same && i < now.size(); i++) {
                Object old = container.parts().get(i);
                same = now.get(i) == old || !(old instanceof Tensor) && Objects.equals(now.get(i), old);
            }
            if (!same) {
                places.add(container.path());
            }
        }
        return places;
    }
}
