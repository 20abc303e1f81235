package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.torchscript.ScriptRuntime;
import org.torchnnapi.torchscript.value.CustomClasses;

/** Puts together what modules are loaded into. */
public final class Runtimes {
    private Runtimes() {
    }

    /** All operators and custom classes there are, converted parts on the devices that the runtime chooses. */
    public static ScriptRuntime standard() {
        ScriptRuntime base = withoutNnapi();
        return new ScriptRuntime(base.operators(),
            base.customClasses().with(List.of(new NnapiCompilationClass(EngineOptions.defaults()))));
    }

    /** All operators and custom classes but {@code _nnapi.Compilation}. */
    static ScriptRuntime withoutNnapi() {
        return new ScriptRuntime(kind -> List.of(), CustomClasses.NONE);
    }
}
