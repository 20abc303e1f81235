package org.torchnnapi.torchscript.value;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The custom classes that a module may use, by qualified name. Immutable. */
public final class CustomClasses {
    public static final CustomClasses NONE = of(List.of());

    private final Map<String, CustomClass> byName;

    private CustomClasses(Map<String, CustomClass> byName) {
        this.byName = byName;
    }

    public static CustomClasses of(Collection<? extends CustomClass> classes) {
        return new CustomClasses(Map.of()).with(classes);
    }

    /** These classes and the given ones, which win where names are equal. */
    public CustomClasses with(Collection<? extends CustomClass> classes) {
        Map<String, CustomClass> all = new TreeMap<>(byName);
        for (CustomClass type : classes) {
            all.put(type.qualifiedName(), type);
        }
        return new CustomClasses(Collections.unmodifiableMap(all));
    }

    /** These classes and the others, which win where names are equal. */
    public CustomClasses with(CustomClasses others) {
        return with(others.byName.values());
    }

    /** The class, or null if there is none of that name. */
    public CustomClass find(String qualifiedName) {
        return byName.get(qualifiedName);
    }

    /** All names, sorted. */
    public Collection<String> names() {
        return byName.keySet();
    }
}
