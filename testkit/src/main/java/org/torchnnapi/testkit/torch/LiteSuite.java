package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** Runs {@code model.ptl} on the CPU. */
final class LiteSuite implements TorchSuite {
    private final ScriptRuntime runtime;

    LiteSuite(ScriptRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        JsonNode lite = test.description().path("lite");
        if (!lite.has("model")) {
            return Outcome.skipped(
                    lite.has("error") ? "PyTorch: " + lite.path("error").asText() : "no lite model");
        }
        ScriptModule module = ScriptModule.of(
                TorchScriptArchive.open(test.file(lite.path("model").asText())).forLite(), runtime);
        ResultComparison comparison = ResultComparison.of(test.description().path("tolerance"));
        int compared = 0;
        for (int i = 0; i < test.runs().size(); i++) {
            JsonNode run = test.runs().get(i);
            if (run.has("method") || run.has("kwargs")) {
                // Not for the lite model; what follows may depend on the state it left.
                break;
            }
            String wrong = Runs.check(module, run, test.folder(), i, comparison);
            if (wrong != null) {
                return Outcome.failed(wrong);
            }
            compared++;
            if (run.has("raises")) {
                break;
            }
        }
        return compared == 0 ? Outcome.skipped("no run is meant for the lite model") : Outcome.passed();
    }
}
