package org.torchnnapi.cli.io;

import java.util.List;
import org.torchnnapi.engine.LoadedModel;

/** Inputs stored in a model by {@code torch.utils.bundled_inputs}, or the example that a program was exported with. */
public final class Bundled {
    private Bundled() {}

    public static boolean has(LoadedModel model, String method) {
        return !model.module().bundledInputs(method).isEmpty();
    }

    /** @throws CommandFailure if the model has none, or not so many */
    public static List<Object> inputs(LoadedModel model, String method, int index) {
        List<List<Object>> all = model.module().bundledInputs(method);
        if (all.isEmpty()) {
            throw new CommandFailure("Model does not have bundled inputs.  Before saving,\n"
                    + "use torch.utils.bundled_inputs.augment_model_with_bundled_inputs.");
        }
        if (index >= all.size()) {
            throw new CommandFailure("Model has only " + all.size() + " bundled inputs.");
        }
        return all.get(index);
    }
}
