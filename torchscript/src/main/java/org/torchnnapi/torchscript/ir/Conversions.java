package org.torchnnapi.torchscript.ir;

import java.util.Collection;
import java.util.Map;

/** The operators that make a value of a plain type of another value, as Python's {@code int(x)} and its kin do. */
public final class Conversions {
    private static final Map<Type, String> EXPLICIT = Map.of(
            Type.Basic.INT, "aten::Int",
            Type.Basic.FLOAT, "aten::Float",
            Type.Basic.BOOL, "aten::Bool",
            Type.Basic.COMPLEX, "aten::Complex",
            Type.Basic.STRING, "aten::str");

    private static final Map<Type, String> IMPLICIT = Map.of(
            Type.Basic.INT, "aten::IntImplicit",
            Type.Basic.FLOAT, "aten::FloatImplicit",
            Type.Basic.COMPLEX, "aten::ComplexImplicit",
            Type.Basic.NUMBER, "aten::ScalarImplicit");

    private Conversions() {}

    /** The operator that Python's function of the type's name is; null where there is none. */
    public static String operator(Type type) {
        return EXPLICIT.get(type);
    }

    /** The operator that PyTorch inserts where a tensor is given for a number of the type; null where there is none. */
    public static String implicit(Type type) {
        return IMPLICIT.get(type);
    }

    /** All that PyTorch inserts. */
    public static Collection<String> implicit() {
        return IMPLICIT.values();
    }

    /** The type that Python's function of that name converts to; null where it is none. */
    public static Type named(String function) {
        return EXPLICIT.keySet().stream()
                .filter(type -> type.text().equals(function))
                .findFirst()
                .orElse(null);
    }
}
