package org.torchnnapi.testkit.torch;

import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;

/** Runs {@code model.pt} on the CPU. */
final class RunSuite implements TorchSuite {
    private final ScriptRuntime runtime;

    RunSuite(ScriptRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        ScriptModule module =
                ScriptModule.load(test.file(test.description().path("model").asText()), runtime);
        return Outcome.unless(Runs.checkAll(module, test));
    }
}
