package org.torchnnapi.testkit.torch;

import org.torchnnapi.converter.Conversion;
import org.torchnnapi.execution.ScriptRuntime;

/** Converts models and runs what came of it on the NNAPI runtime, against PyTorch's own results. */
final class NnapiSuite implements TorchSuite {
    private final ScriptRuntime runtime;

    NnapiSuite(ScriptRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        NnapiCase nnapi = new NnapiCase(test, runtime);
        if (!nnapi.exists()) {
            return Outcome.skipped("no conversion");
        }
        Conversion conversion = nnapi.convert();
        if (!conversion.succeeded()) {
            return nnapi.isRejected()
                    ? Outcome.passed()
                    : nnapi.isRight()
                            ? Outcome.failed(conversion.report().text())
                            : Outcome.skipped(conversion.report().text());
        }
        String wrong = nnapi.run(conversion);
        return wrong == null ? Outcome.passed() : Outcome.failed(wrong);
    }
}
