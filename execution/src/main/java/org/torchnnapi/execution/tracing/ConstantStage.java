package org.torchnnapi.execution.tracing;

import java.util.List;
import org.torchnnapi.tensor.Tensor;

/** A constant of the recording where results or calls take it as a tensor. */
record ConstantStage(int value, Tensor tensor) implements CompiledStages.Stage {
    @Override
    public void run(Tensor[] values, Workspaces.Held workspace) {
        values[value] = tensor;
    }

    @Override
    public List<String> describe() {
        return List.of("constant " + tensor);
    }
}
