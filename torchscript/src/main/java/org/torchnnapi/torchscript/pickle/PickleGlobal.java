package org.torchnnapi.torchscript.pickle;

/** A global named by a pickle: {@code torch.jit._pickle build_intlist} has that module and that name. */
record PickleGlobal(String module, String name) {
    /** Whether this names a class of the archive or a custom class. */
    boolean isScriptClass() {
        return module.equals("__torch__") || module.startsWith("__torch__.");
    }

    String qualifiedName() {
        return module + "." + name;
    }

    @Override
    public String toString() {
        return module + " " + name;
    }
}
