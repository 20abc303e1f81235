package org.torchnnapi.driver.cpu;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.driver.ControlledRunner;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.ModelRunner;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;

/** IF and WHILE operations and nothing else: the reference device steers, the models that they refer to are programs. */
final class ControlFlow implements PreparedModel {
    private final Map<Model, PreparedModel> branches = new IdentityHashMap<>();
    private final PreparedModel steering;

    ControlFlow(Model model) {
        steering = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT, this::runner);
    }

    /** One for each execution at a time, over what is prepared once. */
    private synchronized ControlledRunner runner(Model referenced) {
        PreparedModel prepared = branches.computeIfAbsent(referenced, model -> new CpuDriver().prepare(model, PrepareOptions.DEFAULT));
        return new ModelRunner(referenced, prepared::execute);
    }

    private synchronized List<PreparedModel> branches() {
        return List.copyOf(branches.values());
    }

    @Override
    public void execute(ExecutionRequest request) {
        steering.execute(request);
    }

    @Override
    public DeviceMemory memory() {
        return branches().stream().map(PreparedModel::memory).reduce(DeviceMemory.NONE, DeviceMemory::plus);
    }

    @Override
    public void profile() {
        branches().forEach(PreparedModel::profile);
    }

    @Override
    public List<StepTime> stepTimes() {
        return branches().stream().flatMap(branch -> branch.stepTimes().stream()).toList();
    }

    @Override
    public void close() {
        steering.close();
        branches().forEach(PreparedModel::close);
    }
}
