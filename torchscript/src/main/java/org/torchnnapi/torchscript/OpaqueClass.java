package org.torchnnapi.torchscript;

import org.torchnnapi.torchscript.value.CustomClass;

/**
 * Stands for a custom class nobody implements here: its objects keep their state, so that a module can be saved again.
 */
record OpaqueClass(String qualifiedName, String known) implements CustomClass {
    /** The kept state; a class of its own as it may be any value. */
    private record Kept(Object state) {}

    @Override
    public Object create() {
        throw unsupported("construct it");
    }

    @Override
    public Object call(Object self, String method, Object[] arguments) {
        throw unsupported("call " + method);
    }

    @Override
    public Object getState(Object self) {
        return ((Kept) self).state();
    }

    @Override
    public Object setState(Object state) {
        return new Kept(state);
    }

    private IllegalArgumentException unsupported(String action) {
        return new IllegalArgumentException(
                "custom class " + qualifiedName + ": cannot " + action + " (expected: one of " + known + ")");
    }
}
