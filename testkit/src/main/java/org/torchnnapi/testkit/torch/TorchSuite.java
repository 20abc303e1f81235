package org.torchnnapi.testkit.torch;

/** One way of judging cases. */
interface TorchSuite {
    /** @throws Exception counts as a failure of the case */
    Outcome run(TorchCase test) throws Exception;
}
