package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A class of a TorchScript archive: ordered attributes (slots) and methods. Two class types are equal only if they are
 * the same object, since modules of one Python class may differ in their compiled code.
 */
public final class ClassType implements Type {
    /** What the class statement derives from. */
    public enum Kind {
        /** {@code class X(Module)}. */
        MODULE,
        /** A plain {@code class X:}. */
        OBJECT,
        /** {@code class X(ModuleInterface)} or {@code class X(Interface)}: methods without bodies. */
        INTERFACE,
        /** {@code __torch__.torch.classes.ns.X}, implemented outside TorchScript. */
        CUSTOM
    }

    /** A slot. */
    public record Attribute(String name, Type type, boolean isParameter, boolean isBuffer) {}

    private static final Map<String, ClassType> CUSTOM_TYPES = new ConcurrentHashMap<>();

    private final String name;
    private final Kind kind;
    private final List<Attribute> attributes = new ArrayList<>();
    private final Map<String, Integer> slots = new LinkedHashMap<>();
    private final Map<String, Function> methods = new LinkedHashMap<>();
    private final Map<String, Object> constants = new LinkedHashMap<>();
    private List<String> forwardPreHooks = List.of();
    private List<String> forwardHooks = List.of();

    /**
     * The type of a class implemented outside TorchScript; one object for each name, as operator schemas name them too.
     */
    public static ClassType custom(String name) {
        return CUSTOM_TYPES.computeIfAbsent(name, n -> new ClassType(n, Kind.CUSTOM));
    }

    /** @param name qualified name, for example {@code __torch__.torch.nn.modules.conv.Conv2d} */
    public ClassType(String name, Kind kind) {
        this.name = name;
        this.kind = kind;
    }

    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    @Override
    public String text() {
        return name;
    }

    /** Slots in declaration order, not copied. */
    public List<Attribute> attributes() {
        return attributes;
    }

    /** Appends a slot; redeclaring a name replaces its type. */
    public void addAttribute(Attribute attribute) {
        Integer at = slots.get(attribute.name());
        if (at != null) {
            attributes.set(at, attribute);
            return;
        }
        slots.put(attribute.name(), attributes.size());
        attributes.add(attribute);
    }

    /** Slot number, or -1. */
    public int slot(String attribute) {
        return slots.getOrDefault(attribute, -1);
    }

    public Collection<Function> methods() {
        return methods.values();
    }

    /** The method, or null. */
    public Function method(String method) {
        return methods.get(method);
    }

    public void addMethod(Function method) {
        methods.put(method.name(), method);
    }

    /** Values of {@code name : Final[T] = v} statements, as runtime values. */
    public Map<String, Object> constants() {
        return constants;
    }

    /** Names of the methods that run before {@code forward} where that is called from outside, in their order. */
    public List<String> forwardPreHooks() {
        return forwardPreHooks;
    }

    /** Names of the methods that run behind {@code forward} where that is called from outside, in their order. */
    public List<String> forwardHooks() {
        return forwardHooks;
    }

    /** Tells which methods are hooks; code that was compiled with them calls them itself, as functions. */
    public void hooks(List<String> before, List<String> behind) {
        forwardPreHooks = List.copyOf(before);
        forwardHooks = List.copyOf(behind);
    }

    /** Whether a method is one of the hooks. */
    public boolean isHook(String method) {
        return forwardPreHooks.contains(method) || forwardHooks.contains(method);
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + name;
    }
}
