package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.op.SubgraphRunner;

/** Runs a referenced model under the control of the execution it is part of. One run at a time. */
public interface ControlledRunner extends SubgraphRunner {
    /** Gives deadline, cancellation and loop timeout of the next runs. */
    void control(ExecutionControl newControl);
}
