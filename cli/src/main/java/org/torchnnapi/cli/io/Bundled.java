package org.torchnnapi.cli.io;

import java.util.List;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Inputs stored in a model by {@code torch.utils.bundled_inputs}. */
public final class Bundled {
    private static final String METHOD = "get_all_bundled_inputs";

    private Bundled() {
    }

    public static boolean has(LoadedModel model) {
        return model.module().method(METHOD) != null;
    }

    /** @throws CommandFailure if the model has none, or not so many */
    public static List<Object> inputs(LoadedModel model, int index) {
        if (!has(model)) {
            throw new CommandFailure("Model does not have bundled inputs.  Before saving,\n"
                + "use torch.utils.bundled_inputs.augment_model_with_bundled_inputs.");
        }
        ScriptList all = (ScriptList) model.call(METHOD);
        if (index >= all.size()) {
            throw new CommandFailure("Model has only " + all.size() + " bundled inputs.");
        }
        return ((ScriptTuple) all.get(index)).items();
    }
}
