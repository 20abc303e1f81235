package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.value.CustomClasses;

/** Puts together what modules are loaded into. */
public final class Runtimes {
    private Runtimes() {}

    /** All operators and custom classes there are; converted parts run as the options say. */
    public static ScriptRuntime standard(EngineOptions options) {
        return with(new NnapiCompilationClass(options));
    }

    /** As {@link #standard(EngineOptions)}, on the devices that the runtime chooses. */
    public static ScriptRuntime standard() {
        return standard(EngineOptions.defaults());
    }

    static ScriptRuntime with(NnapiCompilationClass compilations) {
        return ScriptRuntime.standard(CustomClasses.of(List.of(compilations, compilations.own())));
    }
}
