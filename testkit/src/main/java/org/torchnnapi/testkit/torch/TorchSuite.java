package org.torchnnapi.testkit.torch;

import java.util.Map;

/** One way of judging cases. */
interface TorchSuite {
    /** @throws Exception counts as a failure of the case */
    Outcome run(TorchCase test) throws Exception;

    /** The outcomes of a case by what was done with it; one without a name where a suite does one thing. */
    default Map<String, Outcome> outcomes(TorchCase test) {
        return Map.of("", Outcome.of(() -> run(test)));
    }

    /** Figures of the cases so far that judge nothing, in words; empty if there are none. */
    default String figures() {
        return "";
    }
}
