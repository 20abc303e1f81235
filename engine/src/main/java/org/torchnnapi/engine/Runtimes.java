package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.torchscript.ScriptRuntime;
import org.torchnnapi.torchscript.value.CustomClasses;

/** Puts together what modules are loaded into. */
public final class Runtimes {
    private Runtimes() {
    }

    /** All operators and custom classes there are. */
    public static ScriptRuntime standard() {
        return new ScriptRuntime(kind -> List.of(), CustomClasses.NONE);
    }
}
